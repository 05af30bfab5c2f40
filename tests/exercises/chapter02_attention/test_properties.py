"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import property_checks
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
    "masked late and inverted": (
        masked(late=True, invert=True),
        ["shows the rest", "must sum to 1"],
    ),
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


def many(
    scale=None,
    dim=-1,
    output=True,
    split=None,
    wide=False,
    transposed=False,
    hide="before",
    swap_back=True,
):
    """Many heads with a choice of slips."""

    def answer(x, w_q, w_k, w_v, w_o, n_heads, mask):
        batch, time, width = x.shape
        n_heads = 1 if wide else n_heads
        maps = [w.T for w in (w_q, w_k, w_v)] if transposed else (w_q, w_k, w_v)
        shape = (batch, time, n_heads, width // n_heads)
        if split == "reshape":
            shape = (batch, n_heads, time, width // n_heads)
        q, k, v = ((x @ w).reshape(shape) for w in maps)
        if split == "in turn":
            dealt = (batch, time, width // n_heads, n_heads)
            q, k, v = ((x @ w).reshape(dealt).permute(0, 3, 1, 2) for w in maps)
        if split is None:
            q, k, v = (y.permute(0, 2, 1, 3) for y in (q, k, v))
        divisor = math.sqrt(width // n_heads) if scale is None else scale(width, n_heads)
        scores = q @ k.mT / divisor
        if hide in ("before", "inverted"):
            scores = scores.masked_fill(mask if hide == "inverted" else ~mask, -math.inf)
        weights = torch.softmax(scores, dim)
        mixed = (weights * mask if hide == "after" else weights) @ v
        joined = (mixed.permute(0, 2, 1, 3) if swap_back else mixed).reshape(x.shape)
        return joined @ w_o if output else joined

    return answer


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
        ["The heads are cut out by a view", "`w_o` has no effect"],
    ),
    "not swapped back": (many(swap_back=False), ["The heads are joined without swapping back:"]),
    "cut and joined by a view": (
        many(split="reshape", swap_back=False),
        ["then swap T and H. Swap back before you join them."],
    ),
    "columns in turn": (many(split="in turn"), ["The columns are dealt out in turn, (K, H) for"]),
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


def gathered(scale=False, shift=True, dim=0, base=math.e, compare="keys", mix="values", divide=sum):
    """What one query gathers, with a choice of slips."""

    def answer(query, keys, values):
        scores = torch.mv({"keys": keys, "values": values}[compare], query)
        scores = scores / len(query) ** 0.5 if scale else scores
        parts = base ** (scores - (scores.max() if shift else 0))
        return (parts / divide(parts)) @ {"keys": keys, "values": values}[mix]

    return answer


def padded(more=0, invert=False, shape=lambda real: real[:, None, None], dtype=bool, longest=False):
    """A padding mask with a choice of slips."""

    def answer(lengths, n_keys):
        lengths = lengths.max().expand_as(lengths) if longest else lengths
        rows = [[(s < n + more) != invert for s in range(n_keys)] for n in lengths.tolist()]
        return shape(torch.tensor(rows, dtype=torch.bool)).to(
            torch.bool if dtype is bool else dtype
        )

    return answer


def asked_both_ways(layer, x):
    """Whether a word looks ahead: one word moved at a time, by a little and by much."""
    for s in range(1, len(x)):
        for by in (0.5, -3.0):
            moved = x.clone()
            moved[s] += by * torch.arange(1, x.size(1) + 1)
            if (layer(moved)[:s] - layer(x)[:s]).abs().max() > 1e-3:
                return True
    return False


def by_votes(pages):
    """A dictionary by how often a word was looked at most."""
    votes = {}
    for written, source, weights in pages:
        for word, best in zip(written, weights.argmax(dim=1).tolist(), strict=True):
            votes.setdefault(word, []).append(source[best])
    return {word: max(found, key=found.count) for word, found in votes.items()}


def translated(pages):
    """A dictionary by way of one long list of looks."""
    looks = [
        (g, e, m[t, s].item())
        for german, english, m in pages
        for t, g in enumerate(german)
        for s, e in enumerate(english)
    ]
    return {
        g: max(
            {e for _, e, _ in looks}, key=lambda e: sum(w for a, b, w in looks if (a, b) == (g, e))
        )
        for g in {g for g, _, _ in looks}
    }


def backward(scale=math.sqrt, sign=1, mean="row", front=True):
    """The way back through the softmax, with a choice of slips."""

    def answer(weights, grad_weights, width):
        products = weights * grad_weights
        means = {
            "row": products.sum(1, keepdim=True),
            "query": products.sum(0, keepdim=True),
            "none": 0,
            "plain": grad_weights.mean(1, keepdim=True),
        }
        inner = grad_weights - means[mean]
        return sign * (weights * inner if front else inner) / scale(width)

    return answer


def by_autograd(weights, grad_weights, width):
    scores = weights.log().mul(width**0.5).clamp(min=-1e9).requires_grad_()
    (scores / width**0.5).softmax(-1).backward(grad_weights)
    return scores.grad


def head(scale, dim=-1):
    def answer(q, k):
        return torch.softmax(torch.inner(q, k) / scale(q, k), dim)

    return answer


WRONG = {
    "2.4": ATTENTION,
    "2.7": MASK,
    "2.8": MASKED,
    "2.11": MANY,
    "2.2": {
        "scaled, not divided": (
            gathered(scale=True, divide=lambda parts: 1),
            [
                "It divides by the root of K: sound, and",
                "It divides by the largest, not by the sum.",
            ],
        ),
        "compared with the values, mixing the keys": (
            gathered(compare="values", mix="keys"),
            ["It compares the query with the values:", "It mixes the keys: they decide the"],
        ),
        "divided by 2": (
            lambda query, keys, values: gathered()(query / 2, keys, values),
            ["The weights must go with exp(score): one"],
        ),
        "powers of 2": (gathered(base=2.0), ["It takes powers of 2: the exponential is"]),
        "by the largest": (gathered(divide=max), ["It divides by the largest, not by the sum."]),
        "overflowing, scaled": (
            gathered(scale=True, shift=False),
            ["It divides by the root of K: sound, and", "It overflows on large scores: subtract"],
        ),
    },
    "2.10": {
        "one more, (B, S)": (
            padded(1, shape=lambda real: real),
            ["It is (B, S): next to scores (B, H, T, S)", "It shows a padding key: position s is"],
        ),
        "all keys": (padded(9), ["It shows all keys: padding must be hidden."]),
        "inverted, the longest": (
            padded(invert=True, longest=True),
            ["Every text gets the longest length: each", "It is True for the padding."],
        ),
        "0 and 1": (padded(dtype=torch.long), ["The mask must be of True and False."]),
        "queries, inverted": (
            padded(invert=True, shape=lambda real: real[:, None, :, None]),
            ["It hides queries, (B, 1, S, 1): padding", "It is True for the padding."],
        ),
    },
    "2.9": {
        "the order of the words": (
            lambda layer, x: not torch.allclose(layer(x.flip(0)), layer(x).flip(0), atol=1e-4),
            ["It sees a leak where there is none: a causal head.", "It misses a leak: a head"],
        ),
    },
    "2.12": {
        "the word that looks most": (
            lambda pages: {w: w for w in translated(pages)},
            ["The dictionary must have a written word", "A single page decides: add up"],
        ),
        "a vote a row": (by_votes, ["This counts winners, one vote for the largest weight"]),
    },
    "2.6": {
        "no second term, unscaled": (
            backward(lambda width: 1, mean="none"),
            ["The second term is missing: a larger", "It stops at the scaled scores: the"],
        ),
        "three times": (backward(lambda width: width**0.5 / 3), ["It is 3 times the gradient."]),
        "downhill, by the width": (
            backward(lambda width: width, -1),
            ["It divides by the width: the way forward", "It has the wrong sign throughout: the"],
        ),
        "over the queries, unscaled": (
            backward(lambda width: 1, mean="query"),
            ["It sums over the queries: a softmax runs", "It stops at the scaled scores: the"],
        ),
        "the plain mean, no weight": (
            backward(mean="plain", front=False),
            ["It subtracts the plain mean of g: take", "It lacks the weight in front: a key"],
        ),
    },
    "2.5": {
        "by both": (
            head(lambda q, k: q.size(-1) ** 0.5 * len(k) ** 0.5),
            ["The scores are not divided by the root of"],
        ),
        "over the queries, by K": (
            head(lambda q, k: q.size(-1), dim=0),
            ["The softmax runs over the queries: the", "The scores are divided by K: their"],
        ),
        "by the root of the queries": (
            head(lambda q, k: len(q) ** 0.5),
            ["The scores are divided by the root of the"],
        ),
    },
}
RIGHT = {
    "2.4": attention(),
    "2.7": triangle(0),
    "2.8": masked(),
    "2.11": many(),
    "2.2": gathered(),
    "2.10": padded(),
    "2.9": asked_both_ways,
    "2.12": translated,
    "2.6": by_autograd,
    "2.5": head(lambda q, k: q.size(-1) ** 0.5),
}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize(("id", "answer"), RIGHT.items(), ids=list(RIGHT))
def test_a_right_answer_in_another_style_is_right(id, answer):
    property_checks.assert_right(id, answer)


def test_many_heads_may_be_masked_attention_head_by_head():
    own, masked_heads = triangle(0), masked()

    def multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask):
        texts = []
        for text in x:
            heads = zip(*((text @ w).chunk(n_heads, dim=-1) for w in (w_q, w_k, w_v)), strict=True)
            texts.append(torch.cat([masked_heads(*head, mask)[0] for head in heads], dim=-1))
        return torch.stack(texts) @ w_o

    property_checks.assert_right("2.11", multi_head)
    maps = torch.randn(1, 5, 6), *torch.randn(4, 6, 6)
    torch.testing.assert_close(
        multi_head(*maps, 3, own(5)), registry.find("2.11").solution(*maps, 3, own(5))
    )


def test_a_difference_shows_the_call_and_names_the_part():
    text = judge(registry.find("2.7"), triangle(0, 1, 2)).text
    assert 'To see it: the case "two words", causal_mask(2), at [0, 1]: expected False' in text
    text = judge(registry.find("2.4"), attention(mix=torch.square)).text
    assert "in the output, at [0, 0, 0]: expected" in text


def test_torchs_softmax_is_welcome_in_what_one_query_gathers():
    """The text names it: no remark that one should have written it out."""

    def answer(query, keys, values):
        return (keys @ query).softmax(-1) @ values

    assert property_checks.verdict("2.2", answer).text == "right."
