"""How a map by occlusion is made: one tile is covered after the other, and read again."""

import torch
from matplotlib.patches import Rectangle
from torch.nn import functional as F

from tutorial_lib.figures import style
from tutorial_lib.figures.chapter07_vit.patch_looks import INKED
from tutorial_lib.figures.chapter07_vit.tests_of_maps import PAINT
from tutorial_lib.interpret import paint_over

_SHOWN = 3  # covered copies


@style.styled
def covered_tiles(image, falls, named, surest, title=None, figure=None):
    """A digit, the same with one tile covered, three times, and the whole map of falls.

    image (1, side, side) of ink from 0 to 1; falls (R, R): what the probability of the class
    `named` loses when a tile is covered; surest: that probability for the whole picture. The tiles
    shown are the two with the highest falls and, of those with ink, the one that changes least. In
    the map a probability that rises is as white as one that stays. Returns the figure.

    >>> import torch
    >>> figure = covered_tiles(torch.rand(1, 4, 4), torch.tensor([[0.9, 0.4], [0.0, 0.1]]), 7, 0.99)
    >>> figure.axes[1].get_title()
    'one tile covered'
    """
    shown = _telling(image, falls)
    figure = style.blank(figure, 9.6, 2.75)
    whole, *copies, last = figure.subplots(1, _SHOWN + 2)
    _digit(whole, image, "the digit", f"“{named}”: {surest:.2f}")
    for axes, number in zip(copies, shown, strict=True):
        tile = falls.flatten().new_zeros(falls.numel()).bool()
        tile[number] = True
        fall = falls.flatten()[number].item()
        left = paint_over(image[None], tile[None])[0]
        _digit(axes, left, "one tile covered", f"“{named}”: {max(surest - fall, 0):.2f}")
        row, column = divmod(number, len(falls))
        step = image.size(-1) / len(falls)
        corner = (column * step - 0.5, row * step - 0.5)
        look = {"facecolor": PAINT, "edgecolor": style.ORANGE, "linewidth": 1.5}
        axes.add_patch(Rectangle(corner, step, step, **look))
    side = image.size(-1)
    look = {"cmap": style.WEIGHTS, "vmin": 0, "vmax": max(falls.max().item(), 1e-6)}
    extent = (-0.5, side - 0.5, side - 0.5, -0.5)
    picture = last.imshow(falls.numpy(), extent=extent, interpolation="nearest", **look)
    for colour, width in ((style.CARD, 3), (style.INK, 1.2)):  # seen on pale and on dark tiles
        last.contour(image[0].numpy(), [0.5], colors=colour, linewidths=width)
    style.draw_frame(last)
    style.panel_title(last, f"the map: all {falls.numel()} falls")
    last.set_xlabel("darker: falls further", fontsize=10.5)
    bar = figure.colorbar(picture, ax=last, fraction=0.046, pad=0.04)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=10)
    said = "Cover one tile, read again, and note how far the probability falls"
    style.headline(figure, title or said)
    return figure


def describe_covered_tiles(image, falls, named, surest):
    """Say in words what `covered_tiles` shows."""
    each = ", ".join(
        f"row {number // len(falls)}, column {number % len(falls)} "
        f"{surest - falls.flatten()[number].item():.2f}"
        for number in _telling(image, falls)
    )
    return (
        f"A digit read as {named} with {surest:.2f}. With one tile covered: {each}. At the right "
        f"the map of all {falls.numel()} falls; {int((falls > 0.1).sum())} are above 0.1."
    )


def _telling(image, falls):
    """The numbers of three tiles: the two highest falls, and of those with ink one near 0."""
    first, second = falls.flatten().topk(2).indices.tolist()
    ink = F.avg_pool2d(image, image.size(-1) // len(falls)).flatten()
    least = falls.flatten().abs().masked_fill(ink < INKED, torch.inf).argmin()
    return [first, second, int(least)]


def _digit(axes, image, title, below):
    axes.imshow((1 - image[0]).numpy(), cmap="gray", vmin=0, vmax=1)
    style.draw_frame(axes)
    style.panel_title(axes, title)
    axes.set_xlabel(below, fontsize=10.5)
