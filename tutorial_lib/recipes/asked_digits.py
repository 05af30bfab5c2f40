"""What the explorers of chapter 09 show of the Perceiver of `ask_anywhere`."""

from tutorial_lib.interpret import see_latents
from tutorial_lib.positions import grid_positions
from tutorial_lib.recipes.ask_anywhere import TRUE, ask, inputs, queries, shrink

SIDES = (14, 28, 56, 112, 224)  # points along a side


def _named(images, names):
    return names or [f"digit {number}" for number in range(1, 1 + len(images))]


def see_digits(model, images, names=None):
    """Return the SeenLatents of images (B, 1, 28, 28), as LatentExplorer takes them."""
    where = queries(grid_positions(TRUE, TRUE))
    return [
        see_latents(model, inputs(small[None]), where, small[0], name)
        for small, name in zip(shrink(images), _named(images, names), strict=True)
    ]


def asked_digits(model, images, names=None, sides=SIDES):
    """Return the answers of images (B, 1, 28, 28) at all sides, as ZoomExplorer takes them."""
    small = shrink(images)
    answers = {side: ask(model, small, side)[:, 0].numpy() for side in sides}
    return [
        {
            "name": name,
            "read": small[at, 0].numpy(),
            "true": images[at, 0].numpy(),
            "answers": {side: answers[side][at] for side in sides},
        }
        for at, name in enumerate(_named(images, names))
    ]
