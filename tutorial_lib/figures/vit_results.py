"""What the experiments with a ViT measured, seed by seed: with few labels, and beside a CNN."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart
from tutorial_lib.models.checks import check_choice

NAMES = {"random": "from scratch", "hidden patches": "hidden patches first"}
WHAT = {"validation_accuracy": "validation digits", "accuracy": "test digits"}


def few_labels(rows, measure="accuracy", title=None, figure=None):
    """Digits read right by labels of each digit, from scratch and after guessing hidden patches.

    rows: dicts with "start" ("random" or "hidden patches"), "n_labels", "seed" and the column
    `measure`, "accuracy" or "validation_accuracy". A dot is a seed, a line the mean. Returns the
    figure. Raises ShapeError when one of the two starts lacks a seed, ValueError for another
    measure.

    >>> rows = [{"start": start, "n_labels": n, "seed": 0, "accuracy": 0.7 + n / 100 + more}
    ...         for start, more in (("random", 0), ("hidden patches", 0.05)) for n in (10, 20)]
    >>> few_labels(rows).axes[0].get_title(loc="left")
    'Hidden patches first: better in 2 of 2 pairs, +0.050 on the mean'
    """
    table = _pairs(rows, "start", ("hidden patches", "random"), "n_labels", measure)
    label = "labelled pictures of each digit"
    return _lines(table, label, measure, title or _few_said(table), figure)


def describe_few_labels(rows, measure="accuracy"):
    """Say in words what `few_labels` shows."""
    table = _pairs(rows, "start", ("hidden patches", "random"), "n_labels", measure)
    return _lines_in_words(table, "labels of each digit", measure, _few_said(table))


def against_cnn(rows, measure="accuracy", title=None, figure=None):
    """Digits read right by number of training pictures, a ViT and a small CNN.

    rows: dicts with "model" ("ViT" or "CNN"), "n_images", "seed" and the column `measure`,
    "accuracy" or "validation_accuracy". A dot is a seed, a line the mean. Returns the figure.
    Raises ShapeError when one model lacks a seed, ValueError for another measure.

    >>> rows = [{"model": model, "n_images": n, "seed": 0, "accuracy": 0.9 - more / n}
    ...         for model, more in (("ViT", 20), ("CNN", 10)) for n in (100, 1000)]
    >>> against_cnn(rows).axes[0].get_title(loc="left")
    'The CNN is ahead by 0.100 with 100 pictures, by 0.010 with 1,000'
    """
    table = _pairs(rows, "model", ("ViT", "CNN"), "n_images", measure)
    label = "training pictures"
    return _lines(table, label, measure, title or _cnn_said(table), figure, log_x=True)


def describe_against_cnn(rows, measure="accuracy"):
    """Say in words what `against_cnn` shows."""
    table = _pairs(rows, "model", ("ViT", "CNN"), "n_images", measure)
    return _lines_in_words(table, "training pictures", measure, _cnn_said(table))


def over_seeds(rows, kind, x, x_label, title, figure=None):
    """Test digits read right along x, a line for each kind: the mean, and the range over seeds.

    rows: dicts with "accuracy", "seed" and the columns kind and x. Returns the figure.

    >>> rows = [{"model": "CNN", "pixels": n, "seed": 0, "accuracy": 1 - n / 10} for n in (0, 1)]
    >>> len(over_seeds(rows, "model", "pixels", "pixels", "Pushed").axes[0].lines)
    1
    """
    table = _by_kind(rows, kind, x)
    series = {
        name: ([*by], [np.mean(seeds) for seeds in by.values()]) for name, by in table.items()
    }
    bands = {
        name: tuple([end(seeds) for seeds in by.values()] for end in (min, max))
        for name, by in table.items()
    }
    label = f"share of {WHAT['accuracy']} read right"
    look = {"bands": bands, "y_range": (0, 1.05), "figure": figure}
    return line_chart(series, x_label, label, title, **look)


def describe_over_seeds(rows, kind, x):
    """Say in words what `over_seeds` shows."""
    each = "; ".join(
        f"{name} at {at}: {np.mean(seeds):.2f} ({min(seeds):.2f} to {max(seeds):.2f})"
        for name, by in _by_kind(rows, kind, x).items()
        for at, seeds in by.items()
    )
    return f"Share of test digits read right, mean and range over seeds. {each}."


def _by_kind(rows, kind, x):
    """Return {kind: {x: one accuracy a seed}} in the order of the rows."""
    table = {}
    for row in rows:
        table.setdefault(row[kind], {}).setdefault(row[x], []).append(row["accuracy"])
    return table


def _pairs(rows, column, kinds, by, measure):
    """Return {kind: {size: one number a seed}}, with the same sizes and seeds for both kinds."""
    check_choice("measure", measure, WHAT)
    table = {
        kind: {
            size: [
                row[measure]
                for row in sorted(rows, key=lambda row: row["seed"])
                if (row[column], row[by]) == (kind, size)
            ]
            for size in sorted({row[by] for row in rows})
        }
        for kind in kinds
    }
    seeds = {
        kind: sorted((row[by], row["seed"]) for row in rows if row[column] == kind)
        for kind in kinds
    }
    first, second = seeds.values()
    if not first or first != second:
        raise ShapeError(
            f"expected rows of {kinds[0]!r} and {kinds[1]!r} with the same {by} and seeds, got "
            f"{len(first)} and {len(second)}"
        )
    return table


def _lines(table, x_label, measure, title, figure, log_x=False):
    series = {
        NAMES.get(kind, kind): ([*by], [float(np.mean(seeds)) for seeds in by.values()])
        for kind, by in table.items()
    }
    y_label = f"share of {WHAT[measure]} read right"
    figure = line_chart(series, x_label, y_label, title, log_x=log_x, figure=figure)
    axes = figure.axes[0]
    for line, by in zip(list(axes.lines), table.values(), strict=True):
        line.set(marker="None")
        for size, seeds in by.items():
            look = {"color": line.get_color(), "markersize": 5, "alpha": 0.6}
            axes.plot([size] * len(seeds), seeds, "o", **look)
    if not log_x:
        axes.set_xticks(list(by))
    return figure


def _lines_in_words(table, of, measure, said):
    parts = [
        f"{NAMES.get(kind, kind)}: "
        + ", ".join(
            f"{np.mean(seeds):.3f} with {size:,} ({min(seeds):.3f} to {max(seeds):.3f})"
            for size, seeds in by.items()
        )
        for kind, by in table.items()
    ]
    return (
        f"Share of {WHAT[measure]} read right by {of}, mean and range over seeds. "
        f"{'; '.join(parts)}. {said}."
    )


def _few_said(table):
    first, second = (np.concatenate([*by.values()]) for by in table.values())
    more = first - second
    better = int((more > 0).sum())
    return (
        f"Hidden patches first: better in {better} of {len(more)} pairs, {more.mean():+.3f} on "
        "the mean"
    )


def _cnn_said(table):
    vit, cnn = ({n: np.mean(seeds) for n, seeds in by.items()} for by in table.values())
    gaps = {n: cnn[n] - vit[n] for n in vit}
    parts = []
    for n in dict.fromkeys((min(gaps), max(gaps))):
        ahead = "CNN" if gaps[n] > 0 else "ViT"
        who = f"the {ahead} is ahead " if not parts or parts[-1][0] != ahead else ""
        parts.append((ahead, f"{who}by {abs(gaps[n]):.3f} with {n:,}" + " pictures" * (not parts)))
    text = ", ".join(part for _, part in parts)
    return text[0].upper() + text[1:]
