"""Prompting a real model: right answers by number of examples, and by the form of the prompt."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    BLUE,
    GRID,
    INK,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)

DIFFERS = {"order": "other order", "examples": "other examples", "wording": "other wording"}


@styled
def prompting_curves(points, baselines, title="", *, names=None, figure=None):
    """A panel for each task: the share right by examples in the prompt, with its interval.

    points {(task, answers, examples): {"mean", "low", "high"}}, answers "right" or "drawn" (given
    to the examples blindly); baselines {task: (share, how it is reached)}; names {task: shown}.
    Raises ShapeError without points.

    >>> points = {("sums", "right", k): {"mean": k / 4, "low": 0, "high": 1} for k in (0, 1)}
    >>> figure = prompting_curves(points, {"sums": (0.1, "always ten")})
    >>> [axes.get_title() for axes in figure.axes]
    ['sums\\n(dashed: always ten)']
    """
    tasks = list(dict.fromkeys(task for task, _, _ in points))
    if not tasks:
        raise ShapeError("prompting_curves needs at least one point")
    names = names or {}
    counts = sorted({examples for _, _, examples in points})
    columns = min(3, len(tasks))
    n_rows = -(-len(tasks) // columns)
    figure = blank(figure, 1.2 + 3.0 * columns, 0.9 + 2.5 * n_rows)
    grid = figure.subplots(n_rows, columns, sharex=True, sharey=True, squeeze=False)
    grid = list(grid.flat)
    for axes, task in zip(grid, tasks, strict=False):
        share, how = baselines[task]
        axes.axhline(share, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
        for answers, colour, form in (("right", BLUE, "o-"), ("drawn", ORANGE, "D")):
            found = [
                (place, points[task, answers, k])
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
        axes.set_xticks(range(len(counts)), [str(k) for k in counts])
        axes.set_ylim(-0.03, 1.05)
        axes.grid(axis="y", linewidth=0.8)
        panel_title(axes, f"{names.get(task, task)}\n(dashed: {how})")
    for axes in grid[len(tasks) :]:
        axes.axis("off")
    headline(figure, title)
    orange = "; orange: with answers drawn blindly" * any(key[1] == "drawn" for key in points)
    figure.supxlabel(f"solved examples in the prompt{orange}", fontsize=10)
    figure.supylabel("share right", fontsize=10)
    return figure


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


@styled
def prompt_spread(rows, title="", *, names=None, marks=None, figure=None):
    """A dot for each prompt, by what differs from prompt to prompt, for each task.

    rows: dicts with "task", "differs" (a key of DIFFERS), "prompt" (its name) and "accuracy";
    names {task: shown}; marks {task: share} is drawn as a dashed line, a baseline for instance.
    The best and the worst wording have their names. Raises ShapeError without rows.

    >>> rows = [{"task": "sums", "differs": "order", "prompt": "0", "accuracy": 0.5}]
    >>> len(prompt_spread(rows).axes)
    1
    """
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    if not tasks:
        raise ShapeError("prompt_spread needs at least one row")
    figure = blank(figure, 9.0, 0.9 + 2.0 * len(tasks))
    for axes, task in zip(figure.subplots(len(tasks), 1, squeeze=False).flat, tasks, strict=True):
        for height, differs in enumerate(reversed(DIFFERS)):
            found = sorted(
                (row["accuracy"], row["prompt"])
                for row in rows
                if (row["task"], row["differs"]) == (task, differs)
            )
            if not found:
                continue
            shares = [share for share, _ in found]
            axes.plot((shares[0], shares[-1]), (height, height), color=GRID, linewidth=5, zorder=1)
            axes.plot(shares, [height] * len(shares), "o", color=BLUE, alpha=0.6, markersize=8)
            if differs == "wording":
                for (share, name), at in ((found[0], "right"), (found[-1], "left")):
                    shift = -0.012 if at == "right" else 0.012
                    axes.text(share + shift, height, name, ha=at, va="center", color=INK)
        if marks and task in marks:
            axes.axvline(marks[task], color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=0)
        axes.set_yticks(range(len(DIFFERS)), list(reversed(DIFFERS.values())))
        axes.set(xlim=(-0.16, 1.0), ylim=(-0.5, len(DIFFERS) - 0.5))
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", linewidth=0.8)
        panel_title(axes, (names or {}).get(task, task))
    axes.set_xlabel("share right; each dot is one prompt")
    headline(figure, title)
    return figure


def describe_prompt_spread(rows, names=None):
    """Say in words what `prompt_spread` shows.

    >>> row = {"task": "sums", "differs": "order", "prompt": "0", "accuracy": 0.5}
    >>> describe_prompt_spread([row, row | {"accuracy": 0.7}])
    'sums, other order: 0.50 to 0.70 right.'
    """
    parts = []
    for task in dict.fromkeys(row["task"] for row in rows):
        for differs, words in DIFFERS.items():
            shares = [
                row["accuracy"] for row in rows if (row["task"], row["differs"]) == (task, differs)
            ]
            if shares:
                name = (names or {}).get(task, task)
                parts.append(f"{name}, {words}: {min(shares):.2f} to {max(shares):.2f} right.")
    return " ".join(parts)
