"""Chapter 05: one head that keeps the keys and values of what it has read."""

import math

import torch

from tutorial_lib.exercises.chapter05_gpt.cached_slips import SLIPS
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
    mistakes=SLIPS,
    cases=cached_step_cases,
    see="5.6 The KV cache",
)
