"""What was found for a phrase, and what was written for one: pictures in rows."""

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

SIDE, STEP = 0.66, 0.86  # of a found picture, and from one to the next, in inches
LEFT = 0.12


@style.styled
def found_pictures(queries, images, names, found, scores=None, right=None, title=None, figure=None):
    """What a search finds for each query, best first, a row a query.

    queries: Q strings; images (N, 3, height, width) and N names of all that is searched; found
    (Q, k) numbers of pictures; scores (Q, k), written below the names; right (Q, k) of True and
    False: the right ones are framed in green. Raises ShapeError when the counts differ.

    >>> import numpy as np
    >>> figure = found_pictures(["meow"], np.ones((2, 3, 4, 4)), ["cat", "dog"], [[0, 1]])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['“meow”', 'cat', 'dog']
    """
    rows = _checked(queries, images, names, found, scores, right)
    shown = as_images(images)
    k = len(found[0])
    line = 0.13 if scores is None else 0.27
    high = 0.32 + SIDE + 0.34 + line
    width = max(4.0, 2 * LEFT + STEP * k)
    figure, axes = page(figure, width, high * len(rows), title or _said(rows, names))
    for row, (query, picked) in enumerate(rows):
        top = row * high + 0.32
        axes.text(LEFT, top - 0.16, f"“{shortened(query, 70)}”", va="center", fontweight="bold")
        for at, (number, score, is_right) in enumerate(picked):
            left = LEFT + at * STEP
            edge, thick = (style.GREEN, 2.8) if is_right else (style.GRID, 1.0)
            place(axes, shown[number], left, top, SIDE, SIDE, edge, thick, smooth=True)
            middle = left + SIDE / 2
            lines = _two_lines(names[number], 12)
            axes.text(middle, top + SIDE + 0.06, "\n".join(lines), ha="center", va="top",
                      fontsize=7.2, linespacing=1.05)  # fmt: skip
            if score is not None:
                axes.text(middle, top + SIDE + 0.36, f"{score:.2f}", ha="center", va="top",
                          fontsize=7.5, color=style.MUTED)  # fmt: skip
    finish(axes, width, high * len(rows))
    return figure


def describe_found_pictures(queries, names, found, right=None):
    """Say in words what `found_pictures` shows.

    >>> describe_found_pictures(["meow"], ["cat", "dog"], [[0, 1]], [[True, False]])
    'The 2 pictures nearest to each phrase. “meow”: cat (right), dog.'
    """
    rows = _checked(queries, names, names, found, None, right)
    said = [
        f"“{query}”: " + ", ".join(names[n] + (" (right)" if yes else "") for n, _, yes in picked)
        for query, picked in rows
    ]
    return f"The {len(found[0])} pictures nearest to each phrase. {'. '.join(said)}."


def _checked(queries, images, names, found, scores, right):
    """For each query the (number, score or None, is it right) of what was found."""
    same_counts(images=len(images), names=len(names))
    picked = numbers(found)
    if picked.ndim != 2 or not picked.size or picked.min() < 0 or picked.max() >= len(names):
        raise ShapeError(f"found must be (Q, k) numbers below {len(names)}, got {picked.shape}")
    others = [
        numbers(given) if given is not None else [[blank] * picked.shape[1]] * len(picked)
        for given, blank in ((scores, None), (right, False))
    ]
    same_counts(
        queries=len(queries), found=len(picked), scores=len(others[0]), right=len(others[1])
    )
    for name, each in zip(("scores", "right"), others, strict=True):
        if len(each[0]) != picked.shape[1]:
            raise ShapeError(f"{name} must be {picked.shape}, got rows of {len(each[0])}")
    rows = zip(picked.astype(int).tolist(), *others, strict=True)
    return [
        (query, [(n, s, bool(r)) for n, s, r in zip(*row, strict=True)])
        for query, row in zip(queries, rows, strict=True)
    ]


def _said(rows, names):
    n_right = sum(yes for _, picked in rows for *_, yes in picked)
    total = sum(len(picked) for _, picked in rows)
    kept = f", {n_right} of {total} right" if n_right else ""
    return f"The nearest of {len(names):,} pictures{kept}"


def _two_lines(name, letters):
    """A name on at most two lines of about so many letters.

    >>> _two_lines("smiling face with heart-eyes", 12)
    ['smiling face', 'with heart-…']
    """
    lines, words = [""], shortened(name, 60).split()
    while words:
        joined = f"{lines[-1]} {words[0]}".strip()
        if len(joined) > letters and lines[-1]:
            if len(lines) == 2:
                break
            lines.append("")
            continue
        lines[-1] = joined
        words.pop(0)
    if words and len(lines) == 2:
        lines[-1] += " " + words[0]
    return [shortened(line, letters) for line in lines]


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
