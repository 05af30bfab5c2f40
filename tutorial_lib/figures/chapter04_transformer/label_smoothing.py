"""What training asks for: smoothed targets, and a learning rate that rises before it falls."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import BLUE, INK, MUTED, ORANGE, blank, headline, styled


@styled
def smoothed_targets(names, target, smoothing=0.1, title="", figure=None):
    """What the loss compares with: all on the right token, and the same with label smoothing.

    names: V labels; target: the index of the right one. With smoothing each of the V tokens
    gets smoothing / V, and the right one 1 - smoothing besides. Returns the figure. Raises
    ShapeError when target is no index of names, ValueError for smoothing outside [0, 1).

    >>> figure = smoothed_targets(["a", "b", "c", "d"], target=1, smoothing=0.2)
    >>> [text.get_text() for text in figure.axes[1].texts]
    ['0.050', '0.850', '0.050', '0.050']
    """
    if not 0 <= target < len(names):
        raise ShapeError(f"target must be from 0 to {len(names) - 1}, got {target}")
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
    sharp = np.eye(len(names))[target]  # (V,)
    smooth = (1 - smoothing) * sharp + smoothing / len(names)
    figure = blank(figure, max(8.0, 1.2 * len(names) + 1), 3.4)
    panels = figure.subplots(1, 2, sharey=True)
    digits = 3 if smoothing else 0
    headings = ("one token has it all", f"smoothing {smoothing:g}, V = {len(names)}")
    for axes, values, heading in zip(panels, (sharp, smooth), headings, strict=True):
        colours = [ORANGE if index == target else BLUE for index in range(len(names))]
        axes.bar(range(len(names)), values, color=colours, width=0.66)
        for index, value in enumerate(values):
            text = f"{value:.{digits}f}" if 0 < value < 1 else f"{value:g}"
            axes.text(index, value + 0.02, text, ha="center", fontsize=9, color=INK)
        crowded = max(map(len, names)) * len(names) > 36
        turn = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        axes.set_xticks(range(len(names)), names, **turn)
        axes.tick_params(axis="x", length=0)
        axes.set_title(heading, fontsize=10, fontweight="normal", color=MUTED)
        axes.set_ylim(0, 1.14)
    panels[0].set_ylabel("share of the target")
    headline(figure, title)
    return figure


@styled
def learning_rates(schedules, steps, title="", marks=None, figure=None):
    """Learning rates over a run; schedules maps a name to a function of the step, from 1.

    marks maps a text to a step, where a line is drawn with its text beside it, one above the
    other. Returns the figure. Raises ShapeError
    without a schedule or a step.

    >>> learning_rates({"constant": lambda step: 1e-3}, steps=10).axes[0].get_xlabel()
    'step'
    """
    if steps < 1:
        raise ShapeError(f"learning_rates needs at least one step, got {steps}")
    x = np.unique(np.linspace(1, steps, 400).round().astype(int))
    series = {name: (x, [rate(int(step)) for step in x]) for name, rate in schedules.items()}
    figure = line_chart(series, "step", "learning rate", title, figure=figure)
    axes = figure.axes[0]
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * 1.08)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3), useMathText=False)
    for index, (text, step) in enumerate((marks or {}).items()):
        axes.axvline(step, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
        shift = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
        low, high = axes.get_yticks()[index : index + 2]  # between two lines of the grid
        axes.annotate(text, (step, (low + high) / 2), color=MUTED, fontsize=9.5, **shift)
    return figure
