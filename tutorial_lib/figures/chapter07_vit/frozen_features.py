"""What a real ViT's vectors are worth with few labels, beside pixels and a small ViT."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

NAMES = {
    "DINOv2": "linear on our DINOv2",
    "pixels": "linear on pixels",
    "ViT": "small ViT from scratch",
}
ASIDE = (0.96, 1, 1.04)  # the dots of three ways beside each other
TASKS = {"digits": ("digits", 1 / 10), "emoji": ("groups of emoji", 1 / 8)}  # name, chance


@style.styled
def frozen_features(rows, title=None, figure=None):
    """Test pictures named right by labels of each class, one panel a task, one line a way.

    rows: dicts with "task" ("digits" or "emoji"), "way" ("DINOv2", "pixels" or "ViT"), "n_labels",
    "seed" and "accuracy". A dot is a seed, a line the mean; each panel has a scale of its own and
    names chance. Returns the figure. Raises ShapeError when a way lacks a number of labels that
    another has.

    >>> rows = [{"task": task, "way": way, "n_labels": n, "seed": 0, "accuracy": a + n / 100}
    ...         for task in TASKS for way, a in zip(NAMES, (0.4, 0.3, 0.2)) for n in (5, 10)]
    >>> frozen_features(rows).get_suptitle()
    'With 5 labels a class our DINOv2 leads by 0.10 on digits, by 0.10 on emoji'
    """
    table = _table(rows)
    figure = style.blank(figure, 9.5, 4.2)
    panels = figure.subplots(1, len(table), squeeze=False)[0]
    for axes, (task, ways) in zip(panels, table.items(), strict=True):
        name, chance = TASKS[task]
        for (way, by), colour, aside in zip(ways.items(), style.CYCLE, ASIDE, strict=False):
            means = [np.mean(seeds) for seeds in by.values()]
            axes.plot([n * aside for n in by], means, color=colour, label=NAMES[way])
            for n_labels, seeds in by.items():
                look = {"color": colour, "markersize": 5, "alpha": 0.6}
                axes.plot([n_labels * aside] * len(seeds), seeds, "o", **look)
        axes.set(xscale="log", xlabel="labelled pictures of each class")
        axes.grid(axis="y", linewidth=0.8)
        axes.set_xticks([*by], [f"{n:,}" for n in by])
        axes.set_xticks([], minor=True)
        style.panel_title(axes, f"{name} (chance: {chance:.2f})")
    panels[0].set_ylabel("share of test pictures named right")
    panels[-1].legend(loc="upper left")
    style.headline(figure, title or _said(table))
    return figure


def describe_frozen_features(rows):
    """Say in words what `frozen_features` shows."""
    table = _table(rows)
    parts = [
        f"{TASKS[task][0]}, {NAMES[way]}: "
        + ", ".join(
            f"{np.mean(seeds):.2f} with {n:,} ({min(seeds):.2f} to {max(seeds):.2f})"
            for n, seeds in by.items()
        )
        for task, ways in table.items()
        for way, by in ways.items()
    ]
    return (
        "Share of test pictures named right by labels of each class, mean and range over seeds. "
        f"{'; '.join(parts)}. {_said(table)}."
    )


def _table(rows):
    """Return {task: {way: {labels: one number a seed}}}."""
    sizes = sorted({row["n_labels"] for row in rows})
    table = {
        task: {
            way: {
                size: [
                    row["accuracy"]
                    for row in rows
                    if (row["task"], row["way"], row["n_labels"]) == (task, way, size)
                ]
                for size in sizes
            }
            for way in NAMES
        }
        for task in TASKS
        if any(row["task"] == task for row in rows)
    }
    if not table:
        raise ShapeError("expected rows of digits or emoji, got none")
    for task, ways in table.items():
        for way, by in ways.items():
            for size, seeds in by.items():
                if not seeds:
                    raise ShapeError(f"no row of {task}, {way} with {size} labels a class")
    return table


def _said(table):
    parts = []
    for task, ways in table.items():
        fewest = min(ways["DINOv2"])
        mean = {way: np.mean(by[fewest]) for way, by in ways.items()}
        lead = mean.pop("DINOv2") - max(mean.values())
        word = "leads" if lead >= 0 else "is behind"
        previous = parts and parts[-1][0] == word
        parts.append((word, f"{'' if previous else word + ' '}by {abs(lead):.2f} on {task}"))
    return f"With {fewest} labels a class our DINOv2 " + ", ".join(text for _, text in parts)
