"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import pytest
import torch

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge


def attention(scale=None, dim=-1, late=1.0, raw=False, mix=None, turned=False):
    """Attention with a choice of slips."""

    def answer(q, k, v):
        scores = torch.einsum("...tk,...sk->...ts", q, k)
        scores = scores / (math.sqrt(k.shape[-1]) if scale is None else scale(q, k, v))
        weights = scores if raw else torch.exp(scores - scores.amax()) / late
        if not raw:
            weights = weights / torch.exp(scores - scores.amax()).sum(dim, keepdim=True)
        output = (weights if mix is None else mix(weights)) @ v
        return (weights, output) if turned else (output, weights)

    return answer


def unscaled(q, k, v):
    return 1


def by_width(q, k, v):
    return k.size(-1)


def cubed(q, k, v):
    return k.size(-1) ** 1.5


LACKS_SCALE = "The scores lack the 1/sqrt(K)."
OVER_QUERIES = "The softmax runs over the queries"
ATTENTION = {
    "unscaled": (attention(unscaled), [LACKS_SCALE]),
    "scaled by K": (attention(by_width), ["divided by K: their standard deviation"]),
    "scaled by a power": (attention(cubed), ["not divided by the root of K"]),
    "over the queries, unscaled": (attention(unscaled, -2), [OVER_QUERIES, LACKS_SCALE]),
    "over the queries, by K": (attention(by_width, -2), [OVER_QUERIES, "divided by K:"]),
    "over the first axis, unscaled": (attention(unscaled, 0), ["the first axis", LACKS_SCALE]),
    "not normalised, by K": (attention(by_width, late=3), ["sums to 0.333", "divided by K:"]),
    "raw, and unscaled": (attention(unscaled, raw=True), ["raw scores", LACKS_SCALE]),
    "mixed by squares, unscaled": (
        attention(unscaled, mix=torch.square),
        [LACKS_SCALE, "not the mix of the values"],
    ),
    "turned round, unscaled": (attention(unscaled, turned=True), ["the order is", LACKS_SCALE]),
    "turned round, over the queries, by K": (
        attention(by_width, -2, turned=True),
        ["the order is", OVER_QUERIES, "divided by K:"],
    ),
}


def masked(scale=math.sqrt, dim=-1, fill=-math.inf, late=False, invert=False, mix=None):
    """Attention with a mask and a choice of slips."""

    def answer(q, k, v, mask):
        hidden = mask if invert else ~mask
        scores = (q @ k.T) / scale(q.shape[1])
        if not late:
            scores = torch.where(hidden, torch.full_like(scores, fill), scores)
        weights = torch.softmax(scores, dim)
        if late:
            weights = torch.where(hidden, torch.zeros_like(weights), weights)
        return (weights if mix is None else mix(weights)) @ v, weights

    return answer


HIDDEN = "A hidden key gets weight"
MASKED = {
    "a fill that is too small": (masked(fill=-1.0), [HIDDEN]),
    "a small fill, unscaled": (masked(lambda k: 1, fill=-1.0), [HIDDEN, LACKS_SCALE]),
    "masked late, unscaled": (masked(lambda k: 1, late=True), ["before the softmax", LACKS_SCALE]),
    "inverted, unscaled": (masked(lambda k: 1, invert=True), ["shows the rest", LACKS_SCALE]),
    "masked late and inverted": (masked(late=True, invert=True), ["shows the rest"]),
    "over the queries, with K": (
        masked(lambda k: k, dim=0),
        [OVER_QUERIES, "divided by K, and not by its root"],
    ),
    "no mask, over the queries": (masked(dim=0, fill=0.5), [HIDDEN, OVER_QUERIES]),
    "mixed by squares, unscaled": (
        masked(lambda k: 1, mix=torch.square),
        [LACKS_SCALE, "not the mix of the values"],
    ),
}


def triangle(*offsets):
    def answer(n):
        rows = [[s - t in offsets or s - t < min(offsets) for s in range(n)] for t in range(n)]
        return torch.tensor(rows)

    return answer


def lists(n):
    return [[s <= t + 1 and s != t for s in range(n)] for t in range(n)]


ITSELF, LATER, BEFORE = "hides each word from itself", "see what comes after it", "come later"
MASK = {
    "two steps ahead": (triangle(0, 1, 2), [LATER]),
    "the next but not itself": (triangle(-1, 1), [ITSELF, LATER]),
    "the same as lists": (lists, [ITSELF, LATER]),
    "only the word before": (
        lambda n: torch.tensor([[s == t - 1 for s in range(n)] for t in range(n)]),
        [ITSELF, BEFORE],
    ),
    "only later words": (lambda n: torch.ones(n, n).triu(2).bool(), [ITSELF, BEFORE, LATER]),
}


def many(scale=None, dim=-1, output=True, split=None, wide=False, transposed=False, hide="before"):
    """Many heads with a choice of slips."""

    def answer(x, w_q, w_k, w_v, w_o, n_heads, mask):
        batch, time, width = x.shape
        n_heads = 1 if wide else n_heads
        maps = [w.T for w in (w_q, w_k, w_v)] if transposed else (w_q, w_k, w_v)
        shape = (batch, time, n_heads, width // n_heads)
        if split is not None:
            shape = (batch, n_heads, time, width // n_heads)
        q, k, v = ((x @ w).reshape(shape) for w in maps)
        if split is None:
            q, k, v = (y.permute(0, 2, 1, 3) for y in (q, k, v))
        divisor = math.sqrt(width // n_heads) if scale is None else scale(width, n_heads)
        scores = q @ k.mT / divisor
        if hide in ("before", "inverted"):
            scores = scores.masked_fill(mask if hide == "inverted" else ~mask, -math.inf)
        weights = torch.softmax(scores, dim)
        mixed = (weights * mask if hide == "after" else weights) @ v
        joined = mixed.permute(0, 2, 1, 3).reshape(x.shape)
        return joined @ w_o if output else joined

    return answer


MIXED = "Words and heads get mixed up"
MANY = {
    "unscaled": (many(lambda width, heads: 1), [LACKS_SCALE]),
    "unscaled, no output map": (
        many(lambda width, heads: 1, output=False),
        [LACKS_SCALE, "`w_o` has no effect"],
    ),
    "by sqrt(D), over the queries": (
        many(lambda width, heads: width**0.5, dim=-2),
        [OVER_QUERIES, "divided by sqrt(D)"],
    ),
    "cut by a reshape, no output map": (
        many(split="reshape", output=False),
        [MIXED, "`w_o` has no effect"],
    ),
    "one wide head, no output map": (
        many(wide=True, output=False),
        ["one wide head", "`w_o` has no effect"],
    ),
    "by 2 sqrt(K)": (many(lambda width, heads: 2 * (width / heads) ** 0.5), ["by sqrt(K), K = D"]),
    "no mask, unscaled": (
        many(lambda width, heads: 1, hide=None),
        ["The mask has no effect", LACKS_SCALE],
    ),
    "masked late, no output map": (
        many(hide="after", output=False),
        ["before the softmax", "`w_o` has no effect"],
    ),
    "inverted, by K": (
        many(lambda width, heads: width / heads, hide="inverted"),
        ["shows the rest", "divided by K"],
    ),
    "transposed, no output map": (
        many(transposed=True, output=False),
        ["`w_v` is transposed", "`w_o` has no effect"],
    ),
}

ANSWERS = [
    pytest.param(id, *entry, id=f"{id} {name}")
    for id, answers in (("2.2", ATTENTION), ("2.3", MASK), ("2.4", MASKED), ("2.5", MANY))
    for name, entry in answers.items()
]


@pytest.mark.parametrize(("id", "answer", "sentences"), ANSWERS)
def test_each_mistake_of_an_answer_is_named_in_order(id, answer, sentences):
    text = judge(registry.find(id), answer).text
    places = [text.find(sentence) for sentence in sentences]
    assert -1 not in places, text
    assert places == sorted(places), text
    assert text.startswith(f"{len(sentences)} things") or len(sentences) == 1, text


@pytest.mark.parametrize(
    ("id", "answer"),
    [("2.2", attention()), ("2.3", triangle(0)), ("2.4", masked()), ("2.5", many())],
)
def test_without_slips_these_answers_are_right(id, answer):
    assert judge(registry.find(id), answer).status == "right"


def test_a_difference_shows_the_call_and_names_the_part():
    text = judge(registry.find("2.3"), triangle(0, 1, 2)).text
    assert 'To see it: the case "two words", causal_mask(2), at [0, 1]: expected False' in text
    text = judge(registry.find("2.2"), attention(mix=torch.square)).text
    assert "in the output, at [0, 0, 0]: expected" in text
