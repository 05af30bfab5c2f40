"""ViT, timed: a training step and its peak memory against ViTForImageClassification.

    python tests/benchmarks/bench_vit.py

Neither side uses dropout, and both use the same optimizer and attention kernel.
"""

import measure
import torch
import torch.nn.functional as F
from measure import DEVICE
from torch import nn
from transformers import ViTConfig as TheirConfig
from transformers import ViTForImageClassification

from tutorial_lib.models.vit import ViT, ViTConfig

DIGITS = {"image_size": 28, "patch_size": 4, "channels": 1, "n_classes": 10}
DIGITS |= {"d_model": 64, "n_layers": 3, "n_heads": 4, "d_ff": 256}
COLOURS = {"image_size": 64, "patch_size": 8, "channels": 3, "n_classes": 10}
COLOURS |= {"d_model": 192, "n_layers": 6, "n_heads": 3, "d_ff": 768}
TASKS = {"50 of 28 x 28, 64 wide": (DIGITS, 50), "16 of 64 x 64, 192 wide": (COLOURS, 16)}


class Theirs(nn.Module):
    """ViTForImageClassification of `transformers`, called with images, answering with logits."""

    def __init__(
        self, image_size, patch_size, channels, n_classes, d_model, n_layers, n_heads, d_ff
    ):
        super().__init__()
        self.model = ViTForImageClassification(
            TheirConfig(
                image_size=image_size,
                patch_size=patch_size,
                num_channels=channels,
                num_labels=n_classes,
                hidden_size=d_model,
                num_hidden_layers=n_layers,
                num_attention_heads=n_heads,
                intermediate_size=d_ff,
                attn_implementation="sdpa",
                **dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0),
            )
        )

    def forward(self, images):
        return self.model(images).logits


SIDES = {"ours": lambda **sizes: ViT(ViTConfig(**sizes)), "transformers": Theirs}


def training_step(side, sizes, batch_size):
    """Return a function that makes one training step of a fresh model."""
    torch.manual_seed(0)
    shape = (batch_size, sizes["channels"], sizes["image_size"], sizes["image_size"])
    images = torch.rand(shape, device=DEVICE)
    labels = torch.randint(sizes["n_classes"], (batch_size,), device=DEVICE)
    return measure.training_step(SIDES[side](**sizes), class_loss, (images, labels))


def class_loss(model, batch):
    """Return the cross-entropy of a batch (images, labels)."""
    images, labels = batch
    return F.cross_entropy(model(images), labels)


def rows(repeats=20, memory=True):
    """Yield the rows of the table."""
    options = {"repeats": repeats, "memory": memory, "targets": {"transformers": 1.0}}
    for name, task in TASKS.items():
        yield from measure.compare(f"ViT step, {name}", SIDES, training_step, *task, **options)


if __name__ == "__main__":
    measure.main(rows, __doc__)
