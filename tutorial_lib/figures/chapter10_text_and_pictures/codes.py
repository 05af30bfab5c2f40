"""Pictures as grids of codes, and what a decoder makes of the codes alone."""

import colorsys

import numpy as np
from matplotlib.patches import Rectangle

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

SIDE, GAP = 1.78, 0.14  # inches


def colour_of(code):
    """A colour for a code, as the code book explorer has it on a light page.

    Neighbours in number are far apart in hue.
    """
    return colorsys.hls_to_rgb(code * 137.508 % 360 / 360, 0.76, 0.5)


def ink_on(colour):
    """Black or white, whichever can be read on a colour."""
    return style.INK if np.dot(colour, (0.2126, 0.7152, 0.0722)) > 0.45 else "white"


@style.styled
def coded_pictures(images, codes, decoded, n_codes, names=None, title=None, figure=None):
    """Each picture, its codes as a coloured grid, and what is decoded from the codes alone.

    images and decoded (N, 3, height, width) from 0 to 1; codes (N, rows, columns) below n_codes;
    names N strings. Two pictures stand in a row. Raises ShapeError when they do not fit together.

    >>> picture = np.ones((1, 3, 8, 8))
    >>> coded_pictures(picture, [[[3, 1], [1, 1]]], picture, n_codes=4).get_suptitle()
    '4 codes of 4 stand for 192 numbers; the mean error is 0.000'
    """
    shown, made, grids = _checked(images, codes, decoded, n_codes)
    names = [""] * len(shown) if names is None else list(names)
    same_counts(images=len(shown), names=len(names))
    across = min(2, len(shown))
    down = -(-len(shown) // across)
    block = 3 * SIDE + 2 * GAP
    above = 0.3
    width = across * block + (across - 1) * 0.5
    each_high = SIDE + above + 0.1
    figure, axes = page(
        figure, width, down * each_high, title or _said(shown, made, grids, n_codes)
    )
    for n, (image, grid, back) in enumerate(zip(shown, grids, made, strict=True)):
        left, top = (n % across) * (block + 0.5), (n // across) * each_high + above
        captions = (shortened(names[n] or "picture", 26), "its codes", "decoded")
        for at, words in enumerate(captions):
            axes.text(left + at * (SIDE + GAP) + SIDE / 2, top - 0.13, words, ha="center",
                      va="center", fontsize=9.5)  # fmt: skip
        place(axes, image, left, top, SIDE, SIDE)
        _draw_grid(axes, grid, left + SIDE + GAP, top)
        place(axes, back, left + 2 * (SIDE + GAP), top, SIDE, SIDE)
    finish(axes, width, down * each_high)
    return figure


def describe_coded_pictures(images, codes, decoded, n_codes, names=None):
    """Say in words what `coded_pictures` shows.

    >>> picture = np.ones((1, 3, 8, 8))
    >>> describe_coded_pictures(picture, [[[3, 1], [1, 1]]], picture, 4, ["a wall"])
    'Pictures, their grids of codes and what is decoded from these: a wall, 2 different codes. 4 \
codes of 4 stand for 192 numbers; the mean error is 0.000.'
    """
    shown, made, grids = _checked(images, codes, decoded, n_codes)
    names = [f"picture {n}" for n in range(len(shown))] if names is None else names
    each = "; ".join(
        f"{name}, {len(np.unique(grid))} different codes"
        for name, grid in zip(names, grids, strict=True)
    )
    return (
        f"Pictures, their grids of codes and what is decoded from these: {each}. "
        f"{_said(shown, made, grids, n_codes)}."
    )


@style.styled
def code_use(counts, title=None, figure=None):
    """How often each code of a book is used, the most used first, on a logarithmic scale.

    counts (n_codes,). The title says how many are used, and of how many codes, all used equally
    often, the book has the entropy (its perplexity). Raises ShapeError when none is used.

    >>> code_use([6, 0, 6, 0]).get_suptitle()
    '2 of 4 codes are used, as evenly as 2 equal ones'
    """
    uses = _counted(counts)
    figure = style.blank(figure, 8.0, 2.7)
    axes = figure.subplots()
    axes.bar(range(len(uses)), uses, width=0.85 if len(uses) < 200 else 1, color=style.BLUE)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_minor_formatter("")
    axes.set_ylim(bottom=0.7)
    axes.set_xlim(-1, len(uses))
    axes.set(xlabel="codes, the most used first", ylabel="cells with this code")
    style.headline(figure, title or _use_in_words(uses))
    return figure


def describe_code_use(counts):
    """Say in words what `code_use` shows.

    >>> describe_code_use([6, 0, 6, 0])
    'How often each code is used, the most used first, from 6 times down to 0. 2 of 4 codes are \
used, as evenly as 2 equal ones.'
    """
    uses = _counted(counts)
    return (
        f"How often each code is used, the most used first, from {uses[0]:,.0f} times down to "
        f"{uses[-1]:,.0f}. {_use_in_words(uses)}."
    )


def _counted(counts):
    uses = np.sort(numbers(counts))[::-1]
    if uses.ndim != 1 or not uses.size or uses[-1] < 0 or uses[0] <= 0:
        raise ShapeError(f"counts must be (n_codes,) with one above 0, got shape {uses.shape}")
    return uses


def _use_in_words(uses):
    shares = uses[uses > 0] / uses.sum()
    perplexity = np.exp(-(shares * np.log(shares)).sum())
    return f"{len(shares)} of {len(uses)} codes are used, as evenly as {perplexity:.0f} equal ones"


def _checked(images, codes, decoded, n_codes):
    shown, made = as_images(images), as_images(decoded, "decoded")
    grids = numbers(codes)
    if grids.ndim != 3 or not grids.size or grids.min() < 0 or grids.max() >= n_codes:
        raise ShapeError(
            f"codes must be (N, rows, columns) numbers from 0 to {n_codes - 1}, got {grids.shape}"
        )
    same_counts(images=len(shown), decoded=len(made), codes=len(grids))
    if shown.shape != made.shape:
        raise ShapeError(f"images and decoded must agree, got {shown.shape} and {made.shape}")
    return shown, made, grids.astype(int)


def _said(shown, made, grids, n_codes):
    error = np.abs(shown - made).mean()
    return (
        f"{grids[0].size} codes of {n_codes} stand for {shown[0].size:,} numbers; the mean error "
        f"is {error:.3f}"
    )


def _draw_grid(axes, grid, left, top):
    rows, columns = grid.shape
    wide, high = SIDE / columns, SIDE / rows
    size = min(8.5, 32 * wide, 40 * high)
    for (row, column), code in np.ndenumerate(grid):
        x, y = left + column * wide, top + row * high
        fill = colour_of(code)
        look = {"facecolor": fill, "edgecolor": style.CARD, "linewidth": 0.5, "zorder": 3}
        axes.add_patch(Rectangle((x, y), wide, high, **look))
        if size >= 4.5:
            axes.text(x + wide / 2, y + high / 2, str(code), ha="center", va="center_baseline",
                      fontsize=size, color=ink_on(fill), zorder=4)  # fmt: skip
