"""Chapter 07: does guessing hidden patches help when labels are few?

A ViT guesses the mean colour of hidden patches of the 3,500 training digits, without a label
(Dosovitskiy et al. 2020, appendix B.1.2). Then it gets a new head and a few labelled pictures of
each digit. Beside it the same ViT from scratch, with the same labels and steps. Each seed draws
weights, order and labelled pictures anew.
"""

import torch

from tutorial_lib.datasets import load_mnist
from tutorial_lib.objectives import mask_patches, masked_patch_loss
from tutorial_lib.recipes import mnist_vit, share_of_true, train_on_cpu
from tutorial_lib.recipes.mnist_vit import disturb, evaluate, learn, some_digits
from tutorial_lib.training import set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "n_labels": [10, 20, 50],  # of each digit
    "sizes": {
        "image_size": 28,
        "patch_size": 4,
        "channels": 1,
        "d_model": 64,
        "n_layers": 3,
        "n_heads": 4,
        "n_classes": None,
        "n_patch_classes": 8,  # grey, in 3 bits
    },
    "batch_size": 50,
    "turn": 10.0,
    "resize": 0.1,
    "move": 2.0,
    "pre-training": {"steps": 1_200, "lr": 3e-3},
    "fine-tuning": {"steps": 250, "lr": 1e-3},
    "from scratch": {"steps": 250, "lr": 3e-3},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_labels": [10],
    "sizes": SETTINGS["sizes"] | {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "pre-training": {"steps": 2, "lr": 3e-3},
    "fine-tuning": {"steps": 2, "lr": 1e-3},
    "from scratch": {"steps": 2, "lr": 3e-3},
}


data_bytes = mnist_vit.data_bytes


def run(settings, progress=True):
    """Pre-train one ViT a seed, then train it and a fresh one on few labels; return the rows.

    `pretraining` has one row a seed: how many hidden patches of the validation part it names right,
    beside the colour that is right most often.
    """
    splits = load_mnist()
    rows, pretraining = [], []
    for seed in settings["seeds"]:
        encoder = pretrain(splits.train, settings, seed, progress)
        pretraining.append({"seed": seed} | patches_right(encoder, splits.validation.images))
        for n_labels in settings["n_labels"]:
            for way in ("fine-tuning", "from scratch"):
                set_seed(seed)
                start = encoder if way == "fine-tuning" else mnist_vit.build(settings)
                model = start.with_heads(n_classes=10, n_patch_classes=None)
                few = some_digits(splits.train, 10 * n_labels, seed)
                learn(model, few, settings | settings[way] | {"seed": seed}, progress)
                rows.append(
                    {
                        "start": "hidden patches" if way == "fine-tuning" else "random",
                        "n_labels": n_labels,
                        "seed": seed,
                        **evaluate(model),
                    }
                )
    return {"rows": rows, "pretraining": pretraining}


def pretrain(digits, settings, seed, progress=True):
    """Return a ViT that has learnt to name the mean colour of hidden patches of `Digits`."""
    about = settings | settings["pre-training"] | {"seed": seed}
    return guess_hidden_patches(digits.images, about, progress)


def guess_hidden_patches(images, settings, progress=True):
    """Return a new ViT, in evaluation mode, trained on hidden patches of images (N, C, H, W).

    settings: sizes, steps, lr, seed, and what `HiddenPatchBatches` needs.
    """
    set_seed(settings["seed"])
    model = mnist_vit.build(settings)
    batches = HiddenPatchBatches(images, settings)
    train_on_cpu(model, batches, masked_patch_loss, settings, progress)
    return model.eval()


class HiddenPatchBatches:
    """Endless `MaskedPatches` of images (N, C, height, width), each a little changed every time.

    settings: seed, batch_size, sizes with patch_size, and the limits of `disturb`. Every `iter`
    starts from the seed.
    """

    def __init__(self, images, settings):
        self.images, self.settings = images, settings

    def __iter__(self):
        settings = self.settings
        generator = torch.Generator().manual_seed(settings["seed"])
        limits = {name: settings[name] for name in ("turn", "resize", "move")}
        while True:
            order = torch.randperm(len(self.images), generator=generator)
            for rows in order.split(settings["batch_size"]):
                images = disturb(self.images[rows], **limits, generator=generator).clamp(0, 1)
                yield mask_patches(images, settings["sizes"]["patch_size"], generator=generator)


@torch.no_grad()
def patches_right(model, images, seed=0):
    """Return the share of chosen patches of images (N, C, height, width) named right.

    Beside it `most_frequent_colour`, which always names the one that is right most often, and
    `accuracy_elsewhere`, the share named right of the patches that have another colour.
    """
    generator = torch.Generator().manual_seed(seed)
    batch = mask_patches(images, model.config.patch_size, generator=generator)
    guesses = []
    for rows in torch.arange(len(images)).split(250):
        logits = model.masked_patch_logits(
            batch.images[rows], batch.hidden[rows], batch.source[rows]
        )
        guesses.append(logits.argmax(-1)[batch.chosen[rows]])
    right = torch.cat(guesses) == batch.targets
    common = batch.targets == batch.targets.mode().values
    return {
        "hidden_patch_accuracy": share_of_true(right),
        "most_frequent_colour": share_of_true(common),
        "accuracy_elsewhere": share_of_true(right[~common]),
    }
