"""Chapter 08b: scores that are never divided must start small."""

import math

import torch
from torch import nn

from tutorial_lib.exercises.engine.guard import seeded
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def first_weights(d_model, d_head):
    """Return the random maps of a head's queries and keys before training, (D, K) each.

    They are such that the scores (x W_q)(x W_k)ᵀ, which T5 does not divide by √K, have a standard
    deviation of about 1 where the numbers of x have.
    """
    w_q = torch.randn(d_model, d_head) * (d_model * d_head) ** -0.5
    w_k = torch.randn(d_model, d_head) * d_model**-0.5
    return w_q, w_k


def first_weights_filled(d_model, d_head):
    """Second style."""
    w_q, w_k = torch.empty(2, d_model, d_head)
    nn.init.normal_(w_q, std=1 / math.sqrt(d_model * d_head))
    nn.init.normal_(w_k, std=1 / math.sqrt(d_model))
    return w_q, w_k


def first_weights_as_others(d_model, d_head):
    """This starts the queries with the same spread as the keys: the scores sum K products, and
    nothing divides them."""
    w_q = torch.randn(d_model, d_head) * d_model**-0.5
    w_k = torch.randn(d_model, d_head) * d_model**-0.5
    return w_q, w_k


def first_weights_both_small(d_model, d_head):
    """This makes up for √K twice, in the queries and in the keys."""
    w_q = torch.randn(d_model, d_head) * (d_model * d_head) ** -0.5
    w_k = torch.randn(d_model, d_head) * (d_model * d_head) ** -0.5
    return w_q, w_k


def first_weights_width_forgotten(d_model, d_head):
    """This makes up for K and forgets that each query sums D products, too."""
    w_q = torch.randn(d_model, d_head) * d_head**-0.5
    w_k = torch.randn(d_model, d_head) * d_model**-0.5
    return w_q, w_k


def first_weights_fixed(d_model, d_head):
    """This starts with 0.02, as GPT-2 and BERT do, whatever D and K are: the scores fit at one size
    only."""
    return 0.02 * torch.randn(d_model, d_head), 0.02 * torch.randn(d_model, d_head)


def first_weights_one(d_model, d_head):
    """This starts with numbers of size 1: each query and each key sums D products."""
    return torch.randn(d_model, d_head), torch.randn(d_model, d_head)


def first_weights_zero(d_model, d_head):
    """This starts with zeros: all scores are 0, and the maps get no gradient."""
    return torch.zeros(d_model, d_head), torch.zeros(d_model, d_head)


def first_weights_constant(d_model, d_head):
    """This starts all numbers of a map alike: they must be random."""
    w_q = torch.full((d_model, d_head), (d_model * d_head) ** -0.5)
    return w_q, torch.full((d_model, d_head), d_model**-0.5)


def scores(answer, d_model, d_head, n_tokens=64):
    """The scores (T, T) of random tokens."""
    w_q, w_k = (torch.as_tensor(w).float() for w in answer(d_model, d_head))
    x = torch.randn(n_tokens, d_model, generator=torch.Generator().manual_seed(1))
    return (x @ w_q) @ (x @ w_k).T


def size_of_scores(answer, d_model, d_head):
    """The shape of each map, and the standard deviation of the scores."""
    shapes = [list(torch.as_tensor(w).shape) for w in answer(d_model, d_head)]
    return torch.tensor(shapes), scores(answer, d_model, d_head).std()


WIDTHS = (4, 8, 16, 32, 64, 128, 256)


def largest_weights(first_weights, d_model=256, n_tokens=32, repeats=10):
    """The mean of the largest attention weight of a token, before training, for each of WIDTHS."""
    with seeded():
        return [
            sum(
                scores(first_weights, d_model, width, n_tokens).softmax(-1).amax(-1).mean().item()
                for _ in range(repeats)
            )
            / repeats
            for width in WIDTHS
        ]


def first_weights_cases():
    """Wide and narrow heads, wide and narrow models."""
    return [
        case("D = 256, K = 64", 256, 64),
        case("D = 64, K = 64", 64, 64),
        case("D = 256, K = 16", 256, 16),
        case("D = 512, K = 128", 512, 128),
    ]


def two_maps(answer):
    """Two maps (D, K)."""
    return answer(256, 64)[0].tolist() == [[256, 64]] * 2


def not_nothing(answer):
    """The scores are not all alike."""
    return answer(256, 64)[1].item() > 1e-4


def growth(answer, first, second):
    """The factor between the sizes of the scores."""
    return answer(*second)[1].item() / max(1e-9, answer(*first)[1].item())


def whatever_the_head(answer):
    """A head eight times as wide has scores of the same size."""
    if not not_nothing(answer):
        return None
    factor = growth(answer, (256, 16), (256, 128))
    if factor > 1.5:
        return "In a wider head the scores are larger: they sum more products."
    return factor > 0.67 or "In a wider head the scores are smaller: it makes up for K too much."


def whatever_the_model(answer):
    """A model four times as wide has scores of the same size."""
    if not not_nothing(answer):
        return None
    return 0.67 < growth(answer, (128, 32), (512, 32)) < 1.5


LOUD = Symptom(
    id="8b.7",
    title="Too loud",
    level="hard",
    text="""
The picture above shows attention **before** any training: 32 random tokens look at each other, and
the curves say how much weight a token gives, on average, to its favourite. For one curve
the query and key maps are initialised as in T5, for the other by code with one of these mistakes. D
is 256. Choose the letter, then repair `first_weights`.
""",
    hints=(
        "What happens to the other curve as the head gets wider? So does a score grow with K, "
        "shrink, or stay?",
        "A number of a query sums D products, a score sums K products. How does the standard "
        "deviation of a sum grow with the number of terms?",
        "Other models divide by √K afterwards. Where can you divide before?",
    ),
    solution=first_weights,
    second_style=first_weights_filled,
    mistakes=(
        first_weights_as_others,
        first_weights_both_small,
        first_weights_width_forgotten,
        first_weights_fixed,
        first_weights_one,
        first_weights_zero,
        first_weights_constant,
    ),
    shown=first_weights_as_others,
    looks=(
        "The curve rises with K towards 1: the wider the head, the louder its scores, until each "
        "token looks at one other token only, by chance.",
        "The curve would fall towards 1/32 as K grows: every token would look everywhere.",
        "The curve would stay near 1 at every K: the scores are too loud by √D, not by √K.",
        "The curve would rise, too, but from below: at K = 4 each token would look everywhere, and "
        "at no K shown here would a favourite get half of the weight.",
    ),
    cases=first_weights_cases,
    run=size_of_scores,
    results=("shapes", "size of the scores"),
    tolerance=0.15,
    properties=(
        Property("It must return two maps of shape (D, K).", two_maps),
        Property("The scores are all 0, or nearly: the maps must be random numbers.", not_nothing),
        Property("The size of the scores changes with the width of the head.", whatever_the_head),
        Property("The size of the scores changes with the width of the model.", whatever_the_model),
        Property(
            "The scores do not have a standard deviation of about 1.",
            lambda answer: 0.8 < answer(256, 64)[1].item() < 1.25,
        ),
    ),
    see="8bD How far, not where",
)
