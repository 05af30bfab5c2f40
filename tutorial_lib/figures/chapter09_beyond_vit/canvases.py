"""Canvases of digits: what models say of each pixel."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from tutorial_lib.figures import style
from tutorial_lib.figures.chapter09_beyond_vit.latents import picture

# Ten digits that can be told apart, and no ink.
DIGITS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
    "#e69f00", "#7a5195", "#8c6d31", "#1f2430", "#bc3c5c", "#eceae4",
)  # fmt: skip
NO_INK = 10


@style.styled
def canvas_answers(canvases, labels, said, title=None, figure=None):
    """Canvases, the true digit of each pixel, and what models say; a row a canvas.

    canvases (N, height, width) from 0 to 1; labels (N, height, width), 10 where there is no ink;
    said maps a model's name to such labels.
    """
    columns = {"the truth": labels, **said}
    figure = style.blank(figure, 9.4, 0.85 + 9.1 / (1 + len(columns)) * len(canvases))
    rows = figure.subplots(len(canvases), 1 + len(columns), squeeze=False)
    colours = ListedColormap(DIGITS)
    for n, panels in enumerate(rows):
        picture(panels[0], np.asarray(canvases[n]), "canvas" if n == 0 else "")
        for axes, (name, found) in zip(panels[1:], columns.items(), strict=True):
            axes.imshow(np.asarray(found[n]), cmap=colours, vmin=0, vmax=NO_INK)
            style.draw_frame(axes)
            style.panel_title(axes, name if n == 0 else "")
    keys = [Patch(color=DIGITS[digit], label=str(digit)) for digit in range(NO_INK)]
    figure.legend(
        handles=keys, loc="outside lower center", ncols=NO_INK, frameon=False,
        handlelength=0.9, columnspacing=1.2, fontsize=9.5,
    )  # fmt: skip
    style.headline(figure, title or "Which digit does each pixel belong to?")
    return figure


def describe_canvas_answers(canvases, labels, said):
    """Say in words what `canvas_answers` shows."""
    labels = np.asarray(labels)
    inked = labels != NO_INK
    shares = "; ".join(
        f"{name} is right on {(np.asarray(found) == labels)[inked].mean():.0%} of the pixels with "
        "ink"
        for name, found in said.items()
    )
    return (
        f"{len(canvases)} canvases with several digits, the true digit of each pixel as a colour, "
        f"and what models say. {shares}."
    )
