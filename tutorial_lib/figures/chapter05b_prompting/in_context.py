"""Examples in the prompt: what each one adds, and how answers fail without a head."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart

# What the columns of the recipe's table are called in the pictures.
LINES = {
    "accuracy": "the model",
    "ceiling": "ceiling: all they reveal",
    "last_ending": "the last ending again",
    "shuffled": "endings shuffled",
}


def examples_curve(rows, title="", *, lines=LINES, figure=None):
    """Right answers by number of examples: a line for each column, a band from seed to seed.

    rows: dicts with "examples" (a number) and the columns of `lines`, which maps them to the names
    drawn; a column that is missing is left out. Raises ShapeError when nothing is left to draw.

    >>> rows = [{"examples": k, "accuracy": k / 4, "ceiling": 1 - 0.5**k} for k in range(3)]
    >>> figure = examples_curve(rows)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['the model', 'ceiling: all they reveal']
    """
    label = "examples in the prompt"
    figure = _chart(rows, "examples", lines, label, "share of right answers", title, figure)
    for line, column in zip(figure.axes[0].lines, _columns(rows, lines), strict=True):
        if column == "ceiling":  # a broad pale line, which a model on the ceiling does not hide
            line.set(linewidth=8, alpha=0.35, marker="None", zorder=1)
    return figure


def describe_examples_curve(rows, lines=LINES):
    """Say in words what `examples_curve` shows.

    >>> describe_examples_curve([{"examples": k, "accuracy": k / 4} for k in (0, 2)])
    'Share of right answers after 0, 2 examples. The model: 0.00, 0.50.'
    """
    series, _ = _over_seeds(rows, "examples", lines)
    (counts, _), *_ = series.values()
    parts = [f"Share of right answers after {', '.join(f'{n:g}' for n in counts)} examples."]
    for name, (_, values) in series.items():
        parts.append(f"{name[0].upper()}{name[1:]}: {', '.join(f'{v:.2f}' for v in values)}.")
    return " ".join(parts)


def _chart(rows, by, lines, x_label, y_label, title, figure):
    series, bands = _over_seeds(rows, by, lines)
    y_range = (-0.03, 1.03)
    return line_chart(series, x_label, y_label, title, bands=bands, y_range=y_range, figure=figure)


def _columns(rows, lines):
    return [column for column in lines if rows and all(column in row for row in rows)]


def _over_seeds(rows, by, lines):
    """Return the mean of each column over the rows alike in `by`, and its lowest and highest."""
    columns = _columns(rows, lines)
    if not columns:
        raise ShapeError(f"there are no rows with {' or '.join(lines)} to draw")
    xs = sorted({row[by] for row in rows})
    series, bands = {}, {}
    for column in columns:
        values = [[row[column] for row in rows if row[by] == x] for x in xs]
        series[lines[column]] = (xs, [float(np.mean(v)) for v in values])
        bands[lines[column]] = ([min(v) for v in values], [max(v) for v in values])
    return series, bands
