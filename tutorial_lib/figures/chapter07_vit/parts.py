"""What the choices inside a ViT do to its reading of digits, seed by seed."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.vit_results import WHAT
from tutorial_lib.models.checks import check_choice

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
    "relative_faster": "relative, learning faster",
}


@style.styled
def vit_choices(
    rows,
    choice,
    measure="validation_accuracy",
    about=None,
    title=None,
    figure=None,
):
    """Digits read right by what was chosen, best first: a dot for each seed, the mean as a bar.

    rows: dicts with "choice", "value", "seed", "patches" and the column `measure`,
    "validation_accuracy" or "accuracy"; those of `choice` are drawn. about maps values to half a
    line below their names. Returns the figure. Raises ShapeError without rows, ValueError for
    another measure.

    >>> rows = [{"choice": "pooling", "value": v, "seed": s, "patches": 49,
    ...          "validation_accuracy": a + s / 100} for v, a in (("cls", 0.9), ("mean", 0.8))
    ...         for s in (0, 1)]
    >>> vit_choices(rows, "pooling").get_suptitle()
    '[CLS]: 0.905 read right; mean of the patches: 0.805'
    """
    groups = _choices(rows, choice, measure)
    about = about or {}
    figure = style.blank(figure, 8.5, 1.5 + (0.58 if about else 0.42) * len(groups))
    axes = figure.subplots()
    for line, seeds in enumerate(groups.values()):
        axes.axhline(line, color=style.GRID, linewidth=0.8, zorder=0)
        axes.plot(seeds, [line] * len(seeds), "o", color=style.BLUE, markersize=5, alpha=0.6)
        mean = float(np.mean(seeds))
        axes.plot(mean, line, "|", color=style.BLUE, markersize=15, markeredgewidth=2.5)
        end = {"xytext": (9, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(f"{mean:.2f}", (max(seeds), line), fontsize=10, **end)
    names = [_named(rows, choice, value) for value in groups]
    below = [f"\n{about[value]}" if value in about else "" for value in groups]
    axes.set_yticks(range(len(groups)), [a + b for a, b in zip(names, below, strict=True)])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.margins(x=0.1)
    axes.set_xlabel(f"share of {WHAT[measure]} read right\n(dots: seeds, bar: mean)")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    style.headline(figure, title or _choices_said(groups))
    return figure


def describe_vit_choices(rows, choice, measure="validation_accuracy"):
    """Say in words what `vit_choices` shows."""
    groups = _choices(rows, choice, measure)
    each = "; ".join(
        f"{_named(rows, choice, value)} {np.mean(seeds):.3f} ({min(seeds):.3f} to {max(seeds):.3f})"
        for value, seeds in groups.items()
    )
    return (
        f"Share of {WHAT[measure]} read right, mean and range over seeds. {each}. "
        f"{_choices_said(groups)}."
    )


def _choices(rows, choice, measure):
    """Return {value: one number a seed}, the highest mean first."""
    check_choice("measure", measure, WHAT)
    groups = {}
    for row in rows:
        if row["choice"] == choice:
            groups.setdefault(row["value"], []).append(row[measure])
    if not groups:
        there = ", ".join(sorted({row["choice"] for row in rows})) or "none"
        raise ShapeError(f"there are no rows for the choice {choice!r}; there are: {there}")
    return dict(sorted(groups.items(), key=lambda pair: -np.mean(pair[1])))


def _named(rows, choice, value):
    if choice != "patches":
        return NAMES.get(value, value)
    row = next(row for row in rows if (row["choice"], row["value"]) == (choice, value))
    return f"{NAMES.get(value, value)}: {row['patches']} patches"


def _choices_said(groups):
    best, *rest = groups
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
