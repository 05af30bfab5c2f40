"""Chapter 04: the whole Transformer, put together from parts that are given."""

import torch

from tutorial_lib.exercises.chapter04_transformer.measures import close
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def encoder_decoder(
    source, target, no_padding, no_future, embed, encoder_layers, decoder_layers, to_logits
):
    """Return logits (B, T, V) for source (B, S) and target (B, T), both token ids.

    no_padding (B, 1, 1, S) and no_future (B, 1, T, T) are masks, True = may look. Call embed(ids),
    layer(x, mask) in the encoder, layer(y, memory, mask, memory_mask) in the decoder, to_logits(y).
    """
    memory = embed(source)
    for layer in encoder_layers:
        memory = layer(memory, no_padding)
    y = embed(target)
    for layer in decoder_layers:
        y = layer(y, memory, no_future, no_padding)
    return to_logits(y)


def encoder_decoder_recursive(
    source, target, no_padding, no_future, embed, encoder_layers, decoder_layers, to_logits
):
    """Second style."""

    def read(n):
        return embed(source) if n < 0 else encoder_layers[n](read(n - 1), no_padding)

    memory = read(len(encoder_layers) - 1)

    def write(n):
        below = embed(target) if n == 0 else write(n - 1)
        return decoder_layers[n](below, memory, no_future, no_padding)

    return to_logits(write(len(decoder_layers) - 1))


def encoder_decoder_cases():
    """Padding, and unequal numbers of layers. S = T: so a wrong wire fits, and can be named."""
    return [
        case("two layers each", *machine(4, 2, 2)),
        case("three layers read, two write", *machine(3, 3, 2)),
        case("one layer reads, two write", *machine(5, 1, 2)),
    ]


def machine(T, n_encoder, n_decoder, D=4, V=6):
    """Two texts, their masks, and the parts of a small machine with random weights."""
    source, target = torch.randint(1, V, (2, T)), torch.randint(1, V, (2, T))
    source[1, -1] = 0
    no_padding = (source != 0)[:, None, None, :]  # (B, 1, 1, S)
    no_future = torch.ones(2, 1, T, T).tril().bool()
    table = torch.randn(V, D)
    encoder = tuple(encoder_layer(torch.randn(D, D)) for _ in range(n_encoder))
    decoder = tuple(decoder_layer(torch.randn(2, D, D)) for _ in range(n_decoder))
    return (
        *(source, target, no_padding, no_future),
        *(lambda ids: table[ids], encoder, decoder, lambda y: y @ table.to(y).T),
    )


def attend(x, context, w, mask):
    """x (B, T, D) takes what it may look at of context (B, S, D)."""
    scores = x @ w.to(x) @ context.mT  # (B, T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, 0], -1e9)
    return scores.softmax(dim=-1) @ context


def encoder_layer(w):
    """One layer that reads: a function of x and its mask."""
    return lambda x, mask=None: torch.tanh(x + attend(x, x, w, mask))


def decoder_layer(w):
    """One layer that writes: a function of y, the memory and their masks."""

    def run(y, memory, mask=None, memory_mask=None):
        y = torch.tanh(y + attend(y, y, w[0], mask))
        return torch.tanh(y + attend(y, memory, w[1], memory_mask))

    return run


def watched(answer):
    """Run the answer on parts that write down their calls.

    Returns what came out, the inputs, and the calls {name: [(inputs, result)]}.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        *given, embed, encoder, decoder, to_logits = machine(4, 3, 3)
    calls = {}

    def watch(name, part):
        def run(*inputs, **named):
            result = part(*inputs, **named)
            calls.setdefault(name, []).append(((*inputs, *named.values()), result))
            return result

        return run

    encoder = tuple(watch(f"encoder layer {n}", layer) for n, layer in enumerate(encoder))
    decoder = tuple(watch(f"decoder layer {n}", layer) for n, layer in enumerate(decoder))
    parts = watch("embed", embed), encoder, decoder, watch("to_logits", to_logits)
    return answer(*given, *parts), given, calls


def each_part_runs(answer):
    """All layers and the map on top run, each once, and two texts are embedded."""
    calls = watched(answer)[2]
    layers = [f"{stack} layer {n}" for stack in ("encoder", "decoder") for n in range(3)]
    for name in ("embed", *layers, "to_logits"):
        if name not in calls:
            return f"`{name}` is left out (layers counted from 0)."
    for name in (*layers, "to_logits"):
        if len(calls[name]) > 1:
            return f"`{name}` runs {len(calls[name])} times: once is enough (counted from 0)."
    return True


def both_texts_are_embedded(answer):
    """The bottom of the encoder is the source, that of the decoder the target."""
    _, (source, target, *_), calls = watched(answer)
    read = [inputs[0] for inputs, _ in calls.get("embed", [])]
    return all(any(torch.equal(ids, one) for one in read) for ids in (source, target))


def chain(calls, stack, bottom):
    """Whether each layer of a stack reads what the one below it gave; None without calls."""
    below = bottom
    for n in range(3):
        found = calls.get(f"{stack} layer {n}")
        if not found:
            return None
        inputs, result = found[0]
        if not close(inputs[0], below):
            return False
        below = result
    return True


def embedded(calls, ids):
    """The vectors of these ids, or None where they were not embedded."""
    found = [result for inputs, result in calls.get("embed", []) if torch.equal(inputs[0], ids)]
    return found[0] if found else None


def encoder_is_a_stack(answer):
    """Each encoder layer reads the one below."""
    _, (source, *_), calls = watched(answer)
    bottom = embedded(calls, source)
    return None if bottom is None else chain(calls, "encoder", bottom)


def decoder_is_a_stack(answer):
    """Each decoder layer reads the one below."""
    _, (_, target, *_), calls = watched(answer)
    bottom = embedded(calls, target)
    return None if bottom is None else chain(calls, "decoder", bottom)


def memory_is_the_top(answer):
    """Every decoder layer gets what the last encoder layer gave."""
    calls = watched(answer)[2]
    tops = [calls.get(f"encoder layer {n}", [(None, None)])[0][1] for n in range(3)]
    memories = [
        calls[f"decoder layer {n}"][0][0][1] for n in range(3) if f"decoder layer {n}" in calls
    ]
    if tops[2] is None or len(memories) < 3:
        return None
    if all(close(memory, tops[2]) for memory in memories):
        return True
    if all(top is not None and close(m, top) for m, top in zip(memories, tops, strict=True)):
        return (
            "Each decoder layer reads the encoder layer beside it. All of them read the **last** "
            "one: its output is the memory."
        )
    return False


def masks_of(calls, stack, place):
    """What the layers of a stack got as their input number `place`, None where nothing came."""
    found = [calls[f"{stack} layer {n}"][0][0] for n in range(3) if f"{stack} layer {n}" in calls]
    return [inputs[place] if len(inputs) > place else None for inputs in found]


def is_mask(found, wanted):
    """Whether all masks are the wanted one."""
    return all(mask is not None and torch.equal(mask, wanted) for mask in found)


def encoder_hides_padding(answer):
    """The encoder looks at all of the source but its padding."""
    _, (_, _, no_padding, no_future), calls = watched(answer)
    found = masks_of(calls, "encoder", 1)
    if found and is_mask(found, no_future):
        return "The encoder is causal: it may look at the whole source, so hide its padding only."
    return is_mask(found, no_padding)


def decoder_hides_the_future(answer):
    """Self-attention in the decoder looks back only."""
    _, (_, _, no_padding, no_future), calls = watched(answer)
    found = masks_of(calls, "decoder", 2)
    if found and is_mask(found, no_padding) and is_mask(masks_of(calls, "decoder", 3), no_future):
        return "The decoder's two masks change places: first that of the target, then the memory's."
    return is_mask(found, no_future)


def memory_hides_padding(answer):
    """Cross-attention does not look at the source's padding."""
    _, (_, _, no_padding, no_future), calls = watched(answer)
    found = masks_of(calls, "decoder", 3)
    if is_mask(found, no_future) and is_mask(masks_of(calls, "decoder", 2), no_padding):
        return None  # said already: the two change places
    return is_mask(found, no_padding)


def logits_come_from_the_top(answer):
    """The map to logits reads the last decoder layer, and its result is returned."""
    output, _, calls = watched(answer)
    top, last = calls.get("decoder layer 2"), calls.get("to_logits")
    if not top or not last:
        return None
    return close(last[0][0][0], top[0][1]) and close(output, last[0][1])


ENCODER_DECODER = Write(
    id="4.7",
    title="Wire the machine",
    level="medium",
    text="""
All parts lie on the table; the wires are missing. Write `encoder_decoder(source, target,
no_padding, no_future, embed, encoder_layers, decoder_layers, to_logits)` so that it computes the
logits (B, T, V) of the drawing in 4B. The parts are functions: `embed(ids)`; each of
`encoder_layers` is `layer(x, mask)`; each of `decoder_layers` is `layer(y, memory, mask,
memory_mask)`; `to_logits(y)` goes on top. Of the two masks, `no_padding` (B, 1, 1, S) belongs to
the source and `no_future` (B, 1, T, T), which hides the target's padding as well, to the target.
Which wire leads from the left half to the right, where does it start, and where does it end? There
are three places for two masks.
""",
    hints=(
        "Two loops, one after the other: the encoder must be done before the decoder begins.",
        "The memory is what the **last** encoder layer gave. Every decoder layer reads it.",
        "A mask belongs to what is looked **at**: which text is that in cross-attention?",
    ),
    solution=encoder_decoder,
    second_style=encoder_decoder_recursive,
    mistakes=(),
    cases=encoder_decoder_cases,
    properties=(
        Property("A part is left out, or runs more than once.", each_part_runs),
        Property(
            "Source and target are both embedded: the source enters the encoder, the target the "
            "decoder.",
            both_texts_are_embedded,
        ),
        Property(
            "An encoder layer does not read what the layer below it gave (the first: the "
            "embedded source).",
            encoder_is_a_stack,
        ),
        Property(
            "The memory is not what the last encoder layer gave, in each decoder layer.",
            memory_is_the_top,
        ),
        Property(
            "A decoder layer does not read what the layer below it gave (the first: the embedded "
            "target).",
            decoder_is_a_stack,
        ),
        Property("The encoder looks at padding: it takes `no_padding`.", encoder_hides_padding),
        Property(
            "The decoder's own attention looks ahead: it takes `no_future`.",
            decoder_hides_the_future,
        ),
        Property(
            "Cross-attention looks at the padding of the source: the mask of what is looked at, "
            "`no_padding`.",
            memory_hides_padding,
        ),
        Property(
            "The logits are not those of the last decoder layer's output.",
            logits_come_from_the_top,
        ),
    ),
    see="4B The whole machine",
)
