"""What is in the way of a chart's texts: other texts, dots, lines, the edge of the picture."""

import itertools

import numpy as np
from matplotlib.text import Text

from tutorial_lib.figures import style


def crowded(figure):
    """Draw a figure; return a sentence for each text that cannot be read well."""
    style.png(figure)
    texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    boxes = {text: text.get_window_extent() for text in texts}
    said = []
    for text, box in boxes.items():
        if text.get_fontsize() < 9:
            said.append(f"{text.get_text()!r} is small")
        if min(box.x0, box.y0) < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1:
            said.append(f"{text.get_text()!r} is cut")
    for one, other in itertools.combinations(texts, 2):
        if boxes[one].padded(-1).overlaps(boxes[other].padded(-1)):
            said.append(f"{one.get_text()!r} is on {other.get_text()!r}")
    for axes in figure.axes:
        for line in axes.lines:
            corners = line.get_transform().transform(line.get_xydata())
            for start, end in itertools.pairwise(corners):
                places = start + (end - start) * np.linspace(0, 1, 500)[:, None]
                said += [
                    f"a line goes through {text.get_text()!r}"
                    for text in axes.texts
                    if _letters(boxes[text]).count_contains(places)
                ]
            radius = line.get_markersize() / 2 * figure.dpi / 72
            if line.get_marker() == "o":
                said += [
                    f"a dot is on {text.get_text()!r}"
                    for text in axes.texts
                    if _letters(boxes[text]).padded(radius).count_contains(corners)
                ]
    return said


def _letters(box):
    """Return a text's box without the room above and below its letters."""
    return box.padded(-1, -0.2 * box.height)


def nearest_dot(axes, text):
    """Return the data of the dot that is nearest to a text."""
    box = text.get_window_extent()
    dots = np.concatenate([line.get_xydata() for line in axes.lines if line.get_marker() == "o"])
    pixels = axes.transData.transform(dots)
    apart = pixels - np.clip(pixels, (box.x0, box.y0), (box.x1, box.y1))
    return tuple(dots[np.hypot(*apart.T).argmin()].tolist())
