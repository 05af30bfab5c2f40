"""Which start and which end: all pairs of a span head's probabilities in one table."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.heat_maps import heat_map


def _products(starts, ends, longest, words):
    """Return all products (T, T), and whether start and end of each may belong together."""
    starts, ends = filled_array(starts, 1, "starts"), filled_array(ends, 1, "ends")
    if not len(starts) == len(ends) == len(words):
        raise ShapeError(f"{len(words)} words, but {len(starts)} starts and {len(ends)} ends")
    places = np.arange(len(words))
    length = places - places[:, None] + 1  # (T, T), in tokens
    fits = (length >= 1) & (length <= longest)
    if not fits.any():
        raise ShapeError(f"no pair of {len(words)} words has {longest} tokens or fewer")
    return np.outer(starts, ends), fits


@style.styled
def span_pairs(starts, ends, longest, words, title="", figure=None):
    """All pairs of a start, the row, and an end, the column, with their probabilities' product.

    starts, ends (T,): probabilities; words: T strings. Pairs whose end comes before their start,
    or that are longer than `longest` tokens, are grey. The best of the others is framed, and a
    dotted frame is about the likeliest start and the likeliest end. Returns the figure. Raises
    ShapeError when the counts disagree, or no pair is allowed.

    >>> figure = span_pairs([0.9, 0.1], [0.2, 0.8], 2, ["the", "ghost"])
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    ['0.18', '0.72', '0.08']
    """
    products, fits = _products(starts, ends, longest, words)
    allowed = np.where(fits, products, np.nan)
    names = [
        [f"{word}  {p:.2f}" for word, p in zip(words, of_words, strict=True)]
        for of_words in (starts, ends)
    ]
    figure = heat_map(
        allowed, *names, title, row_label="start", column_label="end", roomy=True, figure=figure
    )
    axes = figure.axes[0]
    ends_below = [name.replace("  ", "\n") for name in names[1]]  # upright, in two lines
    axes.set_xticks(range(len(words)), ends_below, rotation=0, ha="center")
    for row, column in np.argwhere(~fits):
        square = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(square, 1, 1, facecolor=style.PALE_GREY, edgecolor=style.CARD))
    crossed = np.unravel_index(products.argmax(), products.shape)
    best = np.unravel_index(np.nanargmax(allowed), products.shape)
    if not fits[crossed]:
        at = {"ha": "center", "va": "center", "fontsize": 9, "color": style.MUTED}
        axes.text(*crossed[::-1], f"{products[crossed]:.2f}", **at)
    for (row, column), line in ((crossed, ":"), (best, "-")):
        look = {"facecolor": "none", "edgecolor": style.ORANGE, "linewidth": 2.5, "linestyle": line}
        axes.add_patch(Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, **look))
    return figure


def describe_span_pairs(starts, ends, longest, words):
    """Say which pair is best, and which start and end are likeliest: the alt text.

    >>> describe_span_pairs([0.3, 0.7], [0.8, 0.2], 2, ["the", "ghost"])
    'Likeliest start: ghost, likeliest end: the. Best allowed pair: the to the, 0.24.'
    """
    products, fits = _products(starts, ends, longest, words)
    start, end = (words[int(np.argmax(p))] for p in (starts, ends))
    row, column = np.unravel_index(np.where(fits, products, -1).argmax(), products.shape)
    return (
        f"Likeliest start: {start}, likeliest end: {end}. Best allowed pair: {words[row]} to "
        f"{words[column]}, {products[row, column]:.2f}."
    )
