"""A canvas of digits: what models say of each pixel, and where they are wrong."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patheffects import withStroke

from tutorial_lib.figures import style
from tutorial_lib.figures.chapter09_beyond_vit.latents import picture

NO_INK = 10
RIGHT, WRONG, PAPER = "#b9bdc6", "#d7191c", "#f6f4ef"


@style.styled
def canvas_answers(canvas, labels, said, title=None, figure=None):
    """A canvas, the true digit of each pixel as a colour, and in red where models are wrong.

    canvas (height, width) from 0 to 1; labels (height, width), 10 where there is no ink; said maps
    a model's name to such labels. Grey is ink whose digit the model knows.
    """
    labels = np.asarray(labels)
    n_across = (3 + len(said)) // 2
    figure = style.blank(figure, 9.2, 0.6 + 2 * (9.0 / n_across + 0.25))
    panels = figure.subplots(2, n_across, squeeze=False).flat
    picture(panels[0], np.asarray(canvas), "the canvas")
    _digits(panels[1], labels)
    for axes, (name, found) in zip(panels[2:], said.items(), strict=False):
        found = np.asarray(found)
        colours = np.empty((*labels.shape, 3))
        colours[:] = to_rgb(PAPER)
        colours[labels != NO_INK] = to_rgb(RIGHT)
        colours[found != labels] = to_rgb(WRONG)
        axes.imshow(colours, interpolation="nearest")
        style.draw_frame(axes)
        style.panel_title(axes, f"{name}: {_share(found, labels):.0%}")
    for axes in panels[2 + len(said) :]:
        axes.axis("off")
    style.headline(
        figure, title or "Red is wrong; the number is the share of the ink that is right"
    )
    return figure


def _digits(axes, labels):
    """The true digits, each in a colour of its own, with its number beside it."""
    colours = np.empty((*labels.shape, 3))
    colours[:] = to_rgb(PAPER)
    for digit, colour in zip(np.unique(labels[labels != NO_INK]), style.CYCLE * 2, strict=False):
        colours[labels == digit] = to_rgb(colour)
        rows, columns = np.nonzero(labels == digit)
        last = columns.argmax()
        axes.text(
            columns[last] + 1.5, rows[last], str(digit), color=colour, ha="left", va="center",
            fontsize=13, fontweight="bold",
            path_effects=[withStroke(linewidth=3, foreground=PAPER)],
        )  # fmt: skip
    axes.imshow(colours, interpolation="nearest")
    style.draw_frame(axes)
    style.panel_title(axes, "the truth")


def _share(found, labels):
    inked = labels != NO_INK
    return (np.asarray(found) == labels)[inked].mean()


def describe_canvas_answers(canvas, labels, said):
    """Say in words what `canvas_answers` shows."""
    labels = np.asarray(labels)
    digits = ", ".join(map(str, np.unique(labels[labels != NO_INK])))
    shares = "; ".join(
        f"{name} is right on {_share(found, labels):.0%} of the pixels with ink"
        for name, found in said.items()
    )
    return (
        f"A canvas with the digits {digits}, each in a colour, and in red where models are wrong. "
        f"{shares}."
    )
