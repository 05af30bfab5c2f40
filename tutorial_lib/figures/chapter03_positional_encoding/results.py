"""Inside the training length and beyond it: the schemes side by side, and stretched angles."""

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import (
    BLUE,
    GREEN,
    GRID,
    INK,
    MUTED,
    ORANGE,
    PINK,
    SKY,
    blank,
    headline,
    panel_title,
    styled,
)

WHERE = {"inside": BLUE, "beyond": ORANGE}
WAYS = {"unchanged": BLUE, "interpolated": ORANGE, "larger base": SKY, "YaRN": PINK}
SCHEME_COLOURS = {
    "relative": BLUE,
    "rotary": GREEN,
    "sinusoidal": ORANGE,
    "ALiBi": SKY,
}


@styled
def length_bars(rows, causal=False, chance=None, beside=None, title=None, figure=None):
    """Two bars a scheme, a panel a question: right answers inside and beyond the training length.

    rows: list of dicts with scheme, causal, question, inside and beyond, one a seed, as the recipe
    position-schemes leaves them. A bar is the mean over the seeds, a whisker goes from the lowest
    to the highest. chance maps a question to what always giving one answer is worth, drawn
    dashed; beside, another value of causal, is drawn as an outline, to compare. Raises ShapeError
    when no row has this mask.
    """
    others = [row for row in rows if row["causal"] == beside]
    rows = [row for row in rows if row["causal"] == causal]
    if not rows:
        raise ShapeError("there are no rows to draw")
    questions, schemes = (
        list(dict.fromkeys(row[name] for row in rows)) for name in ("question", "scheme")
    )
    figure = blank(figure, 10.0, 1.7 + 0.5 * len(schemes))
    panels = figure.subplots(1, len(questions), sharey=True, squeeze=False)[0]
    for axes, question in zip(panels, questions, strict=True):
        for at, scheme in enumerate(schemes):
            seeds = [r for r in rows if (r["scheme"], r["question"]) == (scheme, question)]
            for where, shift in zip(WHERE, (-0.19, 0.19), strict=True):
                values = [row[where] for row in seeds]
                drawn = [chance[question]] if chance else []
                other = [
                    r[where] for r in others if (r["scheme"], r["question"]) == (scheme, question)
                ]
                if other:
                    drawn.append(np.mean(other))
                    axes.barh(
                        at + shift, drawn[-1], height=0.34, fill=False, edgecolor=INK, zorder=3
                    )
                _bar(axes, at + shift, np.array(values), WHERE[where], drawn)
        if chance:
            axes.axvline(chance[question], color=MUTED, linewidth=1.3, linestyle=(0, (4, 3)))
        axes.set_title(f"“{question}”", fontsize=10.5, fontweight="normal")
        axes.set(xlim=(0, 1.19), xticks=[0, 0.5, 1], xlabel="right answers")
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(schemes)), schemes)
    panels[0].invert_yaxis()
    marks = [Patch(color=colour, label=where) for where, colour in WHERE.items()]
    names = {True: "a causal mask", False: "no mask"}
    if others:
        marks.append(Patch(fill=False, edgecolor=INK, label=f"outline: {names[beside]}"))
    if chance:
        line = {"color": MUTED, "linewidth": 1.3, "linestyle": (0, (4, 3))}
        marks.append(Line2D([], [], **line, label="always the same answer"))
    figure.legend(handles=marks, loc="outside lower left", ncols=4)
    mask = names[causal]
    headline(figure, title or f"Inside the training length and beyond it, {mask}")
    return figure


def _bar(axes, y, values, colour, lines):
    """A bar with its number to the right, and beyond the lines that would cross it."""
    mean = values.mean()
    axes.barh(y, mean, height=0.34, color=colour)
    axes.plot([values.min(), values.max()], [y, y], color=INK, linewidth=1.3)
    at = max(mean, values.max()) + 0.02
    for line in sorted(lines):
        if at - 0.02 < line < at + 0.17:
            at = line + 0.02
    axes.text(at, y, f"{mean:.2f}", va="center", fontsize=8.5)


@styled
def length_curves(shares, trained, title, references=None, figure=None):
    """The share of right answers over the position in the text, a line a scheme.

    shares maps a scheme to the shares at positions 0, 1, 2 ..., nan where nothing is asked; each
    position is averaged with its neighbours, four to either side, on its own side of the trained
    length. references are dashed heights, as in `line_chart`. trained, the length in training, is
    drawn as an edge. Raises ShapeError without lines.
    """
    series = {}
    for scheme, values in shares.items():
        values = np.asarray(values, dtype=float)
        sides = np.concatenate([_smooth(values[:trained]), _smooth(values[trained:])])
        series[scheme] = (np.arange(len(values)), np.where(np.isnan(values), np.nan, sides))
    figure = line_chart(
        series,
        "position in the text",
        "right answers",
        title,
        references=references,
        y_range=(0, 1.06),
        colours={scheme: SCHEME_COLOURS.get(scheme, MUTED) for scheme in shares},
        figure=figure,
    )
    figure.set_size_inches(9.0, 4.2)
    _edge(figure.axes[0], trained, bottom=True)
    return figure


def _smooth(values, reach=4):
    """Average each value with its neighbours, without nan."""
    near = [values[max(0, i - reach) : i + reach + 1] for i in range(len(values))]
    return np.array([np.nan if np.isnan(part).all() else np.nanmean(part) for part in near])


def _edge(axes, trained, bottom=False):
    """Mark where the length of the training ends, named at the top or the bottom."""
    axes.axvline(trained, color=MUTED, linewidth=1.3, linestyle=(0, (4, 3)))
    where = axes.get_xaxis_transform()
    y, side = (0.03, "bottom") if bottom else (0.97, "top")
    axes.text(trained + 1, y, "length in training", transform=where, va=side, color=MUTED)


@styled
def offset_weights(curves, wanted, title, untrained=None, figure=None):
    """How much a trained head gives to each offset, a panel a scheme.

    curves maps a scheme to (offsets, inside, beyond): the mean weight at each offset, in texts of
    the trained length and past it, nan where there is none. wanted, the offset that the task asks
    for, is marked; offsets before `untrained`, which no text in training had, are shaded.
    """
    figure = blank(figure, 10.0, 3.1)
    panels = figure.subplots(1, len(curves), squeeze=False, sharey=True)[0]
    for axes, (scheme, (offsets, inside, beyond)) in zip(panels, curves.items(), strict=True):
        axes.axvline(wanted, color=GRID, linewidth=4, zorder=0)
        if untrained is not None:
            axes.axvspan(offsets[0], untrained, color=GRID, alpha=0.6, linewidth=0, zorder=0)
        axes.plot(offsets, inside, color=BLUE)
        axes.plot(offsets, beyond, color=ORANGE, linewidth=1.8, linestyle=(0, (3, 1.5)))
        panel_title(axes, scheme)
        axes.set(xticks=[wanted, 0 if untrained is None else untrained], xlabel="offset")
    panels[0].set(ylim=(0, None), ylabel="weight")
    marks = [
        Line2D([], [], color=BLUE, label="inside the length in training"),
        Line2D([], [], color=ORANGE, linestyle=(0, (3, 1.5)), label="beyond it"),
    ]
    if untrained is not None:
        marks.append(Patch(color=GRID, alpha=0.6, label="never in training"))
    figure.legend(handles=marks, loc="outside lower left", ncols=3)
    headline(figure, title)
    return figure


@styled
def context_lines(rows, ways, trained, title, figure=None):
    """The loss over the position of a text that is longer than those of the training.

    rows: list of dicts with way, seed, first (the first position of a stretch) and bits, as the
    recipe longer-context leaves them; ways are drawn, with a pale band from the lowest to the
    highest seed. trained is the length in training, a dashed line. Raises ShapeError without rows.
    """
    if not any(row["way"] in ways for row in rows):
        raise ShapeError("there are no rows to draw")
    starts = sorted({row["first"] for row in rows})
    middle = [first + (starts[1] - starts[0]) / 2 for first in starts]
    series, bands = {}, {}
    for way in ways:
        bits = np.array(
            [[r["bits"] for r in rows if (r["way"], r["first"]) == (way, at)] for at in starts]
        )
        series[way] = (middle, bits.mean(1))
        bands[way] = (bits.min(1), bits.max(1))
    figure = line_chart(
        series,
        "position in the text",
        "loss, bits per character",
        title,
        bands=bands,
        colours={way: WAYS.get(way, GREEN) for way in ways},
        figure=figure,
    )
    figure.set_size_inches(9.0, 4.2)
    _edge(figure.axes[0], trained)
    return figure
