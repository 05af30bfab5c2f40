"""Chapter 04: the decoder looks at a batch of sources with padding."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    MIXED,
    TURNED_ROUND,
    UNSCALED,
    divisor,
    in_order,
    scaled_by_root,
)
from tutorial_lib.exercises.chapter04_transformer.measures import (
    is_causal,
    properties_of_a_source,
    visible_weights,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask):
    """Return output (B, T, K) and weights (B, T, S) of one head.

    x (B, T, D) comes from the decoder, memory (B, S, D) from the encoder; the maps are (D, K);
    memory_mask (B, S), True = a real word of the source.
    """
    q, k, v = x @ w_q, memory @ w_k, memory @ w_v  # (B, T, K), (B, S, K), (B, S, K)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, T, S)
    scores = scores.masked_fill(~memory_mask[:, None, :], -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def encoder_decoder_attention_loops(x, memory, w_q, w_k, w_v, memory_mask):
    """Second style."""
    outputs, maps = [], []
    for words, source, real in zip(x, memory, memory_mask, strict=True):
        k, v = source[real] @ w_k, source[real] @ w_v
        weights = torch.zeros(len(words), len(source))
        weights[:, real] = torch.softmax(words @ w_q @ k.T * k.size(1) ** -0.5, dim=1)
        outputs.append(weights[:, real] @ v)
        maps.append(weights)
    return torch.stack(outputs), torch.stack(maps)


def cross_mask_on_batch(x, memory, w_q, w_k, w_v, memory_mask):
    """This uses the mask as (B, S), which lines texts up with queries: it must be (B, 1, S)."""
    scores = x @ w_q @ (memory @ w_k).mT / math.sqrt(w_k.size(1))
    weights = scores.masked_fill(~memory_mask, -math.inf).softmax(dim=-1)
    return weights @ memory @ w_v, weights


def cross_output_only(x, memory, w_q, w_k, w_v, memory_mask):
    """This returns the output only: the weights are asked for as well, `output, weights`."""
    return encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask)[0]


def cross_maps_exchanged(x, memory, w_q, w_k, w_v, memory_mask):
    """It exchanges `w_k` and `w_v`: the keys are memory @ w_k, the values memory @ w_v."""
    return encoder_decoder_attention(x, memory, w_q, w_v, w_k, memory_mask)


def cross_values_by_the_keys_map(x, memory, w_q, w_k, w_v, memory_mask):
    """It makes the values with `w_k`: they have a map of their own, `w_v`."""
    return encoder_decoder_attention(x, memory, w_q, w_k, w_k, memory_mask)


def cross_over_queries(x, memory, w_q, w_k, w_v, memory_mask):
    """The softmax runs over the queries: use the last axis, so that each row sums to 1."""
    scores = x @ w_q @ (memory @ w_k).mT / math.sqrt(w_k.size(1))
    weights = scores.masked_fill(~memory_mask[:, None, :], -1e9).softmax(dim=1)
    return weights @ memory @ w_v, weights


def cross_cases():
    """T, S, D and K differ; B = T and T = S once each, where a mask on the wrong axis fits."""
    padded = torch.tensor([[True, True, False, False], [True, True, True, True]])
    square = torch.tensor([[True, True, False], [True, False, False]])
    return [
        case("2 words ask 4", *batch(2, 2, 4, 3, 5), padded),
        case("3 words ask 3", *batch(2, 3, 3, 3, 4), square),
        case("4 words ask 3", *batch(2, 4, 3, 6, 2), square),
    ]


def batch(n_texts, n_words, n_source, d_model, width):
    """Random x, memory and the three maps."""
    x, memory = torch.randn(n_texts, n_words, d_model), torch.randn(n_texts, n_source, d_model)
    return x, memory, *(torch.randn(d_model, width) for _ in range(3))


WIDTH, D_MODEL = 3, 4
REAL = torch.tensor([[True, True, False, True, False], [True, True, True, True, False]])


def example():
    """As many words as the source has, so that a slip about who asks whom still runs."""
    generator = torch.Generator().manual_seed(6)
    shapes = ((2, 5, D_MODEL), (2, 5, D_MODEL), *[(D_MODEL, WIDTH)] * 3)
    return tuple(torch.randn(*shape, generator=generator) for shape in shapes)


def answered(answer, mask=REAL):
    """The output and the weights for the example, whichever comes first."""
    return in_order(answer(*example(), mask), WIDTH)


def weights_of(answer):
    """The weights as a function of the mask."""
    return lambda mask: answered(answer, mask)[1]


def output_comes_first(answer):
    """The order is output, weights."""
    output, weights = answer(*example(), REAL)
    return weights.size(-1) != WIDTH or output.size(-1) == WIDTH


def products_of(answer):
    """Who asked whom: (the queries' source, the keys' source, products, weights).

    Any softmax of the products, divided by any number, gives the weights. Raises ValueError when
    none of them do.
    """
    x, memory, w_q, w_k, _ = example()
    weights = visible_weights(weights_of(answer), REAL)
    rows = slice(-1, None) if is_causal(weights) else slice(None)
    queries = {"x": x @ w_q, "memory": memory @ w_q}
    keys = {"memory": memory @ w_k, "x": x @ w_k, "w_q": memory @ w_q}
    for asks, q in queries.items():
        for answers, k in keys.items():
            products = (q @ k.mT)[:, rows]
            if divisor(weights[:, rows], products) is not None:
                return asks, answers, products, weights[:, rows]
    raise ValueError("no such weights")


def decoder_asks(answer):
    """The queries come from the decoder."""
    return products_of(answer)[0] == "x"


def memory_answers(answer):
    """The keys come from the memory, by their own map."""
    answers = products_of(answer)[1]
    if answers == "w_q":
        return "It makes the keys with `w_q`: they have a map of their own, `w_k`."
    return answers == "memory"


def cross_scaled(answer):
    """The scores were divided by the root of K."""
    _, _, products, weights = products_of(answer)
    others = {
        1: UNSCALED,
        WIDTH: "The scores are divided by K itself: divide by its root.",
        D_MODEL**0.5: "The scores are divided by sqrt(D), the width of the model: a key has K "
        "numbers.",
    }
    return scaled_by_root(weights, products, WIDTH, others)


def output_is_the_mix(answer):
    """The output is made of the memory's values, with the weights that come with it."""
    x, memory, _, w_k, w_v = example()
    mask = torch.ones_like(REAL)
    if answered(answer, mask)[1].isnan().any():
        mask = ~mask
    output, weights = answered(answer, mask)
    others = {
        "The values come from the decoder: they belong to the words that are looked at, the "
        "memory.": x @ w_v,
        "It mixes the memory itself: mix its values, `memory @ w_v`.": memory,
        "It mixes the keys: they are for the scores, the output is made of values.": memory @ w_k,
    }
    for text, values in others.items():
        mixed = weights @ values
        if mixed.shape == output.shape and torch.allclose(output, mixed, atol=1e-4):
            return text
    values = memory @ w_v
    return output.size(-1) == WIDTH and torch.allclose(output, weights @ values, atol=1e-4)


CROSS_ATTENTION = Write(
    id="4.5",
    title="Encoder-decoder attention",
    level="medium",
    text="""
Write `encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask)`, one head of the decoder's
second sub-layer. It is chapter 02's cross-attention for a batch with padded sources: `x` (B, T, D)
are the decoder's words, `memory` (B, S, D) is what the encoder made of the source, `memory_mask`
(B, S) is True for its real words. The maps are (D, K). Return `output, weights`: (B, T, K) and
(B, T, S).
""",
    hints=(
        "The decoder asks. Keys and values both come from `memory`.",
        "The scores are (B, T, S). Which axis does the mask belong to? `[:, None, :]` makes room.",
        "Set hidden scores to `-math.inf` before the softmax over the keys. The decoder's own "
        "causal mask does not belong here: the source is complete.",
    ),
    solution=encoder_decoder_attention,
    second_style=encoder_decoder_attention_loops,
    mistakes=(
        cross_mask_on_batch,
        cross_output_only,
        cross_maps_exchanged,
        cross_values_by_the_keys_map,
        cross_over_queries,
    ),
    cases=cross_cases,
    properties=(
        Property(TURNED_ROUND, output_comes_first),
        Property(
            "The queries come from the memory: the decoder asks, one row for each of its words.",
            decoder_asks,
        ),
        Property(
            "The keys come from the decoder: they belong to the words that are looked at, the "
            "memory.",
            memory_answers,
        ),
        *properties_of_a_source(weights_of, REAL),
        Property("The scores are not divided by the root of K, the width of a key.", cross_scaled),
        Property(MIXED.replace("weights @ v", "weights @ (memory @ w_v)"), output_is_the_mix),
    ),
    results=("output", "weights"),
    see="4E The decoder layer",
)
