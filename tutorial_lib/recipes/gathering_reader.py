"""Chapter 03: the small reader behind the picture of exercise 3.6, which puts `gather` to work."""

import torch
from torch import nn

from tutorial_lib.datasets import numbers_in_words
from tutorial_lib.positions import sinusoidal
from tutorial_lib.recipes.one_head_reader import reading_loss
from tutorial_lib.training import fit, set_seed


class GatheringReader(nn.Module):
    """Word vectors, a question and a readout; `gather(words, table, question)` does the rest."""

    def __init__(self, gather, vocab_size, d_model=32):
        super().__init__()
        self.gather = gather
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.question = nn.Parameter(torch.randn(d_model))
        self.readout = nn.Linear(d_model, 10)
        self.register_buffer("table", sinusoidal(128, d_model))

    def forward(self, ids, lengths):
        """Score the ten digits, (B, 10), for words ids (B, S); lengths are not needed."""
        return self.readout(self.gather(self.embedding(ids), self.table, self.question))


@torch.no_grad()
def share_right(model, order):
    """Return the share of all 900 numbers that a reader gets right, asked in this order (900,).

    It is asked a hundred numbers at a time: `order` says which of them share a batch.
    """
    data = numbers_in_words()
    parts = [data.select(rows) for rows in order.split(100)]
    right = [model(part.ids, part.lengths).argmax(-1) == part.digits for part in parts]
    return torch.cat(right).float().mean().item()


def curves_of(gather, steps=300, progress=True):
    """Train a reader with this `gather`; return {name: (steps, shares read right)}.

    The model is asked for all 900 numbers four times, a hundred at a time: in order, and shuffled
    into other batches in three ways.
    """
    data = numbers_in_words()
    generator = torch.Generator().manual_seed(0)
    orders = {"in order": torch.arange(len(data))}
    for number in range(1, 4):
        orders[f"shuffle {number}"] = torch.randperm(len(data), generator=generator)
    set_seed(0)
    model = GatheringReader(gather, len(data.vocabulary))
    history = fit(
        model,
        data.batches(100),
        reading_loss,
        steps=steps,
        lr=1e-2,
        evaluate=lambda model: {name: share_right(model, order) for name, order in orders.items()},
        evaluate_every=10,
        device="cpu",
        progress=progress,
    )
    return {name: history.column(name) for name in orders}
