"""BERT's masked tokens, timed: a training step and its peak memory against BertForMaskedLM.

    python tests/benchmarks/bench_mlm.py

Neither side uses dropout, and all use the same batch, optimizer and attention kernel. Ours
computes logits at the masked positions only, theirs at all positions; the third side is our own
model with logits everywhere, which shows what that alone is worth.
"""

import measure
import torch
import torch.nn.functional as F
from measure import DEVICE
from transformers import BertConfig, BertForMaskedLM

from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import mask_tokens, masked_token_loss

SIZES = {"context": 128, "d_model": 128, "n_heads": 4, "d_ff": 512}
TASKS = ((2, 1_000), (4, 1_000), (4, 30_522))  # layers and vocabulary
TARGETS = {1_000: 1.25, 30_522: 3.0}
BATCH = 8
SPECIAL = range(4)
MASK = 3
NOTE = (
    "Logits at 15 % of the places save {:.0%} of the multiplications: {:.2f}x by that alone. The "
    "rest is the layers, whose products both sides compute alike."
)


def ours(n_layers, vocab_size):
    """Return our BERT and its loss for MaskedTokens."""
    config = BERTConfig(vocab_size=vocab_size, n_layers=n_layers, mlm=True, **SIZES)
    return BERT(config), masked_token_loss


def everywhere(n_layers, vocab_size):
    """Return our BERT and the same loss by way of the logits of all positions, (B, T, V)."""

    def loss(model, batch):
        logits = model.mlm_logits(model(batch.ids))
        return F.cross_entropy(logits.flatten(0, 1), labels(batch).flatten())

    return ours(n_layers, vocab_size)[0], loss


def theirs(n_layers, vocab_size):
    """Return BertForMaskedLM of `transformers` and its loss for the same batch."""
    model = BertForMaskedLM(
        BertConfig(
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
    return model, lambda model, batch: model(batch.ids, labels=labels(batch)).loss


def labels(batch):
    """Return the targets (B, T), -100 where nothing is asked."""
    return torch.full_like(batch.ids, -100).masked_scatter(batch.chosen, batch.targets)


SIDES = {"ours": ours, "transformers": theirs, "logits everywhere": everywhere}


def training_step(side, n_layers, vocab_size):
    """Return a function that makes one training step of a fresh model."""
    torch.manual_seed(0)
    model, loss = SIDES[side](n_layers, vocab_size)
    ids = torch.randint(len(SPECIAL), vocab_size, (BATCH, SIZES["context"]), device=DEVICE)
    generator = torch.Generator(DEVICE).manual_seed(0)
    batch = mask_tokens(ids, MASK, vocab_size, SPECIAL, generator=generator)
    return measure.training_step(model, loss, batch)


def share_left_out(n_layers, vocab_size, share=0.15):
    """Return the share of a step's multiplications that masked positions alone save.

    >>> round(share_left_out(4, 1_000), 3)
    0.116
    """
    width, d_ff = SIZES["d_model"], SIZES["d_ff"]
    layer = 4 * width**2 + 2 * width * d_ff + 2 * SIZES["context"] * width
    head = width**2 + width * vocab_size
    return (1 - share) * head / (n_layers * layer + head)


def rows(repeats=20, memory=True):
    """Yield the rows of the table."""
    options = {"repeats": repeats, "memory": memory}
    for n_layers, vocab_size in TASKS:
        saved = share_left_out(n_layers, vocab_size)
        yield from measure.compare(
            f"MLM step, {BATCH} x 128, {n_layers} layers, V = {vocab_size:,}",
            SIDES,
            training_step,
            n_layers,
            vocab_size,
            targets={"transformers": TARGETS[vocab_size]},
            notes={"transformers": NOTE.format(saved, 1 / (1 - saved))},
            **options,
        )


if __name__ == "__main__":
    measure.main(rows, __doc__)
