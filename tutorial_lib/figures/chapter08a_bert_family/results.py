"""What was measured with several seeds: a dot a seed, a row a model, a panel a measure."""

import math

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


@style.styled
def seed_dots(
    panels,
    title="",
    *,
    baseline=None,
    chance=None,
    called="",
    lit=(),
    group=None,
    unnamed=(),
    beside=None,
    form="{:.2f}",
    scale=None,
    columns=None,
    figure=None,
):
    """Dots on a line for each model: one a seed, and a bar at their mean.

    panels maps the label of a measure to {model: numbers, one a seed}; the first panel's order of
    models is that of the rows, and a model may be missing in a panel. baseline: a model whose mean
    becomes a dashed line through each panel; chance: what guessing gets in all of them, a dashed
    line as well, or {model: what it gets}, a dashed mark for each; called: what is written above;
    lit: models drawn in orange; group: how many rows belong together, with a gap after them;
    unnamed: models whose mean is not written; beside: the heading of a column to the right of each
    panel that holds the means, None: they stand above their bars; form: how a mean is written;
    scale: the ends of the axis of all panels, None: each its own; columns: panels in a row, None:
    all. Returns the figure. Raises ShapeError without a number.

    >>> figure = seed_dots({"F1": {"BERT": [0.4, 0.5], "RoBERTa": [0.5, 0.6]}})
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['BERT', 'RoBERTa']
    """
    names = list(next(iter(panels.values()), {}))
    if not names or any(not len(by[name]) for by in panels.values() for name in by):
        raise ShapeError("seed_dots needs at least one number for each model of each panel")
    places = [row + (0.6 * (row // group) if group else 0) for row in range(len(names))]
    columns = columns or len(panels)
    rows = math.ceil(len(panels) / columns)
    figure = style.blank(figure, 2.2 + 3.1 * columns, rows * (1.87 + 0.42 * places[-1]))
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False).flatten()
    for axes in grid[len(panels) :]:
        axes.remove()
    for axes, (measure, by) in zip(grid[: len(panels)], panels.items(), strict=True):
        if scale is not None:
            axes.set_xlim(*scale)
        numbers = []  # (text, mean)
        for row, name in zip(places, names, strict=True):
            if name not in by:
                continue
            colour = style.ORANGE if name in lit else style.BLUE
            if name == baseline:
                colour = style.MUTED
            mean = float(np.mean(by[name]))
            axes.plot(by[name], [row] * len(by[name]), "o", color=colour, alpha=0.55, markersize=6)
            axes.plot([mean] * 2, [row - 0.28, row + 0.28], color=colour, linewidth=2.5)
            above = {"textcoords": "offset points", "fontsize": 8.5, "ha": "center", "va": "bottom"}
            if baseline in by or chance is not None:  # no dashed line runs through a number
                above["bbox"] = {"boxstyle": "square,pad=0.05", "facecolor": style.CARD, "lw": 0}
            if beside is not None and name not in unnamed:
                _write_beside(axes, row, form.format(mean))
            elif name not in unnamed:
                number = axes.annotate(form.format(mean), (mean, row - 0.28), (0, 1.0), **above)
                numbers.append((number, mean))
        line = {"linestyle": (0, (4, 3)), "linewidth": 1.2, "zorder": 0, "color": style.MUTED}
        if baseline in by:
            axes.axvline(float(np.mean(by[baseline])), **line)
        if isinstance(chance, dict):
            for row, name in zip(places, names, strict=True):
                axes.plot([chance[name]] * 2, [row - 0.28, row + 0.28], **line)
        elif chance is not None:
            axes.axvline(chance, **line)
        if chance is not None:
            level = {"textcoords": "offset points", "ha": "center", "color": style.MUTED}
            where, top = (chance, 1), axes.get_xaxis_transform()
            if isinstance(chance, dict):
                where, top = (chance[names[0]], places[0] - 0.34), "data"
            axes.annotate(called, where, (0, 2), xycoords=top, fontsize=8.5, **level)
        if beside is not None:
            _write_beside(axes, places[0] - 0.65, beside, style.MUTED)
        axes.set_xlabel(measure)
        axes.grid(axis="x", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.locator_params(axis="x", nbins=5)  # more labels run into one another
        axes.margins(x=0.16)
        axes.tick_params(axis="y", length=0)
        if baseline in by:
            _step_aside(axes, numbers, float(np.mean(by[baseline])))
    grid[0].set_yticks(places, names)
    grid[0].set_ylim(places[-1] + 0.5, -0.85)
    style.headline(figure, title)
    return figure


def _write_beside(axes, row, text, colour=style.INK):
    """Write a text to the right of a panel, at the height of a row."""
    where = axes.get_yaxis_transform()
    axes.text(1.06, row, text, transform=where, ha="center", va="center", color=colour)


def _step_aside(axes, numbers, line):
    """Put the numbers that stand on a dashed line beside it, each on the side of its mean."""
    low, high = axes.get_xlim()
    near = 0.055 * (high - low)  # half as wide as a number of four characters
    for number, mean in numbers:
        if abs(mean - line) < near:
            number.set_horizontalalignment("right" if mean < line else "left")
            number.set_x(-1 if mean < line else 4)


def describe_seed_dots(panels, form="{:.2f}"):
    """Say in words what `seed_dots` shows: mean and range of each model.

    >>> describe_seed_dots({"F1": {"BERT": [0.4, 0.5]}})
    'F1: BERT 0.45 (0.40 to 0.50).'
    """
    return " ".join(
        f"{measure}: "
        + ", ".join(
            f"{name} {form} ({form} to {form})".format(np.mean(found), min(found), max(found))
            for name, found in by.items()
        )
        + "."
        for measure, by in panels.items()
    )
