"""What was measured on generated text: time with and without a cache, and how much is copied."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array, line_chart


def _times(rows):
    times = filled_array(rows, 2, "rows")
    if times.shape[1] != 3:
        raise ShapeError(
            f"rows are (tokens so far, without cache, with cache), got {times.shape[1]} numbers"
        )
    return times[times[:, 0].argsort(kind="stable")]


def cache_times(rows, title="", y_label="milliseconds per token", figure=None):
    """Time for the next token against the length so far, without a cache and with one.

    rows: (tokens so far, time without cache, time with cache) each, in the unit of y_label.
    Returns the figure. Raises ShapeError for rows of another form.

    >>> figure = cache_times([(1, 2.0, 2.0), (100, 9.0, 2.5)], "The cache keeps it flat")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['no cache', 'cache']
    """
    length, without, cached = _times(rows).T
    series = {"no cache": (length, without), "cache": (length, cached)}
    top = 1.08 * max(without.max(), cached.max())
    colours = {"no cache": style.ORANGE, "cache": style.BLUE}  # as in the generation explorer
    return line_chart(
        series, "tokens so far", y_label, title, y_range=(0, top), colours=colours, figure=figure
    )


def describe_cache_times(rows, unit="ms"):
    """Say in words what `cache_times` shows.

    >>> describe_cache_times([(1, 2.0, 2.0), (100, 9.0, 2.5)])
    'Time per token without and with a cache: after 1, 2 and 2 ms; after 100 tokens, 9 and 2.5 ms.'
    """
    (first, slow, quick), *_ = times = _times(rows)
    last, slowest, quickest = times[-1]
    return (
        f"Time per token without and with a cache: after {first:,.0f}, {slow:.3g} and {quick:.3g} "
        f"{unit}; after {last:,.0f} tokens, {slowest:.3g} and {quickest:.3g} {unit}."
    )


@style.styled
def copied_lengths(lengths, unit="characters", title="", figure=None):
    """Histograms, one below the other, of the longest piece that each text shares with another.

    lengths maps a name (samples, held-out Shakespeare) to the longest copy of each text, in
    `unit`. All have the same axis; a line marks each median. Returns the figure.
    Raises ShapeError when there is nothing to draw.

    >>> figure = copied_lengths({"samples": [12, 14, 20], "held-out": [11, 15, 18]})
    >>> [axes.texts[0].get_text() for axes in figure.axes]
    ['samples: median 14', 'held-out: median 15']
    """
    if not lengths:
        raise ShapeError("copied_lengths needs at least one row of lengths")
    values = {name: filled_array(row, 1, f"lengths of {name!r}") for name, row in lengths.items()}
    low = int(min(row.min() for row in values.values()))
    high = int(max(row.max() for row in values.values()))
    width = max(1, -(-(high - low + 1) // 40))
    edges = np.arange(low, high + width + 1, width) - 0.5
    figure = style.blank(figure, 7.5, 1.2 + 1.35 * len(values))
    panels = figure.subplots(len(values), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    pairs = zip(panels, values.items(), strict=True)
    for index, (axes, (name, row)) in enumerate(pairs):
        colour = style.CYCLE[index % len(style.CYCLE)]
        shares = np.full(len(row), 100 / len(row))
        axes.hist(row, edges, weights=shares, color=colour, edgecolor=style.CARD, linewidth=0.5)
        middle = float(np.median(row))
        axes.axvline(middle, color=style.INK, linewidth=1.5)
        look = {"va": "top", "color": colour, "fontweight": "bold"}
        words = f"{name}: median {middle:g}"
        x, side = (0.01, "left") if middle > (edges[0] + edges[-1]) / 2 else (0.99, "right")
        axes.text(x, 0.95, words, transform=axes.transAxes, ha=side, **look)
        axes.grid(axis="y", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_ylabel("% of texts")
    panels[0].set_title(title)
    panels[-1].set_xlabel(f"longest piece that is also in the training text ({unit})")
    return figure


def describe_copied_lengths(lengths, unit="characters"):
    """Say in words what `copied_lengths` shows.

    >>> describe_copied_lengths({"samples": [12, 14, 20]})
    'Longest copied piece of each text, in characters. samples: median 14, from 12 to 20 (3 texts).'
    """
    parts = [
        f"{name}: median {np.median(row):g}, from {min(row):g} to {max(row):g} ({len(row)} texts)"
        for name, row in lengths.items()
    ]
    return f"Longest copied piece of each text, in {unit}. {'; '.join(parts)}."


@style.styled
def curve_by_position(losses, positions, title="", figure=None):
    """A training curve beside the loss after training, position by position of the window.

    losses: bits of each step; positions: mean bits at each position. A dashed line at Shannon's
    (1951) lower bound for English, 0.6 bits per letter. Returns the figure.

    >>> figure = curve_by_position([4.0, 2.0, 1.0] * 10, [0.1, 0.2, 3.0])
    >>> len(figure.axes[1].patches)
    3
    """
    losses, positions = (filled_array(row, 1, "bits") for row in (losses, positions))
    figure = style.blank(figure, 9.5, 3.6)
    left, right = figure.subplots(1, 2, sharey=True)
    ends = np.arange(10, len(losses) + 1, 10)
    left.plot(ends, [losses[end - 10 : end].mean() for end in ends])
    left.axhline(0.6, color=style.MUTED, linestyle="--", linewidth=1.3)
    look = {"ha": "right", "color": style.MUTED, "fontsize": 9.5}
    left.text(ends[-1], 0.68, "Shannon's lower bound, 0.6", **look)
    left.set(title="While it learns", xlabel="training step", ylabel="bits per character")
    right.bar(range(len(positions)), positions, color=style.ORANGE)
    for x, height in enumerate(positions):  # a bar near 0 is a result, not a missing bar
        if height < 0.5:
            right.plot(x, height, "o", color=style.ORANGE, markersize=4)
    right.set(title="After training, position by position", xlabel="position in the window")
    style.headline(figure, title)
    return figure
