"""Chapter 05: a training curve that is too good to be true."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.exercises.chapter02_attention.masks import CAUSAL_MASK
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case
from tutorial_lib.models import GPTConfig
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET, decode, encode
from tutorial_lib.training import Muon, fit, set_seed


def make_batch(windows):
    """Return inputs (B, T), labels (B, T) and the mask (T, T) for windows (B, T + 1) of a text.

    labels[b, t] is the token after inputs[b, t]; mask[t, s] is True where position t may look at s.
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
    """This does not shift the labels: each is the token at its own position."""
    inputs, labels = windows[:, :-1], windows[:, :-1]
    n = inputs.size(1)
    mask = torch.ones(n, n).tril().bool()
    return inputs, labels, mask


def make_batch_unmasked(windows):
    """This has no causal mask: each position may look at the whole window."""
    inputs, labels = windows[:, :-1], windows[:, 1:]
    n = inputs.size(1)
    mask = torch.ones(n, n).bool()
    return inputs, labels, mask


def make_batch_backwards(windows):
    """This shifts the labels the wrong way: each is the token before its position."""
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


def in_order(answer, n=5):
    """Inputs, labels and mask for 3 windows whose tokens are their places, 0 to n."""
    inputs, labels, mask = sorted(
        answer(torch.arange(n + 1).expand(3, n + 1)), key=lambda part: part.dtype is torch.bool
    )
    return inputs, labels, mask


def mask_comes_last(answer):
    """The third result is the mask."""
    found = answer(torch.arange(6).expand(3, 6))
    return [part.dtype is torch.bool for part in found] == [False, False, True]


def labels_are_one_ahead(answer):
    """Each label is the token after the one at its place in the inputs."""
    inputs, labels, _ = in_order(answer)
    sentences = {
        -1: "Each label is the token before its position: shift the other way, or exchange inputs "
        "and labels.",
        0: "The labels are not shifted: each is the token at its own position.",
    }
    ahead = (labels - inputs).unique().tolist()
    return ahead == [1] or (sentences.get(ahead[0], False) if len(ahead) == 1 else False)


def whole_window_is_used(answer):
    """T inputs and labels are made of T + 1 tokens."""
    inputs, labels, _ = in_order(answer)
    return inputs.shape == labels.shape == (3, 5)


def mask_is_turned(answer):
    """What may be seen and what may not are exchanged, with the diagonal or without."""
    mask = in_order(answer)[2]
    return any(torch.equal(mask, torch.ones(5, 5).triu(first).bool()) for first in (0, 1))


def of_the_mask(entry):
    """A property of the causal mask as one of the mask of a batch."""

    def holds(answer):
        if mask_is_turned(answer):
            return None
        return entry.holds(lambda n: in_order(answer, n)[2])

    return Property(entry.sentence, holds)


class MaskedFromOutside:
    """A small GPT whose mask comes with the batch; trains on what `make_batch` makes."""

    def __init__(self, make_batch, window):
        self.make_batch, self.window = make_batch, window
        sizes = {"context": window, "d_model": 64, "n_layers": 2, "n_heads": 2}
        self.model = GPTConfig(vocab_size=len(ALPHABET), **sizes).build()
        for block in self.model.blocks:
            block.attention.causal = False

    def logits(self, ids, mask):
        """Return (B, T, V); mask (T, T), True = may look."""
        x = self.model.embed(ids)
        for block in self.model.blocks:
            x = block(x, mask)
        return self.model.logits(self.model.final_norm(x))

    def bits(self, windows):
        """Return the loss at each position of windows (B, T + 1), in bits, (B, T)."""
        inputs, labels, mask = self.make_batch(windows)
        logits = self.logits(inputs, mask).transpose(1, 2)  # (B, V, T)
        return F.cross_entropy(logits, labels, reduction="none") / math.log(2)

    @torch.no_grad()
    def go_on(self, text, length):
        """Return what comes after ids (T,), drawn with the mask of the batches."""
        start = len(text)
        for _ in range(length):
            seen = text[None, -self.window :]
            mask = self.make_batch(torch.zeros(1, seen.size(1) + 1, dtype=torch.long))[2]
            p = self.logits(seen, mask)[0, -1].softmax(dim=-1)
            text = torch.cat([text, torch.multinomial(p, 1)])
        return decode(text[start:].tolist())


def train_on(make_batch, steps=200, window=24):
    """Train a small GPT on what make_batch makes; return its losses, bits by position, a text."""
    set_seed(0)
    gpt = MaskedFromOutside(make_batch, window)
    plays = load_shakespeare().plays
    windows = encode(plays[0].text).unfold(0, window + 1, 1)  # (N, T + 1)

    def batches():
        while True:
            yield windows[torch.randint(len(windows), (16,))]

    options = {"steps": steps, "lr": 1e-2, "optimizer": Muon, "device": "cpu", "progress": False}
    history = fit(gpt.model, batches(), lambda _, batch: gpt.bits(batch).mean(), **options)
    with torch.no_grad():
        positions = gpt.bits(windows[::97][:400]).mean(dim=0)  # (T,)
    start = plays[1].text[600 : 600 + window]
    return history.loss, positions.tolist(), gpt.go_on(encode(start), 60)


TRAINING_CURVE = Symptom(
    id="5.5",
    title="Too good to be true",
    level="medium",
    text="""
On the left, the training loss falls to almost nothing within 200 steps, too few to learn a whole
play by heart. On the right is the same loss position by position, after training. Below them is a
text that the model wrote. The model is correct, but its batches were made by code with one of these
mistakes. Choose the letter, then repair `make_batch`.
""",
    hints=(
        "A loss near 0 is no skill: the answer could be seen. From which positions?",
        "One position of the window is not near 0. What can the others see that it cannot?",
        "What would a model that has learned to copy its last token write? And one that has "
        "learned to copy the token before it?",
    ),
    solution=make_batch,
    second_style=make_batch_unfolded,
    mistakes=(make_batch_unshifted, make_batch_unmasked, make_batch_backwards),
    shown=make_batch_unmasked,
    looks=(
        "The loss would be near 0 at every position, the last one too, and the text would be one "
        "character over and over: the model copies what it has just read.",
        "The loss would be near 0 at every position but the last, whose label no position "
        "can see, and the text would be no better than that last position: a model that writes has "
        "no future to look at.",
        "The loss would be near 0 at every position but the first, and the text would go back and "
        "forth between its last two characters.",
    ),
    cases=make_batch_cases,
    properties=(
        Property("The results are inputs, labels, mask, in this order.", mask_comes_last),
        Property("A label is not the token after its position.", labels_are_one_ahead),
        Property("Of T + 1 tokens all but the last are inputs.", whole_window_is_used),
        Property(
            "The mask is upside down: True is where a position may look, at itself and at what is "
            "before it.",
            lambda answer: not mask_is_turned(answer),
        ),
        *map(of_the_mask, CAUSAL_MASK.properties),
    ),
    results=("inputs", "labels", "mask"),
    see="5F Train one",
)
