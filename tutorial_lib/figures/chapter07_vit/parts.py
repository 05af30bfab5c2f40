"""What the choices inside a ViT do to its reading of digits, seed by seed."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.vit_results import WHAT
from tutorial_lib.models.checks import check_choice

# Dosovitskiy et al. (2020), appendix D.4, table 8: ViT-B/16, ImageNet 5-shot linear, positions
# added once before the first layer.
PAPER_POSITIONS = {"none": 0.614, "learned": 0.642, "learned_grid": 0.640, "relative": 0.640}

NAMES = {
    "cls": "[CLS]",
    "4": "4 pixels",
    "7": "7 pixels",
    "7, 3 shared": "7 pixels, 3 shared",
    "mean": "mean of the patches",
    "sinusoidal": "sinusoidal, 1-D",
    "sinusoidal_grid": "sinusoidal, 2-D",
    "learned": "learned, 1-D",
    "learned_grid": "learned, 2-D",
}


@style.styled
def vit_choices(
    rows,
    choice,
    measure="validation_accuracy",
    paper=None,
    title=None,
    figure=None,
):
    """Digits read right by what was chosen: a dot for each seed and a bar at the mean.

    rows: dicts with "choice", "value", "seed", "patches" and the column `measure`,
    "validation_accuracy" or "accuracy"; those of `choice` are drawn. paper maps some of the values
    to what a paper measured, on another task, which gets a panel of its own. Returns the figure.
    Raises ShapeError without rows, ValueError for another measure.

    >>> rows = [{"choice": "pooling", "value": v, "seed": s, "patches": 49,
    ...          "validation_accuracy": a + s / 100} for v, a in (("cls", 0.9), ("mean", 0.8))
    ...         for s in (0, 1)]
    >>> vit_choices(rows, "pooling").get_suptitle()
    '[CLS]: 0.905 read right; mean of the patches: 0.805'
    """
    groups = _choices(rows, choice, measure)
    paper = _beside(groups, paper)
    figure = style.blank(figure, 9.5 if paper else 8.5, 1.7 + 0.42 * len(groups))
    panels = figure.subplots(1, 2 if paper else 1, sharey=True, squeeze=False)[0]
    for line, (value, seeds) in enumerate(groups.items()):
        for axes in panels:
            axes.axhline(line, color=style.GRID, linewidth=0.8, zorder=0)
        panels[0].plot(seeds, [line] * len(seeds), "o", color=style.BLUE, markersize=5, alpha=0.6)
        mean = float(np.mean(seeds))
        panels[0].plot(mean, line, "|", color=style.BLUE, markersize=15, markeredgewidth=2.5)
        if value in paper:
            panels[1].plot(paper[value], line, "D", color=style.ORANGE, markersize=6)
            end = {"xytext": (8, 0), "textcoords": "offset points", "va": "center"}
            panels[1].annotate(f"{paper[value]:.3f}", (paper[value], line), fontsize=9, **end)
    panels[0].set_yticks(range(len(groups)), [_named(rows, choice, value) for value in groups])
    panels[0].set_ylim(len(groups) - 0.4, -0.6)
    panels[0].set_xlabel(f"share of {WHAT[measure]} read right\n(dots: seeds, bar: mean)")
    if paper:
        _small(panels[0], "here: digits, a small ViT")
        _small(panels[1], "the paper: ImageNet, another task")
        panels[1].set_xlabel("5-shot linear accuracy, ViT-B/16")
        panels[1].margins(x=0.25)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    style.headline(figure, title or _choices_said(groups))
    return figure


def describe_vit_choices(rows, choice, measure="validation_accuracy", paper=None):
    """Say in words what `vit_choices` shows."""
    groups = _choices(rows, choice, measure)
    paper = _beside(groups, paper)
    each = "; ".join(
        f"{_named(rows, choice, value)} {np.mean(seeds):.3f} ({min(seeds):.3f} to {max(seeds):.3f})"
        for value, seeds in groups.items()
    )
    beside = ""
    if paper:
        named = ", ".join(
            f"{NAMES.get(value, value)} {share:.3f}" for value, share in paper.items()
        )
        beside = f" In a panel of its own what the paper measured on another task: {named}."
    return (
        f"Share of {WHAT[measure]} read right, mean and range over seeds. {each}. "
        f"{_choices_said(groups)}.{beside}"
    )


def _choices(rows, choice, measure):
    """Return {value: one number a seed} in the order of the rows."""
    check_choice("measure", measure, WHAT)
    groups = {}
    for row in rows:
        if row["choice"] == choice:
            groups.setdefault(row["value"], []).append(row[measure])
    if not groups:
        there = ", ".join(sorted({row["choice"] for row in rows})) or "none"
        raise ShapeError(f"there are no rows for the choice {choice!r}; there are: {there}")
    return groups


def _beside(groups, paper):
    """Return what the paper measured of the values drawn, in their order."""
    return {value: paper[value] for value in groups if value in (paper or {})}


def _named(rows, choice, value):
    if choice != "patches":
        return NAMES.get(value, value)
    row = next(row for row in rows if (row["choice"], row["value"]) == (choice, value))
    return f"{NAMES.get(value, value)}: {row['patches']} patches"


def _choices_said(groups):
    order = sorted(groups, key=lambda value: np.mean(groups[value]), reverse=True)
    best, rest = order[0], order[1:]
    name = NAMES.get(best, best)
    text = f"{name[0].upper()}{name[1:]}: {np.mean(groups[best]):.3f} read right"
    if not rest:
        return text
    worst = rest[-1]
    text += f"; {NAMES.get(worst, worst)}: {np.mean(groups[worst]):.3f}"
    level = [value for value in rest if max(groups[value]) >= min(groups[best])]
    if len(level) == len(rest):
        return f"{text}; the seeds overlap"
    others = "1 other overlaps" if len(level) == 1 else f"{len(level)} others overlap"
    return f"{text}; {others} with the best" if level else text


def _small(axes, text):
    axes.set_title(text, fontsize=10, fontweight="normal")
