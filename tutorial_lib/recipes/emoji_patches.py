"""Chapter 07: a ViT that fills hidden patches of emoji with a colour, trained without labels.

Half the patches of a picture are chosen, and of each the mean colour is asked for, one of 512
(Dosovitskiy et al. 2020, appendix B.1.2). Of 1,391 emoji 200 are never seen in training.
"""

import torch
from torch.nn.functional import pad

from tutorial_lib.datasets import load_emoji
from tutorial_lib.objectives import mask_patches
from tutorial_lib.recipes import mnist_vit, share_of_true
from tutorial_lib.recipes.hidden_patches import guess_hidden_patches, patches_right

SETTINGS = {
    "seed": 0,
    "sizes": {
        "image_size": 32,
        "patch_size": 4,
        "channels": 3,
        "d_model": 96,
        "n_layers": 3,
        "n_heads": 4,
        "n_classes": None,
        "n_patch_classes": 512,
        "positions": "learned_grid",
    },
    "batch_size": 32,
    # Outside a picture of `disturb` is black, and emoji stand on white: they stay as they are.
    "turn": 0.0,
    "resize": 0.0,
    "move": 0.0,
    "steps": 1_800,
    "lr": 2e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "sizes": SETTINGS["sizes"] | {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "steps": 2,
}

build = mnist_vit.build


def train(settings, progress=True):
    """Train on the 1,091 emoji of the training part and their mirror images."""
    images = load_emoji(settings["sizes"]["image_size"]).train.images
    return guess_hidden_patches(torch.cat([images, images.flip(-1)]), settings, progress)


def evaluate(model):
    """Return the shares of hidden patches of unseen emoji that get the right one of 512 colours.

    Beside the model's, that of the most frequent colour, and that of a rule: the colour that most
    of the patches around have that are not chosen.
    """
    images = load_emoji(model.config.image_size).test.images
    return patches_right(model, images) | {
        "colour_around": colour_around(images, model.config.patch_size)
    }


def colour_around(images, patch_size, seed=0):
    """Return the share of chosen patches whose colour is the commonest among the 8 around.

    images (N, 3, height, width); the patches are chosen as `patches_right` chooses them. Patches
    chosen themselves are not looked at; where nothing is left, the most frequent colour stands in.
    """
    generator = torch.Generator().manual_seed(seed)
    batch = mask_patches(images, patch_size, generator=generator)
    side = images.size(-1) // patch_size
    seen = torch.full(batch.chosen.shape, -1)
    every = mask_patches(images, patch_size, share=1.0).targets.view_as(seen)
    seen[~batch.chosen] = every[~batch.chosen]
    framed = pad(seen.view(-1, side, side), (1, 1, 1, 1), value=-1)
    around = torch.stack(
        [
            framed[:, 1 + down : 1 + down + side, 1 + right : 1 + right + side]
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if (down, right) != (0, 0)
        ],
        dim=-1,
    ).flatten(1, 2)  # (N, patches, 8)
    votes = torch.zeros(*around.shape[:2], 513).scatter_add_(
        2, around + 1, torch.ones(around.shape)
    )[..., 1:]
    votes[..., batch.targets.mode().values] += 0.5  # breaks ties, and stands in for nothing
    guesses = votes.argmax(-1)[batch.chosen]
    return share_of_true(guesses == batch.targets)


def data_bytes():
    """Return the names of the training emoji as bytes: rasterisers differ in a pixel."""
    return "\n".join(load_emoji(8).train.characters).encode()
