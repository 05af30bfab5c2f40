"""What the experiment with a ViT beside a CNN measured, seed by seed."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart
from tutorial_lib.models.checks import check_choice

WHAT = {"validation_accuracy": "validation digits", "accuracy": "test digits"}
MODELS = ("ViT", "CNN")


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
    table = _table(rows, measure)
    series = {
        model: ([*by], [float(np.mean(seeds)) for seeds in by.values()])
        for model, by in table.items()
    }
    y_label = f"share of {WHAT[measure]} read right"
    look = {"log_x": True, "figure": figure}
    figure = line_chart(series, "training pictures", y_label, title or _cnn_said(table), **look)
    axes = figure.axes[0]
    for line, by in zip(list(axes.lines), table.values(), strict=True):
        line.set(marker="None")
        for size, seeds in by.items():
            look = {"color": line.get_color(), "markersize": 5, "alpha": 0.6}
            axes.plot([size] * len(seeds), seeds, "o", **look)
    return figure


def describe_against_cnn(rows, measure="accuracy"):
    """Say in words what `against_cnn` shows."""
    table = _table(rows, measure)
    parts = [
        f"{model}: "
        + ", ".join(
            f"{np.mean(seeds):.3f} with {size:,} ({min(seeds):.3f} to {max(seeds):.3f})"
            for size, seeds in by.items()
        )
        for model, by in table.items()
    ]
    return (
        f"Share of {WHAT[measure]} read right by training pictures, mean and range over seeds. "
        f"{'; '.join(parts)}. {_cnn_said(table)}."
    )


def _table(rows, measure):
    """Return {model: {size: one number a seed}}, with the same sizes and seeds for both."""
    check_choice("measure", measure, WHAT)
    table = {
        model: {
            size: [
                row[measure]
                for row in sorted(rows, key=lambda row: row["seed"])
                if (row["model"], row["n_images"]) == (model, size)
            ]
            for size in sorted({row["n_images"] for row in rows})
        }
        for model in MODELS
    }
    first, second = (
        sorted((row["n_images"], row["seed"]) for row in rows if row["model"] == model)
        for model in MODELS
    )
    if not first or first != second:
        raise ShapeError(
            f"expected rows of 'ViT' and 'CNN' with the same n_images and seeds, got {len(first)} "
            f"and {len(second)}"
        )
    return table


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
