"""Prompting a real model: right answers by number of examples, and by the form of the prompt."""

from statistics import mean

from matplotlib.lines import Line2D

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    BLUE,
    GREEN,
    GRID,
    INK,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)

# As in the Latin square, whose fills are paler.
LABEL_COLOURS = {"entailment": GREEN, "neutral": MUTED, "contradiction": ORANGE}
ANSWERS = {"right": "right answers in the examples", "drawn": "answers drawn blindly"}
DIFFERS = {"order": "other order", "examples": "other examples", "wording": "other wording"}


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
    size = (7.5, 4.0) if alone else (1.2 + 3.0 * columns, 0.9 + 2.5 * n_rows)
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
        grid[0].legend(marks, ANSWERS.values(), loc="lower left", fontsize=8.5, handletextpad=0.2)
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
                    shift = -0.014 if at == "right" else 0.014
                    if at == "right" and share < 0.02 * len(name):  # no room: above its dot
                        axes.text(share, height + 0.2, name, ha="left", va="bottom", color=INK)
                        continue
                    axes.text(share + shift, height, name, ha=at, va="center", color=INK)
        if marks and task in marks:
            axes.axvline(marks[task], color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=0)
        axes.set_yticks(range(len(DIFFERS)), list(reversed(DIFFERS.values())))
        axes.set(xlim=(0, 1), ylim=(-0.5, len(DIFFERS) - 0.5))
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", linewidth=0.8)
        panel_title(axes, (names or {}).get(task, task))
    axes.set_xlabel("share right; each dot is one prompt")
    headline(figure, title)
    return figure


@styled
def review_draws(rows, title="", *, figure=None):
    """Right answers by number of examples, as answered and calibrated: a dot a draw, their means.

    rows: dicts with "examples", "answers" (the name of a line) and "accuracy", a row a draw.
    Raises ShapeError without rows.

    >>> rows = [{"examples": k, "answers": "calibrated", "accuracy": k / 4} for k in (1, 1, 2)]
    >>> [line.get_marker() for line in review_draws(rows).axes[0].lines]
    ['o', '_', 'None']
    """
    names = list(dict.fromkeys(row["answers"] for row in rows))
    if not names:
        raise ShapeError("review_draws needs at least one row")
    counts = sorted({row["examples"] for row in rows})
    figure = blank(figure, 7.5, 4.0)
    axes = figure.subplots()
    for name, colour, shift in zip(names, (BLUE, ORANGE), (-0.06, 0.06), strict=False):
        found = [(counts.index(r["examples"]), r["accuracy"]) for r in rows if r["answers"] == name]
        x = [place + shift for place, _ in found]
        axes.plot(x, [share for _, share in found], "o", color=colour, alpha=0.45, markersize=7)
        places = sorted({place for place, _ in found})
        means = [mean(share for at, share in found if at == place) for place in places]
        axes.plot([p + shift for p in places], means, "-", marker="_", color=colour)
        axes.annotate(
            name,
            (places[-1] + 0.2, means[-1]),
            va="center",
            color=colour,
            fontweight="bold",
        )
    axes.axhline(0.5, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
    axes.text(-0.25, 0.505, "a coin", va="bottom", color=MUTED)
    axes.set_xticks(range(len(counts)), [str(k) for k in counts])
    axes.set(xlim=(-0.3, len(counts) - 0.1), ylim=(0.2, 1.0))
    axes.set(xlabel="solved examples in the prompt", ylabel="share right", title=title)
    axes.grid(axis="y", linewidth=0.8)
    return figure


@styled
def likelihoods_by_label(values, title="", *, figure=None):
    """A histogram for each label, on one axis: how likely the hypothesis is after its premise.

    values {label: log p, one a pair, in nats}. Raises ShapeError without labels.

    >>> len(likelihoods_by_label({"entailment": [-3.0, -4.0], "neutral": [-7.0]}).axes)
    2
    """
    if not values:
        raise ShapeError("likelihoods_by_label needs at least one label")
    figure = blank(figure, 7.5, 0.9 + 1.15 * len(values))
    lowest = min(map(min, values.values()))
    highest = max(map(max, values.values()))
    bins = [lowest + (highest - lowest) * i / 60 for i in range(61)]
    grid = figure.subplots(len(values), 1, sharex=True, squeeze=False)
    for axes, (label, found) in zip(grid.flat, values.items(), strict=True):
        colour = LABEL_COLOURS.get(label, BLUE)
        axes.hist(found, bins=bins, color=colour)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.text(
            0.01,
            0.92,
            label,
            transform=axes.transAxes,
            va="top",
            color=colour,
            fontweight="bold",
        )
    axes.set_xlabel("log p of the hypothesis after its premise, nats (right: likelier)")
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
