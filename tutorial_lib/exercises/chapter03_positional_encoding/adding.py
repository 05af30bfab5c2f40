"""Chapter 03: token vectors, scaled, plus position vectors."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def add_positions(embeddings, table):
    """Return embeddings (B, T, D) times sqrt(D), plus the first T rows of table (N, D)."""
    length, width = embeddings.shape[1:]
    return embeddings * math.sqrt(width) + table[:length]  # (B, T, D)


def add_positions_one_by_one(embeddings, table):
    """Second style."""
    out = torch.empty_like(embeddings)
    for t in range(embeddings.shape[1]):
        out[:, t] = embeddings[:, t] * embeddings.shape[2] ** 0.5 + table[t]
    return out


def add_positions_by_batch(embeddings, table):
    """This takes the position from the batch axis: all words of a sentence get one vector."""
    scaled = embeddings * math.sqrt(embeddings.size(-1))
    return scaled + table[: len(embeddings), None]


def add_positions_unscaled(embeddings, table):
    """This leaves out the scale: the embeddings are multiplied by sqrt(D) first."""
    return embeddings + table[: embeddings.size(1)]


def add_positions_all_scaled(embeddings, table):
    """This scales the sum, so the positions grow as well: only the embeddings are scaled."""
    return (embeddings + table[: embeddings.size(1)]) * math.sqrt(embeddings.size(-1))


def add_positions_table_scaled(embeddings, table):
    """This scales the positions: the embeddings are to be scaled, the table stays as it is."""
    return embeddings + table[: embeddings.size(1)] * math.sqrt(embeddings.size(-1))


def add_positions_divided(embeddings, table):
    """This divides by sqrt(D), as attention does with its scores: embeddings are multiplied."""
    return embeddings / math.sqrt(embeddings.size(-1)) + table[: embeddings.size(1)]


def add_positions_by_width(embeddings, table):
    """This multiplies by D: the scale is its square root."""
    return embeddings * embeddings.size(-1) + table[: embeddings.size(1)]


def add_positions_by_length(embeddings, table):
    """This multiplies by the root of the length T: the scale comes from the width D."""
    return embeddings * math.sqrt(embeddings.size(1)) + table[: embeddings.size(1)]


def add_positions_late(embeddings, table):
    """This is one position late: the first word gets row 0 of the table."""
    scaled = embeddings * math.sqrt(embeddings.size(-1))
    return scaled + table[1 : embeddings.size(1) + 1]


def add_positions_from_end(embeddings, table):
    """This takes the last rows of the table: the first word gets row 0."""
    scaled = embeddings * math.sqrt(embeddings.size(-1))
    return scaled + table[-embeddings.size(1) :]


def add_positions_backwards(embeddings, table):
    """This counts backwards: the first word gets row 0, the last one row T - 1."""
    scaled = embeddings * math.sqrt(embeddings.size(-1))
    return scaled + table[: embeddings.size(1)].flip(0)


def add_positions_first_only(embeddings, table):
    """This gives each word the vector of position 0: the words cannot be told apart by it."""
    return embeddings * math.sqrt(embeddings.size(-1)) + table[0]


def add_positions_multiplied(embeddings, table):
    """This multiplies by the positions: they are added."""
    return embeddings * math.sqrt(embeddings.size(-1)) * table[: embeddings.size(1)]


def add_positions_joined(embeddings, table):
    """This puts the positions beside the words, at twice the width: they are added."""
    scaled = embeddings * math.sqrt(embeddings.size(-1))
    rows = table[: embeddings.size(1)].expand_as(scaled)
    return torch.cat([scaled, rows], dim=-1)


def add_positions_cases():
    """B, T and D all differ, the table is longer than any of them; once B > T, once T > B."""
    return [
        case("2 sentences of 5 words", torch.randn(2, 5, 3), torch.randn(8, 3)),
        case("6 sentences of 4 words", torch.randn(6, 4, 9), torch.randn(11, 9)),
        case("1 sentence of 3 words", torch.randn(1, 3, 10), torch.randn(12, 10)),
    ]


ADD_POSITIONS = Write(
    id="3.5",
    title="Words plus positions",
    level="easy",
    text="""
Write `add_positions(embeddings, table)`, the first step of the Transformer: multiply the embeddings
(B, T, D) by sqrt(D), then add row t of the table (N, D) to word t of every sentence; N is larger
than T. Return (B, T, D). Embeddings start small, with a standard deviation near 1/sqrt(D): without
the scale the positions would drown them.
""",
    hints=(
        "Which axis of (B, T, D) counts the words of a sentence?",
        "`table[:length]` has shape (T, D): added to (B, T, D), it meets each sentence.",
        "Scale first, then add.",
    ),
    solution=add_positions,
    second_style=add_positions_one_by_one,
    mistakes=(
        add_positions_by_batch,
        add_positions_unscaled,
        add_positions_all_scaled,
        add_positions_table_scaled,
        add_positions_divided,
        add_positions_by_width,
        add_positions_by_length,
        add_positions_late,
        add_positions_from_end,
        add_positions_backwards,
        add_positions_first_only,
        add_positions_multiplied,
        add_positions_joined,
    ),
    cases=add_positions_cases,
    see="3.4 Adding them",
)
