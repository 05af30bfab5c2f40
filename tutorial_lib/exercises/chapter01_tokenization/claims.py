"""Chapter 01: two sentences that you may read, and the tokens of a text that was never cut."""

from collections import Counter
from itertools import pairwise

from tutorial_lib.exercises.chapter01_tokenization.merges import FIVE_WORDS, merge_pair_first
from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Claim, Symptom, case
from tutorial_lib.tokenizers import apply_merges, gpt2_words, merge_steps

# Is the letter dropped? ------------------------------------------------------------------------


def vocabulary_size():
    """How many symbols the vocabulary holds after three merges of the five words."""
    return len(set("".join(FIVE_WORDS))) + 3


def vocabulary_size_listed():
    """Second style."""
    (*_, last) = merge_steps(FIVE_WORDS, 3)
    return len({*last.symbol_counts, "".join(last.pair)})


def vocabulary_size_in_use():
    """This counts the symbols still in use: one at count 0 is still there."""
    return 7


def vocabulary_size_letters():
    """This counts the letters only: each merge adds one symbol."""
    return 8


def vocabulary_size_alphabet():
    """This starts from 26 letters: the vocabulary starts from those that occur in the words."""
    return 26 + 3


def vocabulary_size_text():
    """This is the length of the text after three merges; the vocabulary is the list of symbols."""
    return 70


def vocabulary_size_two_merges():
    """This stops after two merges: the vocabulary is asked for after three."""
    return 8 + 2


def vocabulary_size_two_short():
    """This is two short: list the letters of all five words once more, `s` too, and add one new
    symbol for each of the three merges.
    """
    return 9


def vocabulary_size_both_pairs():
    """This is one too many: of `et` and `pe` only one is merged, and `pet` is made from it."""
    return 8 + 4


def vocabulary_size_two_a_merge():
    """This adds two symbols for each merge: a merge adds one, the pair made one symbol."""
    return 8 + 2 * 3


def vocabulary_size_merges():
    """This counts the new symbols only: the letters are in the vocabulary too."""
    return 3


VOCABULARY_SIZE = Claim(
    id="1.3",
    title="Is the letter dropped?",
    level="easy",
    text="""
You may read: "After a merge, symbols that no longer occur are dropped, so the vocabulary need not
grow." Test it on the five words: cat 10 times, pet 12, mat 5, rat 8, eats 4. After the first merge
no `a` is left in them. But a new word, such as `tap`, may need it. How many symbols must the
vocabulary hold after **three** merges?
""",
    hints=(
        "The vocabulary starts with the letters that occur in the five words.",
        "A merge adds one symbol. Does it take one away?",
    ),
    solution=vocabulary_size,
    second_style=vocabulary_size_listed,
    mistakes=(
        vocabulary_size_in_use,
        vocabulary_size_letters,
        vocabulary_size_alphabet,
        vocabulary_size_text,
        vocabulary_size_two_merges,
        vocabulary_size_two_short,
        vocabulary_size_both_pairs,
        vocabulary_size_two_a_merge,
        vocabulary_size_merges,
    ),
    unit="symbols",
    verdict="The sentence does not hold: `a` at count 0 must stay, or `tap` has no ids.",
    see="1C Byte-pair encoding by hand",
)


# Huffman --------------------------------------------------------------------------------------

FOUR_WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}  # Sennrich et al. 2016, figure 1
LETTERS = sum(len(word) * count for word, count in FOUR_WORDS.items())  # 79
TOKENS = LETTERS - 9 - 9 - 7  # each merge shortens the text by the count of its pair
BITS = 245  # of a Huffman code for their letters


def shortening():
    """Code words of a Huffman code, over tokens of BPE after the merges `es`, `est`, `lo`."""
    return LETTERS / TOKENS


def shortening_counted():
    """Second style."""
    merges = [("e", "s"), ("es", "t"), ("l", "o")]
    tokens = sum(n * len(apply_merges(tuple(w), merges)) for w, n in FOUR_WORDS.items())
    return LETTERS / tokens


def shortening_bits():
    """This counts Huffman's bits: the ratio asks for code words, and each letter has one."""
    return BITS / TOKENS


def shortening_unweighted():
    """This counts each word once: `low` is in the text five times."""
    return 20 / 14


def shortening_unweighted_turned():
    """This counts each word once, and is upside down: `low` is in the text five times, and the
    code words are divided by the tokens.
    """
    return 14 / 20


def shortening_none():
    """This says that both are equally long: a Huffman code never joins letters, BPE does."""
    return 1.0


def shortening_turned():
    """This is the ratio the other way round: it must be above 1, for BPE is the shorter."""
    return TOKENS / LETTERS


def shortening_vocabularies():
    """This compares two lists of symbols, 10 and 13 long: the question is about the text."""
    return 10 / 13


def shortening_two_merges():
    """This does two merges only: `es`, `est` and `lo` are one each."""
    return LETTERS / (LETTERS - 9 - 9)


HUFFMAN = Claim(
    id="1.5",
    title="Is it Huffman coding?",
    level="medium",
    text="""
You may read: "Byte-pair encoding is a kind of Huffman coding: frequent things get short codes."
Test it on the words of Sennrich et al. (2016): low 5 times, lower 2, newest 6, widest 3. A Huffman
code gives each letter one code word. How many code words does it write for all occurrences of the
four words, **divided by** the number of tokens that BPE writes after the merges `es`, `est`, `lo`?
Give two decimals.
""",
    hints=(
        "A code word stands for one letter: count all letters, each word as often as it occurs.",
        "Each merge shortens the text by the count of its pair. In which words is `e` + `s`?",
    ),
    solution=shortening,
    second_style=shortening_counted,
    mistakes=(
        shortening_bits,
        shortening_unweighted,
        shortening_unweighted_turned,
        shortening_none,
        shortening_turned,
        shortening_vocabularies,
        shortening_two_merges,
    ),
    tolerance=0.006,
    unit="code words for each token",
    verdict="The sentence does not hold: Huffman shortens the bits and keeps 79 symbols, "
    "BPE makes 54 of them.",
    see="1D Huffman or not",
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
    """This merges whatever known pair stands first in a word, not the one learned first."""
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
    id="1.6",
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
    see="1E From toy to real",
)
