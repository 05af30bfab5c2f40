"""Scenes with boxes and captions, and what the words of a caption look at."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import (
    BETWEEN,
    CHIP,
    as_images,
    draw_chip,
    finish,
    numbers,
    page,
    place,
    same_counts,
    shortened,
    wrapped_chips,
)
from tutorial_lib.figures.tokens import drawable

ACROSS, SIDE, GAP = 3, 2.3, 0.35  # scenes in a row, the side of one, inches between two


@style.styled
def captioned_scenes(
    images,
    captions,
    boxes=None,
    names=None,
    present=None,
    title=None,
    across=ACROSS,
    side=SIDE,
    figure=None,
):
    """Scenes with the boxes of their regions, each above its caption.

    images (N, 3, height, width); captions N strings; boxes: for each scene (R, 4) as left, top,
    right, bottom from 0 to 1; names: for each scene as many strings; present: for each scene R of
    True and False, where boxes are padded; across: how many stand in a row; side: of a scene, in
    inches. A caption may have several lines. Raises ShapeError when the counts differ.

    >>> figure = captioned_scenes(np.ones((1, 3, 8, 8)), ["a cat"], [[[0, 0, 0.5, 0.5]]], [["cat"]])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['cat', 'a cat']
    """
    shown = as_images(images)
    boxes = [np.zeros((0, 4))] * len(shown) if boxes is None else [_boxes(each) for each in boxes]
    if present is not None:
        boxes = [each[numbers(there) > 0] for each, there in zip(boxes, present, strict=True)]
    names = [[""] * len(each) for each in boxes] if names is None else names
    same_counts(images=len(shown), captions=len(captions), boxes=len(boxes), names=len(names))
    across = min(across, len(shown))
    down = -(-len(shown) // across)
    tall = side * shown.shape[1] / shown.shape[2]
    letters = round(13 * side)
    said = [[line for part in text.split("\n") for line in _lines(part, letters)]
            for text in captions]  # fmt: skip
    each_high = tall + 0.24 + 0.17 * max(map(len, said))
    width = max(3.6, across * side + (across - 1) * GAP)
    default = "Scenes: every region has a box, every caption is true"
    figure, axes = page(figure, width, down * each_high, title or default)
    for n, (image, lines) in enumerate(zip(shown, said, strict=True)):
        left, top = (n % across) * (side + GAP), (n // across) * each_high
        place(axes, image, left, top, side, tall, smooth=True)
        if len(boxes[n]) != len(names[n]):
            raise ShapeError(f"scene {n} has {len(boxes[n])} boxes but {len(names[n])} names")
        for at, (box, name) in enumerate(zip(boxes[n], names[n], strict=True)):
            colour = style.CYCLE[at % len(style.CYCLE)]
            x, y = left + box[0] * side, top + box[1] * tall
            high = (box[3] - box[1]) * tall
            _outline(axes, x, y, (box[2] - box[0]) * side, high, colour)
            if name:
                _tag(axes, x, y, high, shortened(name, 18), colour, top)
        for line, words in enumerate(lines):
            axes.text(left, top + tall + 0.13 + 0.17 * line, words, va="center", fontsize=9.5)
    finish(axes, width, down * each_high)
    return figure


def describe_captioned_scenes(captions, names=None):
    """Say in words what `captioned_scenes` shows.

    >>> describe_captioned_scenes(["a cat above a dog"], [["cat", "dog"]])
    'One scene with its caption: “a cat above a dog” (boxes: cat, dog).'
    """
    many = "One scene with its caption" if len(captions) == 1 else f"{len(captions)} scenes"
    parts = []
    for n, caption in enumerate(captions):
        held = f" (boxes: {', '.join(names[n])})" if names is not None and len(names[n]) else ""
        parts.append(f"“{caption}”{held}".replace("\n", "; "))
    return f"{many}: {'; '.join(parts)}."


@style.styled
def word_to_regions(scene, chosen, layer=0, head=-1, title=None, figure=None):
    """What one word of a caption, or several, looks at: the caption above, the boxes below shaded.

    scene: a dict as `RegionExplorer` takes it; chosen: 0 to T - 1 a word, from there on a region,
    or a list of them, a panel each; head -1: the mean of all heads. Raises ShapeError for another
    layer, head or word than there are.

    >>> scene = {"image": np.ones((3, 8, 8)), "boxes": [[0, 0, 0.5, 1]], "words": ["a", "cat"]}
    >>> scene["weights"] = np.full((1, 2, 3, 3), 1 / 3)
    >>> word_to_regions(scene, 1, head=0).get_suptitle()
    'Layer 0, head 0: “cat” looks at region 0'
    """
    chosen = [chosen] if isinstance(chosen, int) else list(chosen)
    image, boxes, words, names, rows = _looked(scene, chosen, layer, head)
    side = SIDE if len(chosen) > 1 else 3.4
    tall = side * image.shape[0] / image.shape[1]
    places, lines = wrapped_chips(words, side)
    top = lines * (CHIP + BETWEEN) + 0.1
    across = min(ACROSS, len(chosen))
    down = -(-len(chosen) // across)
    each_high = top + tall + 0.3
    width = max(4.4, across * side + (across - 1) * GAP)
    said = _place_in_words(layer, head)
    if len(chosen) == 1:
        best = int(rows[0][len(words) :].argmax())
        said += f": “{[*words, *names][chosen[0]]}” looks at {names[best]}"
    figure, axes = page(figure, width, down * each_high - 0.3, title or said)
    for n, (at, row) in enumerate(zip(chosen, rows, strict=True)):
        left, up = (n % across) * (side + GAP), (n // across) * each_high
        strong = np.sqrt(row / max(row.max(), 1e-9))
        for word, (line, x, wide), share in zip(words, places, strong, strict=False):
            y = up + line * (CHIP + BETWEEN)
            draw_chip(axes, word, left + x, y, wide, _mixed(0.7 * share))
        if at < len(words):
            line, x, wide = places[at]
            y = up + line * (CHIP + BETWEEN)
            draw_chip(axes, words[at], left + x, y, wide, _mixed(0.7 * strong[at]), style.BLUE)
        place(axes, image * 0.8 + 0.2, left, up + top, side, tall, smooth=True)
        for r, box in enumerate(boxes):
            x, y = left + box[0] * side, up + top + box[1] * tall
            wide, high = (box[2] - box[0]) * side, (box[3] - box[1]) * tall
            look = {"facecolor": style.ORANGE, "alpha": 0.6 * strong[len(words) + r]}
            axes.add_patch(Rectangle((x, y), wide, high, linewidth=0, zorder=4, **look))
            own = len(words) + r == at
            _outline(axes, x, y, wide, high, style.BLUE if own else style.ORANGE, 2.6 if own else 1)
            _tag(axes, x, y, high, f"{row[len(words) + r]:.2f}", style.INK, up + top)
    finish(axes, width, down * each_high - 0.3)
    return figure


def describe_word_to_regions(scene, chosen, layer=0, head=-1):
    """Say in words what `word_to_regions` shows.

    >>> scene = {"image": np.ones((3, 8, 8)), "boxes": [[0, 0, 0.5, 1]], "words": ["a", "cat"]}
    >>> scene["weights"] = np.full((1, 2, 3, 3), 1 / 3)
    >>> describe_word_to_regions(scene, 1)
    'Layer 0, mean of all heads. “cat” looks at region 0 (0.33).'
    """
    chosen = [chosen] if isinstance(chosen, int) else list(chosen)
    _, _, words, names, rows = _looked(scene, chosen, layer, head)
    parts = []
    for at, row in zip(chosen, rows, strict=True):
        there = ", ".join(
            f"{name} ({weight:.2f})" for name, weight in zip(names, row[len(words) :], strict=True)
        )
        parts.append(f"“{[*words, *names][at]}” looks at {there}")
    return f"{_place_in_words(layer, head)}. {'. '.join(parts)}."


def _looked(scene, chosen, layer, head):
    """Image, boxes, words, names and, for each that looks, its weights (T + R,)."""
    (image,) = as_images([scene["image"]])
    boxes, words = _boxes(scene["boxes"]), [drawable(str(word)) for word in scene["words"]]
    names = [drawable(str(name)) for name in scene.get("names") or ()]
    names = names or [f"region {r}" for r in range(len(boxes))]
    maps = numbers(scene["weights"])
    size = len(words) + len(boxes)
    if maps.ndim != 4 or maps.shape[2:] != (size, size):
        raise ShapeError(f"weights must be (L, H, {size}, {size}), got {maps.shape}")
    n_layers, n_heads = maps.shape[:2]
    fits = 0 <= layer < n_layers and -1 <= head < n_heads
    if not fits or not chosen or not all(0 <= at < size for at in chosen):
        raise ShapeError(
            f"there are {n_layers} layers, {n_heads} heads and {size} words and regions, got layer "
            f"{layer}, head {head} and {chosen}"
        )
    shown = maps[layer].mean(axis=0) if head < 0 else maps[layer, head]
    return image, boxes, words, names, [shown[at] for at in chosen]


def _place_in_words(layer, head):
    return f"Layer {layer}, " + ("mean of all heads" if head < 0 else f"head {head}")


def _boxes(boxes):
    boxes = numbers(boxes).reshape(-1, 4) if len(boxes) == 0 else numbers(boxes)
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ShapeError(f"boxes must be (R, 4), got shape {boxes.shape}")
    return boxes


def _mixed(share):
    """A share of orange over the card."""
    return tuple(
        (1 - share) * np.array(to_rgb(style.CARD)) + share * np.array(to_rgb(style.ORANGE))
    )


def _outline(axes, x, y, width, height, colour, thick=1.8):
    look = {"facecolor": "none", "edgecolor": colour, "linewidth": thick, "zorder": 5}
    axes.add_patch(Rectangle((x, y), width, height, **look))


def _tag(axes, x, y, height, text, colour, top):
    """Write beside a box: above it where the picture, which begins at `top`, has room, or below."""
    look = {"fontsize": 8.5, "color": colour, "zorder": 6, "fontweight": "bold"}
    if y - top > 0.17:
        axes.text(x, y - 0.04, text, va="bottom", **look)
    else:
        axes.text(x, y + height + 0.05, text, va="top", **look)


def _lines(text, letters):
    """A caption on as many lines as it needs, up to four or so."""
    words, lines = shortened(text, 4 * letters).split(), [""]
    for word in words:
        joined = f"{lines[-1]} {word}".strip()
        if len(joined) > letters and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines
