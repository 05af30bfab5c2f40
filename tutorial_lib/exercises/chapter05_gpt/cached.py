"""Chapter 05: one head that keeps the keys and values of what it has read."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import rows_sum_to_one, scaled_by_root
from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


def cached_step_before_appending(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This looks before it appends: each new word sees itself too, and the new ones before it."""
    keys, values = grown(x_new, past_keys, past_values, w_k, w_v)
    scores = (x_new @ w_q) @ past_keys.mT / math.sqrt(w_q.size(1))
    return scores.softmax(dim=-1) @ past_values, keys, values


def cached_step_inverted(x_new, past_keys, past_values, w_q, w_k, w_v):
    """This has its mask inverted: it hides what each new word may look at."""
    keys, values = grown(x_new, past_keys, past_values, w_k, w_v)
    visible = ~triangle(x_new.size(1), keys.size(1), past_keys.size(1))
    return look(x_new @ w_q, keys, values, visible), keys, values


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


N_PAST, N_NEW = 4, 3


def readable_step():
    """One text whose values are rows of the identity, so that the output is the weights.

    x_new is the identity as well: the new keys are w_k, the new queries w_q.
    """
    generator = torch.Generator().manual_seed(8)
    names = torch.eye(N_PAST + N_NEW)
    past_keys, w_q, w_k = (
        torch.randn(n, N_PAST + N_NEW, generator=generator) / 2 for n in (N_PAST, N_NEW, N_NEW)
    )
    return torch.eye(N_NEW)[None], past_keys[None], names[None, :N_PAST], w_q, w_k, names[N_PAST:]


def weights_of_step(answer):
    """The weights (n, S + n) of the new words, read off their output.

    Raises ValueError when it is not made of the values, which name the words.
    """
    output = answer(*readable_step())[0][0]
    if (output < 0).any() or keeps_values(answer) is False:
        raise ValueError("not the values")
    return output


def may_be_seen():
    """True where a new word may look, (n, S + n)."""
    return triangle(N_NEW, N_PAST + N_NEW, N_PAST)


def returned_in_order(answer):
    """The second result holds the keys, the third the values."""
    _, keys, values = answer(*readable_step())
    x_new, _, _, _, w_k, w_v = readable_step()
    turned = torch.equal(keys[:, -N_NEW:], x_new @ w_v) and torch.equal(
        values[:, -N_NEW:], x_new @ w_k
    )
    return not turned


def keeps(place, past, weight, answer):
    """Tell whether a result holds the past ones, then the new ones."""
    if not returned_in_order(answer):
        place = 3 - place
    kept = answer(*readable_step())[place]
    inputs = readable_step()
    old, new = inputs[past], inputs[0] @ inputs[weight]
    word = "keys" if past == 1 else "values"
    if kept.shape == old.shape and torch.allclose(kept, old):
        return f"It returns the old {word}: the next step would not know the new words."
    if kept.shape == new.shape and torch.allclose(kept, new):
        return f"It returns the new {word} alone: the next step needs all of them."
    if kept.size(1) != N_PAST + N_NEW:
        return f"It returns {kept.size(1)} {word} for {N_PAST} old and {N_NEW} new words."
    if torch.allclose(kept, torch.cat([new, old], dim=1)):
        return f"It puts the new {word} in front of the old: they come after them."
    return torch.allclose(kept, torch.cat([old, new], dim=1), atol=1e-5)


def keeps_keys(answer):
    """The keys that are returned are those of before, then the new ones."""
    return keeps(1, 1, 4, answer)


def keeps_values(answer):
    """The values that are returned are those of before, then the new ones."""
    return keeps(2, 2, 5, answer)


def sees_no_later_word(answer):
    """A new word gives no weight to new words after it."""
    weights = weights_of_step(answer)
    if (weights[may_be_seen()].abs() < 1e-6).all():
        return "The mask is inverted: it hides what each new word may look at."
    return bool((weights[~may_be_seen()].abs() < 1e-6).all())


def begins_at_the_first_word(weights):
    """New word i sees the words 0 to i, as if there were no past."""
    return torch.equal(weights.abs() > 1e-6, triangle(N_NEW, N_PAST + N_NEW, 0))


def sees_the_past(answer):
    """A new word gives weight to every word of the past."""
    weights = weights_of_step(answer)
    if (weights[may_be_seen()].abs() < 1e-6).all():
        return None
    if begins_at_the_first_word(weights):
        return (
            "The mask lets new word i see the words 0 to i, as if there were no past: new word i "
            "is number S + i, so move the triangle by S."
        )
    return bool((weights[:, :N_PAST].abs() > 1e-6).all())


def sees_new_words(answer):
    """A new word gives weight to itself and to the new words before it."""
    weights = weights_of_step(answer)
    if (weights[may_be_seen()].abs() < 1e-6).all() or begins_at_the_first_word(weights):
        return None
    own = weights[:, N_PAST:]
    if (own.diagonal().abs() < 1e-6).all() and (own.tril(-1).abs().sum(dim=-1)[1:] > 1e-6).all():
        return "It hides each new word from itself: it sees its own key as well."
    return bool((own[torch.ones_like(own).tril().bool()].abs() > 1e-6).all())


def step_rows_add_up(answer):
    """The weights of each new word sum to 1."""
    return rows_sum_to_one(weights_of_step(answer))


def step_scaled(answer):
    """The scores were divided by the root of K, seen on the words of the past."""
    x_new, past_keys, _, w_q, _, _ = readable_step()
    products = (x_new @ w_q @ past_keys.mT)[0]
    others = {
        1: "The scores lack the 1/sqrt(K).",
        N_NEW**0.5: "The scores are divided by the root of D, the width of x: queries and keys are "
        "K wide.",
    }
    weights = weights_of_step(answer)[:, :N_PAST]
    return scaled_by_root(weights, products, N_PAST + N_NEW, others)


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
        "The scores are (B, n, S + n). New word i is at position S + i: what may it look at?",
        "`torch.ones(n, S + n).tril(S).bool()` is a causal mask aligned at the end.",
    ),
    solution=cached_step,
    second_style=cached_step_one_by_one,
    mistakes=(
        cached_step_before_appending,
        cached_step_inverted,
        cached_step_keys_as_values,
        cached_step_mixes_keys,
        cached_step_last_only,
    ),
    cases=cached_step_cases,
    properties=(
        Property(
            "It returns values before keys: output, keys, values is the order.", returned_in_order
        ),
        Property("The keys are not those of the past, then x_new @ w_k.", keeps_keys),
        Property("The values are not those of the past, then x_new @ w_v.", keeps_values),
        Property(
            "A new word looks at new words after it: with n > 1 it takes a causal mask, and new "
            "word i is number S + i.",
            sees_no_later_word,
        ),
        Property(
            "A new word does not see all of the past: new word i is number S + i, and sees the S "
            "words before.",
            sees_the_past,
        ),
        Property(
            "A new word does not see itself and all new words before it.",
            sees_new_words,
        ),
        Property("The weights of a new word must sum to 1, over the keys.", step_rows_add_up),
        Property("The scores are not divided by the root of K.", step_scaled),
    ),
    results=("output", "keys", "values"),
    see="5H The KV cache",
)
