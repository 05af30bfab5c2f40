"""Chapter 03: token vectors, scaled, plus position vectors."""

import math

import torch

from tutorial_lib.exercises.engine.properties import factor, properties, which
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


def add_positions_cases():
    """B, T and D all differ, the table is longer than any of them; once B > T, once T > B."""
    return [
        case("2 sentences of 5 words", torch.randn(2, 5, 3), torch.randn(8, 3)),
        case("6 sentences of 4 words", torch.randn(6, 4, 9), torch.randn(11, 9)),
        case("1 sentence of 3 words", torch.randn(1, 3, 10), torch.randn(12, 10)),
    ]


def sentences_and_table():
    """Three sentences of five words, seven wide, and twelve positions."""
    generator = torch.Generator().manual_seed(1)
    return torch.randn(3, 5, 7, generator=generator), torch.randn(12, 7, generator=generator)


def places(answer):
    """What is added to words that are all 0, and its factor: (B, T, D), and a number."""
    words, table = sentences_and_table()
    got = answer(0 * words, table)
    scale = (got.norm() / table[:5].expand_as(words).norm()).item()
    found = factor(got, table[:5].expand_as(words))
    near = min((math.sqrt(7), 1 / math.sqrt(7), 7, 1), key=lambda c: abs(math.log(scale / c)))
    return (got / found, found) if found else (got / near, near)


def positions_are_added(answer):
    """The positions must be added to the words: here (B, T, D) plus (T, D)."""
    words, table = sentences_and_table()
    got = answer(words, table)
    if got.shape == (3, 5, 14):
        return "It puts the positions beside the words, at twice the width: they are added."
    if not answer(0 * words, table).any():
        return "It multiplies by the positions: they are added."
    return got.shape == words.shape


def word_t_gets_row_t(answer):
    """Word t of every sentence must get row t of the table."""
    words, table = sentences_and_table()
    others = {
        "The position comes from the batch axis: all words of a sentence get one vector.": (
            table[:3, None]
        ),
        "It is one position late: the first word gets row 0.": table[1:6],
        "It takes the last rows of the table: the first word gets row 0.": table[-5:],
        "It counts backwards: the first word gets row 0.": table[:5].flip(0),
        "All words get the vector of position 0.": table[0],
    }
    got, _ = places(answer)
    if positions_are_added(answer) is not True:
        return None
    return which(
        got, table[:5].expand_as(words), {s: t.expand_as(words) for s, t in others.items()}
    )


def table_stays(answer):
    """The positions are added as they are."""
    others = {
        "The positions grow as well: only the embeddings are scaled.": math.sqrt(7),
        "It takes the positions away: they are added.": -1.0,
    }
    return (
        None if positions_are_added(answer) is not True else which(places(answer)[1], 1.0, others)
    )


def words_are_scaled(answer):
    """The embeddings must be multiplied by sqrt(D), and nothing else."""
    words, table = sentences_and_table()
    found = factor(answer(words, table) - answer(0 * words, table), words)
    others = {
        "It leaves out the scale: multiply the embeddings by sqrt(D) first.": 1.0,
        "It divides by sqrt(D), as attention does with its scores: multiply.": 1 / math.sqrt(7),
        "It multiplies by D: the scale is its square root.": 7.0,
        "It multiplies by the root of the length T: the scale is sqrt(D).": math.sqrt(5),
        "It multiplies by the root of the batch: the scale is sqrt(D).": math.sqrt(3),
    }
    return None if found is None else which(found, math.sqrt(7), others)


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
    mistakes=(),
    cases=add_positions_cases,
    properties=properties(positions_are_added, word_t_gets_row_t, table_stays, words_are_scaled),
    see="3.4 Adding them",
)
