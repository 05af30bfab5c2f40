"""Inside the training length and beyond it: the schemes side by side, and stretched angles."""

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PINK,
    blank,
    headline,
    styled,
)

WHERE = {"inside": BLUE, "beyond": ORANGE}
WAYS = {"unchanged": BLUE, "interpolated": ORANGE, "larger base": GREEN, "YaRN": PINK}
TUNED = ", then trained"


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
def context_lines(rows, ways, trained, title, figure=None):
    """The loss over the position of a text that is longer than those of the training.

    rows: list of dicts with way, seed, first (the first position of a stretch) and bits, as the
    recipe longer-context leaves them; ways are drawn, with a pale band from the lowest to the
    highest seed, each in the colour of `hand_speeds`. Beside ways that were trained on ("..., then
    trained"), the others are dotted. trained is the length in training, a dashed line. Raises
    ShapeError without rows.
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
        colours={way: WAYS.get(way.removesuffix(TUNED), MUTED) for way in ways},
        figure=figure,
    )
    figure.set_size_inches(9.0, 4.2)
    axes = figure.axes[0]
    if any(way.endswith(TUNED) for way in ways):
        for way, line in zip(ways, axes.lines, strict=False):
            line.set_linestyle("-" if way.endswith(TUNED) else ":")
    axes.axvline(trained, color=MUTED, linewidth=1.3, linestyle=(0, (4, 3)))
    where = axes.get_xaxis_transform()
    axes.text(trained + 2, 0.97, "length in training", transform=where, va="top", color=MUTED)
    return figure


@styled
def hand_speeds(speeds, title=None, figure=None):
    """How fast each pair of a head turns, as a share of its trained speed, for each way to stretch.

    speeds maps a way of the recipe longer-context to the shares of the pairs (K/2,). The names are
    written beside the lines: they meet at the last pair. Raises ShapeError for an unknown way.
    """
    if not speeds or not set(speeds) <= set(WAYS):
        raise ShapeError(f"the ways are {', '.join(WAYS)}, got {', '.join(speeds) or 'none'}")
    figure = blank(figure, 7.5, 3.9)
    axes = figure.subplots()
    # Where a name is clear of the other lines: (pair, share, alignment).
    spots = {
        "unchanged": (15, 1.03, "right"),
        "interpolated": (0, 0.17, "left"),
        "larger base": (6.3, 0.62, "left"),
        "YaRN": (2.3, 0.42, "right"),
    }
    for way, shares in speeds.items():
        axes.plot(range(len(shares)), shares, "o-", color=WAYS[way], markersize=4.5)
        x, y, side = spots[way]
        axes.text(x, y, way, color=WAYS[way], fontweight="bold", ha=side, fontsize=9.5)
    axes.set(ylim=(0, 1.15), xlabel="pair of a head: fast hands left, slow hands right")
    axes.set_ylabel("speed (as trained: 1)")
    axes.grid(axis="y", linewidth=0.8)
    headline(figure, title or "Interpolation slows every hand, YaRN only the slow ones")
    return figure
