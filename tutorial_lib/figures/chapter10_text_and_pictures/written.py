"""What was written for captions: rows of pictures, each above the nearest training picture."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import (
    as_images,
    finish,
    numbers,
    page,
    place,
    same_counts,
    shortened,
)

SIDE, STEP = 0.66, 0.86  # of a picture, and from one to the next, in inches
LEFT = 0.12


@style.styled
def written_pictures(
    captions, samples, nearest=None, shared=None, title=None, side=SIDE, figure=None
):
    """Pictures that were made for captions, and below each the training picture nearest to it.

    captions: Q strings; samples (Q, k, 3, height, width); nearest: as many training pictures, of
    the same shape; shared (Q, k): how many codes both share, written below; side: of a sample, in
    inches. Raises ShapeError when the shapes differ.

    >>> import numpy as np
    >>> figure = written_pictures(["a cat"], np.ones((1, 2, 3, 4, 4)), np.zeros((1, 2, 3, 4, 4)))
    >>> len(figure.axes[0].images)
    4
    """
    made, k = _rows_of_pictures(samples, "samples")
    same_counts(captions=len(captions), samples=len(made))
    old = None if nearest is None else _rows_of_pictures(nearest, "nearest")[0]
    if old is not None and (len(old), len(old[0])) != (len(made), k):
        raise ShapeError(
            f"nearest must be ({len(made)}, {k}, ...), got ({len(old)}, {len(old[0])})"
        )
    both = None if shared is None else numbers(shared)
    if both is not None and both.shape != (len(made), k):
        raise ShapeError(f"shared must be ({len(made)}, {k}), got {both.shape}")
    small, line = 0.7 * side, 0.2 if both is not None else 0.04
    step = side + STEP - SIDE
    high = 0.3 + side + (0.08 + small + line if old else 0.1) + 0.08
    names = 0.72 if old else 0.0  # room for what the rows are
    width = max(4.0, 2 * LEFT + names + step * k)
    default = "Written from captions" + (", with the nearest training pictures" if old else "")
    figure, axes = page(figure, width, high * len(made), title or default)
    for row, caption in enumerate(captions):
        top = row * high + 0.3
        axes.text(LEFT, top - 0.15, f"“{shortened(caption, 70)}”", va="center", fontweight="bold")
        faint = {"va": "center", "fontsize": 8.5, "color": style.MUTED}
        if old:
            axes.text(LEFT, top + side / 2, "written", **faint)
            axes.text(LEFT, top + side + 0.08 + small / 2, "nearest", **faint)
        for at in range(k):
            left = LEFT + names + at * step
            place(axes, made[row][at], left, top, side, side)
            if old:
                inner = left + (side - small) / 2
                place(axes, old[row][at], inner, top + side + 0.08, small, small)
            if both is not None:
                axes.text(left + side / 2, top + side + 0.11 + small, f"shares {both[row, at]:.0f}",
                          ha="center", va="top", fontsize=8.5, color=style.MUTED)  # fmt: skip
    finish(axes, width, high * len(made))
    return figure


def describe_written_pictures(captions, samples, shared=None):
    """Say in words what `written_pictures` shows.

    >>> import numpy as np
    >>> describe_written_pictures(["a cat"], np.ones((1, 2, 3, 4, 4)), [[3, 16]])
    'Pictures written from captions, 2 for each of “a cat”, each above the training picture that \
is nearest to it, with 3 to 16 codes shared.'
    """
    said = ", ".join(f"“{caption}”" for caption in captions)
    both = ""
    if shared is not None:
        codes = numbers(shared)
        both = f", with {codes.min():.0f} to {codes.max():.0f} codes shared"
    return (
        f"Pictures written from captions, {len(samples[0])} for each of {said}, each above the "
        f"training picture that is nearest to it{both}."
    )


def _rows_of_pictures(pictures, name):
    rows = [as_images(row, f"each row of {name}") for row in pictures]
    if not rows or len({len(row) for row in rows}) != 1:
        raise ShapeError(f"{name} must be (Q, k, 3, height, width), got {len(rows)} rows")
    return rows, len(rows[0])
