"""Clips as film strips: frames, caption, and the token that each frame becomes."""

from collections import Counter

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.codes import colour_of, ink_on
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import (
    as_images,
    finish,
    numbers,
    page,
    place,
    same_counts,
    shortened,
)

PALE = (0.93, 0.94, 0.95)  # of tokens that only one clip has
SIDE, STEP, HOLES = 0.82, 0.94, 0.17  # a frame, from one to the next, the edge with the holes


@style.styled
def film_strips(clips, captions, tokens=None, title=None, quoted=True, figure=None):
    """Clips as film strips below their captions, and below each frame its token.

    clips (N, F, C, height, width) from 0 to 1, grey (C = 1, drawn as ink on paper) or coloured;
    captions N strings, in quotation marks unless quoted is false; tokens (N, F) whole numbers,
    coloured where two clips or more have them. Raises ShapeError when the counts differ.

    >>> figure = film_strips(np.zeros((1, 2, 1, 4, 4)), ["a one stays"], [[7, 7]])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['“a one stays”', '7', '7']
    """
    clips = [_frames(clip) for clip in clips]
    codes = None if tokens is None else numbers(tokens).astype(int)
    same_counts(clips=len(clips), captions=len(captions))
    n_frames = len(clips[0])
    if codes is not None and codes.shape != (len(clips), n_frames):
        raise ShapeError(f"tokens must be ({len(clips)}, {n_frames}), got {codes.shape}")
    found = Counter(code for row in codes for code in {*row}) if codes is not None else {}
    shared = sorted(code for code, n_clips in found.items() if n_clips > 1)
    fills = {code: colour_of(at) for at, code in enumerate(shared)}
    strip = SIDE + 2 * HOLES
    high = 0.3 + strip + (0.36 if codes is not None else 0.16)
    width = STEP * n_frames + 0.14
    figure, axes = page(figure, width, high * len(clips), title or _said(clips, codes))
    for n, (clip, caption) in enumerate(zip(clips, captions, strict=True)):
        top = n * high + 0.3
        words = f"“{shortened(caption, 80)}”" if quoted else shortened(caption, 80)
        axes.text(0, top - 0.15, words, va="center", fontweight="bold")
        axes.add_patch(Rectangle((0, top), width, strip, facecolor="#23262d", zorder=1))
        holes = np.arange(0.1, width - 0.1, 0.19)
        for x in holes:
            for y in (top + 0.04, top + strip - 0.13):
                axes.add_patch(Rectangle((x, y), 0.1, 0.09, facecolor=style.CARD, zorder=2))
        for at, frame in enumerate(clip):
            left = 0.13 + at * STEP
            place(axes, frame, left, top + HOLES, SIDE, SIDE)
            if codes is None:
                continue
            fill = fills.get(codes[n, at], PALE)
            y = top + strip + 0.06
            axes.add_patch(Rectangle((left + 0.14, y), SIDE - 0.28, 0.22, facecolor=fill, zorder=2))
            axes.text(left + SIDE / 2, y + 0.115, str(codes[n, at]), ha="center", va="center",
                      fontsize=10, color=ink_on(fill), zorder=3)  # fmt: skip
    finish(axes, width, high * len(clips))
    return figure


def describe_film_strips(captions, tokens=None):
    """Say in words what `film_strips` shows.

    >>> describe_film_strips(["a one stays"], [[7, 7]])
    'Frames of clips as film strips. “a one stays”: tokens 7 7.'
    """
    parts = [f"“{caption}”" for caption in captions]
    if tokens is not None:
        parts = [
            f"{part}: tokens {' '.join(str(int(token)) for token in row)}"
            for part, row in zip(parts, tokens, strict=True)
        ]
    return f"Frames of clips as film strips. {'; '.join(parts)}."


def _frames(clip):
    values = numbers(clip)
    if values.ndim != 4:
        raise ShapeError(f"each clip must be (F, C, height, width), got shape {values.shape}")
    frames = as_images(values, "each clip")
    return 1 - 0.94 * frames if values.shape[1] == 1 else frames


def _said(clips, codes):
    if codes is None:
        return f"{len(clips[0])} frames a clip"
    different = len(np.unique(codes))
    ending = f"{different} different tokens here" if different > 1 else "one token for all"
    return f"{len(clips[0])} frames become {len(clips[0])} tokens: {ending}"
