"""Masked tokens, timed: logits at the masked positions against logits everywhere.

    python tests/benchmarks/bench_objectives.py

A whole training step of a small BERT, both ways in turn on the same batch, so that a busy
neighbour slows both. The ratio says how many times faster the masked positions alone are.
"""

import argparse
import itertools
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.devices import get_device
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import mask_tokens, masked_token_loss


class MaskedModel(nn.Module):
    """A BERT with the plainest head there is, tied to the token vectors."""

    def __init__(self, vocab_size, n_layers):
        super().__init__()
        sizes = {"context": 128, "d_model": 128, "n_layers": n_layers, "n_heads": 4}
        self.bert = BERT(BERTConfig(vocab_size=vocab_size, **sizes))

    def forward(self, ids, segments=None, mask=None):
        """Return the last hidden states (B, T, D)."""
        return self.bert(ids, segments, mask)

    def mlm_logits(self, hidden):
        """Return logits (..., V) from hidden states (..., D)."""
        return F.linear(hidden, self.bert.token_embedding.weight)


def everywhere_loss(model, batch):
    """Return the same loss by way of all logits, (B, T, V)."""
    logits = model.mlm_logits(model(batch.ids, batch.segments, batch.mask))
    targets = torch.full_like(batch.ids, -100).masked_scatter(batch.chosen, batch.targets)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def step_seconds(vocab_size, n_layers, device, repeats, batch_size=8, length=128):
    """Return the median seconds of a step, with masked positions only and with all."""
    torch.manual_seed(0)
    model = MaskedModel(vocab_size, n_layers).to(device)
    ids = torch.randint(4, vocab_size, (batch_size, length), device=device)
    batch = mask_tokens(ids, mask_id=3, vocab_size=vocab_size, special_ids=range(4))
    times = {masked_token_loss: [], everywhere_loss: []}
    losses = []
    for repeat in range(repeats + 1):
        for loss, seconds in times.items():
            start = clock(device)
            value = loss(model, batch)
            value.backward()
            model.zero_grad(set_to_none=True)
            if repeat:  # the first step warms up
                seconds.append(clock(device) - start)
            losses.append(value.item())
    if max(losses) - min(losses) > 1e-4:
        raise AssertionError(f"the two ways disagree: {min(losses)} and {max(losses)}")
    return [statistics.median(seconds) for seconds in times.values()]


def clock(device):
    """Return CPU seconds, which no neighbour lengthens; on a GPU, seconds once it is done."""
    if device.type != "cuda":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    device = get_device()
    print(f"{'on ' + str(device):32} {'masked ms':>10} {'all ms':>10} {'ratio':>6}")
    for n_layers, vocab_size in itertools.product((2, 4), (1_000, 8_000, 30_522)):
        masked, everywhere = step_seconds(vocab_size, n_layers, device, options.repeats)
        name = f"MLM step, {n_layers} layers, V = {vocab_size:,}"
        ratio = everywhere / masked
        print(f"{name:32} {masked * 1e3:10.1f} {everywhere * 1e3:10.1f} {ratio:6.2f}")


if __name__ == "__main__":
    main()
