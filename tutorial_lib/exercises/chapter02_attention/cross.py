"""Chapter 02: one sequence that looks at another."""

import itertools
import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    UNSCALED,
    divisor,
    in_order,
    rows_sum_to_one,
)
from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Write, case


def cross_attention(x, context, w_q, w_k, w_v):
    """Return output (T, K) and weights (T, S): x (T, D) asks, context (S, D) answers."""
    q, k, v = x @ w_q, context @ w_k, context @ w_v  # (T, K), (S, K), (S, K)
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1)
    return weights @ v, weights


def cross_attention_loops(x, context, w_q, w_k, w_v):
    """Second style."""
    k, v = context @ w_k, context @ w_v
    rows = [(k @ (word @ w_q) / len(k[0]) ** 0.5).softmax(dim=0) for word in x]
    return torch.stack([row @ v for row in rows]), torch.stack(rows)


def cross_attention_cases():
    """Lengths that differ show most mix-ups; equal lengths hide the shapes, not the numbers."""
    weights = [torch.randn(3, 4) for _ in range(3)]
    return [
        case("2 words ask 5", torch.randn(2, 3), torch.randn(5, 3), *weights),
        case("4 words ask 2", torch.randn(4, 3), torch.randn(2, 3), *weights),
        case("3 words ask 3", torch.randn(3, 3), torch.randn(3, 3), *weights),
    ]


def cross_example():
    """Five words ask five others (so that mix-ups fit); width 4, keys 3 wide."""
    generator = torch.Generator().manual_seed(5)
    shapes = (5, 4), (5, 4), (4, 3), (4, 3), (4, 3)
    return [torch.randn(*shape, generator=generator) for shape in shapes]


def crossed(answer):
    """Output (T, K) and weights (T, S), whichever comes first."""
    return in_order(answer(*cross_example()), 3)


def asked(answer):
    """Who asked, who was asked by which map, and by what the scores were divided; else None."""
    x, context, w_q, w_k, _ = cross_example()
    weights = crossed(answer)[1][:, :5]
    seen = slice(2, None), slice(0, 3)  # what a causal mask would leave
    for asks in ("x", "context"):
        for offers, by in itertools.product(("context", "x"), (w_k, w_q)):
            of = {"x": x, "context": context}
            products = of[asks] @ w_q @ (of[offers] @ by).T
            if (found := divisor(weights[seen], products[seen])) is not None:
                return asks, offers, by is w_k, found
    return None


def output_comes_first(answer):
    """It returns weights, output: the order is `output, weights`."""
    output, weights = answer(*cross_example())
    return output.size(-1) == 3 or weights.size(-1) != 3


def one_weight_a_pair(answer):
    """The weights must be (T, S): one for each word of the context."""
    both = crossed(answer)[1].shape == (5, 10)
    return (
        "It lets the decoder look at itself as well: only the context is asked." if both else None
    )


def queries_come_from_x(answer):
    """The queries come from the context: x asks, its words decide the T rows."""
    return None if asked(answer) is None else asked(answer)[0] == "x"


def keys_come_from_the_context(answer):
    """The keys come from x, the decoder: they must come from the context."""
    if asked(answer) is None or one_weight_a_pair(answer) is not None:
        return None
    _, offers, own, _ = asked(answer)
    return offers == "context" and (own or "The keys are made with `w_q`: they have `w_k`.")


def no_mask(answer):
    """It adds a causal mask: the whole source is known, each query may look at all of it."""
    weights = crossed(answer)[1]
    return bool(weights[torch.ones_like(weights).triu(1).bool()].any())


def rows_add_up(answer):
    """Each row of the weights must sum to 1, over the words of the context."""
    return rows_sum_to_one(crossed(answer)[1])


def scaled(answer):
    """The scores are not divided by sqrt(K), K the width of a key."""
    others = {
        1: UNSCALED,
        2: "The scores are divided by sqrt(D), the width of the words: the keys' width K counts.",
        3: "The scores are divided by K: their standard deviation is its square root.",
        5**0.5: "The scores are divided by the root of the number of keys: their width K counts.",
    }
    if (found := asked(answer)) is None:
        return None
    near = [text for number, text in others.items() if math.isclose(found[3], number, rel_tol=1e-2)]
    return near[0] if near else math.isclose(found[3], 3**0.5, rel_tol=1e-2)


def mixes_values_of_the_context(answer):
    """The output must be weights @ values, the values `context @ w_v`."""
    x, context, _, _, w_v = cross_example()
    output, weights = crossed(answer)
    others = {
        "The values come from x, the decoder: they must come from the context.": weights @ x @ w_v,
        "It mixes the words of the context: mix their values, `context @ w_v`.": weights @ context,
    }
    return which(output, weights @ context @ w_v, others)


CROSS_ATTENTION = Write(
    id="2.7",
    title="Cross-attention",
    level="medium",
    text="""
Write `cross_attention(x, context, w_q, w_k, w_v)`: one head by which the T words of a decoder, `x`
(T, D), read the S words of an encoder, `context` (S, D). The weights are (D, K), used as
`x @ w_q`. Return `output, weights`: (T, K) and (T, S). One widely read chapter has the keys and
values come from the wrong side.
""",
    hints=(
        "Who asks? Its length is that of the output.",
        "Keys and values belong together: word s has both, and both come from where one looks.",
        "No mask here: the source is complete before the decoder starts.",
    ),
    solution=cross_attention,
    second_style=cross_attention_loops,
    mistakes=(),
    cases=cross_attention_cases,
    properties=properties(
        output_comes_first,
        one_weight_a_pair,
        queries_come_from_x,
        keys_come_from_the_context,
        no_mask,
        rows_add_up,
        scaled,
        mixes_values_of_the_context,
    ),
    see="B.3 Two sequences",
)
