"""BERT's masked tokens, timed: a training step and its peak memory against BertForMaskedLM.

    python tests/benchmarks/bench_mlm.py

Both sides take turns, so that a busy neighbour slows both; a ratio above 1 means ours is faster,
or needs less. Neither uses dropout, and both use the same batch, optimizer and attention kernel.
Ours computes logits at the masked positions only, theirs at all: that is the difference. It grows
with the vocabulary and shrinks with the layers below: by the multiplications alone, 1,000 tokens
over 2 layers would give 1.25x, over 4 layers 1.13x.
"""

import argparse

import measure
import torch
import transformers
from measure import DEVICE

from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import mask_tokens, masked_token_loss

SIZES = {"context": 128, "d_model": 128, "n_heads": 4, "d_ff": 512}
TASKS = ((2, 1_000), (4, 1_000), (4, 4_096), (4, 30_522))  # layers and vocabulary
BATCH = 8
SPECIAL = range(4)
MASK = 3


def ours(n_layers, vocab_size):
    """Return our BERT and its loss for MaskedTokens."""
    config = BERTConfig(vocab_size=vocab_size, n_layers=n_layers, mlm=True, **SIZES)
    return BERT(config), masked_token_loss


def theirs(n_layers, vocab_size):
    """Return BertForMaskedLM of `transformers` and its loss for the same batch."""
    model = transformers.BertForMaskedLM(
        transformers.BertConfig(
            vocab_size=vocab_size,
            max_position_embeddings=SIZES["context"],
            hidden_size=SIZES["d_model"],
            num_hidden_layers=n_layers,
            num_attention_heads=SIZES["n_heads"],
            intermediate_size=SIZES["d_ff"],
            attn_implementation="sdpa",
            **dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0),
        )
    )

    def loss(model, batch):
        labels = torch.full_like(batch.ids, -100).masked_scatter(batch.chosen, batch.targets)
        return model(batch.ids, labels=labels).loss

    return model, loss


SIDES = {"ours": ours, "transformers": theirs}


def training_step(side, n_layers, vocab_size):
    """Return a function that makes one training step of a fresh model."""
    torch.manual_seed(0)
    model, loss = SIDES[side](n_layers, vocab_size)
    ids = torch.randint(len(SPECIAL), vocab_size, (BATCH, SIZES["context"]), device=DEVICE)
    generator = torch.Generator(DEVICE).manual_seed(0)
    batch = mask_tokens(ids, MASK, vocab_size, SPECIAL, generator=generator)
    return measure.training_step(model, loss, batch)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    repeats = parser.parse_args().repeats
    measure.head(f"{BATCH} x {SIZES['context']}")
    for task in TASKS:
        steps = {side: training_step(side, *task) for side in SIDES}
        milliseconds = measure.in_turn(steps, repeats)
        measure.report(f"MLM training step, {named(*task)}", milliseconds, "ms")
    for task in TASKS:
        megabytes = {side: measure.peak_memory(training_step, side, *task) for side in SIDES}
        measure.report(f"peak memory, {named(*task)}", megabytes, "MB")


def named(n_layers, vocab_size):
    """Return a task in words."""
    return f"{n_layers} layers, V = {vocab_size:,}"


if __name__ == "__main__":
    main()
