"""The matrix that CLIP is trained on: pictures along one side, texts along the other."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import (
    as_images,
    numbers,
    place,
    same_counts,
    shortened,
)

MOST = 10  # with numbers in the squares


@style.styled
def logit_matrix(images, texts, logits, title=None, form="{:.1f}", figure=None):
    """How well each picture fits each text, a row a picture, a column a text; pairs are framed.

    images (N, 3, height, width), texts N strings, logits (N, N). Picture i and text i belong
    together: their square is framed in green when it is the largest of its row, else that one is
    framed in orange. A dot marks the largest of each column. Raises ShapeError when the counts
    differ.

    >>> figure = logit_matrix(np.ones((2, 3, 4, 4)), ["a cat", "a dog"], [[5, 1], [2, 1]])
    >>> figure.get_suptitle()
    '1 of 2 pictures finds its own text, 1 of 2 texts finds its own picture'
    """
    images, values = as_images(images), _checked(images, texts, logits)
    n = len(values)
    cell = min(0.62, 5.6 / n)
    figure = style.blank(figure, max(6.6, 1.7 + cell * (n + 1.3)), 2.25 + cell * n)
    axes = figure.subplots()
    low, high = min(0.0, values.min()), max(values.max(), 1e-9)
    if low < 0:
        low, high = -max(-low, high), max(-low, high)
    colours = style.SIGNED if low < 0 else style.WEIGHTS
    drawn = axes.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="equal")
    if n <= MOST:
        shades = drawn.to_rgba(values)[..., :3] @ (0.2126, 0.7152, 0.0722)
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if shades[row, column] < 0.5 else style.INK
            axes.text(column, row, _written(value, form), ha="center", va="center", fontsize=8.5,
                      color=colour)  # fmt: skip
    else:
        figure.colorbar(drawn, ax=axes, fraction=0.04, pad=0.02).outline.set_visible(False)
    for row, image in enumerate(images):
        place(axes, image, -1.55, row - 0.46, 0.92, 0.92, smooth=True)
        best = int(values[row].argmax())
        _frame(axes, row, row, style.GREEN if best == row else style.INK)
        if best != row:
            _frame(axes, row, best, style.ORANGE)
    for column, text in enumerate(texts):
        axes.text(column - 0.2, -0.62, shortened(text, 24), rotation=38, ha="left", va="bottom",
                  rotation_mode="anchor", fontsize=9)  # fmt: skip
        best = int(values[:, column].argmax())
        colour = style.GREEN if best == column else style.ORANGE
        axes.plot(column + 0.34, best - 0.34, "o", color=colour, markersize=6, zorder=7,
                  markeredgecolor=style.CARD)  # fmt: skip
    _key(axes, n)
    axes.set_aspect("equal")
    axes.set(xlim=(-1.7, n - 0.4), ylim=(n + 0.1, -0.6), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    style.headline(figure, title or _said(values))
    return figure


def describe_logit_matrix(texts, logits):
    """Say in words what `logit_matrix` shows.

    >>> describe_logit_matrix(["a cat", "a dog"], [[5, 1], [2, 1]])[:63]
    'A matrix of 2 pictures, the rows, and their 2 texts, the column'
    """
    values = numbers(logits)
    wrong = [
        f"the picture of “{texts[row]}” fits “{texts[best]}” better"
        for row, best in enumerate(values.argmax(axis=1))
        if best != row
    ]
    found = _said(values)
    return (
        f"A matrix of {len(values)} pictures, the rows, and their {len(values)} texts, the "
        "columns. "
        f"{found[0].upper()}{found[1:]}" + (f": {'; '.join(wrong[:5])}." if wrong else ".")
    )


def _checked(images, texts, logits):
    values = numbers(logits)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not np.isfinite(values).all():
        raise ShapeError(f"logits must be a finite square, pictures x texts, got {values.shape}")
    same_counts(images=len(images), texts=len(texts), rows=len(values))
    return values


def _written(value, form):
    """A number without the sign that a rounded -0.0 has."""
    text = form.format(value)
    return text if float(text) else form.format(0.0)


def _said(values):
    n = len(values)
    rows = int((values.argmax(axis=1) == np.arange(n)).sum())
    columns = int((values.argmax(axis=0) == np.arange(n)).sum())
    ending = ("finds its own text", "find their own text")[rows != 1]
    other = ("finds its own picture", "find their own picture")[columns != 1]
    return f"{rows} of {n} pictures {ending}, {columns} of {n} texts {other}"


def _frame(axes, row, column, colour):
    look = {"facecolor": "none", "edgecolor": colour, "linewidth": 2.4, "zorder": 6}
    axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, **look))


def _key(axes, n):
    """Say below the matrix what frames and dots mean."""
    entries = (
        (style.GREEN, "row’s best, right"),
        (style.ORANGE, "row’s best, wrong"),
        (style.INK, "should be best"),
    )
    at = -1.5
    for colour, words in entries:
        look = {"facecolor": "none", "edgecolor": colour, "linewidth": 2, "clip_on": False}
        axes.add_patch(Rectangle((at, n - 0.2), 0.24, 0.24, **look))
        axes.text(at + 0.36, n - 0.08, words, va="center", fontsize=9, color=style.MUTED)
        at += 2.35
    for left, colour in ((0.0, style.GREEN), (0.2, style.ORANGE)):
        axes.plot(at + left, n - 0.08, "o", color=colour, markersize=6, clip_on=False)
    axes.text(at + 0.36, n - 0.08, "column’s best", va="center", fontsize=9, color=style.MUTED)
