"""The experiment with schemes of positions: inside and beyond the training length, seed by seed."""

import numpy as np
from matplotlib.lines import Line2D

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, GRID, MUTED, ORANGE, blank, headline, styled


def _group_rows(rows, measures, by):
    """Return (name, {measure: values over the seeds}) for each setting, in the order of the rows.

    A name reads "ALiBi, causal".
    """
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in by), []).append(row)
    return [
        (
            _name(by, key),
            {measure: np.array([float(row[measure]) for row in seeds]) for measure in measures},
        )
        for key, seeds in groups.items()
    ]


def _name(by, key):
    words = []
    for column, value in zip(by, key, strict=True):
        if isinstance(value, bool):
            words += [column] if value else []
        else:
            words.append(str(value))
    return ", ".join(words)


@styled
def length_results(
    rows,
    value_label="share of right answers",
    *,
    measures=("inside", "beyond"),
    by=("scheme", "causal"),
    panel=None,
    chance=None,
    chance_label="chance",
    title=None,
    figure=None,
):
    """A line for each setting: a dot for each seed and a bar at the mean, inside and beyond.

    rows: list of dicts with the keys of `by`, of `measures` and, if given, `panel`, whose values
    get a panel each (questions, tasks). chance is a number, or a dict from panel to number, drawn
    dashed and called chance_label. Raises ShapeError without rows.
    """
    if not rows:
        raise ShapeError("there are no rows to draw")
    names = [None] if panel is None else list(dict.fromkeys(row[panel] for row in rows))
    groups = {
        name: _group_rows(
            [row for row in rows if panel is None or row[panel] == name], measures, by
        )
        for name in names
    }
    settings = list(dict.fromkeys(text for group in groups.values() for text, _ in group))
    figure = blank(figure, 2.0 + max(3.0 * len(names), 5.0), 1.6 + 0.34 * len(settings))
    panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    colours = dict(zip(measures, (BLUE, ORANGE), strict=False))
    for axes, name in zip(panels, names, strict=True):
        for text, values in groups[name]:
            line = settings.index(text)
            axes.axhline(line, color=GRID, linewidth=0.8, zorder=0)
            for step, measure in enumerate(measures):
                y = line + 0.18 * (2 * step - len(measures) + 1)
                seeds, colour = values[measure], colours[measure]
                axes.plot(seeds, [y] * len(seeds), "o", color=colour, markersize=4, alpha=0.6)
                axes.plot(seeds.mean(), y, "|", color=colour, markersize=11, markeredgewidth=2.5)
        level = chance.get(name) if isinstance(chance, dict) else chance
        if level is not None:
            axes.axvline(level, color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.set_xlabel(value_label)
        if name is not None:
            axes.set_title(str(name), fontsize=10.5, fontweight="normal")
    panels[0].set_yticks(range(len(settings)), settings)
    panels[0].set_ylim(len(settings) - 0.4, -0.6)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    marks = [Line2D([], [], color=colours[m], marker="o", linestyle="", label=m) for m in measures]
    marks += [Line2D([], [], color=MUTED, marker="|", linestyle="", markersize=10, label="mean")]
    if chance is not None:
        marks.append(Line2D([], [], color=MUTED, linewidth=1.2, dashes=(4, 3), label=chance_label))
    figure.legend(handles=marks, loc="outside lower left", ncols=len(marks))
    headline(figure, title or "Inside the training length and beyond it")
    return figure
