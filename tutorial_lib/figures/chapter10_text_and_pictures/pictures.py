"""What the figures of chapter 10 share: arrays as pictures, and words as chips."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import rounded
from tutorial_lib.figures.tokens import drawable

LETTER = 0.088  # inches a monospaced letter takes at 10 points
CHIP, BETWEEN = 0.27, 0.06  # height of a chip, and from chip to chip


def as_images(images, name="images"):
    """Pictures (N, 1 or 3, height, width) from 0 to 1 as an array (N, height, width, 3).

    Raises ShapeError for another shape, or without a picture.

    >>> as_images(np.zeros((2, 1, 4, 5))).shape
    (2, 4, 5, 3)
    """
    values = numbers(images)
    if values.ndim != 4 or values.shape[1] not in (1, 3) or 0 in values.shape:
        raise ShapeError(f"{name} must be (N, 1 or 3, height, width), got shape {values.shape}")
    values = np.broadcast_to(values, (len(values), 3, *values.shape[2:]))
    return values.transpose(0, 2, 3, 1).clip(0, 1)


def numbers(values):
    """A list, an array or a tensor as an array of floats."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return np.asarray(values, dtype=float)


def same_counts(**sizes):
    """Raise ShapeError unless all sizes are equal and not 0; says which is what.

    >>> same_counts(images=2, captions=2)
    """
    if len(set(sizes.values())) != 1 or 0 in sizes.values():
        said = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ShapeError(f"expected as many of each, and at least one, got {said}")


def place(axes, image, left, top, width, height, edge=None, thick=1.0, smooth=False):
    """Show an image (height, width, 3) in a rectangle of the axes' units, whose y runs down."""
    extent = (left, left + width, top + height, top)
    how = "antialiased" if smooth else "nearest"
    axes.imshow(image, extent=extent, interpolation=how, aspect="auto", zorder=3)
    look = {"facecolor": "none", "edgecolor": edge or style.GRID, "linewidth": thick, "zorder": 4}
    axes.add_patch(Rectangle((left, top), width, height, **look))


def page(figure, width, height, title):
    """Return a figure and its axes: width x height inches, y runs down, the title above all."""
    figure = style.blank(figure, max(width, 0.108 * len(title)) + 0.35, height + 0.55)
    axes = figure.subplots()
    axes.axis("off")
    axes.set_anchor("W")
    style.headline(figure, title)
    return figure, axes


def finish(axes, width, height):
    """Set the limits again, which pictures have moved."""
    axes.set(xlim=(-0.03, width + 0.03), ylim=(height, -0.03))
    axes.set_aspect("equal")


def shortened(text, letters):
    """A text that the figures' font can draw, cut to so many letters.

    >>> shortened("a cat above a dog", 8)
    'a cat a…'
    """
    text = drawable(" ".join(str(text).split()))
    return text if len(text) <= letters else text[: letters - 1] + "…"


def wrapped_chips(words, width, size=9.5):
    """Where chips for words lie: (line, left, width) of each, and how many lines there are."""
    places, line, left = [], 0, 0.0
    for word in words:
        wide = 0.14 + LETTER * max(1, len(word)) * size / 10
        if left and left + wide > width:
            line, left = line + 1, 0.0
        places.append((line, left, wide))
        left += wide + BETWEEN
    return places, line + 1


def draw_chip(axes, word, left, top, width, fill=style.PALE_GREY, edge=style.GRID, size=9.5):
    """Draw one word on a chip; a wide edge marks the chosen one."""
    thick = 0.8 if edge == style.GRID else 2.2
    rounded(axes, left, top, width, CHIP, fill, edge, linewidth=thick)
    axes.text(
        left + width / 2, top + CHIP / 2 + 0.01, word, ha="center", va="center", fontsize=size,
        family="DejaVu Sans Mono", zorder=5,
    )  # fmt: skip
