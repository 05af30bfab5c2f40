"""Chapter 06: a masked loss that falls to almost nothing."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.exercises.engine.guard import seeded
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case
from tutorial_lib.training import fit


def mlm_batch(ids, chosen, mask_id):
    """Return inputs and labels, (B, T) each, of ids (B, T) with some places chosen (B, T).

    A chosen token is hidden in the inputs, and is the label of its place. A place with the label
    -100 does not count in the loss.
    """
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_where(ids, chosen, mask_id):
    """Second style."""
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


def mlm_batch_not_hidden(ids, chosen, mask_id):
    """This does not hide the chosen tokens: the inputs are the text itself."""
    inputs = ids
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_labels_hidden(ids, chosen, mask_id):
    """This takes the labels from the changed inputs: each label that counts is [MASK]."""
    inputs = ids.masked_fill(chosen, mask_id)
    labels = inputs.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_all_counted(ids, chosen, mask_id):
    """This counts all places: those that were not chosen have their own token as the label."""
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids
    return inputs, labels


def mlm_batch_all_hidden(ids, chosen, mask_id):
    """This hides all tokens, and asks for the chosen ones."""
    inputs = torch.full_like(ids, mask_id)
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_cases():
    """One text, then two: some places chosen, the last one too."""
    one = torch.tensor([[False, True, False, False, True]])
    two = torch.tensor([[True, False, False], [False, True, True]])
    return [
        case("2 of 5 tokens", torch.tensor([[7, 5, 8, 6, 9]]), one, 3),
        case("2 texts", torch.tensor([[4, 0, 2], [6, 3, 0]]), two, 1),
    ]


class Trained(NamedTuple):
    """What a training gave: the loss of each step in nats, then shares between 0 and 1.

    The shares are measured on text that was not trained on, with 15 % of the letters hidden as
    they should be: of the hidden letters, and of those that can be seen, the share that the model
    names. Then nothing is hidden, and 15 % of the letters are exchanged for random ones: the share
    of the places at which it names the letter that should stand there.
    """

    loss: list[float]
    hidden_right: float
    seen_right: float
    wrong_corrected: float


class _Reader(nn.Module):
    """At each place it sees the letter there, and two on either side."""

    def __init__(self, n_letters):
        super().__init__()
        self.letters = nn.Embedding(n_letters, 24)
        self.neighbours = nn.Conv1d(24, 96, kernel_size=5, padding=2)
        self.head = nn.Linear(96, n_letters)

    def forward(self, ids):
        x = self.letters(ids).transpose(1, 2)  # (B, 24, T)
        return self.head(F.gelu(self.neighbours(x)).transpose(1, 2))  # (B, T, V)


def by_test(runs):
    """Return {test: {name: share right}} of {name: Trained}, to be drawn side by side.

    >>> by_test({"A": Trained([], 0.1, 0.2, 0.3)})
    {'hidden, found': {'A': 0.1}, 'visible, named': {'A': 0.2}, 'wrong, corrected': {'A': 0.3}}
    """
    tests = {
        "hidden, found": "hidden_right",
        "visible, named": "seen_right",
        "wrong, corrected": "wrong_corrected",
    }
    return {
        test: {name: getattr(run, share) for name, run in runs.items()}
        for test, share in tests.items()
    }


def mlm_training(mlm_batch, steps=200, share=0.15):
    """Train a small network on a play of Shakespeare, letter by letter, with these batches.

    Returns Trained. The same code gives the same numbers; about a second on one CPU core.
    """
    text = load_shakespeare().plays[0].text.lower()
    letters = sorted(set(text))
    number = {letter: place for place, letter in enumerate(letters, start=1)}  # 0 is [MASK]
    windows = torch.tensor([number[letter] for letter in text]).unfold(0, 32, 1)  # (N, T)
    border = len(windows) * 9 // 10
    with seeded():
        model = _Reader(len(letters) + 1)

        def batches():
            while True:
                ids = windows[torch.randint(border, (32,))]  # (B, T)
                yield mlm_batch(ids, torch.rand(ids.shape) < share, 0)

        def loss(model, batch):
            inputs, labels = batch
            return F.cross_entropy(model(inputs).transpose(1, 2), labels, ignore_index=-100)

        run = fit(model, batches(), loss, steps=steps, lr=1e-2, device="cpu", progress=False)
        ids = windows[border::37]
        chosen = torch.rand(ids.shape) < share
        with torch.no_grad():
            right = model(ids.masked_fill(chosen, 0)).argmax(dim=-1) == ids  # (B, T)
            others = torch.randint_like(ids, 1, len(letters) + 1)
            wrong = chosen & (others != ids)
            said = model(torch.where(wrong, others, ids)).argmax(dim=-1)[wrong]
    means = [right[places].float().mean().item() for places in (chosen, ~chosen)]
    return Trained(run.loss, *means, (said == ids[wrong]).float().mean().item())


def parts(answer):
    """Inputs and labels at the chosen places, then at the others: four lists, and the ids."""
    ids, chosen = torch.tensor([[7, 5, 8, 0, 9, 6]]), torch.tensor([[0, 1, 0, 1, 0, 1]]).bool()
    inputs, labels = answer(ids, chosen, 3)
    found = inputs[chosen], labels[chosen], inputs[~chosen], labels[~chosen]
    return [part.tolist() for part in found]


def labels_are_turned(answer):
    """The tokens that were not chosen are the labels, and the chosen ones do not count."""
    return parts(answer)[1::2] == [[-100] * 3, [7, 8, 9]]


def chosen_are_labels(answer):
    """The label of a chosen place is its own token."""
    if labels_are_turned(answer):
        return (
            "The labels are the wrong way round: -100 is at the chosen places, where the token "
            "must be, and the token at the others, where -100 must."
        )
    return parts(answer)[1] == [5, 0, 6]


def others_do_not_count(answer):
    """-100 stands at the places that were not chosen."""
    return None if labels_are_turned(answer) else parts(answer)[3] == [-100] * 3


MLM_CURVE = Symptom(
    id="6.5",
    title="The lower loss",
    level="medium",
    text="""
The batches of training B came from code with one of the mistakes (a) to (d). Which of them fits
both its loss and its tests? Choose the letter, then open the folded cell below the check and repair
`mlm_batch(ids, chosen, mask_id)`. It returns inputs and labels (B, T), and a label of -100 does not
count.
""",
    hints=(
        "The loss is lower, but the blanks are filled no better. Which places make it so low?",
        "A model that never met a blank in training could not fill one. Can this one?",
        "Look at the letters that can be seen: who has been asked to name them, and who has not?",
    ),
    solution=mlm_batch,
    second_style=mlm_batch_where,
    mistakes=(
        mlm_batch_not_hidden,
        mlm_batch_labels_hidden,
        mlm_batch_all_counted,
        mlm_batch_all_hidden,
    ),
    shown=mlm_batch_all_counted,
    looks=(
        "The loss would go all the way to 0, as each answer is in the input, and in the test "
        "the model would name hardly any hidden letter: it has never met a blank.",
        "The loss would be 0 after a few steps, and in the test the model would say [MASK] "
        "everywhere: not one letter would be right, seen or hidden.",
        "The loss would be low, but not 0: of 100 places 85 only repeat what can be seen, and 15 "
        "are real blanks. In the test, the blanks would be filled about as well as with sound "
        "batches.",
        "The loss would stay high: with nothing to go by, the model learns how frequent each "
        "letter is, and no more.",
    ),
    cases=mlm_batch_cases,
    properties=(
        Property(
            "A chosen token is not hidden: `mask_id` takes its place in the inputs.",
            lambda answer: parts(answer)[0] == [3, 3, 3],
        ),
        Property(
            "A token that was not chosen is hidden or changed in the inputs: it stays.",
            lambda answer: parts(answer)[2] == [7, 8, 9],
        ),
        Property(
            "The label of a chosen place is not the token that stood there.",
            chosen_are_labels,
        ),
        Property(
            "The label of a place that was not chosen must be -100, so that it does not count.",
            others_do_not_count,
        ),
    ),
    see="6D Fifteen per cent",
)
