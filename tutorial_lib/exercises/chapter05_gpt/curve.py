"""Chapter 05: a training curve that is too good to be true."""

import torch

from tutorial_lib.exercises.engine.tasks import Symptom, case


def make_batch(windows):
    """Return inputs (B, T), labels (B, T) and the mask (T, T) for windows (B, T + 1) of a text.

    labels[b, t] is the token after inputs[b, t]; mask[t, s] is True where place t may look at s.
    """
    inputs, labels = windows[:, :-1], windows[:, 1:]
    n = inputs.size(1)
    mask = torch.ones(n, n).tril().bool()
    return inputs, labels, mask


def make_batch_unfolded(windows):
    """Second style."""
    pairs = windows.unfold(1, 2, 1)  # (B, T, 2)
    places = torch.arange(pairs.size(1))
    return pairs[..., 0], pairs[..., 1], places <= places[:, None]


def make_batch_unshifted(windows):
    """This does not shift the labels: each is the token that stands at its own place."""
    inputs, labels = windows[:, :-1], windows[:, :-1]
    n = inputs.size(1)
    mask = torch.ones(n, n).tril().bool()
    return inputs, labels, mask


def make_batch_unmasked(windows):
    """This has no causal mask: each place may look at the whole window."""
    inputs, labels = windows[:, :-1], windows[:, 1:]
    n = inputs.size(1)
    mask = torch.ones(n, n).bool()
    return inputs, labels, mask


def make_batch_backwards(windows):
    """This shifts the labels the wrong way: each is the token before its place."""
    inputs, labels = windows[:, 1:], windows[:, :-1]
    n = inputs.size(1)
    mask = torch.ones(n, n).tril().bool()
    return inputs, labels, mask


def make_batch_cases():
    """Tokens that differ within a window; one window, then several."""
    return [
        case("one window of 4 tokens", torch.tensor([[5, 3, 8, 1]])),
        case("3 windows of 6 tokens", torch.randint(0, 50, (3, 6))),
    ]


TRAINING_CURVE = Symptom(
    id="5.5",
    title="Too good to be true",
    level="medium",
    text="""
The left picture above falls below what English allows: from people who guessed a text letter by
letter, Shannon (1951) found that it has at least 0.6 bits a letter. The right picture shows the
same loss place by place, after training. Below them stands a text that the model wrote. The model
is sound, but its batches were made by code with one of these mistakes. Choose the letter, then
repair `make_batch`.
""",
    hints=(
        "A loss near 0 is no skill: the answer could be seen. From which places?",
        "One place of the window is not near 0. What can the others see that it cannot?",
        "What would a model that has learned to copy its last token write? And one that has "
        "learned to copy the token before it?",
    ),
    solution=make_batch,
    second_style=make_batch_unfolded,
    mistakes=(make_batch_unshifted, make_batch_unmasked, make_batch_backwards),
    shown=make_batch_unmasked,
    looks=(
        "The loss would be near 0 at every place, the last one too, and the text would be one "
        "character over and over: the model copies what it has just read.",
        "The loss would be near 0 at every place but the last, whose label no place can see, and "
        "the text would be no better than that last place: a model that writes has no future to "
        "look at.",
        "The loss would be near 0 at every place but the first, and the text would go back and "
        "forth between its last two characters.",
    ),
    cases=make_batch_cases,
    see="5.4 Train it",
)
