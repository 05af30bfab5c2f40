"""What a ViT learnt to see in a patch, and which digits it reads wrongly."""

import math

import numpy as np
import torch
from matplotlib.colors import to_rgb

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

A_ROW = 5  # misread digits in a row


@style.styled
def vit_filters(weight, start, channels=1, title=None, figure=None):
    """The filters of a patch projection, and what training added to those it began with.

    weight (D, channels · P · P), numbers of a filter by channel, row, column, as `cut_patches`
    has them; start: the same before training. Filter by filter in the same order; of one channel,
    blue is above 0 and orange below, each tile to its own extreme; of three, grey is 0.
    Returns the figure. Raises ShapeError when the two differ in shape or make no square patch.

    >>> start = torch.randn(9, 16)
    >>> vit_filters(start + torch.arange(9)[:, None], start).axes[1].get_title()
    'what training added (neighbours: 1.00)'
    """
    kinds = _filters(weight, start, channels)
    figure = style.blank(figure, 9.5, 5.0)
    for axes, (name, tiles) in zip(figure.subplots(1, 2), kinds.items(), strict=True):
        axes.imshow(_sheet(tiles), interpolation="nearest")
        axes.axis("off")
        style.panel_title(axes, f"{name} (neighbours: {_neighbours(tiles):.2f})")
    style.headline(figure, title or _filters_said(kinds))
    return figure


def describe_vit_filters(weight, start, channels=1):
    """Say in words what `vit_filters` shows."""
    kinds = _filters(weight, start, channels)
    filters, added = kinds.values()
    size = filters.shape[-1]
    moved = np.linalg.norm(added) / max(np.linalg.norm(filters - added), 1e-12)
    return (
        f"All {len(filters)} filters of {size} x {size} pixels as small pictures, and beside them "
        f"what training added to each, {moved:.2f} times as long as what was there. "
        f"{_filters_said(kinds)}."
    )


@style.styled
def misread_digits(images, labels, probabilities, most=15, title=None, figure=None):
    """The digits that a model reads wrongly, the surest mistakes first.

    images (N, 1, height, width) of ink from 0 to 1, all that were read, labels (N,) and
    probabilities (N, classes). At most `most` are shown. Returns the figure. Raises ShapeError
    when the three disagree or nothing is misread.

    >>> images, sure_of_1 = torch.rand(2, 1, 28, 28), torch.tensor([[0.1, 0.9]] * 2)
    >>> figure = misread_digits(images, [0, 1], sure_of_1)
    >>> figure.get_suptitle(), figure.axes[0].get_title()
    ('1 of 2 digits misread, 1 of them with 0.90 or more on a wrong digit', 'is 0, read 1 (.90)')
    """
    labels, wrong, guesses, sure = _misread(images, labels, probabilities)
    shown = wrong[:most]
    n_rows = -(-len(shown) // A_ROW)
    figure = style.blank(figure, 9.0, 0.55 + 1.72 * n_rows)
    grid = figure.subplots(n_rows, A_ROW, squeeze=False)
    for axes in grid.flat[len(shown) :]:
        axes.axis("off")
    for axes, index in zip(grid.flat, shown, strict=False):
        axes.imshow((1 - images[index][0]).numpy(), cmap="gray", vmin=0, vmax=1)
        style.draw_frame(axes)
        style.panel_title(axes, _is_and_read(labels[index], guesses[index], sure[index]))
    style.headline(figure, title or _misread_said(labels, wrong, sure))
    return figure


def describe_misread_digits(images, labels, probabilities, most=15):
    """Say in words what `misread_digits` shows."""
    labels, wrong, guesses, sure = _misread(images, labels, probabilities)
    each = "; ".join(_is_and_read(labels[i], guesses[i], sure[i]) for i in wrong[:most])
    return f"{_misread_said(labels, wrong, sure)}. The surest: {each}."


def _filters(weight, start, channels):
    """Return the filters and what training added to them, both (D, channels, P, P)."""
    weight, start = (torch.as_tensor(given).detach().float() for given in (weight, start))
    size = math.isqrt(weight.size(-1) // channels) if weight.dim() == 2 and channels else 0
    if channels not in (1, 3) or size < 2 or channels * size**2 != weight.size(-1):
        raise ShapeError(
            "expected weights (D, channels · P · P) of 1 or 3 channels and P of 2 or more, got "
            f"{tuple(weight.shape)} with {channels}"
        )
    if start.shape != weight.shape:
        raise ShapeError(f"weights {tuple(weight.shape)} cannot have begun as {tuple(start.shape)}")
    kinds = {"the filters": weight, "what training added": weight - start}
    return {name: rows.view(-1, channels, size, size).numpy() for name, rows in kinds.items()}


def _neighbours(tiles):
    """How numbers beside and below each other correlate, over all tiles (N, C, P, P)."""
    here, there = (
        np.concatenate([tiles[..., side].ravel(), tiles[..., side, :].ravel()])
        for side in (slice(1, None), slice(None, -1))
    )
    spread = here.std() * there.std()
    return float(((here - here.mean()) * (there - there.mean())).mean() / spread) if spread else 0.0


def _filters_said(kinds):
    filters, added = (_neighbours(tiles) for tiles in kinds.values())
    return (
        f"Neighbouring numbers correlate by {filters:.2f} in the filters, by {added:.2f} in what "
        "training added"
    )


def _sheet(tiles, gap=1):
    """The tiles (N, C, P, P) on one card, (rows, columns, 3)."""
    n_tiles, _, size, _ = tiles.shape
    across = math.ceil(math.sqrt(n_tiles))
    down = -(-n_tiles // across)
    canvas = np.ones((down * (size + gap) - gap, across * (size + gap) - gap, 3))
    canvas *= to_rgb(style.CARD)
    for number, tile in enumerate(tiles):
        row, column = (index * (size + gap) for index in divmod(number, across))
        scaled = 0.5 + 0.5 * tile / max(np.abs(tile).max(), 1e-12)  # (C, P, P), 0 is 0.5
        colours = style.SIGNED(scaled[0])[..., :3] if len(tile) == 1 else scaled.transpose(1, 2, 0)
        canvas[row : row + size, column : column + size] = colours
    return canvas


def _misread(images, labels, probabilities):
    """Return labels, the indices of the mistakes, the guesses and how sure each was."""
    labels = torch.as_tensor(labels)
    probabilities = torch.as_tensor(probabilities).detach().float()
    if images.dim() != 4 or images.size(1) != 1 or probabilities.dim() != 2:
        raise ShapeError(
            "expected images (N, 1, height, width) and probabilities (N, classes), got "
            f"{tuple(images.shape)} and {tuple(probabilities.shape)}"
        )
    if not len(images) == len(labels) == len(probabilities):
        raise ShapeError(
            f"{len(images)} images need as many labels and probabilities, got {len(labels)} and "
            f"{len(probabilities)}"
        )
    sure, guesses = probabilities.max(dim=1)
    wrong = (guesses != labels).nonzero()[:, 0]
    if not len(wrong):
        raise ShapeError(f"none of the {len(labels)} digits is misread: there is nothing to draw")
    return labels, wrong[sure[wrong].argsort(descending=True, stable=True)], guesses, sure


def _misread_said(labels, wrong, sure):
    certain = int((sure[wrong] >= 0.9).sum())
    return (
        f"{len(wrong):,} of {len(labels):,} digits misread, {certain} of them with 0.90 or more "
        "on a wrong digit"
    )


def _is_and_read(label, guess, sure):
    return f"is {int(label)}, read {int(guess)} ({sure:.2f})".replace("(0", "(")
