"""Chapter 08a: four numbers, on masking anew, on narrow tables, and on shared layers."""

import math

from tutorial_lib.exercises.engine.tasks import Claim

# Never asked ----------------------------------------------------------------------------------

SHARE, LEFT = 0.15, 0.01


def never_asked():
    """The first n with 0.85^n < 1 %."""
    return math.floor(math.log(LEFT) / math.log(1 - SHARE)) + 1


def never_asked_counted():
    """Second style."""
    passes, left = 0, 1.0
    while left >= LEFT:
        passes, left = passes + 1, left * (1 - SHARE)
    return passes


def never_asked_one_less():
    """This is one pass too early: after 28 passes 1.06 % have never been chosen, which is not
    fewer than 1 %.
    """
    return 28


def never_asked_unrounded():
    """This is where the curve meets 1 %: a pass is made or not, so give the first whole number
    after it.
    """
    return round(math.log(LEFT) / math.log(1 - SHARE), 1)


def never_asked_one_more():
    """This is one pass too late: one pass earlier fewer than 1 % are left already."""
    return 30


def never_asked_linear():
    """This adds 15 % in each pass, until all have had their turn: a pass also chooses tokens that
    an earlier one has chosen.
    """
    return 7


def never_asked_linear_unrounded():
    """This divides by 0.15, as if each pass chose other tokens: it also chooses some that an
    earlier pass has chosen.
    """
    return round(1 / SHARE, 1)


def never_asked_chosen_each_time():
    """This takes 0.15 to the n-th, the share that every pass has chosen: ask for those that none
    has chosen.
    """
    return 3


def never_asked_hidden():
    """This counts the tokens that become [MASK], 12 %: the other chosen ones are asked about
    too.
    """
    return math.floor(math.log(LEFT) / math.log(1 - 0.8 * SHARE)) + 1


def never_asked_changed():
    """This counts the tokens that change, 13.5 %: the chosen ones that stay are asked about
    too.
    """
    return math.floor(math.log(LEFT) / math.log(1 - 0.9 * SHARE)) + 1


def never_asked_tenth():
    """This waits for 0.1 %: fewer than 1 % is asked for."""
    return math.floor(math.log(LEFT / 10) / math.log(1 - SHARE)) + 1


def never_asked_ten_per_cent():
    """This stops at 10 %: fewer than 1 % is asked for."""
    return math.floor(math.log(10 * LEFT) / math.log(1 - SHARE)) + 1


def never_asked_chosen_one_per_cent():
    """After one pass 15 % have been chosen: ask for those that have never been."""
    return 1


NEVER_ASKED = Claim(
    id="8a.1",
    title="Never asked",
    level="easy",
    text="""
Dynamic masking chooses 15 % of the tokens anew in each pass over the text: in each pass a token is
chosen with a chance of 0.15, whatever happened to it before. After how many **passes** have, on
average, fewer than 1 % of the tokens never been chosen? Give the first such number.
""",
    hints=(
        "What share has not been chosen after one pass? And what share of these is not chosen in "
        "the second one, either?",
        "The share that is left is multiplied by the same number in each pass.",
        "Which is the first n for which 0.85 ** n is below 0.01?",
    ),
    solution=never_asked,
    second_style=never_asked_counted,
    mistakes=(
        never_asked_one_less,
        never_asked_unrounded,
        never_asked_one_more,
        never_asked_linear,
        never_asked_linear_unrounded,
        never_asked_chosen_each_time,
        never_asked_hidden,
        never_asked_changed,
        never_asked_tenth,
        never_asked_ten_per_cent,
        never_asked_chosen_one_per_cent,
    ),
    tolerance=0.04,
    unit="passes",
    verdict="With one choice for all passes 85 % are never asked about, however long it trains.",
    see="8aC RoBERTa: hide them anew",
)


# How many words -------------------------------------------------------------------------------

N_TOKENS, N_PASSES = 200, 40


def asked_each():
    """The mean number of times over all tokens."""
    return round(SHARE * N_TOKENS) * N_PASSES / N_TOKENS


def asked_each_counted():
    """Second style."""
    import torch

    from tutorial_lib.objectives import mask_tokens

    ids, generator = torch.full((1, N_TOKENS), 9), torch.Generator().manual_seed(0)
    rules = {"mask_id": 3, "vocab_size": 20, "special_ids": [0], "generator": generator}
    asked = sum(mask_tokens(ids, **rules).chosen for _ in range(N_PASSES))  # (1, T)
    return asked.double().mean().item()


def asked_each_static():
    """This is how often static masking asks about a token that it has chosen: take the mean over
    all 200 tokens, of dynamic masking.
    """
    return N_PASSES


def asked_each_terms():
    """This is the number of loss terms of all tokens together: divide it by the 200 tokens."""
    return round(SHARE * N_TOKENS) * N_PASSES


def asked_each_in_a_pass():
    """This is how many tokens a pass asks about: ask how often one token is asked about, in 40
    passes.
    """
    return round(SHARE * N_TOKENS)


def asked_each_share():
    """This is for one pass: there are 40."""
    return SHARE


def asked_each_hidden():
    """This counts only those that become [MASK], 80 % of the chosen: the others are asked about
    too.
    """
    return 0.8 * asked_each()


def asked_each_changed():
    """This counts only those that change, 90 % of the chosen: those that stay are asked about
    too.
    """
    return 0.9 * asked_each()


def asked_each_left_out():
    """This is how often a token is not chosen: ask how often it is."""
    return N_PASSES - asked_each()


def asked_each_different():
    """This is how many of the 200 tokens are chosen at least once: ask how often one is chosen, in
    the mean.
    """
    return N_TOKENS


def asked_each_four():
    """This is how often BERT's own program showed each of its ten choices in 40 passes: here each
    pass chooses anew.
    """
    return 4


def asked_each_one():
    """Each token would be asked about once if no pass chose a token again, and there were 6.7
    passes: there are 40.
    """
    return 1


def asked_each_both_sides():
    """This is every pass in which something is asked: a pass asks about 15 % of the tokens."""
    return N_TOKENS * N_PASSES


HOW_MANY_WORDS = Claim(
    id="8a.3",
    title="How many words",
    level="easy",
    text="""
You may read that dynamic masking hides more words. Take a text of 200
ordinary tokens, read in 40 passes. Each pass chooses exactly 30 of them. Static masking chooses
once: it asks about the same 30 in each pass, 40 times about each, and never about the other 170.
Dynamic masking chooses anew. **How many times** does it ask about a token in the 40 passes, on
average over all 200? Compare with the same average of static masking.
""",
    hints=(
        "How many questions are asked in all, in 40 passes of 30?",
        "The mean over 200 tokens is the number of questions divided by 200, whichever tokens they "
        "are about.",
    ),
    solution=asked_each,
    second_style=asked_each_counted,
    mistakes=(
        asked_each_static,
        asked_each_terms,
        asked_each_in_a_pass,
        asked_each_share,
        asked_each_hidden,
        asked_each_changed,
        asked_each_left_out,
        asked_each_different,
        asked_each_four,
        asked_each_one,
        asked_each_both_sides,
    ),
    tolerance=0.004,
    unit="times",
    verdict="Static masking has the same mean: 40 times for 30 tokens and never for 170 makes 6, "
    "too. Both ask 1,200 questions; dynamic masking asks them about other tokens each time.",
    see="8aC RoBERTa: hide them anew",
)


# Where narrow stops paying --------------------------------------------------------------------

VOCABULARY, D_MODEL, NARROW = 30_000, 768, 128


def widest(vocabulary=VOCABULARY, maps=1):
    """The largest E with fewer parameters than a table of width D."""
    return math.ceil(vocabulary * D_MODEL / (vocabulary + maps * D_MODEL)) - 1


def widest_tried():
    """Second style."""
    saves = (
        width
        for width in range(1, 2 * D_MODEL)
        if VOCABULARY * width + width * D_MODEL < VOCABULARY * D_MODEL
    )
    return max(saves)


def widest_rounded():
    """With 749 it is more than the table of width D has: take the last width that still saves. Or
    is this for BERT's 30,522 tokens? There are 30,000.
    """
    return 749


def widest_unrounded():
    """This is the width at which both are equal: a width is a whole number, so take the largest
    below.
    """
    return round(VOCABULARY * D_MODEL / (VOCABULARY + D_MODEL), 1)


def widest_minus():
    """This takes the map to D away, V · E - E · D: it is needed too, so it counts on the side of
    the narrow table.
    """
    return math.ceil(VOCABULARY * D_MODEL / (VOCABULARY - D_MODEL)) - 1


def widest_no_map():
    """This leaves out the map from E to D: without it the layers could not read the vectors."""
    return D_MODEL - 1


def widest_as_wide():
    """This is D itself: with E = D there are as many numbers in the table, and the map besides."""
    return D_MODEL


def widest_of_albert():
    """This is the width that ALBERT takes: it saves more, but the largest that saves anything is
    asked for.
    """
    return NARROW


def widest_half():
    """This is half of D, which saves nearly half: the largest that saves anything is asked for."""
    return D_MODEL // 2


def widest_two_maps():
    """This counts the map from E to D twice: the words are looked up once, and widened once."""
    return widest(maps=2)


def widest_one_less():
    """With one more it still saves: take the last width that does."""
    return widest() - 1


def widest_root():
    """This is the square root of V · D: set V · E + E · D equal to V · D, and solve for E."""
    return math.floor(math.sqrt(VOCABULARY * D_MODEL))


def widest_saved():
    """This is what ALBERT's own width saves, in millions: the largest width that saves is asked
    for.
    """
    wide, narrow = VOCABULARY * D_MODEL, NARROW * (VOCABULARY + D_MODEL)
    return round((wide - narrow) / 1e6, 1)


NARROW_TABLE = Claim(
    id="8a.6",
    title="Where narrow stops paying",
    level="medium",
    text="""
A table of V = 30,000 tokens with width D = 768 has V · D numbers. ALBERT has in its place a table
of width E and a linear map from E to D (count it without a bias). What is the **largest E** with
which these two have fewer numbers than the one table?
""",
    hints=(
        "How many numbers does the narrow table have, and how many the map?",
        "V · E + E · D < V · D: E stands in both terms on the left.",
        "The answer is a whole number. Put it in, and put in one more: the first saves, the other "
        "does not.",
    ),
    solution=widest,
    second_style=widest_tried,
    mistakes=(
        widest_rounded,
        widest_unrounded,
        widest_minus,
        widest_no_map,
        widest_as_wide,
        widest_of_albert,
        widest_half,
        widest_two_maps,
        widest_one_less,
        widest_root,
        widest_saved,
    ),
    tolerance=0.04,
    unit="columns",
    verdict="Nearly up to D: the map is small beside the table. ALBERT takes 128, where table and "
    "map have 3.9 million numbers instead of 23.0.",
    see="8aD ALBERT: share",
)


# Fewer parameters, so faster ------------------------------------------------------------------

N_LAYERS = 12


def multiplications(layers=N_LAYERS, per_layer=12, widen=1):
    """Millions a token: the weights of the linear maps, each time that they are used."""
    return (layers * per_layer * D_MODEL**2 + widen * NARROW * D_MODEL) / 1e6


def multiplications_counted():
    """Second style."""
    from torch import nn

    from tutorial_lib.models import ALBERTConfig

    model = ALBERTConfig.base(vocab_size=9).build()
    used = [model.widen, *(part for layer in model.layers() for part in layer.modules())]
    return sum(part.weight.numel() for part in used if isinstance(part, nn.Linear)) / 1e6


def multiplications_once():
    """This counts the layer once: its weights are stored once, but each token goes through it 12
    times.
    """
    return multiplications(layers=1)


def multiplications_once_no_map():
    """This is one layer, without the map from E to D: each token goes through the layer 12 times,
    and through the map once.
    """
    return multiplications(layers=1, widen=0)


def multiplications_no_map():
    """This leaves out the map from E to D, through which each token goes first."""
    return multiplications(widen=0)


def multiplications_map_each_time():
    """This widens before each of the 12 layers: a token is widened once, before the first."""
    return multiplications(widen=N_LAYERS)


def multiplications_attention():
    """This leaves out the feed-forward part of the layers, two maps of 4 D²."""
    return multiplications(per_layer=4)


def multiplications_feed_forward():
    """This counts 8 D² a layer: the attention has four maps, 4 D², and the feed-forward part two of
    4 D² each.
    """
    return multiplications(per_layer=8)


def multiplications_three_maps():
    """This counts three maps in the attention: the output map is the fourth."""
    return multiplications(per_layer=11)


def multiplications_twice():
    """This counts the additions too: only multiplications are asked for."""
    return 2 * multiplications()


def multiplications_table():
    """This multiplies by the table: a token's vector is looked up, which takes no
    multiplication.
    """
    return multiplications() + VOCABULARY * NARROW / 1e6


def multiplications_parameters():
    """This is the number of parameters: count what a token is multiplied by, each time that it
    is.
    """
    return 11.7


def multiplications_ratio():
    """This is how many times fewer parameters it has: multiplications are asked for."""
    return 9.4


FEWER_SO_FASTER = Claim(
    id="8a.8",
    title="Fewer parameters, so faster",
    level="medium",
    text="""
You may read that ALBERT-base, with 12 million parameters where BERT-base has 109 million, is
faster because it is smaller. Count the work. Both have 12 layers (in ALBERT the same one each
time) of width D = 768: four maps from D to D, a map to 4 D and one back. In ALBERT each token's
vector, looked up with width E = 128, first goes through a map from E to D. For one token a linear
map multiplies once for each of its weights. Leave out biases, layer norms, attention scores and
heads: **how many million multiplications**, to one decimal, does ALBERT-base make for one token?
Compare with BERT-base.
""",
    hints=(
        "How many weights has one layer? Express it in D².",
        "How often does a token go through that layer? Is it less often because the weights are "
        "the same ones?",
        "The map from E to D comes on top, once.",
    ),
    solution=multiplications,
    second_style=multiplications_counted,
    mistakes=(
        multiplications_once,
        multiplications_once_no_map,
        multiplications_no_map,
        multiplications_map_each_time,
        multiplications_attention,
        multiplications_feed_forward,
        multiplications_three_maps,
        multiplications_twice,
        multiplications_table,
        multiplications_parameters,
        multiplications_ratio,
    ),
    tolerance=0.051,
    unit="million multiplications",
    verdict="BERT-base makes 84.9, the same layers without the small map: sharing saves memory, "
    "not work.",
    see="8aD ALBERT: share",
)
