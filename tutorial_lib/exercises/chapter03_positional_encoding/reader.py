"""Chapter 03: a curve that stays at 64 percent although positions are added."""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Symptom, case


def gather(words, table, question):
    """Return what the question (D,) gathers from each number, (B, D).

    words (B, S, D) are B numbers of S words, table (N, D) holds the position vectors; the words
    themselves, with their positions, are the keys and the values.
    """
    x = words + table[: words.size(1)]  # (B, S, D)
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)  # (B, S)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_one_by_one(words, table, question):
    """Second style."""
    found = []
    for number in words:
        x = torch.stack([word + position for word, position in zip(number, table, strict=False)])
        weights = torch.softmax(x.mv(question) * question.numel() ** -0.5, dim=0)
        found.append(weights @ x)
    return torch.stack(found)


def gather_first_position(words, table, question):
    """It gives every word the vector of position 0."""
    x = words + table[0]  # (B, S, D)
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)  # (B, S)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_by_batch(words, table, question):
    """It takes the position from the batch axis: number b of the batch gets the vector of b."""
    x = words + table[: words.size(0), None]  # (B, S, D)
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)  # (B, S)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_values_only(words, table, question):
    """It adds the positions to the values alone: the keys do not know their position."""
    x = words + table[: words.size(1)]  # (B, S, D)
    weights = (words @ question / len(question) ** 0.5).softmax(dim=-1)  # (B, S)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_keys_only(words, table, question):
    """It adds the positions to the keys alone: the values do not know their position."""
    x = words + table[: words.size(1)]  # (B, S, D)
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)  # (B, S)
    return torch.einsum("bs,bsd->bd", weights, words)


def gather_over_the_batch(words, table, question):
    """It takes the softmax over the numbers of a batch: words of different numbers compete."""
    x = words + table[: words.size(1)]  # (B, S, D)
    weights = (x @ question / len(question) ** 0.5).softmax(dim=0)  # (B, S)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_one_row(words, table, question):
    """Every word gets one row: take all rows up to it, `table[: words.size(1)]`."""
    x = words + table[words.size(1)]
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_cases():
    """More words than numbers, and the other way round; the table is longer than both."""
    return [
        case("2 numbers of 5 words", torch.randn(2, 5, 4), torch.randn(8, 4), torch.randn(4)),
        case("6 numbers of 3 words", torch.randn(6, 3, 5), torch.randn(7, 5), torch.randn(5)),
    ]


WORDS, TABLE = torch.randn(18 + 9, 4, generator=torch.Generator().manual_seed(2)).split([18, 9])
WORDS, QUESTION = WORDS.view(3, 6, 4), TABLE[8]


def gathered_by(keys, values, positions, divisor, dim):
    """Gather by other positions, in keys and values or not, with another scale and axis."""
    scores = (WORDS + keys * positions) @ QUESTION / divisor
    return torch.einsum("bs,bsd->bd", scores.softmax(dim), WORDS + values * positions)


RULES = composed(
    lambda answer: answer(WORDS, TABLE, QUESTION),
    gathered_by,
    {"The keys know their position.": 1, "The keys lack the positions.": 0},
    {"The values know their position.": 1, "The values lack the positions.": 0},
    {
        "Word s of each number gets row s of the table.": TABLE[:6],
        "Every word gets the vector of position 0.": TABLE[0],
        "The position comes from the batch axis, not from the words'.": TABLE[:3, None],
        "It is one position late: the first word gets row 0.": TABLE[1:7],
    },
    {
        "The scores are divided by the root of D.": 2,
        "The scores lack the 1/sqrt(D).": 1,
        "The scores are divided by D, not by its root.": 4,
    },
    {
        "The weights of a number's words sum to 1.": 1,
        "The softmax runs over the batch: the words of one number compete.": 0,
    },
)


READER_CURVE = Symptom(
    id="3.4",
    title="Positions that do not help",
    level="medium",
    text="""
All four lines measure **one reader on the same 900 numbers**, asked a hundred at a time, in four
orders. Words with their positions are its keys and its values. There are three clues. The lines
stay near the ceiling. They differ. And when 203 keeps its place in a batch while the 99 numbers
beside it are exchanged for others, the answer to 203 stays the same. Which mistake explains all
three? Choose its letter in the next cell. Then open the folded cell after it: that is the code,
`gather`, for you to repair. Repaired, it is right on nearly all.
""",
    hints=(
        "The lines differ. Can the answer to a number depend on that number alone?",
        "With two of the mistakes the order of asking matters. In one the place in the batch "
        "counts, in the other the words of the numbers beside it. Which of them does the last test "
        "exclude?",
        "The axes of `words` are numbers, words, width. Which of them does a position count?",
    ),
    solution=gather,
    second_style=gather_one_by_one,
    mistakes=(
        gather_first_position,
        gather_by_batch,
        gather_values_only,
        gather_over_the_batch,
        gather_keys_only,
        gather_one_row,
    ),
    shown=gather_by_batch,
    looks=(
        "All lines would be one, and settle on exactly 0.640: a number has one answer "
        "whatever batch it is in, and its words have no order.",
        "The lines would differ and wobble about 0.64: the answer to a number would depend on "
        "its row in the batch. That breaks ties between 203 and 302 by luck, so one shuffle may "
        "lie a little above the ceiling, another below.",
        "All lines would be one, well above 0.64: values that know their position tell 203 "
        "from 302, though less well than keys.",
        "Other numbers beside 203 would change its answer, as their words compete with its own. "
        "The lines would differ far more, too: about 0.6 in order, as in training, and a third "
        "when shuffled.",
    ),
    cases=gather_cases,
    properties=RULES,
    see="3D Adding them",
)
