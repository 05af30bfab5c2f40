"""Chapter 06: all of a BERT around its layers, from the ids to the logits of the masked words."""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


class Parts(NamedTuple):
    """What a BERT is made of, V tokens, C positions, width D.

    tokens (V, D), segments (2, D), positions (C, D): the three tables; norm: the LayerNorm of their
    sum; layers: the layers of the encoder, (B, T, D) -> (B, T, D) each, in order; small_layer: the
    layer below the word head's logits, (..., D) -> (..., D); bias (V,): one number a token.
    """

    tokens: torch.Tensor
    segments: torch.Tensor
    positions: torch.Tensor
    norm: Callable
    layers: tuple
    small_layer: Callable
    bias: torch.Tensor


def parts_of(bert):
    """Return the Parts of a BERT with an MLM head; it must be in eval mode."""
    head = bert.mlm_head
    return Parts(
        tokens=bert.token_embedding.weight.detach(),
        segments=bert.segment_embedding.weight.detach(),
        positions=bert.position_embedding.weight.detach(),
        norm=bert.embedding_norm,
        layers=tuple(bert.layers()),
        small_layer=lambda hidden: head.norm(head.activation(head.transform(hidden))),
        bias=head.bias.detach(),
    )


def word_logits(parts, ids, segments):
    """Return how strongly each token of the vocabulary fits each position, logits (B, T, V).

    ids, segments (B, T): the tokens that the BERT reads, and the sentence of each, 0 or 1.
    """
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[: ids.size(1)]  # (B, T, D)
    x = parts.norm(x)
    for layer in parts.layers:
        x = layer(x)
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def word_logits_functional(parts, ids, segments):
    """Second style."""
    where = torch.arange(ids.shape[-1]).expand_as(ids)
    tables = ((parts.tokens, ids), (parts.segments, segments), (parts.positions, where))
    x = parts.norm(sum(F.embedding(index, table) for table, index in tables))
    for layer in parts.layers:
        x = layer(x)
    return F.linear(parts.small_layer(x), parts.tokens, parts.bias)


def first_vectors(parts, ids, segments):
    """The sum of the three tables, normalised."""
    return parts.norm(parts.tokens[ids] + parts.segments[segments] + parts.positions[: ids.size(1)])


def through(layers, x):
    """x after all layers."""
    for layer in layers:
        x = layer(x)
    return x


def head(parts, x):
    """The logits of the words."""
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def word_logits_without_positions(parts, ids, segments):
    """This adds no positions: the order of the tokens is lost."""
    x = parts.norm(parts.tokens[ids] + parts.segments[segments])
    return head(parts, through(parts.layers, x))


def word_logits_without_segments(parts, ids, segments):
    """This adds no segments: the model cannot tell the two sentences apart."""
    x = parts.norm(parts.tokens[ids] + parts.positions[: ids.size(1)])
    return head(parts, through(parts.layers, x))


def word_logits_without_norm(parts, ids, segments):
    """This leaves the LayerNorm of the sum out: `parts.norm` comes before the first layer."""
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[: ids.size(1)]
    return head(parts, through(parts.layers, x))


def word_logits_norm_of_tokens(parts, ids, segments):
    """This normalises the tokens alone: the LayerNorm reads the sum of all three."""
    x = parts.norm(parts.tokens[ids])
    x = x + parts.segments[segments] + parts.positions[: ids.size(1)]
    return head(parts, through(parts.layers, x))


def word_logits_scaled(parts, ids, segments):
    """This multiplies the token's vector by √D, as chapter 04 did: BERT adds it as it is."""
    scaled = parts._replace(tokens=parts.tokens * parts.tokens.size(1) ** 0.5)
    x = first_vectors(scaled, ids, segments)
    return head(parts, through(parts.layers, x))


def word_logits_from_one(parts, ids, segments):
    """This counts the positions from 1: the first token stands at position 0."""
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[1 : ids.size(1) + 1]
    return head(parts, through(parts.layers, parts.norm(x)))


def word_logits_no_layer(parts, ids, segments):
    """This leaves the layers out: no position has looked at another one."""
    return head(parts, first_vectors(parts, ids, segments))


def word_logits_last_layer(parts, ids, segments):
    """This gives each layer the first vectors: a layer reads what the one before it returned."""
    x = first_vectors(parts, ids, segments)
    for layer in parts.layers:
        hidden = layer(x)
    return head(parts, hidden)


def word_logits_backwards(parts, ids, segments):
    """This runs through the layers from the last to the first."""
    x = through(parts.layers[::-1], first_vectors(parts, ids, segments))
    return head(parts, x)


def word_logits_residual(parts, ids, segments):
    """This adds what a layer reads to what it returns: a layer has its own residual connections."""
    x = first_vectors(parts, ids, segments)
    for layer in parts.layers:
        x = x + layer(x)
    return head(parts, x)


def word_logits_without_small_layer(parts, ids, segments):
    """This leaves `small_layer` out: it comes between the last layer and the table."""
    x = through(parts.layers, first_vectors(parts, ids, segments))
    return x @ parts.tokens.T + parts.bias


def word_logits_without_bias(parts, ids, segments):
    """This adds no bias: each token of the vocabulary has a number of its own in `parts.bias`."""
    x = through(parts.layers, first_vectors(parts, ids, segments))
    return parts.small_layer(x) @ parts.tokens.T


def word_logits_probabilities(parts, ids, segments):
    """This returns probabilities: the logits are asked for, before the softmax."""
    return word_logits(parts, ids, segments).softmax(dim=-1)


def word_logits_log(parts, ids, segments):
    """This returns logarithms of probabilities: the logits are asked for, before the softmax."""
    return word_logits(parts, ids, segments).log_softmax(dim=-1)


def small_parts(seed=0):
    """Parts of random numbers; both layers mix the positions."""
    vocabulary, width, context = 7, 4, 9
    generator = torch.Generator().manual_seed(seed)

    def matrix(*shape):
        return torch.randn(*shape, generator=generator)

    small, *maps = (matrix(width, width) for _ in range(3))
    return Parts(
        tokens=matrix(vocabulary, width),
        segments=matrix(2, width),
        positions=matrix(context, width),
        norm=lambda x: F.layer_norm(x, (width,)),
        layers=tuple(
            lambda x, w=w: torch.tanh((x + x.mean(dim=1, keepdim=True)) @ w) for w in maps
        ),
        small_layer=lambda x: F.layer_norm(F.gelu(x @ small), (width,)),
        bias=matrix(vocabulary),
    )


def word_logits_cases():
    """One text of one sentence; two pairs; a batch as wide as it is long."""
    parts = small_parts()
    pairs = torch.tensor([[1, 4, 2, 5, 2], [1, 2, 6, 3, 2]])
    square = torch.tensor([[1, 6, 2], [1, 4, 2], [1, 3, 2]])
    return [
        case("a single text", parts, torch.tensor([[1, 3, 5, 2]]), torch.zeros(1, 4).long()),
        case("two pairs", parts, pairs, torch.tensor([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]])),
        case("3 texts of 3 tokens", small_parts(seed=1), square, torch.zeros(3, 3).long()),
    ]


# A BERT in which everything can be read off: V = D, and each token's vector has a single 1.
V = 6
IDS = torch.tensor([[1, 4, 2, 3]])
SEGMENTS = torch.tensor([[0, 0, 0, 1]])
TOKENS = F.one_hot(IDS, V).float()  # (1, T, D): their vectors


def same(x):
    """x as it is."""
    return x


PLAIN = Parts(
    tokens=torch.eye(V),
    segments=torch.zeros(2, V),
    positions=torch.zeros(8, V),
    norm=same,
    layers=(same, same),
    small_layer=same,
    bias=torch.zeros(V),
)


def said(answer, **changed):
    """What an answer makes of IDS, with some of the PLAIN parts changed, (1, T, V)."""
    return torch.as_tensor(answer(PLAIN._replace(**changed), IDS, SEGMENTS)).detach().float()


def alike(found, *wanted):
    """Which of the tensors `found` is, or None."""
    same_as = [
        n
        for n, one in enumerate(wanted)
        if found.shape == one.shape and torch.allclose(found, one, atol=1e-4)
    ]
    return same_as[0] if same_as else None


def logits_a_position(answer):
    """(B, T, V)."""
    shape = tuple(said(answer).shape)
    if shape == (1, V):
        return "It answers for one position: logits are asked for at every one, (B, T, V)."
    return shape == (1, *IDS.shape[1:], V)


def tokens_are_read(answer):
    """The token's vector, times the table: a 1 at the token itself."""
    if logits_a_position(answer) is not True:
        return None
    found = said(answer)
    sentences = (
        (TOKENS, True),
        (
            V**0.5 * TOKENS,
            "It multiplies the token's vector by √D, as chapter 04 did: BERT adds it as it is.",
        ),
        (
            TOKENS.softmax(-1),
            "It returns probabilities: the logits are asked for, before the softmax.",
        ),
        (
            TOKENS.log_softmax(-1),
            "It returns logarithms of probabilities: the logits are asked for, before the softmax.",
        ),
        (
            4 * TOKENS,
            "It adds what a layer reads to what it returns: a layer has its own residual "
            "connections.",
        ),
    )
    which = alike(found, *(one for one, _ in sentences))
    return sentences[which][1] if which is not None else False


def table(rows):
    """A table of the rows 1, 2, 3, ... in all D numbers."""
    return torch.arange(1.0, rows + 1)[:, None].expand(rows, V).clone()


def positions_are_added(answer):
    """Row t at position t."""
    if tokens_are_read(answer) is not True:
        return None
    added = said(answer, positions=table(8)) - said(answer)
    rows = [round(number, 2) for number in added[0, :, 0].tolist()]
    sentences = {
        (1, 2, 3, 4): True,
        (0, 0, 0, 0): "It adds no positions: the order of the tokens is lost.",
        (2, 3, 4, 5): "It counts the positions from 1: the first token stands at position 0.",
        tuple(id_ + 1 for id_ in IDS[0].tolist()): "It looks the positions up by the token's id: "
        "the token at position t takes row t, whatever it is.",
        (1, 1, 1, 2): "It looks the positions up by the segment: the token at position t takes "
        "row t.",
    }
    return sentences.get(tuple(rows), False)


def segments_are_added(answer):
    """Row 0 for the first sentence, row 1 for the second."""
    if tokens_are_read(answer) is not True:
        return None
    added = said(answer, segments=table(2)) - said(answer)
    rows = [round(number, 2) for number in added[0, :, 0].tolist()]
    sentences = {
        (1, 1, 1, 2): True,
        (0, 0, 0, 0): "It adds no segments: the model cannot tell the two sentences apart.",
        (1, 1, 1, 1): "It takes all tokens for the first sentence: look the segments up by "
        "`segments`.",
        (2, 2, 2, 1): "It exchanges the two segments: row 0 is for the tokens with a 0.",
    }
    return sentences.get(tuple(rows), False)


def sum_is_normalised(answer):
    """The norm reads the sum, once, before the layers."""
    if segments_are_added(answer) is not True or positions_are_added(answer) is not True:
        return None

    def norm(x):
        return x * x + 1

    changed = {"positions": table(8), "segments": table(2)}
    places = changed["positions"][: IDS.size(1)] + changed["segments"][SEGMENTS]
    whole = TOKENS + places
    sentences = (
        (norm(whole), True),
        (
            whole,
            "It leaves the LayerNorm of the sum out: `parts.norm` comes before the first layer.",
        ),
        (
            norm(TOKENS) + places,
            "It normalises the tokens alone: the LayerNorm reads the sum of all three.",
        ),
        (norm(norm(whole)), "It normalises twice: once, before the first layer."),
    )
    # With layers that add 10, a norm behind them shows.
    behind = alike(said(answer, norm=norm, layers=(lambda x: x + 10,), **changed), norm(whole + 10))
    if behind is not None:
        return "It normalises after the layers: `parts.norm` comes before the first one."
    which = alike(said(answer, norm=norm, **changed), *(one for one, _ in sentences))
    return sentences[which][1] if which is not None else False


def layers_are_used(answer):
    """All, each on what the one before it returned."""
    if tokens_are_read(answer) is not True:
        return None

    def double(x):
        return 2 * x

    def more(x):
        return x + 1

    sentences = (
        (2 * TOKENS + 1, True),
        (TOKENS, "It leaves the layers out: no position has looked at another one."),
        (
            TOKENS + 1,
            "It gives each layer the first vectors, or uses the last one alone: a layer reads what "
            "the one before it returned.",
        ),
        (2 * TOKENS, "It uses the first layer alone: all of them, in order."),
        (2 * (TOKENS + 1), "It runs through the layers from the last to the first."),
    )
    found = said(answer, layers=(double, more))
    which = alike(found, *(one for one, _ in sentences))
    return sentences[which][1] if which is not None else False


def head_reads_the_table(answer):
    """The small layer, then the dot product with each row of the table, then the bias."""
    if layers_are_used(answer) is not True:
        return None
    if alike(said(answer, small_layer=lambda x: 3 * x), 3 * TOKENS) is None:
        return "It leaves `small_layer` out: it comes between the last layer and the table."
    early = said(answer, layers=(lambda x: x + 1,), small_layer=lambda x: 3 * x)
    if alike(early, 3 * TOKENS + 1) is not None:
        return "It puts `small_layer` before the layers: it comes after the last one."
    bias = torch.arange(1.0, V + 1)
    found = said(answer, bias=bias, small_layer=lambda x: 3 * x)
    if alike(found, 3 * TOKENS) is not None:
        return "It adds no bias: each token of the vocabulary has a number of its own."
    if alike(found, 3 * TOKENS + bias) is None:
        return False
    tokens = PLAIN.tokens + table(V)
    return alike(said(answer, tokens=tokens), tokens[IDS] @ tokens.T) is not None


def rows_are_apart(answer):
    """A text gets the same logits alone and with another one."""
    if segments_are_added(answer) is not True:
        return None
    parts = PLAIN._replace(segments=table(2), positions=table(8))
    ids = torch.cat([IDS, IDS])
    segments = torch.cat([SEGMENTS, torch.zeros_like(SEGMENTS)])
    together = torch.as_tensor(answer(parts, ids, segments))
    alone = [answer(parts, ids[n : n + 1], segments[n : n + 1]) for n in range(2)]
    return torch.allclose(together, torch.cat([torch.as_tensor(one) for one in alone]), atol=1e-4)


WORD_LOGITS = Write(
    id="6.3",
    title="From ids to logits",
    level="medium",
    text="""
Assemble the machine: `word_logits(parts, ids, segments)` takes the tokens `ids` (B, T) and
their `segments` (B, T), 0 or 1, and returns the logits of the *masked words* (B, T, V), at
**every** position. No text is padded. From the bottom of the picture to its top, the parts are

- `parts.tokens` (V, D), `parts.segments` (2, D) and `parts.positions` (C, D), with C ≥ T: the
  three tables. The token table is used again at the top
- `parts.norm`: a function, the LayerNorm of their sum
- `parts.layers`: the layers of the encoder in order, functions from (B, T, D) to (B, T, D), with
  residual connections and LayerNorms included
- `parts.small_layer`: a function from (B, T, D) to (B, T, D), the small layer of the head
- `parts.bias` (V,): what the head adds at the end
""",
    hints=(
        "`parts.tokens[ids]` looks up one row of the table for each token: (B, T, D).",
        "The positions are the same for each text: the first T rows of their table.",
        "A dot product with each row of the token table, for all positions at once: "
        "`x @ parts.tokens.T`.",
    ),
    solution=word_logits,
    second_style=word_logits_functional,
    mistakes=(
        word_logits_without_positions,
        word_logits_without_segments,
        word_logits_without_norm,
        word_logits_norm_of_tokens,
        word_logits_scaled,
        word_logits_from_one,
        word_logits_no_layer,
        word_logits_last_layer,
        word_logits_backwards,
        word_logits_residual,
        word_logits_without_small_layer,
        word_logits_without_bias,
        word_logits_probabilities,
        word_logits_log,
    ),
    cases=word_logits_cases,
    properties=(
        Property(
            "Logits for each token of the vocabulary at each position are asked for, (B, T, V).",
            logits_a_position,
        ),
        Property(
            "With layers that do nothing, each logit is the dot product of the token that was read "
            "and one of the table: yours is not.",
            tokens_are_read,
        ),
        Property("The position that is added is not row t at position t.", positions_are_added),
        Property(
            "The segment that is added is not that of the token's sentence.", segments_are_added
        ),
        Property("The LayerNorm must read the sum of the three vectors.", sum_is_normalised),
        Property("Each layer must read what the one before it returned.", layers_are_used),
        Property(
            "The logits are the dot products of what `small_layer` returns with the rows of the "
            "token table, plus the bias.",
            head_reads_the_table,
        ),
        Property(
            "A text gets other logits when it is in a batch: each row has tokens and segments of "
            "its own.",
            rows_are_apart,
        ),
    ),
    see="6C What goes in",
)
