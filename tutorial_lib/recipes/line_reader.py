"""How a small BERT starts that is to compare a question with the lines of a scene.

Our encoder has never had to compare two texts, and after its first layer it hardly knows where a
token stands. So the reader gets two helps, free to change in training, as `look_at_neighbours`
gives one to the encoder. In pilots with line vectors but without the heads' starts it found the
quote, and in 450 steps not the name:

- Each line has a segment vector of its own, as TAPAS gives one to each row of a table (Herzig et
  al. 2020), and two heads of the last layer begin by looking at their own line.
- Three heads of the second layer begin by looking for tokens with the same neighbours.
"""

from dataclasses import replace

import torch
from torch import nn

LINES = 16  # of an excerpt, at most


def reader_of(model):
    """Return a copy of a BERT that can tell lines, with heads for spans and evidence, untrained.

    >>> from tutorial_lib.models import BERTConfig
    >>> bert = BERTConfig(vocab_size=9, context=8, d_model=64, n_layers=3, n_heads=4).build()
    >>> reader_of(bert).segment_embedding.weight.shape  # the question's and one a line
    torch.Size([17, 64])
    """
    reader = model.with_heads(span=True, n_labels=2, mlm=False, nsp=False, pooler=False)
    tell_lines(reader)
    look_for_same_neighbours(reader)
    return reader


@torch.no_grad()
def tell_lines(model, length=1.5, heads=(0, 1), sharpness=1.5):
    """Give each line of an excerpt a segment vector: that of BERT's second text and a random one.

    Some heads of the last layer begin by comparing these alone, so they look at their own line.
    """
    d_model, width = model.config.d_model, model.config.d_model // model.config.n_heads
    own = nn.functional.normalize(torch.randn(LINES, d_model), dim=-1) * length  # (P, D)
    question, excerpt = model.segment_embedding.weight  # (D,) each
    model.config = replace(model.config, n_segments=1 + LINES)
    model.segment_embedding = nn.Embedding(1 + LINES, d_model)
    model.segment_embedding.weight[0] = question
    model.segment_embedding.weight[1:] = excerpt + own
    directions = torch.linalg.svd(own, full_matrices=False).Vh[:width]  # orthonormal
    for head in heads:
        _start_head(model.blocks[-1], head, width, sharpness * directions, sharpness * directions)


@torch.no_grad()
def look_for_same_neighbours(model, neighbours=(0, 1, 3), sharpness=1.5, across=1.0):
    """Let heads of a BERT's second layer begin by looking for tokens with the same neighbour.

    neighbours are heads of the first layer that began by looking at one neighbour; a head here
    compares what that head has written. One number of its K prefers the other text: without it,
    a token resembles itself most.
    """
    width = model.config.d_model // model.config.n_heads
    written = model.blocks[0].attention.output.weight  # (D, D), a column for each number of a head
    segments = model.segment_embedding.weight
    other = nn.functional.normalize(segments[1:].mean(dim=0) - segments[0], dim=0)  # (D,)
    for head, neighbour in enumerate(neighbours):
        of_head = written[:, neighbour * width : (neighbour + 1) * width]
        directions = torch.linalg.svd(of_head, full_matrices=False).U.T[:-1]  # (K - 1, D)
        queries = torch.cat([sharpness * directions, across * other[None]])
        keys = torch.cat([sharpness * directions, -across * other[None]])
        _start_head(model.blocks[1], head, width, queries, keys)


def _start_head(block, head, width, queries, keys):
    """Set the maps of one head to queries and keys; what they lack of K rows is 0."""
    rows = slice(head * width, (head + 1) * width)
    layer = block.attention.qkv
    for weight, bias, part in zip(
        layer.weight.chunk(3), layer.bias.chunk(3), (queries, keys), strict=False
    ):
        weight[rows] = 0
        bias[rows] = 0
        weight[rows][: len(part)] = part
