"""Chapter 02: many heads side by side."""

import math

import torch
from einops import rearrange

from tutorial_lib.exercises.chapter02_attention.measures import (
    rows_sum_to_one,
    scaled_by_root,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """Return H-headed self-attention of x (B, T, D), (B, T, D); weights (D, D), as in x @ w_q.

    Head h owns the columns h * K to (h + 1) * K - 1 of w_q, w_k and w_v, where K = D / H.
    mask (T, T), True = may look, is the same for all heads and texts.
    """
    q, k, v = (
        rearrange(x @ w, "batch time (heads width) -> batch heads time width", heads=n_heads)
        for w in (w_q, w_k, w_v)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    joined = rearrange(weights @ v, "batch heads time width -> batch time (heads width)")
    return joined @ w_o


def multi_head_one_by_one(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """Second style."""
    width = x.size(-1) // n_heads
    found = []
    for start in range(0, x.size(-1), width):
        own = slice(start, start + width)
        q, k, v = x @ w_q[:, own], x @ w_k[:, own], x @ w_v[:, own]  # (B, T, K)
        shares = (q @ k.mT * width**-0.5).exp() * mask
        found.append(shares / shares.sum(dim=-1, keepdim=True) @ v)
    return torch.cat(found, dim=-1) @ w_o


def multi_head_by(split, x, w_q, w_k, w_v, n_heads, mask=None):
    """Split queries, keys and values by a rule of one's own: heads (B, H, T, K), not joined."""
    q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(dim=-1) @ v


def multi_head_interleaved(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """This deals the columns out in turn, (K, H) for (H, K): a head owns K columns in a row."""

    def split(y, n_heads):
        return y.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)

    heads = multi_head_by(split, x, w_q, w_k, w_v, n_heads, mask)
    return heads.permute(0, 2, 3, 1).flatten(2) @ w_o


def multi_head_across_heads(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """This compares the heads of one word, (B, T, H, K), where the mask (T, T) does not fit: turn
    it to (B, H, T, K), then attend.
    """

    def split(y, n_heads):
        return y.unflatten(-1, (n_heads, -1))

    return multi_head_by(split, x, w_q, w_k, w_v, n_heads).flatten(2) @ w_o


def multi_head_split_words(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """This cuts the words up: each head reads whole words, by its own columns of the weights."""
    width = x.size(-1) // n_heads
    found = []
    for start in range(0, x.size(-1), width):
        own = slice(start, start + width)
        q, k, v = (x[..., own] @ w[own, own] for w in (w_q, w_k, w_v))
        scores = (q @ k.mT / math.sqrt(width)).masked_fill(~mask, -math.inf)
        found.append(scores.softmax(dim=-1) @ v)
    return torch.cat(found, dim=-1) @ w_o


def multi_head_rows(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """This gives a head rows of the weights: with `x @ w_q` it owns columns."""
    return multi_head(x, w_q.T, w_k.T, w_v.T, w_o, n_heads, mask)


def multi_head_causal(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """This hides what comes later by itself: `mask` alone says what is hidden."""
    return multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask & torch.ones_like(mask).tril())


def multi_head_first_only(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """Only the first head counts: join all of them."""
    width = x.size(-1) // n_heads
    kept = torch.zeros_like(w_v)
    kept[:, :width] = w_v[:, :width]
    return multi_head(x, w_q, w_k, kept, w_o, n_heads, mask)


def multi_head_cases():
    """Neither T nor B equals H or K; with one head only the scale and w_o can go wrong."""

    def inputs(batch, time, d_model):
        weights = [torch.randn(d_model, d_model) for _ in range(4)]
        return torch.randn(batch, time, d_model), *weights

    causal = torch.ones(5, 5).tril().bool()
    gap = torch.tensor([[True, True, False, True]]).expand(4, 4).clone()
    return [
        case("one head, two words", *inputs(1, 2, 3), 1, torch.ones(2, 2).bool()),
        case("two heads of width 3, word 2 hidden", *inputs(1, 4, 6), 2, gap),
        case("a batch, three heads of width 2, causal", *inputs(2, 5, 6), 3, causal),
    ]


def many_example():
    """Two heads of width 3 and seven words: x, the four maps, and the number of heads."""
    generator = torch.Generator().manual_seed(4)
    w_q, w_k, w_v, w_o = (torch.randn(6, 6, generator=generator) for _ in range(4))
    return torch.randn(1, 7, 6, generator=generator), w_q, w_k, w_v, w_o


def unmasked(answer, x, *rest):
    """What the answer returns when nothing is hidden, whether True means visible or hidden."""
    mask = torch.ones(x.size(1), x.size(1)).bool()
    got = answer(x, *rest, mask)
    return answer(x, *rest, ~mask) if got.isnan().all() else got


def output_map_comes_last(answer):
    """The result is what it is without `w_o`, times `w_o`."""
    x, w_q, w_k, w_v, w_o = many_example()
    without = unmasked(answer, x, w_q, w_k, w_v, torch.eye(6), 2)
    got = unmasked(answer, x, w_q, w_k, w_v, w_o, 2)
    if torch.allclose(got, without, atol=1e-4):
        return "The output map `w_o` has no effect: the heads are side by side and never meet."
    if torch.allclose(got, without @ w_o.T, atol=1e-4):
        return "`w_o` is transposed, as nn.Linear stores it: here it is x @ w_o."
    return torch.allclose(got, without @ w_o, atol=1e-4)


def wrong_joins(made, n_heads):
    """What equal weights make of the values (1, T, D) when heads are cut out or joined wrongly."""
    by_word = made.unflatten(-1, (n_heads, -1))  # (1, T, H, K)
    sound = by_word.transpose(1, 2)  # (1, H, T, K)
    viewed = by_word.reshape(sound.shape)
    cut, joined = (
        heads.mean(dim=2, keepdim=True).expand_as(heads).contiguous() for heads in (viewed, sound)
    )
    cut_out = (
        "The heads are cut out by a view to (B, H, T, K) alone, so a head gets whole words instead "
        "of its columns: view as (B, T, H, K), then swap T and H."
    )
    return {
        "The heads are joined without swapping back: (B, H, T, K) became (B, T, D) by a reshape "
        "alone, so words are scrambled. Swap to (B, T, H, K) first.": joined.view(made.shape),
        cut_out: cut.transpose(1, 2).flatten(2),
        cut_out + " Swap back before you join them.": cut.view(made.shape),
        "The columns are dealt out in turn, (K, H) for (H, K), so head 0 got every H-th one. A "
        "head owns K columns in a row.": torch.cat(
            [made[..., head::n_heads] for head in range(n_heads)], dim=-1
        )
        .mean(dim=1, keepdim=True)
        .expand_as(made),
        "The heads of one word are compared, (B, T, H, K), and no word sees another: turn it to "
        "(B, H, T, K), then attend.": by_word.mean(dim=2).repeat(1, 1, n_heads),
    }


def equal_weights_give_the_mean(answer):
    """With queries of 0 each word gets the mean of the values, column by column."""
    x, _, w_k, w_v, _ = many_example()
    got = unmasked(answer, x, torch.zeros(6, 6), w_k, w_v, torch.eye(6), 2)
    made = x @ w_v
    values = made.mean(dim=1, keepdim=True).expand_as(got)
    for sentence, wrong in wrong_joins(made, 2).items():
        if torch.allclose(got, wrong, atol=1e-4):
            return sentence
    if torch.allclose(got, (x @ w_v.T).mean(dim=1, keepdim=True).expand_as(got), atol=1e-4):
        return "`w_v` is transposed, as nn.Linear stores it: here it is x @ w_v."
    return torch.allclose(got, values, atol=1e-4)


def a_head_has_its_own_columns(answer):
    """Columns 0 to 2 of w_q concern columns 0 to 2 of the joined heads, and no others."""
    if equal_weights_give_the_mean(answer) is not True:
        return None
    x, w_q, w_k, w_v, _ = many_example()
    before = unmasked(answer, x, w_q, w_k, w_v, torch.eye(6), 2)
    if torch.allclose(before, unmasked(answer, x, w_q, w_k, w_v, torch.eye(6), 1), atol=1e-4):
        return "This is one wide head: `n_heads` has no effect."
    w_q[:, :3] += 1
    moved = (unmasked(answer, x, w_q, w_k, w_v, torch.eye(6), 2) - before).abs().amax(
        dim=(0, 1)
    ) > 1e-4
    return moved.tolist() == [True] * 3 + [False] * 3


def weights_of_each_head(answer, mask=None):
    """Read the weights (2, 6, 6) off the output: six words, and values that name them.

    When the heads are mixed up the output says nothing of the kind, so that one head alone is
    asked, with weights (1, 6, 6).
    """
    _, w_q, w_k, _, _ = many_example()
    words, halves = torch.eye(6), []
    if a_head_has_its_own_columns(answer) is not True:
        inputs = words[None], w_q, w_k, words, words, 1
        weights = unmasked(answer, *inputs) if mask is None else answer(*inputs, mask)
        return weights, (w_q @ w_k.T)[None]
    for names in (words[:, :3], words[:, 3:]):
        inputs = words[None], w_q, w_k, torch.cat([names, names], dim=1), words, 2
        got = unmasked(answer, *inputs) if mask is None else answer(*inputs, mask)
        halves.append(got[0].view(6, 2, 3))
    products = w_q.view(6, 2, 3).transpose(0, 1) @ w_k.view(6, 2, 3).permute(1, 2, 0)
    return torch.cat(halves, dim=-1).transpose(0, 1), products


def hidden_words_get_nothing(answer):
    """Where the mask is False each head gives weight 0."""
    mask = torch.ones(6, 6).tril(1).bool()
    weights, seen = weights_of_each_head(answer, mask)[0], weights_of_each_head(answer)[0]
    if torch.equal(weights, seen):
        return "The mask has no effect: where it is False a word may not look."
    if (weights[:, mask].nan_to_num() == 0).all():
        return "It hides what may be looked at and shows the rest: True means visible."
    hidden = bool((weights[:, ~mask].abs() < 1e-6).all())
    if hidden and many_rows_add_up(answer) is True and (weights.sum(dim=-1) < 0.99).any():
        return (
            "What the hidden words had is lost, and weights sum to less than 1: mask the scores, "
            "before the softmax."
        )
    return None if weights.isnan().any() else hidden


def many_rows_add_up(answer):
    """Each word's weights sum to 1."""
    return rows_sum_to_one(weights_of_each_head(answer)[0])


def each_head_scaled(answer):
    """The scores were divided by the root of a head's width, seen where heads are not mixed up."""
    if a_head_has_its_own_columns(answer) is not True:
        return None
    others = {
        1: "The scores lack the 1/sqrt(K).",
        6**0.5: "The scores are divided by sqrt(D): a head's scores are sums of K terms, so it "
        "scales by sqrt(K).",
        2**0.5: "The scores are divided by the root of the number of heads: the width K of a head "
        "counts.",
        3: "The scores are divided by K: their standard deviation is its square root.",
    }
    return scaled_by_root(*weights_of_each_head(answer), 3, others)


MULTI_HEAD = Write(
    id="2.11",
    title="Many heads",
    level="medium",
    text="""
Write `multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask)`: self-attention of `x` (B, T, D) with H
heads of width K = D / H. Multiply from the right, `x @ w_q`. Head 0 owns the first K columns, head
1 the next K, and so on. Each head attends by itself, where `mask` (T, T) is True, and divides its
scores by √K; their outputs, side by side, go through `w_o`. You may call your `masked_attention`
for each head of each text, or do all at once. Nearly every Transformer is built from this layer.
""",
    hints=(
        "Split (B, T, D) to (B, T, H, K) first, then swap two axes to get (B, H, T, K). Or loop: "
        "`(x[b] @ w_q)[:, h * K : (h + 1) * K]` is one head of one text, (T, K).",
        "`einops.rearrange(y, 'b t (h k) -> b h t k', h=n_heads)` does both.",
        "Before you join, turn (B, H, T, K) back to (B, T, H, K), or words get mixed up.",
    ),
    solution=multi_head,
    second_style=multi_head_one_by_one,
    mistakes=(
        multi_head_interleaved,
        multi_head_across_heads,
        multi_head_split_words,
        multi_head_rows,
        multi_head_causal,
        multi_head_first_only,
    ),
    cases=multi_head_cases,
    properties=(
        Property(
            "Words and heads get mixed up where the heads are cut out or joined: when all weights "
            "are equal, each word must get the mean of the values, column by column.",
            equal_weights_give_the_mean,
        ),
        Property(
            "A head does not own K columns in a row: with the first K columns of w_q nothing may "
            "change but the first K columns of the joined heads.",
            a_head_has_its_own_columns,
        ),
        Property(
            "Each word's weights must sum to 1, over the words it looks at.", many_rows_add_up
        ),
        Property(
            "A hidden word gets weight: where the mask is False it must be 0, in each head.",
            hidden_words_get_nothing,
        ),
        Property("The scores are not divided by sqrt(K), K = D / H.", each_head_scaled),
        Property("The joined heads must go through `w_o`, last of all.", output_map_comes_last),
    ),
    see="2H Many heads",
)
