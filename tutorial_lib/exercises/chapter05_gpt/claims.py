"""Chapter 05: a row of GPT-3's table of training data, checked with a division."""

from tutorial_lib.exercises.engine.tasks import Claim

TRAINED, TOKENS, WEIGHT = 300, 19, 0.22  # billion tokens, billion tokens, share


def epochs():
    """How often training for 300 billion tokens goes through WebText2."""
    return WEIGHT * TRAINED / TOKENS


def epochs_per_share():
    """Second style."""
    even = TOKENS / TRAINED  # the weight at which each token is read once
    return WEIGHT / even


def epochs_scaled():
    """This scales the weights, which sum to 101 %, to 100 % first; as printed they give 3.47."""
    return WEIGHT / 1.01 * TRAINED / TOKENS


def epochs_as_printed():
    """This is the number that the table prints: work it out from the weight and the tokens."""
    return 2.90


def epochs_no_weight():
    """This leaves out the weight: only 22 % of the 300 billion tokens come from WebText2."""
    return TRAINED / TOKENS


def epochs_upside_down():
    """This is upside down: divide the tokens that are read by those that there are."""
    return TOKENS / (WEIGHT * TRAINED)


def epochs_unweighted_upside_down():
    """This is the weight at which each token is read once: the weight is 22 %."""
    return TOKENS / TRAINED


def epochs_tokens_read():
    """This is how many billion tokens are read from WebText2: divide by the 19 that there are."""
    return WEIGHT * TRAINED


def epochs_share_of_own():
    """This is 22 % of WebText2: the weight is a share of the 300 billion tokens of training."""
    return WEIGHT * TOKENS


def epochs_of_all_data():
    """This takes the 22 % of all data, 499 billion tokens: training reads 300 billion."""
    return WEIGHT * (410 + 19 + 12 + 55 + 3) / TOKENS


def epochs_all_alike():
    """This mixes the data sets by size, each token alike: the weights are given."""
    return TRAINED / (410 + 19 + 12 + 55 + 3)


def epochs_implied_weight():
    """This is the weight that 2.90 epochs would need: work out the epochs from 22 %."""
    return 2.90 * TOKENS / TRAINED


def epochs_implied_tokens():
    """This is how many billion tokens WebText2 would have if 2.90 were right: take its 19."""
    return WEIGHT * TRAINED / 2.90


def epochs_divided_by_weight():
    """This divides by the weight: a larger weight means more epochs."""
    return TRAINED / TOKENS / WEIGHT


def epochs_of_wikipedia():
    """This is Wikipedia's row: a weight printed as 3 % is anything from 2.5 to 3.5 %, so 3.40 fits.
    If you mean another row, give two decimals.
    """
    return 0.03 * TRAINED / 3


def epochs_of_books1():
    """This is Books1's row: 8 % is anything from 7.5 to 8.5 %, so 1.90 fits."""
    return 0.08 * TRAINED / 12


def epochs_one_decimal():
    """This is rounded to one decimal: two are asked for, as the table has them."""
    return 3.5


EPOCHS = Claim(
    id="5.13",
    title="Check this table",
    level="medium",
    text="""
Table 2.2 of the GPT-3 paper (Brown et al. 2020) lists what the model read, 300 billion tokens in
all. An epoch is once through the data set. These are the paper's own numbers:

| data set | billion tokens | weight in the mix | epochs |
|---|---|---|---|
| Common Crawl | 410 | 60 % | 0.44 |
| WebText2 | 19 | 22 % | 2.90 |
| Books1 | 12 | 8 % | 1.90 |
| Books2 | 55 | 8 % | 0.43 |
| Wikipedia | 3 | 3 % | 3.40 |

The last column follows from the two before it, up to rounding: a weight printed as 3 % may be
anything from 2.5 to 3.5 %. One row is off by more than that. Find it. How many **epochs** should it
say, from its weight and its tokens as printed, to two decimals? (The weights add up to 101 %: leave
it at that.)
""",
    hints=(
        "How many of the 300 billion tokens does training draw from a data set? How many times "
        "does it read each token of it?",
        "Try the row of Common Crawl first: its weight and its tokens must give 0.44.",
        "In the row that is wrong both numbers have two digits, so rounding hides little.",
    ),
    solution=epochs,
    second_style=epochs_per_share,
    mistakes=(
        epochs_as_printed,
        epochs_no_weight,
        epochs_upside_down,
        epochs_unweighted_upside_down,
        epochs_tokens_read,
        epochs_share_of_own,
        epochs_of_all_data,
        epochs_all_alike,
        epochs_implied_weight,
        epochs_implied_tokens,
        epochs_divided_by_weight,
        epochs_of_wikipedia,
        epochs_of_books1,
        epochs_one_decimal,
    ),
    right_too=(epochs_scaled,),
    tolerance=0.006,
    unit="epochs",
    verdict="It is WebText2. With all that rounding may hide, 21.5 to 22.5 % and 18.5 to 19.5 "
    "billion, it is 3.31 to 3.65: the 2.90 that the paper itself prints does not fit. "
    "Wikipedia's 3.40 and Books1's 1.90 do.",
    see="5J How large is a real GPT?",
)
