"""Chapter 04: a whole decoder layer from its sub-layers and norms."""

import itertools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter04_transformer.measures import close
from tutorial_lib.exercises.engine.tasks import Property, Write, case

SUB_LAYERS = ("self_attention", "cross_attention", "feed_forward")


def decoder_layer(x, memory, self_attention, cross_attention, feed_forward, norms):
    """Return (B, T, D): three sub-layers, each with its shortcut and, after the sum, its norm.

    x (B, T, D), memory (B, S, D). Call self_attention(x), cross_attention(x, memory) and
    feed_forward(x); norms are three functions, one for each sub-layer, in this order.
    """
    x = norms[0](x + self_attention(x))
    x = norms[1](x + cross_attention(x, memory))
    return norms[2](x + feed_forward(x))


def decoder_layer_loop(x, memory, self_attention, cross_attention, feed_forward, norms):
    """Second style."""
    sub_layers = (self_attention, lambda y: cross_attention(y, memory), feed_forward)
    for sub_layer, norm in zip(sub_layers, norms, strict=True):
        x = norm(x + sub_layer(x))
    return x


def decoder_layer_parallel(x, memory, self_attention, cross_attention, feed_forward, norms):
    """All three sub-layers read the input: each must read what the one before it made."""
    found = norms[0](x + self_attention(x))
    found = norms[1](found + cross_attention(x, memory))
    return norms[2](found + feed_forward(x))


def decoder_layer_cases():
    """Source longer, shorter and as long as the target."""
    return [
        case("T = 3, S = 5", torch.randn(2, 3, 4), torch.randn(2, 5, 4), *parts(4)),
        case("T = 4, S = 2", torch.randn(1, 4, 6), torch.randn(1, 2, 6), *parts(6)),
        case("T = S = 3", torch.randn(2, 3, 4), torch.randn(2, 3, 4), *parts(4)),
    ]


def parts(d_model):
    """Three sub-layers with random weights and three norms of different gain and shift."""
    w = torch.randn(5, d_model, d_model)
    gains, shifts = 1 + torch.rand(3, d_model), torch.randn(3, d_model)

    def self_attention(x):
        before = torch.ones(x.size(1), x.size(1), dtype=x.dtype).tril()
        return before / before.sum(dim=-1, keepdim=True) @ x @ w[0].to(x)  # equal causal weights

    def cross_attention(x, memory):
        weights = (x @ w[1].to(x) @ memory.mT).softmax(dim=-1)  # (B, T, S)
        return weights @ memory @ w[2].to(x)

    def feed_forward(x):
        return torch.relu(x @ w[3].to(x)) @ w[4].to(x)

    def norm_of(gain, shift):
        return lambda x: F.layer_norm(x, x.shape[-1:]) * gain.to(x) + shift.to(x)

    norms = tuple(norm_of(gain, shift) for gain, shift in zip(gains, shifts, strict=True))
    return self_attention, cross_attention, feed_forward, norms


def watched(answer):
    """Run the answer on parts that write down their calls.

    Returns the output and the calls [(name, inputs, result)]; the norms are "norm 0" to "norm 2".
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        *sub_layers, norms = parts(4)
        x, memory = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    calls = []

    def watch(name, part):
        def run(*inputs):
            copies = tuple(one.clone() for one in inputs)
            result = part(*inputs)
            calls.append((name, copies, result.clone()))
            return result

        return run

    named = [watch(name, part) for name, part in zip(SUB_LAYERS, sub_layers, strict=True)]
    watched_norms = tuple(watch(f"norm {n}", norm) for n, norm in enumerate(norms))
    return answer(x, memory, *named, watched_norms), calls


def names(answer, kind):
    """The names of the calls of one kind, in order: "norm", or anything else for sub-layers."""
    called = [name for name, _, _ in watched(answer)[1]]
    return [name for name in called if name.startswith("norm") == (kind == "norm")]


def each_sub_layer_once(answer):
    """All three sub-layers run, each once."""
    called = names(answer, "sub-layer")
    missing = [name for name in SUB_LAYERS if name not in called]
    if missing:
        return f"`{missing[0]}` is left out."
    return len(called) == 3


def in_order(answer):
    """Self-attention, cross-attention, feed-forward."""
    called = names(answer, "sub-layer")
    return None if set(called) != set(SUB_LAYERS) else called == list(SUB_LAYERS)


def norms_in_order(answer):
    """Each norm is used once, the first one first."""
    called = names(answer, "norm")
    if len(set(called)) < len(called):
        return "One norm is used more than once: each sub-layer has a norm of its own."
    if len(called) < 3:
        return "A norm is missing: one follows each of the three sums."
    return called == ["norm 0", "norm 1", "norm 2"]


def norm_comes_after(answer):
    """The first call is a sub-layer, and the last one a norm, whose result is returned."""
    called = [name for name, _, _ in watched(answer)[1]]
    if called and called[0].startswith("norm"):
        return False
    return True if called else None


def source_answers(answer):
    """Cross-attention gets the decoder's words first, then the memory."""
    inputs = [inputs for name, inputs, _ in watched(answer)[1] if name == "cross_attention"]
    return inputs[0][1].size(1) == 5 and inputs[0][0].size(1) == 3 if inputs else None


def each_reads_the_one_before(answer):
    """What a sub-layer reads is the input, or what a norm gave."""
    _, calls = watched(answer)
    if calls and calls[0][0].startswith("norm"):
        return None
    last = None
    for name, inputs, result in calls:
        if not name.startswith("norm") and last is not None and not close(inputs[0], last):
            return False
        last = result if name.startswith("norm") else last
    return True


def adds_what_it_read(answer):
    """Each norm gets a sub-layer's input plus its output."""
    _, calls = watched(answer)
    pairs = [
        (before, after)
        for before, after in itertools.pairwise(calls)
        if before[0] in SUB_LAYERS and after[0].startswith("norm")
    ]
    if not pairs:
        return None
    for (name, inputs, result), (_, summed, _) in pairs:
        if close(summed[0], result):
            return f"The shortcut round `{name}` is missing: add what it read to what it returns."
        if not close(summed[0], inputs[0] + result):
            return False
    return True


DECODER_LAYER = Write(
    id="4.7",
    title="A whole decoder layer",
    level="medium",
    text="""
Now assemble the layer. Write `decoder_layer(x, memory, self_attention, cross_attention,
feed_forward, norms)` from parts that are given as functions: `self_attention(x)` (its mask is
already inside), `cross_attention(x, memory)` and `feed_forward(x)`. Each gets its shortcut and
then, as in the paper, its norm: `norms` holds three functions, one for each sub-layer. `x` is
(B, T, D), `memory` (B, S, D), the result (B, T, D).
""",
    hints=(
        "An encoder layer has two lines: y = norm(x + attention(x)), z = norm(y + ffn(y)). You "
        "need three.",
        "`cross_attention` is in the middle. It reads what the first norm gave, and `memory`.",
    ),
    solution=decoder_layer,
    second_style=decoder_layer_loop,
    mistakes=(decoder_layer_parallel,),
    cases=decoder_layer_cases,
    properties=(
        Property("A sub-layer runs more than once: each runs once.", each_sub_layer_once),
        Property(
            "The order is self-attention, cross-attention, feed-forward: first look at what is "
            "written, then at the source.",
            in_order,
        ),
        Property(
            "Cross-attention gets its inputs in the wrong order: x asks, memory answers.",
            source_answers,
        ),
        Property(
            "This is pre-norm: here, as in the paper, the norm comes after the sum.",
            norm_comes_after,
        ),
        Property("The norms are not used in their order.", norms_in_order),
        Property(
            "A sub-layer does not read what the one before it made, after its norm.",
            each_reads_the_one_before,
        ),
        Property(
            "What a norm gets is not the sum of what its sub-layer read and what it returned.",
            adds_what_it_read,
        ),
    ),
    see="4E The decoder layer",
)
