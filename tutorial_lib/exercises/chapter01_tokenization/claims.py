"""Chapter 01: two sentences to test, and the tokens of a text that was never cut."""

from collections import Counter
from itertools import count, pairwise

from tutorial_lib.exercises.chapter01_tokenization.merges import FIVE_WORDS, merge_pair_first
from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Claim, Symptom, case
from tutorial_lib.tokenizers import apply_merges, gpt2_words, merge_steps, wordpiece_steps

# One merge, one symbol less? ------------------------------------------------------------------

FOUR_WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}  # Sennrich et al. 2016, figure 1


def out_of_use():
    """How many symbols have the count 0 after three merges of the four words."""
    (*_, fourth) = merge_steps(FOUR_WORDS, 4)  # a step shows the counts before its merge
    return sum(count == 0 for count in fourth.symbol_counts.values())


def out_of_use_listed():
    """Second style."""
    merges = [step.pair for step in merge_steps(FOUR_WORDS, 3)]
    vocabulary = {*"".join(FOUR_WORDS), *("".join(pair) for pair in merges)}
    in_use = {token for word in FOUR_WORDS for token in apply_merges(tuple(word), merges)}
    return len(vocabulary - in_use)


def out_of_use_letters():
    """This is one short: `es` is out of use too, since `est` was made from it. Or was your third
    merge `ow`? It is as frequent as `lo`, and `lo` is smaller.
    """
    return 4


def out_of_use_two_merges():
    """Three is one a merge, or what two merges put out of use. What went into `est` and `lo`?"""
    return 3


def out_of_use_turned():
    """This counts the symbols that are still in use: what is left of the vocabulary?"""
    return 8


def out_of_use_all():
    """This is the whole vocabulary, ten letters and three merges. Which are still in use?"""
    return 13


def out_of_use_none():
    """Look again: after `es` and `est`, is there an `s` left on its own?"""
    return 0


def out_of_use_one_more():
    """One of your six is still in use: `e` and `w` are in `lower` and `newest`."""
    return 6


OUT_OF_USE = Claim(
    id="1.3",
    title="One merge, one symbol less?",
    level="easy",
    text="""
You may think: "A merge puts one symbol out of use at most, as `at` did with `a`." Test it by hand
on the words of Sennrich et al. (2016): low 5 times, lower 2, newest 6, widest 3. Of equally
frequent pairs the smallest goes first. After **three** merges, how many of all the symbols so far,
letters and merged ones, no longer occur in the four words?
""",
    hints=(
        "The first merge is `es`, with 9 occurrences. Which pair has 9 after that?",
        "Write the four words after three merges. Tick off each symbol that you still see.",
    ),
    solution=out_of_use,
    second_style=out_of_use_listed,
    mistakes=(
        out_of_use_letters,
        out_of_use_two_merges,
        out_of_use_turned,
        out_of_use_all,
        out_of_use_none,
        out_of_use_one_more,
    ),
    unit="symbols",
    verdict="The sentence does not hold: three merges put five out of use, as `est` used up both "
    "`es` and `t`. All five stay in the list: without its `t` it could not write `lot`.",
    see="1C Byte-pair encoding by hand",
)


# The more often, the better? -------------------------------------------------------------------


def no_longer_first():
    """How often `ugh` must occur before WordPiece merges `pe` in its place."""

    def first_merge(times):
        return next(wordpiece_steps({**FIVE_WORDS, "ugh": times}, 1, continuation="")).pair

    return next(times for times in count(1) if first_merge(times) == ("p", "e"))


def no_longer_first_by_hand():
    """Second style."""
    return next(n for n in count(1) if n / (n * n) < 12 / (12 * 16))


def no_longer_first_tied():
    """At 16 the scores are equal, 16 / (16 · 16) = 0.0625: once more."""
    return 16


def no_longer_first_once():
    """Once is when `ug` scores highest: 1 / (1 · 1) = 1. What happens when it occurs more often?"""
    return 1


def no_longer_first_squared():
    """This takes 1 for the pair's count: it is n as well, so the score is n / (n · n)."""
    return 5


def no_longer_first_counts():
    """This compares counts, as BPE does. Write down the score of `ug` when `ugh` occurs n times."""
    return 13


def no_longer_first_most():
    """This compares with the 27 of `at`, a count. What is the score of `ug` for n occurrences?"""
    return 28


RARE_FIRST = Claim(
    id="1.9",
    title="The more often, the better?",
    level="medium",
    text="""
You may think: "The more often a pair occurs, the higher its score." Test it by hand, without the
marks. A new word, `ugh`, joins the five; its letters occur nowhere else. How often must `ugh`
occur, at least, for `pe` with its 0.0625 to have the highest score of all, alone, not in a tie?
""",
    hints=(
        "Let `ugh` occur n times. How often do `u`, `g` and the pair `ug` occur then?",
        "The score of `ug` is n / (n · n). When is that less than 0.0625?",
    ),
    solution=no_longer_first,
    second_style=no_longer_first_by_hand,
    mistakes=(
        no_longer_first_tied,
        no_longer_first_once,
        no_longer_first_squared,
        no_longer_first_counts,
        no_longer_first_most,
    ),
    unit="times",
    verdict="The sentence does not hold: `ug` scores 1/n, so the rarer the word, the higher. "
    "A word that occurs once beats every pair of the five.",
    see="1G WordPiece",
)


# Tokens that cross words ----------------------------------------------------------------------


def cut(text, n_merges):
    """Learn n_merges from the text, then cut it: first into words, then by the merges."""
    return cut_words(gpt2_words(text), n_merges)


def cut_words(words, n_merges):
    """Learn n_merges from a text in words and cut it by them."""
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in apply_merges(tuple(word), merges)]


def cut_by_words(text, n_merges):
    """Second style."""
    merges = [step.pair for step in merge_steps(Counter(gpt2_words(text)), n_merges)]
    tokens = []
    for word in gpt2_words(text):
        tokens.extend(apply_merges(tuple(word), merges))
    return tokens


def cut_nothing(text, n_merges):
    """This takes the whole text for one word, so merges cross spaces and punctuation."""
    words = [text]
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in apply_merges(tuple(word), merges)]


def cut_at_spaces(text, n_merges):
    """This splits at white space and throws it away: the tokens joined are not the text."""
    words = text.split()
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in apply_merges(tuple(word), merges)]


def cut_in_text_order(text, n_merges):
    """This merges whatever known pair comes first in a word, not the one learned first."""
    words = gpt2_words(text)
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in from_the_left(tuple(word), merges)]


def cut_learned_across(text, n_merges):
    """This learns its merges on the uncut text: cut it into words before that, too."""
    merges = [step.pair for step in merge_steps(Counter([text]), n_merges)]
    return [token for word in gpt2_words(text) for token in apply_merges(tuple(word), merges)]


def from_the_left(symbols, merges):
    """Merge the first pair in the word that is known, and look again."""
    known = [pair for pair in pairwise(symbols) if pair in merges]
    return from_the_left(merge_pair_first(symbols, known[0]), merges) if known else symbols


def with_words_of_ones_own(answer, text, n_merges):
    """The tokens of an answer, or those of `cut` when they are right for other words.

    There are many ways to cut a text into words. Merges without end leave the words themselves:
    when these are the whole text, and each holds no more than a word and no less than its letters,
    the tokens must be what they teach.
    """
    tokens, right = answer(text, n_merges), cut(text, n_merges)
    if tokens == right or not isinstance(tokens, list):
        return tokens
    try:
        words = answer(text, len(text))
    except Exception:  # it does not stop when there is nothing left to merge
        return tokens
    fair = "".join(words) == text and all(len(gpt2_words(word)) == 1 for word in words)
    fair = fair and not any(
        left[-1].isalpha() and right[0].isalpha() for left, right in pairwise(words)
    )
    return right if fair and tokens == cut_words(words, n_merges) else tokens


def cut_cases():
    """Small texts: pairs across a space are frequent, and some words hold two known pairs."""
    return [
        case("a rhyme", "cat, mat, rat, hat: the sea, the tea, the pea, eat the heat", 7),
        case("4 merges of `to be  or to be`", "to be  or to be", 4),
    ]


WORD = "ababa"  # it teaches `ab`, then `aba`, which would take the second `ab` apart


def nothing_lost(answer):
    """The tokens joined are not the text: white space must stay."""
    text = "the sea,  the tea"
    return "".join(answer(text, 3)) == text


def within_words(answer):
    """A token crosses the end of a word: cut the text into words first."""
    text = "cat, mat, rat, hat: the sea, the tea, the pea, eat the heat"
    return all(len(gpt2_words(token)) < 2 for token in answer(text, 7))


def merges_are_learned(answer):
    """One word of its own must be cut by the n_merges merges that it teaches."""
    others = {"Nothing is merged: these are single letters.": list("bananaban")}
    others["It learns one merge too few."] = cut("bananaban", 1)
    others["It learns one merge too many."] = cut("bananaban", 3)
    return which(answer("bananaban", 2), cut("bananaban", 2), others)


def first_learned_goes_first(answer):
    """Within a word it merges the known pair that comes first, not the one learned first."""
    if merges_are_learned(answer) is not True:
        return None
    return which(answer(WORD, 2), cut(WORD, 2), {"": cut_in_text_order(WORD, 2)}) != ""


CROSSING = Symptom(
    id="1.5",
    title="Strange tokens",
    level="medium",
    text="""
The strip below was cut by code with one of these mistakes. Choose the letter, then repair `cut`.
`gpt2_words(text)` cuts a text into words.
""",
    hints=(
        "Look at where the spaces are in the strip: at the start of a token, missing, or inside?",
        "Which step decides how long a token can be at most?",
    ),
    solution=cut,
    second_style=cut_by_words,
    mistakes=(cut_at_spaces, cut_in_text_order, cut_nothing, cut_learned_across),
    shown=cut_nothing,
    looks=(
        "No token would hold a space, and the strip would lack them all.",
        "Spaces would be at the start of tokens only, and common words would fall apart.",
        "Tokens have spaces and commas in their middle or at their end.",
    ),
    cases=cut_cases,
    properties=properties(nothing_lost, within_words, merges_are_learned, first_learned_goes_first),
    run=with_words_of_ones_own,
    see="1D From toy to real",
)
