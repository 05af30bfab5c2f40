"""Chapter 04: what the decoder reads and what it is to say."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def teacher_forcing(target):
    """Return decoder_input and labels, (B, T - 1) each, of target (B, T).

    A row of target holds the start token, the words, the end token, then padding.
    """
    return target[:, :-1], target[:, 1:]


def teacher_forcing_rows(target):
    """Second style."""
    rows = target.tolist()
    return [row[: len(row) - 1] for row in rows], [row[1:] for row in rows]


def teacher_forcing_unshifted(target):
    """This gives the labels the same words as the input: the decoder would learn to copy."""
    return target[:, :-1], target[:, :-1]


def teacher_forcing_whole(target):
    """This returns the target twice, unshifted: each position would be shown its own answer."""
    return target, target


def teacher_forcing_ends(target):
    """This takes the last T - 1 tokens for both: the input must begin with the start token."""
    return target[:, 1:], target[:, 1:]


def teacher_forcing_backwards(target):
    """This shifts the other way, or returns the labels first: the labels are one step later."""
    return target[:, 1:], target[:, :-1]


def teacher_forcing_last_lost(target):
    """This loses the last label: the end token must be learned, or a translation never ends."""
    return target[:, :-2], target[:, 1:-1]


def teacher_forcing_first_lost(target):
    """This leaves out the start token: then nothing asks for the first word."""
    return target[:, 1:-1], target[:, 2:]


def teacher_forcing_end_read(target):
    """This feeds the last token in as well, T inputs for T - 1 labels: nothing comes after it."""
    return target, target[:, 1:]


def teacher_forcing_start_asked(target):
    """This asks for the start token too, T labels for T - 1 inputs: it is given, not said."""
    return target[:, :-1], target


def teacher_forcing_rolled(target):
    """This rolls the row round: the last position would be asked for the start token."""
    return target, target.roll(-1, dims=1)


def teacher_forcing_padded(target):
    """This keeps T columns and fills the last label with 0: drop the last input instead."""
    return target, torch.cat([target[:, 1:], torch.zeros_like(target[:, :1])], dim=1)


def teacher_forcing_two_ahead(target):
    """This asks for the word after the next one: labels and input are one step apart."""
    return target[:, :-2], target[:, 2:]


def teacher_forcing_texts(target):
    """This cuts the batch axis: it drops a text, not a token."""
    return target[:-1], target[1:]


def teacher_forcing_cases():
    """Start 1, end 2, padding 0: rows of unequal length, and a row that has no word at all."""
    return [
        case("three words", torch.tensor([[1, 7, 5, 9, 2]])),
        case("padding", torch.tensor([[1, 7, 5, 2], [1, 6, 2, 0], [1, 2, 0, 0]])),
    ]


TEACHER_FORCING = Write(
    id="4.7",
    title="Teacher forcing",
    level="easy",
    text="""
In training the decoder is shown the right beginning, and says the next word at every place at once.
Write `teacher_forcing(target)` for `target` (B, T): each row holds the start token, the words, the
end token, then padding. Return `decoder_input, labels`, (B, T - 1) each: `labels[b, t]` is the
token that comes after `decoder_input[b, : t + 1]`. A short row's end token and padding stay in the
input; their labels are padding, which the loss skips.
""",
    hints=(
        "With “start a b end” the decoder reads start, a, b. What does it say at each of them?",
        "One slice leaves out the last column, the other the first.",
    ),
    solution=teacher_forcing,
    second_style=teacher_forcing_rows,
    mistakes=(
        teacher_forcing_unshifted,
        teacher_forcing_whole,
        teacher_forcing_ends,
        teacher_forcing_backwards,
        teacher_forcing_last_lost,
        teacher_forcing_first_lost,
        teacher_forcing_end_read,
        teacher_forcing_start_asked,
        teacher_forcing_rolled,
        teacher_forcing_padded,
        teacher_forcing_two_ahead,
        teacher_forcing_texts,
    ),
    cases=teacher_forcing_cases,
    see="4.5 From probabilities to a loss",
)
