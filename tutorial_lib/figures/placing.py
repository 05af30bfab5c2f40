"""Where the texts of a chart go, so that none covers a line, a dot or another text."""

import itertools

import numpy as np

from tutorial_lib.figures import style

HEIGHT = 11.5  # points that a line of text of 9.5 points takes
DOT = 4.0  # points from the middle of a dot to its edge
NEAR = 4.0  # points from a dot's edge to its text


def line_points(axes, xy):
    """Return places of the data, (N, 2), in points from the lower left corner of the figure.

    The figure has been laid out: `figure.draw_without_rendering()`.
    """
    return axes.transData.transform(np.reshape(xy, (-1, 2))) * 72 / axes.figure.dpi


def axes_frame(axes):
    """Return (left, bottom, right, top) of laid out axes, in points."""
    return axes.get_window_extent().extents * 72 / axes.figure.dpi


def size_of(text, weight="bold"):
    """Return (width, height) of a line of text of 9.5 points, in points."""
    return 72 * style.text_width(text, 9.5, weight), HEIGHT


def write(axes, text, middle, colour, weight="bold", side="center"):
    """Write a text with its middle at (x, y) in points; return the box that it takes.

    side: what is exactly where it should be, as estimates of widths are not: "left", "center" or
    "right". The box is (left, bottom, right, top) in points.
    """
    half = np.array(size_of(text, weight)) / 2
    shift = {"left": -half[0], "center": 0, "right": half[0]}[side]
    anchor = np.add(middle, (shift, 0)) * axes.figure.dpi / 72
    x, y = axes.transData.inverted().transform(anchor)
    look = {"ha": side, "va": "center_baseline", "fontsize": 9.5, "fontweight": weight}
    # The grey of bars is pale for letters.
    ink = style.MUTED if colour == style.GREY else colour
    axes.text(x, y, text, color=ink, zorder=4, **look)
    return (*(middle - half), *(middle + half))


def draw_grid(axes, heights, boxes):
    """Draw pale lines at these heights of the data, left out where a text stands.

    boxes: (left, bottom, right, top) in points.
    """
    low, high = axes.get_xlim()
    for height in heights:
        (start, y), (end, _) = line_points(axes, [(low, height), (high, height)])
        crossed = [(box[0] - 3, box[2] + 3) for box in boxes if box[1] - 1 < y < box[3] + 1]
        for left, stop in [*sorted(crossed), (end, end)]:
            if start < min(left, end):
                pixels = np.array([(start, y), (min(left, end), y)]) * axes.figure.dpi / 72
                (first, _), (last, _) = axes.transData.inverted().transform(pixels)
                axes.hlines(height, first, last, color=style.GRID, linewidth=0.8, zorder=0)
            start = max(start, stop)


def place_beside(points, sizes, frame, lines=(), dots=(), taken=(), around=None):
    """Return the middle of a text for each point, (N, 2): beside it, where the least is in the way.

    All in points of 1/72 inch: points (N, 2); sizes (N, 2), the width and height of each text;
    frame: the (left, bottom, right, top) in which all stay; lines: (M, 2) each, the corners of what
    no text should cover; dots (D, 2) neither; taken: the (left, bottom, right, top) of other texts;
    around(width, height): the shifts to try, the best first, if not those of a text beside a dot.

    >>> place_beside([(50, 50)], [(20, 10)], (0, 0, 100, 100)).tolist()
    [[68.0, 50.0]]
    >>> place_beside([(90, 50)], [(20, 10)], (0, 0, 100, 100)).tolist()  # no room to the right
    [[72.0, 50.0]]
    """
    inked = np.concatenate([np.empty((0, 2)), *map(_along, lines)])
    dots = np.reshape(dots, (-1, 2))
    chosen = [None] * len(points)
    for _ in range(4):  # each again, when it is known where the others went
        before = list(chosen)
        for n, (point, size) in enumerate(zip(points, sizes, strict=True)):
            others = [box for k, box in enumerate(chosen) if k != n and box is not None]
            half = np.array(size) / 2
            middles = [np.add(point, shift) for shift in (around or _around)(*size)]
            boxes = [np.concatenate([middle - half, middle + half]) for middle in middles]
            costs = [
                rank + _in_the_way(box, point, frame, inked, dots, [*taken, *others])
                for rank, box in enumerate(boxes)
            ]
            chosen[n] = boxes[int(np.argmin(costs))]
        if all(a is not None and (a == b).all() for a, b in zip(before, chosen, strict=True)):
            break
    return np.array([(box[:2] + box[2:]) / 2 for box in chosen]).reshape(-1, 2)


def _around(width, height):
    """Return the shifts to try, the best first: beside a dot, above or below it, then further."""
    side, over = DOT + NEAR + width / 2, DOT + 1 + height / 2
    shifts = [(side, 0), (-side, 0)]
    for up in (1, -1):
        shifts += [(0, up * over)]
    for far in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0):
        for sign, up in itertools.product((1, -1), (1, -1)):
            reach = side if far < 1 else side - DOT - NEAR / 2
            shifts.append((sign * reach, up * far * over))
    for up in (1.5, -1.5, 2.0, -2.0, 3.0, -3.0):
        shifts.append((0, up * over))
    return shifts


def _in_the_way(box, point, frame, inked, dots, taken):
    """Return what speaks against a box: all that is under it, a nearer dot, the frame's edge."""
    left, bottom, right, top = box
    within = ((inked > (left - 1, bottom)) & (inked < (right + 1, top))).all(1).sum()
    apart = dots - np.clip(dots, (left, bottom), (right, top))
    covered = (np.hypot(*apart.T) < DOT + 0.5).sum()
    own = np.hypot(*(point - np.clip(point, (left, bottom), (right, top))))
    strange = (np.hypot(*apart.T) < own - 0.5).sum()
    shared = sum(
        max(0.0, min(right, box[2]) - max(left, box[0]) + 3)
        * max(0.0, min(top, box[3]) - max(bottom, box[1]))
        for box in taken
    )
    out = max(0, frame[0] - left, frame[1] - bottom, right - frame[2], top - frame[3])
    return 8 * within + 100 * covered + 30 * strange + 8 * shared + 1000 * out


def _along(corners):
    """Return a place at each point of length along a line through these corners."""
    corners = np.reshape(corners, (-1, 2)).astype(float)
    parts = [corners[:1]]
    for start, end in itertools.pairwise(corners):
        steps = max(2, int(np.hypot(*(end - start))) + 1)
        parts.append(start + (end - start) * np.linspace(0, 1, steps)[:, None])
    return np.concatenate(parts)
