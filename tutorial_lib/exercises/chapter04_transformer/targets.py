"""Chapter 04: what the decoder reads and what it is to say."""

from statistics import mode

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def teacher_forcing(target):
    """Return decoder_input and labels, (B, T - 1) each, of target (B, T).

    A row of target holds the start token, the words, the end token, then padding.
    """
    return target[:, :-1], target[:, 1:]


def teacher_forcing_rows(target):
    """Second style."""
    rows = target.tolist()
    return [row[: len(row) - 1] for row in rows], [row[1:] for row in rows]


def teacher_forcing_cases():
    """Start 1, end 2, padding 0: rows of unequal length, and a row that has no word at all."""
    return [
        case("three words", torch.tensor([[1, 7, 5, 9, 2]])),
        case("padding", torch.tensor([[1, 7, 5, 2], [1, 6, 2, 0], [1, 2, 0, 0]])),
    ]


ROWS = torch.arange(10, 28).view(3, 6)  # each token stands in one place, so it tells its column


def columns(answer):
    """The columns of the target that the input and the labels hold, the later ones as labels."""
    read, said = (((found[-1] - 10) % 6).tolist() for found in answer(ROWS))
    ahead = {r - s for r, s in zip(read, said, strict=False)}
    turned = len(read) == len(said) and ahead in ({1}, {2})
    return (said, read) if turned else (read, said)


def step(answer):
    """How far the labels are ahead of the input, at most places."""
    read, said = columns(answer)
    return mode(s - r for r, s in zip(read, said, strict=False))


def all_texts_stay(answer):
    """Both results have as many rows as the target."""
    return all(len(found) == 3 for found in answer(ROWS))


def labels_come_second(answer):
    """The labels are ahead of the input."""
    return columns(answer)[0] == ((answer(ROWS)[0][-1] - 10) % 6).tolist()


def begins_with_the_start_token(answer):
    """Column 0 is the first of the input."""
    return columns(answer)[0][0] == 0


def labels_come_next(answer):
    """The label at each place is the token after the one that stands there in the input."""
    read, said = columns(answer)
    sentences = {
        -1: "Each label is the token before: shift the other way.",
        0: "Each label is the word that was just read: the decoder would learn to copy.",
        2: "Input and labels are two apart: it asks for the word after the next one.",
    }
    ahead = step(answer)
    return ahead == 1 or len(read) != len(said) or sentences.get(ahead, False)


def start_is_not_asked_for(answer):
    """No place is asked for the start token."""
    read, said = columns(answer)
    return 0 not in said or (None if said == read else False)


def the_end_is_asked_for(answer):
    """The last label is the last token of the target."""
    read, said = columns(answer)
    return 5 in said or (None if said == read else False)


def nothing_follows_the_last_token(answer):
    """The last token of the target is not in the input."""
    read, said = columns(answer)
    return 5 not in read or (None if said == read else False)


TEACHER_FORCING = Write(
    id="4.8",
    title="Teacher forcing",
    level="easy",
    text="""
In training the decoder is shown the right beginning, and says the next word at every position at
once. Write `teacher_forcing(target)` for `target` (B, T): each row holds the start token, the
words, the end token, then padding. Return `decoder_input, labels`, (B, T - 1) each: `labels[b, t]`
is the token that comes after `decoder_input[b, : t + 1]`. A short row's end token and padding stay
in the input; their labels are padding, which the loss skips.
""",
    hints=(
        "With “start a b end” the decoder reads start, a, b. What does it say at each of them?",
        "One slice leaves out the last column, the other the first.",
    ),
    solution=teacher_forcing,
    second_style=teacher_forcing_rows,
    mistakes=(),
    cases=teacher_forcing_cases,
    properties=(
        Property("It drops a text: cut the axis of the tokens, the second one.", all_texts_stay),
        Property(
            "Input and labels change places: the input comes first, the labels are ahead of it.",
            labels_come_second,
        ),
        Property(
            "It leaves out the start token: the input begins with it, or nothing asks for the "
            "first word.",
            begins_with_the_start_token,
        ),
        Property("A label is not the token that comes next in the target.", labels_come_next),
        Property(
            "The start token is among the labels: it is given, not said.", start_is_not_asked_for
        ),
        Property(
            "The last token is not among the labels: the end must be learned, or a translation "
            "never ends.",
            the_end_is_asked_for,
        ),
        Property(
            "The last token is read as well: nothing comes after it that could be its label.",
            nothing_follows_the_last_token,
        ),
    ),
    results=("decoder_input", "labels"),
    see="4G From probabilities to a loss",
)
