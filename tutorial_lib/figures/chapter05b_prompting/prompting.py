"""Prompting a real model: right answers by number of examples, and by the form of the prompt."""

from matplotlib.lines import Line2D

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    BLUE,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)

# As in the Latin square, whose fills are paler.
ANSWERS = {"right": "right answers in the examples", "drawn": "answers drawn blindly"}


@styled
def prompting_curves(points, baselines, title="", *, names=None, figure=None):
    """A panel for each task: the share right by examples in the prompt, with its interval.

    points {(task, answers, examples): {"mean", "low", "high"}}, answers "right" or "drawn" (given
    to the examples blindly); baselines {task: (share, how it is reached)}; names {task: shown}.
    A task alone is drawn large, with names at its lines. Raises ShapeError without points.

    >>> stats = {"mean": 0.5, "low": 0, "high": 1}
    >>> points = {(task, "right", k): stats for task in ("sums", "past") for k in (0, 1)}
    >>> baselines = {"sums": (0.1, "always ten"), "past": (0.0, "copied")}
    >>> [axes.get_title() for axes in prompting_curves(points, baselines).axes]
    ['sums\\n(dashed: always ten)', 'past\\n(dashed: copied)']
    """
    tasks = list(dict.fromkeys(task for task, _, _ in points))
    if not tasks:
        raise ShapeError("prompting_curves needs at least one point")
    names = names or {}
    counts = sorted({examples for _, _, examples in points})
    columns = min(3, len(tasks))
    n_rows = -(-len(tasks) // columns)
    alone = len(tasks) == 1
    size = (7.5, 4.0) if alone else (1.0 + 2.75 * columns, 0.9 + 2.4 * n_rows)
    figure = blank(figure, *size)
    grid = figure.subplots(n_rows, columns, sharex=True, sharey=True, squeeze=False)
    grid = list(grid.flat)
    for axes, task in zip(grid, tasks, strict=False):
        share, how = baselines[task]
        axes.axhline(share, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
        for answers, colour, form, aside in (("right", BLUE, "o-", 0), ("drawn", ORANGE, "D", 0.2)):
            found = [
                (place + aside, points[task, answers, k])
                for place, k in enumerate(counts)
                if (task, answers, k) in points
            ]
            if not found:
                continue
            x, stats = zip(*found, strict=True)
            means = [s["mean"] for s in stats]
            # The bars end at 0 and 1, as shares do.
            below = [s["mean"] - max(0.0, s["low"]) for s in stats]
            above = [min(1.0, s["high"]) - s["mean"] for s in stats]
            axes.errorbar(x, means, (below, above), fmt=form, color=colour, capsize=3, markersize=5)
            if alone:
                _name_beside(axes, ANSWERS[answers], means[-1], colour)
        axes.set_xticks(range(len(counts)), [str(k) for k in counts])
        axes.set_ylim(-0.03, 1.05)
        axes.grid(axis="y", linewidth=0.8)
        if alone:
            _name_beside(axes, how, share, MUTED)
        else:
            panel_title(axes, f"{names.get(task, task)}\n(dashed: {how})")
    for axes in grid[len(tasks) :]:
        axes.axis("off")
    headline(figure, title)
    if not alone and any(answers == "drawn" for _, answers, _ in points):
        marks = [
            Line2D([], [], color=colour, marker=mark, linestyle="", markersize=5)
            for colour, mark in ((BLUE, "o"), (ORANGE, "D"))
        ]
        reach = dict.fromkeys(tasks, 0.0)
        for (task, _, _), stats in points.items():
            reach[task] = max(reach[task], stats["high"])
        emptiest = grid[tasks.index(min(tasks, key=reach.get))]
        emptiest.legend(marks, ANSWERS.values(), loc="upper right", fontsize=9, handletextpad=0.2)
    figure.supxlabel("solved examples in the prompt", fontsize=10)
    figure.supylabel("share right", fontsize=10)
    return figure


def _name_beside(axes, name, y, colour):
    """Write a name to the right of the axes, at the height y of what it names."""
    beside = axes.get_yaxis_transform()
    axes.text(1.02, y, name, transform=beside, va="center", color=colour, fontweight="bold")


def describe_prompting_curves(points, baselines, names=None):
    """Say in words what `prompting_curves` shows.

    >>> points = {("sums", "right", k): {"mean": k / 4, "low": 0, "high": 1} for k in (0, 1)}
    >>> describe_prompting_curves(points, {"sums": (0.1, "always ten")})
    'Share right by examples in the prompt. sums: 0.00 after 0, 0.25 after 1; always ten: 0.10.'
    """
    parts = ["Share right by examples in the prompt."]
    for task, (share, how) in baselines.items():
        said = []
        for answers, words in (("right", ""), ("drawn", " with answers drawn blindly")):
            found = [(k, s) for (t, a, k), s in points.items() if (t, a) == (task, answers)]
            said += [f"{s['mean']:.2f} after {k}{words}" for k, s in sorted(found, key=_examples)]
        name = (names or {}).get(task, task)
        parts.append(f"{name}: {', '.join(said)}; {how}: {share:.2f}.")
    return " ".join(parts)


def _examples(found):
    return found[0]
