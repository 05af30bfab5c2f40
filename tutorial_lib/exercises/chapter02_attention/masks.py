"""Chapter 02: the causal mask, and what a mask does to the scores."""

import contextlib
import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    MIXED,
    NOT_RAW,
    TURNED_ROUND,
    UNSCALED,
    divisor,
    in_order,
    rows_sum_to_one,
    scaled_by_root,
)
from tutorial_lib.exercises.engine.properties import no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Symptom, Write, case

# The causal mask ------------------------------------------------------------------------------


def causal_mask(n):
    """Return the (n, n) mask, True where query t may look at key s: itself and what is before."""
    return torch.ones(n, n).tril().bool()


def causal_mask_loops(n):
    """Second style."""
    return [[s <= t for s in range(n)] for t in range(n)]


def causal_mask_transposed(n):
    """This is turned on its side: each word sees what follows; rows are queries, columns keys."""
    return torch.ones(n, n).triu().bool()


def causal_mask_inverted(n):
    """This is True where a word is hidden: here True means that it may be looked at."""
    return torch.ones(n, n).triu(1).bool()


def causal_mask_added(n):
    """This is a mask to add to the scores, 0 and -inf: give True and False here."""
    return torch.full((n, n), -math.inf).triu(1)


def causal_mask_cases():
    """One word tells whether a word sees itself, four tell the rest."""
    return [case("one word", 1), case("two words", 2), case("four words", 4)]


def true_and_false(answer):
    """The mask is of True and False."""
    return answer(5).dtype is torch.bool


def yes_or_no(answer):
    """A mask of five words, 1 and 0 as True and False. Raises ValueError for other numbers."""
    mask = answer(5)
    if not set(mask.flatten().tolist()) <= {0, 1}:
        raise ValueError("not True and False")
    return mask.bool()


def sees_itself(answer):
    """The diagonal is True."""
    return bool(yes_or_no(answer).diagonal().all())


def sees_what_is_before(answer):
    """Below the diagonal all is True."""
    return bool(yes_or_no(answer)[torch.ones(5, 5).tril(-1).bool()].all())


def sees_nothing_after(answer):
    """Above the diagonal all is False."""
    return not yes_or_no(answer)[torch.ones(5, 5).triu(1).bool()].any()


CAUSAL_MASK = Write(
    id="2.7",
    title="Causal mask",
    level="easy",
    text="""
Write `causal_mask(n)`: an (n, n) tensor of True and False. Row t says which words the query at t
may look at: itself and those before it. True means "may look", as everywhere in this course. With
it a model can be trained on all positions of a text at once and still not see the answer.
""",
    hints=(
        "Write the mask for three words on paper first. How many True has the first row?",
        "`torch.tril` keeps a triangle of a matrix, `.bool()` turns 1 and 0 into True and False.",
    ),
    solution=causal_mask,
    second_style=causal_mask_loops,
    mistakes=(
        causal_mask_transposed,
        causal_mask_inverted,
        causal_mask_added,
    ),
    cases=causal_mask_cases,
    properties=(
        Property("These are numbers: make them True and False, `.bool()`.", true_and_false),
        Property("It hides each word from itself: the diagonal must stay True.", sees_itself),
        Property(
            "It hides words from those that come later: below the diagonal all is True.",
            sees_what_is_before,
        ),
        Property(
            "It lets a word see what comes after it, which it is to guess: above the diagonal all "
            "is False.",
            sees_nothing_after,
        ),
    ),
    see="2G Masks",
)


# Masked attention -----------------------------------------------------------------------------


def masked_attention(q, k, v, mask):
    """Return output (T, D) and weights (T, S); mask (T, S), True = query t may look at key s."""
    scores = q @ k.T / math.sqrt(q.size(-1))  # (T, S)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_renormalised(q, k, v, mask):
    """Second style."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1) * mask
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ v, weights


def masked_attention_zero(q, k, v, mask):
    """It sets the hidden scores to 0, instead of minus infinity."""
    scores = q @ k.T / math.sqrt(q.size(-1))  # (T, S)
    weights = scores.masked_fill(~mask, 0).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_late(q, k, v, mask):
    """It masks after the softmax, not before it."""
    scores = q @ k.T / math.sqrt(q.size(-1))  # (T, S)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ v, weights


def masked_attention_over_queries(q, k, v, mask):
    """It takes the softmax over the queries, not over the keys."""
    scores = q @ k.T / math.sqrt(q.size(-1))  # (T, S)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=0)
    return weights @ v, weights


def masked_attention_inverted(q, k, v, mask):
    """It hides what the mask says may be looked at, and shows the rest."""
    scores = q @ k.T / math.sqrt(q.size(-1))  # (T, S)
    weights = scores.masked_fill(mask, -math.inf).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_added(q, k, v, mask):
    """This adds True and False to the scores, as 1 and 0: hidden keys need minus infinity."""
    weights = (q @ k.T / math.sqrt(q.size(-1)) + mask).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_plus(q, k, v, mask):
    """This fills with plus infinity, and the softmax breaks: hidden keys need minus infinity."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).masked_fill(~mask, math.inf).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_twice(q, k, v, mask):
    """This takes a second softmax of the weights: hidden keys, now at 0, get weight again."""
    weights = masked_attention(q, k, v, mask)[1].softmax(dim=-1)
    return weights @ v, weights


def masked_attention_cases():
    """The hidden key that fits best shows a mask that leaks, the others turned and late ones."""
    best_last = torch.tensor([[-24.0, 0.0], [-26.0, 0.0], [10.0, 0.0]])
    hidden_last = torch.tensor([[True, True, False]])
    values = torch.tensor([[1.0], [2.0], [100.0]])
    q, k, v = torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 2)
    rows = torch.tensor([[True, False, True], [False, True, True]])
    causal = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    return [
        case(
            "the hidden key fits best", torch.tensor([[1.0, 0.0]]), best_last, values, hidden_last
        ),
        case("two queries, three keys", q[:2], k, v, rows),
        case("three words, causal", q, k, v, causal),
    ]


def masked_example():
    """Four queries, six keys, of which each query sees some; every width is another number."""
    generator = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(*shape, generator=generator) for shape in ((4, 3), (6, 3), (6, 5)))
    mask = torch.ones(4, 6).tril(1).bool()
    mask[:, 1] = False
    mask[2, 0] = False
    return q, k, v, mask


def masked_answer(answer, mask=None):
    """The output and the weights for the example, whichever comes first. Raises ValueError for
    weights that are not numbers.
    """
    *inputs, own = masked_example()
    output, weights = in_order(answer(*inputs, own if mask is None else mask), 5)
    if weights.isnan().any():
        raise ValueError("nan")
    return output, weights


def masked_output_comes_first(answer):
    """The order is output, weights."""
    output, weights = answer(*masked_example())
    return output.size(-1) == 5 or weights.size(-1) != 5


def masked_weights_not_scores(answer):
    """No weight is negative."""
    return bool((masked_answer(answer)[1] >= 0).all())


def hidden_get_nothing(answer):
    """A hidden key has weight 0."""
    mask, weights = masked_example()[-1], masked_answer(answer)[1]
    if (weights[mask] == 0).all():
        return "It hides what may be looked at and shows the rest: True means visible."
    return bool((weights[~mask].abs() < 1e-6).all())


def masked_rows_add_up(answer):
    """Each row of the weights sums to 1, when keys are hidden as when none is."""
    nothing_hidden = rows_sum_to_one(masked_answer(answer, torch.ones(4, 6).bool())[1])
    if nothing_hidden is not True:
        return nothing_hidden
    if (masked_answer(answer)[1].sum(-1) < 0.99).any():
        return (
            "What the hidden keys had is lost, and rows sum to less than 1: mask the scores, "
            "before the softmax."
        )
    return rows_sum_to_one(masked_answer(answer)[1])


def masked_scaled(answer):
    """The scores were divided by the root of K: seen where nothing is hidden."""
    q, k, _, mask = masked_example()
    others = {1: UNSCALED, 3: "The scores are divided by K, and not by its root."}
    for shown in (torch.ones_like(mask), torch.zeros_like(mask)):  # the mask may be inverted
        with contextlib.suppress(ValueError):
            weights = masked_answer(answer, shown)[1]
            if divisor(weights, q @ k.T) is not None:
                return scaled_by_root(weights, q @ k.T, 3, others)
    return None


def masked_output_is_the_mix(answer):
    """The output is made of the weights that come with it."""
    output, weights = masked_answer(answer)
    return torch.allclose(output, weights @ masked_example()[2], atol=1e-4)


MASKED_ATTENTION = Symptom(
    id="2.8",
    title="A map that fades",
    level="medium",
    text="""
The map above was meant to be causal attention: row t looks at words 0 to t. The code that made it
has one of the mistakes below. Choose its letter in the next cell. Then write the code right, from
an empty function: `masked_attention(q, k, v, mask)` is your `attention` of 2.4 for one head, but
query t looks only at the keys s with `mask[t, s]` True. It returns `output, weights`, for q (T, K),
k (S, K), v (S, D) and mask (T, S). The chapter uses your function from here on.
""",
    hints=(
        "What should the single weight of the first row be? What is it here?",
        "Add up a row near the top, the bottom row, and a column. Which of them give 1?",
        "A hidden word must be out before the softmax divides. Which score has the exponential 0?",
        "`scores.masked_fill(~mask, -math.inf)`: between the scores and their softmax.",
    ),
    solution=masked_attention,
    second_style=masked_attention_renormalised,
    mistakes=(
        masked_attention_zero,
        masked_attention_late,
        masked_attention_over_queries,
        masked_attention_inverted,
        masked_attention_added,
        masked_attention_plus,
        masked_attention_twice,
    ),
    shown=masked_attention_late,
    from_empty=True,
    looks=(
        "There would be weights above the diagonal too, all alike within a row.",
        "The triangle would be right, but each row above the last would sum to less than 1.",
        "Each column would sum to 1, so the bottom right corner, alone in its column, would be 1.",
        "The weights would be above the diagonal, and the last row, with nothing left to look at, "
        "would hold no numbers at all.",
    ),
    cases=masked_attention_cases,
    properties=(
        Property(TURNED_ROUND, masked_output_comes_first),
        Property(NOT_RAW, masked_weights_not_scores),
        Property(
            "A hidden key gets weight: where the mask is False it must be 0.", hidden_get_nothing
        ),
        Property("Each row of the weights must sum to 1, over the keys.", masked_rows_add_up),
        Property("The scores are not divided by the root of K, the width of a key.", masked_scaled),
        Property(MIXED, masked_output_is_the_mix),
    ),
    results=("output", "weights"),
    remarks=(lambda answer: no_way_back(answer, *masked_example()),),
    see="2G Masks",
)
