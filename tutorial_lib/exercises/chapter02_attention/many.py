"""Chapter 02: many heads side by side."""

import math

import torch
from einops import rearrange

from tutorial_lib.exercises.engine.tasks import Write, case


def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    """Return H-headed self-attention of x (B, T, D), (B, T, D); weights (D, D), as in x @ w_q.

    Head h owns the columns h * K to (h + 1) * K - 1 of w_q, w_k and w_v, where K = D / H.
    """
    q, k, v = (
        rearrange(x @ w, "batch time (heads width) -> batch heads time width", heads=n_heads)
        for w in (w_q, w_k, w_v)
    )
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1)  # (B, H, T, S)
    joined = rearrange(weights @ v, "batch heads time width -> batch time (heads width)")
    return joined @ w_o


def multi_head_one_by_one(x, w_q, w_k, w_v, w_o, n_heads):
    """Second style."""
    width = x.size(-1) // n_heads
    found = []
    for start in range(0, x.size(-1), width):
        own = slice(start, start + width)
        q, k, v = x @ w_q[:, own], x @ w_k[:, own], x @ w_v[:, own]  # (B, T, K)
        found.append((q @ k.mT * width**-0.5).softmax(dim=-1) @ v)
    return torch.cat(found, dim=-1) @ w_o


def multi_head_by(split, x, w_q, w_k, w_v, n_heads, divisor=None):
    """Split queries, keys and values by a rule of one's own: heads (B, H, T, K), not joined."""
    q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scores = q @ k.transpose(-2, -1) / (divisor or math.sqrt(q.size(-1)))
    return scores.softmax(dim=-1) @ v


def split_heads(y, n_heads):
    """Turn (B, T, D) into (B, H, T, K)."""
    return y.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def join_heads(y):
    """Turn (B, H, T, K) into (B, T, D)."""
    return y.transpose(1, 2).flatten(2)


def multi_head_reshaped(x, w_q, w_k, w_v, w_o, n_heads):
    """This reshapes to (B, H, T, K) without a transpose: a head gets pieces of several words."""

    def split(y, n_heads):
        return y.reshape(y.size(0), n_heads, y.size(1), -1)

    return multi_head_by(split, x, w_q, w_k, w_v, n_heads).reshape(x.shape) @ w_o


def multi_head_split_reshaped(x, w_q, w_k, w_v, w_o, n_heads):
    """This joins well, but splits by a reshape to (B, H, T, K): that mixes up words and heads."""

    def split(y, n_heads):
        return y.reshape(y.size(0), n_heads, y.size(1), -1)

    return join_heads(multi_head_by(split, x, w_q, w_k, w_v, n_heads)) @ w_o


def multi_head_join_reshaped(x, w_q, w_k, w_v, w_o, n_heads):
    """This splits well, but joins without turning (B, H, T, K) back to (B, T, H, K) first."""
    return multi_head_by(split_heads, x, w_q, w_k, w_v, n_heads).reshape(x.shape) @ w_o


def multi_head_interleaved(x, w_q, w_k, w_v, w_o, n_heads):
    """This deals the columns out in turn, (K, H) for (H, K): a head owns K columns in a row."""

    def split(y, n_heads):
        return y.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)

    heads = multi_head_by(split, x, w_q, w_k, w_v, n_heads)
    return heads.permute(0, 2, 3, 1).flatten(2) @ w_o


def multi_head_model_width(x, w_q, w_k, w_v, w_o, n_heads):
    """This scales by sqrt(D): a head's scores are sums of K terms, so it scales by sqrt(K)."""
    divisor = math.sqrt(x.size(-1))
    return join_heads(multi_head_by(split_heads, x, w_q, w_k, w_v, n_heads, divisor)) @ w_o


def multi_head_unscaled(x, w_q, w_k, w_v, w_o, n_heads):
    """This lacks the 1/sqrt(K)."""
    return join_heads(multi_head_by(split_heads, x, w_q, w_k, w_v, n_heads, 1)) @ w_o


def multi_head_by_heads(x, w_q, w_k, w_v, w_o, n_heads):
    """This scales by the root of the number of heads: the width K of a head counts."""
    divisor = math.sqrt(n_heads)
    return join_heads(multi_head_by(split_heads, x, w_q, w_k, w_v, n_heads, divisor)) @ w_o


def multi_head_no_output(x, w_q, w_k, w_v, w_o, n_heads):
    """This forgets the output map `w_o`: the heads stand side by side and never meet."""
    return join_heads(multi_head_by(split_heads, x, w_q, w_k, w_v, n_heads))


def multi_head_single(x, w_q, w_k, w_v, w_o, n_heads):
    """This is one wide head: `n_heads` has no effect."""
    return multi_head(x, w_q, w_k, w_v, w_o, 1)


def multi_head_across_heads(x, w_q, w_k, w_v, w_o, n_heads):
    """This compares the heads of one word, (B, T, H, K): turn it to (B, H, T, K), then attend."""

    def split(y, n_heads):
        return y.unflatten(-1, (n_heads, -1))

    return multi_head_by(split, x, w_q, w_k, w_v, n_heads).flatten(2) @ w_o


def multi_head_split_words(x, w_q, w_k, w_v, w_o, n_heads):
    """This cuts the words up: each head reads whole words, by its own columns of the weights."""
    width = x.size(-1) // n_heads
    found = []
    for start in range(0, x.size(-1), width):
        own = slice(start, start + width)
        q, k, v = (x[..., own] @ w[own, own] for w in (w_q, w_k, w_v))
        found.append((q @ k.mT / math.sqrt(width)).softmax(dim=-1) @ v)
    return torch.cat(found, dim=-1) @ w_o


def multi_head_rows(x, w_q, w_k, w_v, w_o, n_heads):
    """This gives a head rows of the weights: with `x @ w_q` it owns columns."""
    return multi_head(x, w_q.T, w_k.T, w_v.T, w_o, n_heads)


def multi_head_linear(x, w_q, w_k, w_v, w_o, n_heads):
    """This multiplies by the transposed weights, as nn.Linear stores them: here it is x @ w."""
    return multi_head(x, w_q.T, w_k.T, w_v.T, w_o.T, n_heads)


def multi_head_cases():
    """Neither T nor B equals H or K; with one head only the scale and w_o can go wrong."""

    def inputs(batch, time, d_model):
        weights = [torch.randn(d_model, d_model) for _ in range(4)]
        return torch.randn(batch, time, d_model), *weights

    return [
        case("one head, two words", *inputs(1, 2, 3), 1),
        case("two heads of width 3", *inputs(1, 4, 6), 2),
        case("a batch, three heads of width 2", *inputs(2, 5, 6), 3),
    ]


MULTI_HEAD = Write(
    id="2.5",
    title="Many heads",
    level="medium",
    text="""
Write `multi_head(x, w_q, w_k, w_v, w_o, n_heads)`: self-attention of `x` (B, T, D) with H heads of
width K = D / H. Multiply from the right, `x @ w_q`. Head 0 owns the first K columns, head 1 the
next K, and so on. Each head attends by itself, with its own scale; their outputs, side by side,
go through `w_o`. This is the layer that stands in every Transformer.
""",
    hints=(
        "Split (B, T, D) to (B, T, H, K) first, then swap two axes to get (B, H, T, K).",
        "`einops.rearrange(y, 'b t (h k) -> b h t k', h=n_heads)` does both.",
        "Before you join, turn (B, H, T, K) back to (B, T, H, K), or words get mixed up.",
    ),
    solution=multi_head,
    second_style=multi_head_one_by_one,
    mistakes=(
        multi_head_reshaped,
        multi_head_split_reshaped,
        multi_head_join_reshaped,
        multi_head_interleaved,
        multi_head_model_width,
        multi_head_unscaled,
        multi_head_by_heads,
        multi_head_no_output,
        multi_head_single,
        multi_head_across_heads,
        multi_head_split_words,
        multi_head_rows,
        multi_head_linear,
    ),
    cases=multi_head_cases,
    see="B.1 Many heads",
)
