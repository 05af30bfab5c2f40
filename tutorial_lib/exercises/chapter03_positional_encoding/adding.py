"""Chapter 03: token vectors, scaled, plus position vectors."""

import math

import torch

from tutorial_lib.exercises.engine.properties import composed, factor, properties, which
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


WORDS, TABLE = torch.randn(15 + 12, 7, generator=torch.Generator().manual_seed(1)).split([15, 12])
WORDS = WORDS.view(3, 5, 7)


def positions_are_added(answer):
    """The positions must be added to the words: (B, T, D) plus (T, D)."""
    if answer(WORDS, TABLE).shape == (3, 5, 14):
        return "It puts the positions beside the words, at twice the width: they are added."
    return bool(answer(0 * WORDS, TABLE).any()) or "It multiplies by the positions: add them."


def words_are_scaled(answer):
    """The embeddings must be multiplied by sqrt(D), and by nothing else."""
    found = factor(answer(WORDS, TABLE) - answer(0 * WORDS, TABLE), WORDS)
    others = {
        "It leaves out the scale: multiply the embeddings by sqrt(D) first.": 1.0,
        "It divides by sqrt(D), as attention does with its scores: multiply.": 7**-0.5,
        "It multiplies by D: the scale is its square root.": 7.0,
        "It multiplies by the root of the length T: the scale is sqrt(D).": 5**0.5,
        "It multiplies by the root of the batch: the scale is sqrt(D).": 3**0.5,
    }
    return None if found is None else which(found, 7**0.5, others)


def row_t(answer):
    """Word t of every sentence must get row t of the table, as it is."""
    found = factor(answer(0 * WORDS, TABLE), TABLE[:5].expand(3, 5, 7))
    return False if found is None else f"The positions are added {found:.3g} times."


RULES = composed(
    lambda answer: answer(0 * WORDS, TABLE),
    lambda rows, times: (times * rows).expand(3, 5, 7),
    {
        "Word t of every sentence gets row t of the table.": TABLE[:5],
        "The position comes from the batch axis: it counts the words.": TABLE[:3, None],
        "It is one position late: the first word gets row 0.": TABLE[1:6],
        "It takes the last rows of the table: the first word gets row 0.": TABLE[-5:],
        "It counts backwards: the first word gets row 0.": TABLE[:5].flip(0),
        "All words get the vector of position 0.": TABLE[0],
    },
    {
        "The positions are added as they are.": 1,
        "The positions grow as well: only the embeddings are scaled.": 7**0.5,
        "The positions shrink: they are added as they are.": 7**-0.5,
        "It takes the positions away: they are added.": -1,
    },
    otherwise=(row_t,),
)


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
    properties=(*properties(positions_are_added), *RULES, *properties(words_are_scaled)),
    see="3D Adding them",
)
