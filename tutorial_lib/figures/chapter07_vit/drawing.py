"""A digit drawn by hand on its way through a ViT: the static twin of `explorers.DigitExplorer`."""

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter07_vit.patch_looks import PatchGrid, add_key, draw_look


@style.styled
def drawn_digit(ink, picture, probabilities, seen, patch_size, overlap=0, title=None, figure=None):
    """A drawing, the picture made of it, the model's probabilities, and where it looks.

    ink (height, width) as `draw_strokes` gives it; picture (1, side, side) as `like_mnist` gives
    it; probabilities (classes,); seen (N,): how much each patch is looked at, a row of `rollout`
    without [CLS]. Returns the figure. Raises ShapeError when the sizes do not fit.

    >>> from tutorial_lib.datasets.drawings import draw_strokes, like_mnist
    >>> ink = draw_strokes([[(0.5, 0.1), (0.5, 0.9)]])
    >>> even = torch.full((16,), 1 / 16)
    >>> figure = drawn_digit(ink, like_mnist(ink), [0.1, 0.9], even, patch_size=7)
    >>> figure.get_suptitle()
    'The drawing is read as 1 (0.90), then 0 (0.10)'
    """
    grid, probabilities = _checked(ink, picture, probabilities, patch_size, overlap)
    figure = style.blank(figure, 9.5, 3.5)
    drawn, read, bars, look = figure.subplots(1, 4, width_ratios=(1, 1, 0.9, 1))
    for axes, pixels in ((drawn, ink), (read, grid.image[0])):
        axes.imshow((1 - torch.as_tensor(pixels)).numpy(), cmap="gray", vmin=0, vmax=1)
        style.draw_frame(axes)
    drawn.set_xlabel(f"{len(ink)} x {len(ink[0])} pixels", fontsize=9.5)
    side = grid.image.size(-1)
    read.set_xlabel(f"{side} x {side} pixels, as MNIST's", fontsize=9.5)
    colours = [style.BLUE] * len(probabilities)
    colours[int(probabilities.argmax())] = style.ORANGE
    bars.barh(range(len(probabilities)), probabilities.tolist(), color=colours, height=0.68)
    bars.set_yticks(range(len(probabilities)))
    bars.set(xlim=(0, 1.02), ylim=(len(probabilities) - 0.4, -0.6), xlabel="probability")
    bars.tick_params(axis="y", length=0)
    top = grid.shares(seen).max().item()
    draw_look(look, grid, seen, top)
    look.set_xlabel(f"{grid.on_ink(seen):.2f} of it on ink\ndarkest tile: {top:.2f}", fontsize=9.5)
    for axes, name in zip(figure.axes, ("drawn", "read", "said", "looked at"), strict=True):
        style.panel_title(axes, name)
    add_key(figure, grid)
    style.headline(figure, title or f"The drawing is read as {_guesses(probabilities)}")
    return figure


def describe_drawn_digit(ink, picture, probabilities, seen, patch_size, overlap=0):
    """Say in words what `drawn_digit` shows."""
    grid, probabilities = _checked(ink, picture, probabilities, patch_size, overlap)
    side = grid.image.size(-1)
    return (
        f"A drawing of {len(ink)} x {len(ink[0])} pixels, the picture of {side} x {side} made of "
        f"it, a bar for each digit's probability, and the patches looked at. It is read as "
        f"{_guesses(probabilities)}; {grid.on_ink(seen):.2f} of the look is on patches with ink."
    )


def _checked(ink, picture, probabilities, patch_size, overlap):
    if torch.as_tensor(ink).dim() != 2:
        raise ShapeError(f"ink must be (height, width), got {tuple(torch.as_tensor(ink).shape)}")
    probabilities = torch.as_tensor(probabilities).detach().float()
    if probabilities.dim() != 1 or len(probabilities) < 2:
        raise ShapeError(
            f"probabilities must be (classes,), two or more, got {tuple(probabilities.shape)}"
        )
    return PatchGrid(torch.as_tensor(picture), patch_size, overlap), probabilities


def _guesses(probabilities):
    shares, digits = (row.tolist() for row in probabilities.topk(2))
    return ", then ".join(f"{d} ({p:.2f})" for d, p in zip(digits, shares, strict=True))
