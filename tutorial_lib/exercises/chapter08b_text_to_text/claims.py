"""Chapter 08b: three numbers, on T5's target, on cuts of a word, and on small languages."""

import itertools
import math

from tutorial_lib.exercises.engine.tasks import Claim

# How much shorter -----------------------------------------------------------------------------

N_TOKENS, SHARE, MEAN_LENGTH = 512, 0.15, 3


def target_length():
    """The hidden tokens, a sentinel before each span, and the last one."""
    n_hidden = round(SHARE * N_TOKENS)
    return n_hidden + round(n_hidden / MEAN_LENGTH) + 1


def target_length_written():
    """Second style."""
    target, spans, n_hidden = [], round(SHARE * N_TOKENS / MEAN_LENGTH), round(SHARE * N_TOKENS)
    for number in range(spans):
        target += [f"<{number}>", *["word"] * len(range(number, n_hidden, spans))]
    return len([*target, f"<{spans}>"])


def target_without_the_last():
    """This leaves out the sentinel at the end: it tells the model that it is done."""
    return target_length() - 1


def target_without_sentinels():
    """This counts the hidden tokens alone: each span has a sentinel before it, too, and there is
    one at the end.
    """
    return 77


def target_sentinel_for_each_token():
    """This writes a sentinel for each hidden token: one for each *span* is enough."""
    return 2 * 77 + 1


def target_sentinel_for_each_and_no_last():
    """This writes a sentinel for each hidden token, and none at the end: one for each *span*, and
    a last one.
    """
    return 2 * 77


def target_with_an_end_token():
    """This counts a token for the end, too: the question leaves it out."""
    return target_length() + 1


def target_one_sentinel():
    """This counts one sentinel: each span has its own, and there is one more at the end."""
    return 77 + 1


def target_sentinels_on_both_sides_and_the_last():
    """This puts a sentinel before and after each span, and one at the end: the next one's already
    ends a span."""
    return 77 + 2 * 26 + 1


def target_spans_alone():
    """These are the spans: the question is how many tokens are written."""
    return 26


def target_sentinels_on_both_sides():
    """This puts a sentinel before and after each span: the next one's already ends it."""
    return 77 + 2 * 26


def target_the_source():
    """This is what stands in the source: the kept tokens and a sentinel for each span."""
    return N_TOKENS - 77 + 26


def target_kept():
    """This counts the tokens that are kept: the target holds the others."""
    return N_TOKENS - 77


def target_the_whole():
    """This is BART's target, the whole text: T5 writes only what is hidden."""
    return N_TOKENS


def target_sentinels_alone():
    """These are the sentinels alone: the hidden tokens stand between them."""
    return 27


def target_unrounded():
    """Tokens and spans are counted: round both."""
    return SHARE * N_TOKENS + SHARE * N_TOKENS / MEAN_LENGTH + 1


def target_rounded_down():
    """This rounds down: 76.8 is nearer to 77, and 25.6 to 26."""
    return 76 + 25 + 1


HOW_MUCH_SHORTER = Claim(
    id="8b.3",
    title="How much shorter",
    level="easy",
    text="""
T5 hides 15 % of a text of 512 tokens, in spans of 3 tokens on average. Work out how many tokens and
how many spans that is, each rounded to the nearest whole number. No two spans touch. How many
tokens does the model have to **write**, counting every sentinel, but no end token? (BART, from the
same text: 512.)
""",
    hints=(
        "How many tokens are hidden, and how many spans are that?",
        "Look at the example above: what stands in the target besides the hidden tokens?",
        "Each span brings a sentinel along, and after the last span stands one more.",
    ),
    solution=target_length,
    second_style=target_length_written,
    mistakes=(
        target_without_the_last,
        target_without_sentinels,
        target_sentinel_for_each_token,
        target_sentinel_for_each_and_no_last,
        target_sentinels_on_both_sides,
        target_sentinels_on_both_sides_and_the_last,
        target_with_an_end_token,
        target_one_sentinel,
        target_spans_alone,
        target_the_source,
        target_kept,
        target_the_whole,
        target_sentinels_alone,
        target_unrounded,
        target_rounded_down,
    ),
    tolerance=0.04,
    unit="tokens",
    verdict="A fifth of what BART writes, and writing is the slow part: so each step is cheaper.",
    see="8bC T5: the holes have names",
)


# The fewest pieces ----------------------------------------------------------------------------

WORD = "together"
PIECES = {
    "together": 8e-6,
    "toget": 2e-4,
    "tog": 1e-3,
    "ether": 2e-2,
    "to": 5e-2,
    "get": 2e-2,
    "gether": 1e-4,
    "her": 3e-2,
}


def cuts(word):
    """All cuts of a word into pieces of the table."""
    if not word:
        return [[]]
    starts = (piece for piece in PIECES if word.startswith(piece))
    return [[piece, *rest] for piece in starts for rest in cuts(word[len(piece) :])]


def probability(cut):
    """The product of its pieces' probabilities."""
    return math.prod(PIECES[piece] for piece in cut)


def likelier():
    """The likeliest cut against that of the fewest pieces."""
    found = cuts(WORD)
    return max(map(probability, found)) / probability(min(found, key=len))


def likelier_place_by_place():
    """Second style."""
    best = [1.0] + [0.0] * len(WORD)
    for start, end in itertools.combinations(range(len(WORD) + 1), 2):
        best[end] = max(best[end], best[start] * PIECES.get(WORD[start:end], 0.0))
    return best[-1] / PIECES[WORD]


def likelier_the_one_piece():
    """This takes the cut with the fewest pieces for the likeliest: multiply along the others."""
    return 1.0


def likelier_second():
    """This is tog | ether: another cut is likelier still."""
    return probability(["tog", "ether"]) / PIECES[WORD]


def likelier_toget():
    """This is toget | her: three other cuts are likelier."""
    return probability(["toget", "her"]) / PIECES[WORD]


def likelier_than_the_second():
    """This compares with tog | ether, the second likeliest: the cut with the *fewest* pieces is
    another."""
    return likelier() / likelier_second()


def likelier_than_toget():
    """This compares with toget | her: another cut has fewer pieces still."""
    return likelier() / likelier_toget()


def likelier_to_gether():
    """This is to | gether: every other cut is likelier."""
    return probability(["to", "gether"]) / PIECES[WORD]


def likelier_upside_down():
    """This is turned round: divide the larger one by the smaller."""
    return 1 / likelier()


def likelier_than_to_gether():
    """This compares with to | gether, which has two pieces: another cut has fewer still."""
    return likelier() / likelier_to_gether()


def likelier_rounded():
    """This is rounded to a whole number: write two decimals."""
    return round(likelier())


def likelier_sum():
    """This adds the probabilities of the pieces: to have one *and* the next, multiply."""
    return sum(PIECES[piece] for piece in ("to", "get", "her")) / PIECES[WORD]


def likelier_mean():
    """This takes the mean over the pieces: a cut is as likely as the product of its pieces."""
    return likelier_sum() / 3


def likelier_in_nats():
    """This is the difference of the logarithms: the question asks for the factor."""
    return math.log(likelier())


def likelier_probability():
    """This is the probability of the likeliest cut: divide it by that of the other one."""
    return probability(["to", "get", "her"])


def likelier_pieces():
    """This counts pieces: the question is how much likelier that cut is."""
    return 3


FEWEST_PIECES = Claim(
    id="8b.9",
    title="The fewest pieces",
    level="medium",
    text="""
You may read that Unigram cuts a word into as few pieces as it can. Here is *together* with
pieces of a vocabulary and their probabilities; these are all the pieces that matter here:

| together | toget | tog | ether | to | get | gether | her |
|---|---|---|---|---|---|---|---|
| 0.000008 | 0.0002 | 0.001 | 0.02 | 0.05 | 0.02 | 0.0001 | 0.03 |

A cut is as likely as the product of its pieces. **Divide** the probability of
the likeliest cut by that of the cut with the fewest pieces. What do you get?
""",
    hints=(
        "Write down all cuts of the word into pieces of the table. There are five.",
        "One of them has a single piece, and its probability stands in the table.",
        "`cut` by `cut`: multiply the pieces; the largest product, divided by 0.000008.",
    ),
    solution=likelier,
    second_style=likelier_place_by_place,
    mistakes=(
        likelier_the_one_piece,
        likelier_second,
        likelier_toget,
        likelier_than_the_second,
        likelier_than_toget,
        likelier_to_gether,
        likelier_than_to_gether,
        likelier_rounded,
        likelier_upside_down,
        likelier_sum,
        likelier_mean,
        likelier_in_nats,
        likelier_probability,
        likelier_pieces,
    ),
    tolerance=0.004,
    unit="times",
    verdict="Not the fewest pieces: the likeliest. Frequent ones win, even if there are three.",
    see="8bE What T5 reads",
)


# A louder voice -------------------------------------------------------------------------------

# Gigabytes of CC-100, as the table of XLM-R's paper has them.
GIGABYTES = {"en": 300.8, "ru": 278.0, "de": 66.6, "fr": 56.8, "es": 53.3, "el": 46.9, "sw": 1.6}
HUNDREDTHS = [n / 100 for n in range(101)]
WANTED = 0.05


def share(alpha, language="sw"):
    """How often a language is drawn."""
    total = sum(GIGABYTES.values())
    powers = {name: (size / total) ** alpha for name, size in GIGABYTES.items()}
    return powers[language] / sum(powers.values())


def loudest():
    """The largest alpha, in hundredths."""
    return max(alpha for alpha in HUNDREDTHS if share(alpha) >= WANTED)


def loudest_halved():
    """Second style."""
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) >= WANTED else (low, middle)
    return math.floor(100 * low) / 100


def loudest_one_more():
    """This is a hundredth too much: Swahili is then drawn a little less often than 1 in 20."""
    return loudest() + 0.01


def loudest_not_divided():
    """This does not divide by the sum of all powers: the shares must add up to 1."""
    total = sum(GIGABYTES.values())
    found = [a for a in HUNDREDTHS if (GIGABYTES["sw"] / total) ** a >= WANTED]
    return max(found)


def loudest_against_english():
    """This compares Swahili with English alone: 1 in 20 of *all* texts."""
    ratio = GIGABYTES["sw"] / GIGABYTES["en"]
    return max(a for a in HUNDREDTHS if ratio**a >= WANTED)


def loudest_a_hundredth():
    """This gives it 1 % of the texts: 1 in 20 are 5 %."""
    return max(alpha for alpha in HUNDREDTHS if share(alpha) >= 0.01)


def loudest_equal():
    """At 0 all seven languages are drawn equally often, 1 in 7: look for the largest alpha."""
    return 0.0


def loudest_as_it_is():
    """At 1 each language is drawn as often as it occurs: Swahili has 0.2 % then."""
    return 1.0


def loudest_xlm_r():
    """With XLM-R's 0.3 it has 4.5 %: work out what it takes to have 5."""
    return 0.3


def loudest_xlm():
    """With 0.5 it has 1.9 %: work out what it takes to have 5."""
    return 0.5


def loudest_a_little_less():
    """This is a hundredth too little: Swahili has its 1 in 20, but look for the *largest* alpha."""
    return loudest() - 0.01


def loudest_two_more():
    """With 0.29 it has 4.7 %: work out what it takes to have 5."""
    return 0.29


def loudest_xlm_batches():
    """With 0.7, as XLM draws its batches, it has 0.8 %: work out what it takes to have 5."""
    return 0.7


def loudest_just_below_1():
    """A little below 1 is not enough: at 0.99 Swahili has 0.21 % of the texts, at 1 it had 0.20.
    Work out its share for smaller alphas."""
    return 0.99


def loudest_below_1():
    """A little below 1 is not enough: at 0.95 Swahili has 0.25 % of the texts, at 1 it had 0.20.
    Work out its share for smaller alphas."""
    return 0.95


def loudest_as_hundredths():
    """A number above 1 is not the alpha that is meant: 27 hundredths are 0.27."""
    return 27


def loudest_one_more_as_hundredths():
    """A number above 1 is not the alpha that is meant: 28 hundredths are 0.28."""
    return 28


def loudest_turned():
    """This takes the 1/alpha-th power: the share to the power of alpha."""
    return round(1 / loudest(), 2)


LOUDER = Claim(
    id="8b.11",
    title="A louder voice",
    level="medium",
    text="""
A model is to read seven languages. There is this much text of each, in gigabytes:

| English | Russian | German | French | Spanish | Greek | Swahili |
|---|---|---|---|---|---|---|
| 300.8 | 278.0 | 66.6 | 56.8 | 53.3 | 46.9 | 1.6 |

You may read that a small language gets its fair part if only alpha is below 1. Call it fair if
at least **1 text in 20** is Swahili. Which is the **largest alpha**, in hundredths, that does it?
""",
    hints=(
        "First for one alpha, say 0.5: which share does Swahili have? It must grow as alpha falls.",
        "Raise all seven shares to the power of alpha, then divide by their sum.",
        "Try 1.00, 0.99, 0.98, ... in a loop; stop at the first with 0.05 or more.",
    ),
    solution=loudest,
    second_style=loudest_halved,
    mistakes=(
        loudest_one_more,
        loudest_not_divided,
        loudest_against_english,
        loudest_a_hundredth,
        loudest_equal,
        loudest_as_it_is,
        loudest_xlm_r,
        loudest_xlm,
        loudest_turned,
        loudest_a_little_less,
        loudest_two_more,
        loudest_xlm_batches,
        loudest_just_below_1,
        loudest_below_1,
        loudest_as_hundredths,
        loudest_one_more_as_hundredths,
    ),
    tolerance=0.002,
    unit="as alpha",
    verdict="Below 1 is not enough: XLM-R’s 0.3 would give Swahili 4.5 %, the 0.7 with which XLM "
    "draws its batches not even 1 %.",
    see="8bG Many languages",
)
