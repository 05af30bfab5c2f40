"""Fourier features of places: a picture a wave."""

import numpy as np
import torch

from tutorial_lib.figures import style
from tutorial_lib.positions import fourier_features, grid_positions


@style.styled
def wave_pictures(n_bands=4, finest=28, side=112, title=None, figure=None):
    """What the features of each place look like, as pictures: how far down and its sines,
    then how far right and its sines.

    finest as in `fourier_features`; side: how many points a picture has along an edge.
    """
    maps, names = _maps(n_bands, finest, side)
    figure = style.blank(figure, 9.4, 3.6)
    rows = figure.subplots(2, 1 + n_bands, squeeze=False)
    for axes, values, name in zip(rows.flat, maps, names, strict=True):
        axes.imshow(values, cmap=style.SIGNED, vmin=-1, vmax=1)
        style.draw_frame(axes)
        style.panel_title(axes, name)
    said = f"A place as waves: {4 * n_bands + 2} numbers, {n_bands} wavelengths per axis"
    style.headline(figure, title or said)
    return figure


def describe_wave_pictures(n_bands=4, finest=28):
    """Say in words what `wave_pictures` shows."""
    turns = np.linspace(1, finest / 2, n_bands)
    each = ", ".join(f"{turn:.3g}" for turn in turns)
    return (
        f"Pictures of the features of all places: how far down and how far right, and the sines of "
        f"{n_bands} frequencies along each axis ({each} half turns from the middle to the edge), "
        "from wide stripes to narrow ones."
    )


def _maps(n_bands, finest, side):
    features = fourier_features(grid_positions(side, side), n_bands, finest)  # (side², C)
    pictures = features.T.view(-1, side, side)
    down, right = pictures[2 : 2 + n_bands], pictures[2 + 2 * n_bands : 2 + 3 * n_bands]
    turns = torch.linspace(1, finest / 2, n_bands).tolist()
    names = ["down", *(f"frequency {turn:.3g}" for turn in turns)]
    names += ["right", *(f"frequency {turn:.3g}" for turn in turns)]
    return torch.cat([pictures[:1], down, pictures[1:2], right]).numpy(), names
