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
    together. The largest of each row is framed, in green when it is the picture's own text, else in
    pink; then the own text has a dashed frame. Raises ShapeError when the counts differ.

    >>> figure = logit_matrix(np.ones((2, 3, 4, 4)), ["a cat", "a dog"], [[5, 1], [2, 1]])
    >>> figure.get_suptitle()
    '1 of 2 pictures fits its own text best'
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
            axes.text(column, row, _written(value, form), ha="center", va="center", fontsize=10,
                      color=colour)  # fmt: skip
    else:
        figure.colorbar(drawn, ax=axes, fraction=0.04, pad=0.02).outline.set_visible(False)
    for row, image in enumerate(images):
        place(axes, image, -1.55, row - 0.46, 0.92, 0.92, smooth=True)
        best = int(values[row].argmax())
        _frame(axes, row, best, style.GREEN if best == row else style.PINK, linewidth=3)
        if best != row:
            _frame(axes, row, row, style.INK, linewidth=1.4, linestyle=(0, (4, 3)))
    for column, text in enumerate(texts):
        axes.text(column - 0.2, -0.62, shortened(text, 24), rotation=38, ha="left", va="bottom",
                  rotation_mode="anchor", fontsize=10.5)  # fmt: skip
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
    return f"{rows} of {n} pictures {('fits its', 'fit their')[rows != 1]} own text best"


def _frame(axes, row, column, colour, **line):
    look = {"facecolor": "none", "edgecolor": colour, "zorder": 6} | line
    axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, **look))


def _key(axes, n):
    """Say below the matrix what the frames mean."""
    entries = (
        (style.GREEN, {"linewidth": 3}, "row’s largest, right"),
        (style.PINK, {"linewidth": 3}, "row’s largest, wrong"),
        (style.INK, {"linewidth": 1.4, "linestyle": (0, (3, 2))}, "its own text"),
    )
    at = -1.5
    for colour, line, words in entries:
        look = {"facecolor": "none", "edgecolor": colour, "clip_on": False} | line
        axes.add_patch(Rectangle((at, n - 0.2), 0.28, 0.28, **look))
        axes.text(at + 0.42, n - 0.06, words, va="center", fontsize=10)
        at += 3.3
