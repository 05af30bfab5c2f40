"""Chapter 04: a whole decoder layer from its sub-layers and norms."""

import itertools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter04_transformer.measures import close
from tutorial_lib.exercises.engine.tasks import Property, Write, case

SUB_LAYERS = ("self_attention", "cross_attention", "feed_forward")


def decoder_layer(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
    """Return (B, T, D): three sub-layers, each with its shortcut and its norm.

    x (B, T, D), memory (B, S, D). Call self_attention(x), cross_attention(x, memory) and
    feed_forward(x); norms are three functions, one for each sub-layer, in this order. They come
    after the sums, or before the sub-layers if `pre` is True.
    """
    sub_layers = (self_attention, lambda y: cross_attention(y, memory), feed_forward)
    for sub_layer, norm in zip(sub_layers, norms, strict=True):
        x = x + sub_layer(norm(x)) if pre else norm(x + sub_layer(x))
    return x


def decoder_layer_lines(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
    """Second style."""
    if pre:
        y = x + self_attention(norms[0](x))
        z = y + cross_attention(norms[1](y), memory)
        return z + feed_forward(norms[2](z))
    y = norms[0](x + self_attention(x))
    z = norms[1](y + cross_attention(y, memory))
    return norms[2](z + feed_forward(z))


def decoder_layer_parallel(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
    """All three sub-layers read the input: each must read what the one before it made."""
    if pre:
        added = self_attention(norms[0](x)) + cross_attention(norms[1](x), memory)
        return x + added + feed_forward(norms[2](x))
    found = norms[0](x + self_attention(x))
    found = norms[1](found + cross_attention(x, memory))
    return norms[2](found + feed_forward(x))


def decoder_layer_cases():
    """Source longer, shorter and as long as the target; both orders of norms."""
    return [
        case("post, T = 3, S = 5", torch.randn(2, 3, 4), torch.randn(2, 5, 4), *parts(4), False),
        case("pre, T = 3, S = 5", torch.randn(2, 3, 4), torch.randn(2, 5, 4), *parts(4), True),
        case("post, T = 4, S = 2", torch.randn(1, 4, 6), torch.randn(1, 2, 6), *parts(6), False),
        case("pre, T = S = 3", torch.randn(2, 3, 4), torch.randn(2, 3, 4), *parts(4), True),
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


def watched(answer, pre=False):
    """Run the answer, with the norms after the sums or before, on parts that note their calls.

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
    return answer(x, memory, *named, watched_norms, pre), calls


def names(answer, kind, pre=False):
    """The names of the calls of one kind, in order: "norm", or anything else for sub-layers."""
    called = [name for name, _, _ in watched(answer, pre)[1]]
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
    """Each norm is used once, the first one first, in both orders."""
    for pre in (False, True):
        called = names(answer, "norm", pre)
        if len(set(called)) < len(called):
            return "One norm is used more than once: each sub-layer has a norm of its own."
        if len(called) < 3:
            return "A norm is missing: each of the three sub-layers has one."
        if called != ["norm 0", "norm 1", "norm 2"]:
            return False
    return True


def begins_with_a_norm(answer, pre):
    """Tell whether a norm is the first that is called; None when nothing is."""
    called = [name for name, _, _ in watched(answer, pre)[1]]
    return called[0].startswith("norm") if called else None


def the_flag_moves_the_norms(answer):
    """With `pre` the norm is called first, without it the sub-layer."""
    found = [begins_with_a_norm(answer, pre) for pre in (False, True)]
    sentences = {
        (True, True): "This is pre-norm for either flag: with `pre` False each norm comes after "
        "its sum, as in the paper.",
        (False, False): "This is post-norm for either flag: with `pre` True each norm comes before "
        "its sub-layer.",
        (True, False): "The flag is the wrong way round: with `pre` True the norms come first.",
    }
    return None if None in found else sentences.get(tuple(found), True)


def source_answers(answer):
    """Cross-attention gets the decoder's words first, then the memory."""
    inputs = [inputs for name, inputs, _ in watched(answer)[1] if name == "cross_attention"]
    return inputs[0][1].size(1) == 5 and inputs[0][0].size(1) == 3 if inputs else None


def memory_is_left_alone(answer):
    """No norm goes over the memory, before or after."""
    for pre in (False, True):
        for name, inputs, _ in watched(answer, pre)[1]:
            if name.startswith("norm") and inputs[0].size(1) == 5:
                return False
    return True


def pre_norm_adds_up(answer):
    """With `pre` a norm reads x and all that was added, and its sub-layer what the norm gave."""
    if begins_with_a_norm(answer, True) is not True:
        return None
    output, calls = watched(answer, True)
    if [name for name, _, _ in calls][::2] != ["norm 0", "norm 1", "norm 2"]:
        return None
    total = calls[0][1][0]
    for (_, read, normed), (name, inputs, result) in zip(calls[::2], calls[1::2], strict=True):
        if not close(read[0], total):
            return (
                "With `pre` True a norm does not read x and all that was added so far: the path "
                "from x upwards meets no norm."
            )
        if not close(inputs[0], normed):
            return f"With `pre` True `{name}` does not read what its norm gave."
        total = total + result
    if close(output, total):
        return True
    return (
        "With `pre` True the result must be x and what the three sub-layers added, no norm on it."
    )


def each_reads_the_one_before(answer):
    """What a sub-layer reads is the input, or what a norm gave."""
    if begins_with_a_norm(answer, False):
        return None
    _, calls = watched(answer)
    last = None
    for name, inputs, result in calls:
        if not name.startswith("norm") and last is not None and not close(inputs[0], last):
            return False
        last = result if name.startswith("norm") else last
    return True


def adds_what_it_read(answer):
    """Each norm gets a sub-layer's input plus its output."""
    if begins_with_a_norm(answer, False):
        return None
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
    id="4.6",
    title="A whole decoder layer",
    level="medium",
    text="""
Now assemble the layer, for either place of the norm (4D). Write `decoder_layer(x, memory,
self_attention, cross_attention, feed_forward, norms, pre)` from parts that are given as functions:
`self_attention(x)` (its mask is already inside), `cross_attention(x, memory)` and
`feed_forward(x)`. Each has its shortcut and its norm: `norms` holds three functions. With
`pre=False` the layer is post-norm, as in the paper, and with `pre=True` pre-norm. `x` is (B, T, D),
`memory` (B, S, D), the result (B, T, D). Which of the two inputs of cross-attention does its norm
see?
""",
    hints=(
        "4D has one formula for each place, with f for a sub-layer. You need each three times: a "
        "loop over three pairs of sub-layer and norm keeps it short.",
        "`cross_attention` is in the middle: `lambda y: cross_attention(y, memory)` makes it a "
        "function of one input like the other two. `memory` comes as it is: the encoder has "
        "taken care of it.",
        "With `pre` True nothing normalises x itself: x + sub_layer(norm(x)).",
    ),
    solution=decoder_layer,
    second_style=decoder_layer_lines,
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
            "The memory goes through a norm: cross-attention gets it as it is, only the decoder's "
            "own x has a norm here.",
            memory_is_left_alone,
        ),
        Property("The flag `pre` does not move the norms.", the_flag_moves_the_norms),
        Property("The norms are not used in their order.", norms_in_order),
        Property(
            "A sub-layer does not read what the one before it made, after its norm.",
            each_reads_the_one_before,
        ),
        Property(
            "What a norm gets is not the sum of what its sub-layer read and what it returned.",
            adds_what_it_read,
        ),
        Property("With `pre` True the sum is wrong.", pre_norm_adds_up),
    ),
    see="4E The decoder layer",
)
