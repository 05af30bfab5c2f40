"""Chapter 05b: the residual stream as if one head had written only what it writes on average."""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def without_note(stream, said, mean, matrix, head):
    """Return the stream (B, T, D) as if one earlier head had said its mean at every position.

    stream (B, T, D) is what a later layer reads; said (B, T, K) is what the head said, mean (K,)
    what it says on average; matrix (D, H K) is its layer's output matrix, which mixes the heads.
    """
    width = said.size(-1)
    columns = matrix[:, head * width : (head + 1) * width]  # (D, K): what this head writes with
    return stream - (said - mean) @ columns.T


def without_note_padded(stream, said, mean, matrix, head):
    """Second style."""
    width = said.size(-1)
    heads = torch.zeros(*said.shape[:2], matrix.size(1))
    heads[:, :, head * width : (head + 1) * width] = mean - said
    return stream + torch.nn.functional.linear(heads, matrix)


def drawn(n_heads, width, d_model, length, seed):
    """Arguments: a stream, what a head said, its mean, and an output matrix."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator)

    return (
        draw(2, length, d_model),
        draw(2, length, width),
        draw(width),
        draw(d_model, n_heads * width),
    )


def without_note_cases():
    """The middle head of three, the first of two, the last of four."""
    return [
        case("head 1 of 3", *drawn(3, 2, 5, 4, 0), 1),
        case("head 0 of 2", *drawn(2, 3, 6, 3, 1), 0),
        case("head 3 of 4", *drawn(4, 2, 8, 2, 2), 3),
    ]


STREAM, SAID, MEAN, MATRIX = drawn(3, 2, 6, 4, 7)  # D = H K, so that a turned matrix fits


def _read(answer):
    return answer(STREAM.clone(), SAID.clone(), MEAN.clone(), MATRIX.clone(), 1)


def _made(columns, change, sign, positions, keep):
    note = torch.zeros_like(STREAM)
    note[:, positions] = (sign * change() @ columns())[:, positions]
    return keep(note)


PROPERTIES = composed(
    _read,
    _made,
    {
        "Head h writes with columns h K up to (h + 1) K of the matrix.": lambda: MATRIX[:, 2:4].T,
        "It takes rows of the matrix: its columns belong to the heads, its rows to the stream.": (
            lambda: MATRIX[2:4]
        ),
        "It takes the columns of the head after: heads count from 0.": lambda: MATRIX[:, 4:6].T,
        "It takes the columns of the head before: heads count from 0.": lambda: MATRIX[:, 0:2].T,
        "It begins at column `head`, not at `head` times K.": lambda: MATRIX[:, 1:3].T,
        "It takes the first K columns, whatever the head.": lambda: MATRIX[:, :2].T,
        "It takes every H-th column: a head has K columns side by side.": lambda: MATRIX[:, 1::3].T,
        "It leaves out the matrix: only what comes after it is in the stream, where no K places "
        "belong to one head.": lambda: torch.eye(6)[2:4],
    },
    {
        "Only what differs from the mean goes: the head still says its mean.": lambda: SAID - MEAN,
        "It takes away all that the head said, its mean too: put the mean back.": lambda: SAID,
        "It takes away the mean, and leaves what the head said.": lambda: MEAN.expand_as(SAID),
        "It adds the mean, and leaves what the head said: that has to go.": lambda: (
            -MEAN.expand_as(SAID)
        ),
        "It takes the mean of this text: take `mean`, what the head says on average elsewhere.": (
            lambda: SAID - SAID.mean((0, 1))
        ),
        "It takes the mean of each row of this text: take `mean`, what the head says on average "
        "elsewhere.": lambda: SAID - SAID.mean(1, keepdim=True),
        "It takes away the sum of what the head said and its mean: their difference goes.": (
            lambda: SAID + MEAN
        ),
    },
    {
        "What the head wrote is taken away.": -1,
        "It adds what the head said above its mean a second time: take it away.": 1,
    },
    {
        "The note is taken back at every position.": slice(0, 4),
        "It takes the note back at the last position only.": slice(3, 4),
        "It takes the note back at the first position only.": slice(0, 1),
    },
    {
        "All that is not this head's stays.": lambda note: STREAM + note,
        "It returns only the change: add it to the stream, whose rest stays.": lambda note: note,
        "It returns only what the head's mean writes: the rest of the stream stays.": lambda note: (
            MEAN @ MATRIX[:, 2:4].T
        ).expand_as(STREAM),
    },
)


def keeps_the_shape(answer):
    """The stream has its shape."""
    return tuple(_read(answer).shape) == tuple(STREAM.shape)


WITHOUT_NOTE = Write(
    id="5b.6",
    title="Take back a note",
    level="medium",
    text="""
Each head **adds** what it found to the residual stream, and later layers read the sum. So a note
can be taken back. A head says K numbers at each position; then its layer's output matrix `matrix`
(D, H K) mixes all heads, side by side and head 0 first, into the D numbers that are added.

Write `without_note(stream, said, mean, matrix, head)`: `stream` (B, T, D) is what a later layer
reads, `said` (B, T, K) what the head said, `mean` (K,) what it says on average. Return the stream
(B, T, D) as if the head had said `mean` at every position. All that is not this head's stays.
""",
    hints=(
        "What did this head add to the stream, and what would it add if it said `mean`?",
        "One layer writes `heads @ matrix.T`, with heads (B, T, H K). Which of the H K columns of "
        "`matrix` are multiplied by this head's K numbers?",
        "What the head wrote is linear in what it said. So the *difference* of what it said and "
        "its mean, mixed by its columns, is what has to go.",
        "`columns = matrix[:, head * K : (head + 1) * K]` is (D, K), and `(said - mean) @ "
        "columns.T` is (B, T, D).",
    ),
    solution=without_note,
    second_style=without_note_padded,
    mistakes=(),
    cases=without_note_cases,
    properties=(
        Property("The stream keeps its shape, (B, T, D).", keeps_the_shape),
        *PROPERTIES,
    ),
    see="5bD Who reads the prompt?",
)
