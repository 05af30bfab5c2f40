"""Words and regions in one row, as VisualBERT reads them."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import (
    as_images,
    finish,
    numbers,
    page,
    place,
)
from tutorial_lib.figures.diagrams import rounded
from tutorial_lib.figures.tokens import drawable

ROWS = {"vector": 0.95, "segment": 1.6, "position": 2.25, "read by layer 0": 2.95}
HIGH, TOP = 0.36, 0.62  # of a box, and of the words and crops above all


@style.styled
def words_and_regions(words, image, boxes, names=None, title=None, figure=None):
    """The vectors that are added for each word and for each region, as columns of boxes.

    words: T strings; image (3, height, width) from 0 to 1; boxes (R, 4) as left, top, right, bottom
    from 0 to 1, cut out and shown above their columns; names: R short strings. A region has a
    vector of features in place of a word's, the other segment, and no position.
    Raises ShapeError without a word or a region.

    >>> figure = words_and_regions(["[CLS]", "cat"], np.ones((3, 8, 8)), [[0, 0, 0.5, 1]])
    >>> [text.get_text() for text in figure.axes[0].texts][4:8]
    ['[CLS]', 'E [CLS]', '+', 'text']
    """
    names, boxes, crops = _checked(words, image, boxes, names)
    words = [drawable(str(word)) for word in words]
    wide = [max(0.72, 0.3 + 0.088 * (len(word) + 2)) for word in words]
    sides = [1.08] * len(names)
    label, apart = 1.2, 0.3
    width = label + sum(wide) + apart + sum(sides) + 0.08 * (len(wide) + len(sides))
    height = 3.4
    default = f"One row: {len(words)} words and {len(names)} regions; only the words have positions"
    figure, axes = page(figure, width, height, title or default)
    for text, y in ROWS.items():
        look = {"ha": "right", "va": "center", "color": style.MUTED, "fontsize": 9.5}
        axes.text(label - 0.12, y + HIGH / 2, text, **look)
    left, pictures = label, []
    for position, (word, side) in enumerate(zip(words, wide, strict=True)):
        axes.text(left + side / 2, TOP, word, ha="center", va="bottom", fontweight="bold",
                  fontsize=9.5)  # fmt: skip
        texts = (f"E {word}", "text", f"{position}")
        _column(axes, left, side, texts, style.PALE_BLUE, style.PALE_SKY, f"x {position}")
        left += side + 0.08
    left += apart
    for r, (crop, side) in enumerate(zip(crops, sides, strict=True)):
        pictures.append((crop, left + side / 2))
        texts = ("W · features", "picture", None)
        fills = (style.PALE_ORANGE, "#eab98f")
        _column(axes, left, side, texts, *fills, f"x {len(words) + r}")
        left += side + 0.08
    for crop, middle in pictures:
        tall, across = crop.shape[:2]
        scale = 0.6 / max(tall, across)
        w, h = across * scale, tall * scale
        place(axes, crop, middle - w / 2, TOP + 0.06 - h, w, h, style.ORANGE, 1.4, smooth=True)
    finish(axes, width, height)
    return figure


def describe_words_and_regions(words, names):
    """Say in words what `words_and_regions` shows.

    >>> describe_words_and_regions(["[CLS]", "cat"], ["a cat"])[:69]
    'One row of 2 words ([CLS], cat) and 1 regions (a cat). For each word '
    """
    return (
        f"One row of {len(words)} words ({', '.join(words)}) and {len(names)} regions "
        f"({', '.join(names)}). For each word three vectors are added: its own from a table, that "
        "of segment text, and that of its position. For each region two: its features times a "
        "matrix and segment picture. A region has no position."
    )


def _checked(words, image, boxes, names):
    boxes = numbers(boxes)
    (shown,) = as_images([image], "image")
    if not len(words) or boxes.ndim != 2 or boxes.shape[1:] != (4,) or not len(boxes):
        raise ShapeError(
            f"expected words and boxes (R, 4), got {len(words)} words and {boxes.shape}"
        )
    names = [f"region {r}" for r in range(len(boxes))] if names is None else list(names)
    if len(names) != len(boxes):
        raise ShapeError(f"{len(boxes)} regions need as many names, got {len(names)}")
    high, wide = shown.shape[:2]
    crops = []
    for left, top, right, bottom in boxes:
        rows = slice(int(np.floor(top * high)), max(1, int(np.ceil(bottom * high))))
        columns = slice(int(np.floor(left * wide)), max(1, int(np.ceil(right * wide))))
        crops.append(shown[rows, columns])
    return [drawable(str(name)) for name in names], boxes, crops


def _column(axes, left, side, texts, fill, second, result):
    """One word or region: boxes with + between them, "none" for None, and what they add up to."""
    fills = (fill, second, style.PALE_GREEN, style.CARD)
    signs = ("+", "" if texts[2] is None else "+", "=", "")
    middle = left + side / 2
    look = {"ha": "center", "va": "center"}
    for text, sign, y, colour in zip((*texts, result), signs, ROWS.values(), fills, strict=True):
        if text is None:
            axes.text(middle, y + HIGH / 2, "none", color=style.MUTED, fontsize=8.8, **look)
        else:
            edge = style.INK if text == result else style.MUTED
            rounded(axes, left, y, side, HIGH, colour, edge, linewidth=1.1)
            axes.text(middle, y + HIGH / 2, text, fontsize=8.8, zorder=4, **look)
        if sign:
            axes.text(middle, y + HIGH + 0.145, sign, color=style.MUTED, **look)
