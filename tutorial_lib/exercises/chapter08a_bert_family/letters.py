"""Chapter 08a: small networks that read a play letter by letter, for the symptoms."""

import functools

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets import load_shakespeare

CONTEXT = 32
MASK = 0
SHARE = 0.15


@functools.cache
def windows():
    """All pieces of 32 letters of one play, (N, T), and how many letters there are, [MASK] too."""
    text = load_shakespeare().plays[0].text.lower()
    letters = sorted(set(text))
    number = {letter: place for place, letter in enumerate(letters, start=1)}  # 0 is [MASK]
    return torch.tensor([number[letter] for letter in text]).unfold(0, CONTEXT, 1), len(letters) + 1


def batches():
    """Draw batches of the first nine tenths without an end: ids (B, T), and chosen (B, T)."""
    ids, _ = windows()
    border = len(ids) * 9 // 10
    while True:
        drawn = ids[torch.randint(border, (32,))]
        yield drawn, torch.rand(drawn.shape) < SHARE


def held_out():
    """Pieces of the last tenth, (B, T), and chosen (B, T): the same ones each time."""
    ids, _ = windows()
    ids = ids[len(ids) * 9 // 10 :: 23]
    return ids, torch.rand(ids.shape, generator=torch.Generator().manual_seed(0)) < SHARE


class Reader(nn.Module):
    """At each place it sees the letter there and some on either side; out come (B, T, n_out)."""

    def __init__(self, n_out, width=96, around=2):
        super().__init__()
        self.letters = nn.Embedding(windows()[1], 24)
        self.neighbours = nn.Conv1d(24, width, kernel_size=2 * around + 1, padding=around)
        self.head = nn.Linear(width, n_out)

    def forward(self, ids):
        """Return (B, T, n_out) for ids (B, T)."""
        x = self.letters(ids).transpose(1, 2)  # (B, 24, T)
        return self.head(F.gelu(self.neighbours(x)).transpose(1, 2))
