"""Chapter 05: one head that keeps the keys and values of what it has read."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def cached_step(x_new, past_keys, past_values, w_q, w_k, w_v):
    """Return output (B, n, K), and keys and values (B, S + n, K) with the new ones at the end.

    x_new (B, n, D) are n new words; past_keys and past_values (B, S, K) belong to the S words
    before them; w_q, w_k and w_v are (D, K). Each new word looks at itself and what is before.
    """
    keys = torch.cat([past_keys, x_new @ w_k], dim=1)  # (B, S + n, K)
    values = torch.cat([past_values, x_new @ w_v], dim=1)  # (B, S + n, K)
    scores = (x_new @ w_q) @ keys.mT / math.sqrt(keys.size(-1))  # (B, n, S + n)
    visible = torch.ones_like(scores).tril(past_keys.size(1)).bool()
    weights = scores.masked_fill(~visible, -math.inf).softmax(dim=-1)
    return weights @ values, keys, values


def cached_step_one_by_one(x_new, past_keys, past_values, w_q, w_k, w_v):
    """Second style."""
    keys, values, outputs = past_keys, past_values, []
    for x in x_new.unbind(dim=1):  # (B, D)
        keys = torch.cat([keys, (x @ w_k).unsqueeze(1)], dim=1)
        values = torch.cat([values, (x @ w_v).unsqueeze(1)], dim=1)
        scores = torch.einsum("bk,bsk->bs", x @ w_q, keys) * w_q.shape[1] ** -0.5
        outputs.append(torch.einsum("bs,bsk->bk", scores.softmax(dim=-1), values))
    return torch.stack(outputs, dim=1), keys, values


def look(q, keys, values, visible, scale=None, dim=-1):
    """Attention with a mask (T, S)."""
    scores = q @ keys.mT / (scale or math.sqrt(keys.size(-1)))
    return scores.masked_fill(~visible, -math.inf).softmax(dim=dim) @ values


def triangle(n, n_keys, diagonal):
    """True up to a diagonal, (n, n_keys)."""
    return torch.ones(n, n_keys).tril(diagonal).bool()


def grown(x_new, past_keys, past_values, w_k, w_v):
    """The keys and values with the new ones behind the old."""
    keys = torch.cat([past_keys, x_new @ w_k], dim=1)
    return keys, torch.cat([past_values, x_new @ w_v], dim=1)


def cached_step_with(diagonal, x_new, past_keys, past_values, w_q, w_k, w_v, **kwargs):
    """A sound step but for its mask, and the scale or axis of its softmax."""
    keys, values = grown(x_new, past_keys, past_values, w_k, w_v)
    visible = triangle(x_new.size(1), keys.size(1), diagonal)
    return look(x_new @ w_q, keys, values, visible, **kwargs), keys, values


def right(x_new, past_keys, past_values, w_q, w_k, w_v):
    """The right answer."""
    return cached_step_with(past_keys.size(1), x_new, past_keys, past_values, w_q, w_k, w_v)


def cached_step_no_mask(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This lets new words look at the new words behind them: with n > 1 it takes a causal mask."""
    n_keys = past_keys.size(1) + x_new.size(1)
    return cached_step_with(n_keys, x_new, past_keys, past_values, w_q, w_k, w_v)


def cached_step_left_mask(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This has a mask that begins at the first key: new word i stands at place S + i, and sees all
    the past.
    """
    return cached_step_with(0, x_new, past_keys, past_values, w_q, w_k, w_v)


def cached_step_peeking(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This has a mask that is one place off: each new word sees the one behind it."""
    n_past = past_keys.size(1)
    return cached_step_with(n_past + 1, x_new, past_keys, past_values, w_q, w_k, w_v)


def cached_step_before_appending(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This looks before it appends: each new word sees itself too, and the new ones before it."""
    keys, values = grown(x_new, past_keys, past_values, w_k, w_v)
    scores = (x_new @ w_q) @ past_keys.mT / math.sqrt(w_q.size(1))
    return scores.softmax(dim=-1) @ past_values, keys, values


def cached_step_no_self(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This hides each new word from itself: it sees its own key as well."""
    return cached_step_with(past_keys.size(1) - 1, x_new, past_keys, past_values, w_q, w_k, w_v)


def cached_step_in_front(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This puts the new keys and values in front of the old: they come behind them."""
    output, _, _ = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    keys = torch.cat([x_new @ w_k, past_keys], dim=1)
    return output, keys, torch.cat([x_new @ w_v, past_values], dim=1)


def cached_step_in_front_of_all(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This puts the new keys and values in front and looks at them there, so that the mask hides
    some of the past: they come behind it.
    """
    keys = torch.cat([x_new @ w_k, past_keys], dim=1)
    values = torch.cat([x_new @ w_v, past_values], dim=1)
    visible = triangle(x_new.size(1), keys.size(1), past_keys.size(1))
    return look(x_new @ w_q, keys, values, visible), keys, values


def cached_step_new_only(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This looks at the new words alone: the past is kept, but nobody looks at it."""
    keys, values = grown(x_new, past_keys, past_values, w_k, w_v)
    new_keys, new_values = x_new @ w_k, x_new @ w_v
    visible = triangle(x_new.size(1), x_new.size(1), 0)
    return look(x_new @ w_q, new_keys, new_values, visible), keys, values


def cached_step_forgotten(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This forgets the past: neither the output nor what it returns contains the old keys."""
    nothing = past_keys[:, :0]
    return right(x_new, nothing, nothing, w_q, w_k, w_v)


def cached_step_returns_new(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This returns the new keys and values alone: the next step needs all of them."""
    output, _, _ = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    return output, x_new @ w_k, x_new @ w_v


def cached_step_not_extended(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This returns the old keys and values: the next step would not know these words."""
    output, _, _ = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    return output, past_keys, past_values


def cached_step_values_not_kept(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This returns the new keys with the old values: both must grow, side by side."""
    output, keys, _ = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    return output, keys, past_values


def cached_step_overwritten(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This overwrites the last key and value of the past: the new ones come behind them."""
    return right(x_new, past_keys[:, :-1], past_values[:, :-1], w_q, w_k, w_v)


def cached_step_unscaled(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This does not scale: divide the scores by the root of K."""
    n_past = past_keys.size(1)
    return cached_step_with(n_past, x_new, past_keys, past_values, w_q, w_k, w_v, scale=1)


def cached_step_wide_scale(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This divides by the root of D, the width of x: queries and keys are K wide."""
    scale = math.sqrt(x_new.size(-1))
    n_past = past_keys.size(1)
    return cached_step_with(n_past, x_new, past_keys, past_values, w_q, w_k, w_v, scale=scale)


def cached_step_inverted(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This has its mask inverted: it hides what each new word may look at."""
    keys, values = grown(x_new, past_keys, past_values, w_k, w_v)
    visible = ~triangle(x_new.size(1), keys.size(1), past_keys.size(1))
    return look(x_new @ w_q, keys, values, visible), keys, values


def cached_step_over_queries(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This takes the softmax over the new words: each row sums to 1, so it runs over the keys."""
    n_past = past_keys.size(1)
    return cached_step_with(n_past, x_new, past_keys, past_values, w_q, w_k, w_v, dim=1)


def cached_step_keys_as_values(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This keeps keys as the new values: values are made with w_v."""
    return right(x_new, past_keys, past_values, w_q, w_k, w_k)


def cached_step_mixes_keys(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This mixes the keys with its weights: keys are for the scores, and the output is made of
    values.
    """
    _, keys, values = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    output, _, _ = right(x_new, past_keys, past_keys, w_q, w_k, w_k)
    return output, keys, values


def cached_step_swapped(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This returns values before keys: output, keys, values is the order."""
    output, keys, values = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    return output, values, keys


def cached_step_last_only(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This returns the output of the last new word alone: all n are asked for."""
    output, keys, values = right(x_new, past_keys, past_values, w_q, w_k, w_v)
    return output[:, -1:], keys, values


def cached_step_cases():
    """One new word, several, and the first step, which has no past; B, n, S, D, K differ."""

    def step(batch, n, n_past, d_model, d_head):
        past = torch.randn(2, batch, n_past, d_head)
        maps = torch.randn(3, d_model, d_head)
        return torch.randn(batch, n, d_model), past[0].clone(), past[1].clone(), *maps.clone()

    return [
        case("3 new words after 4", *step(2, 3, 4, 6, 5)),
        case("one new word after 5", *step(3, 1, 5, 4, 2)),
        case("the first 4 words", *step(1, 4, 0, 3, 2)),
    ]


CACHED_STEP = Write(
    id="5.9",
    title="A step with a cache",
    level="hard",
    text="""
Write `cached_step(x_new, past_keys, past_values, w_q, w_k, w_v)`: one head with a cache. The S
words before have left `past_keys` and `past_values` (B, S, K), S may be 0; now come **n new
words**, `x_new` (B, n, D), n = 1 or more. Return `output, keys, values`: the output (B, n, K) of
the new words, then all keys and all values (B, S + n, K), new ones last. A word's key is x @ w_k;
scores are divided by the root of K. Each new word looks at the past, at the new words before it and
at itself.
""",
    hints=(
        "Append first, with `torch.cat([past_keys, x_new @ w_k], dim=1)`, then look.",
        "The scores are (B, n, S + n). New word i stands at place S + i: what may it look at?",
        "`torch.ones(n, S + n).tril(S).bool()` is a causal mask aligned at the end.",
    ),
    solution=cached_step,
    second_style=cached_step_one_by_one,
    mistakes=(
        cached_step_no_mask,
        cached_step_left_mask,
        cached_step_peeking,
        cached_step_before_appending,
        cached_step_no_self,
        cached_step_in_front,
        cached_step_in_front_of_all,
        cached_step_new_only,
        cached_step_forgotten,
        cached_step_returns_new,
        cached_step_not_extended,
        cached_step_values_not_kept,
        cached_step_overwritten,
        cached_step_unscaled,
        cached_step_wide_scale,
        cached_step_inverted,
        cached_step_over_queries,
        cached_step_keys_as_values,
        cached_step_mixes_keys,
        cached_step_swapped,
        cached_step_last_only,
    ),
    cases=cached_step_cases,
    see="5.6 The KV cache",
)
