"""One token of a pair and what it looks at: the first text above, the second below."""

from collections.abc import Sequence

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.inputs import _box
from tutorial_lib.figures.generation import token_name

GAP = 0.1  # inches between two boxes
UPPER, LOWER = 1.0, 0.0  # heights of the middles of the boxes


@style.styled
def looks_across(
    panels: Sequence[tuple[Sequence[float], Sequence[str], Sequence[int], int]],
    title: str = "",
    captions: Sequence[str] | None = None,
    least: float = 0.05,
    figure=None,
):
    """Draw what one token of the first text looks at in the second, a line a weight.

    panels: (weights (T,), T tokens, T segments of 0 or 1, the index of the token that looks), one
    above the other. Weights below `least` and those within the first text have no line; the token
    that looks and the one that it looks at most are blue.
    Returns the figure. Raises ShapeError for weights, tokens and segments that do not fit, or for
    a token that looks and is not of the first text.

    >>> one = [0.1, 0.0, 0.9], ["so", "[SEP]", "so"], [0, 0, 1], 0
    >>> figure = looks_across([one], "It looks across")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['so', '[SEP]', 'so', '0.90']
    """
    checked = [_checked(*panel) for panel in panels]
    captions = [""] * len(checked) if captions is None else list(captions)
    if not checked or len(captions) != len(checked):
        raise ShapeError(
            "looks_across needs at least one panel and a caption for each, got "
            f"{len(checked)} panels and {len(captions)} captions"
        )
    widths = [_lay_out(names, segments)[1] for _, names, segments, _ in checked]
    figure = style.blank(figure, max(widths) + 0.4, 1.75 * len(checked) + 0.5)
    rows = figure.subplots(len(checked), 1, squeeze=False)[:, 0]
    for axes, panel, caption in zip(rows, checked, captions, strict=True):
        _draw(axes, *panel, least)
        axes.set(xlim=(-0.1, max(widths) + 0.1), ylim=(LOWER - 0.45, UPPER + 0.3))
        axes.axis("off")
        style.panel_title(axes, caption)
    style.headline(figure, title)
    return figure


def _checked(weights, tokens, segments, focus):
    weights, segments = np.asarray(weights, dtype=float), [int(s) for s in segments]
    if not weights.shape == (len(tokens),) == (len(segments),) or not {*segments} <= {0, 1}:
        raise ShapeError(
            "looks_across needs a weight and a segment, 0 or 1, for each token, got weights "
            f"{weights.shape}, {len(tokens)} tokens and segments {segments}"
        )
    if not 0 <= focus < len(tokens) or segments[focus]:
        raise ShapeError(f"looks_across: the token that looks is in the first text, got {focus}")
    return weights, [token_name(token) for token in tokens], segments, focus


def _lay_out(names, segments):
    """Return the middle and width of each box, {index: (x, width)}, and the longer row's width."""
    boxes, ends = {}, [0.0, 0.0]
    for index, (name, segment) in enumerate(zip(names, segments, strict=True)):
        width = 0.085 * len(name) + 0.22
        boxes[index] = ends[segment] + width / 2, width
        ends[segment] += width + GAP
    return boxes, max(ends) - GAP


def _draw(axes, weights, names, segments, focus, least):
    boxes, _ = _lay_out(names, segments)
    below = np.flatnonzero((weights >= least) & np.array(segments, dtype=bool))
    most = max(below, key=lambda index: weights[index], default=None)
    for index, name in enumerate(names):
        x, width = boxes[index]
        lit = index in (focus, most)
        look = {"fill": style.PALE_BLUE, "edge": style.BLUE} if lit else {}
        _box(axes, x, LOWER if segments[index] else UPPER, name, width, fontsize=10, **look)
    for index in below:
        (start, _), (end, _) = boxes[focus], boxes[index]
        line = {"color": style.BLUE, "linewidth": 0.5 + 4 * weights[index], "zorder": 2}
        axes.plot([start, end], [UPPER - 0.16, LOWER + 0.16], **line)
        label = {"ha": "center", "va": "center", "fontsize": 9.5, "color": style.MUTED}
        axes.text(end, LOWER - 0.3, f"{weights[index]:.2f}", **label)


def describe_looks_across(weights, tokens, segments, focus, least=0.05):
    """Say in words what one panel of `looks_across` shows.

    >>> describe_looks_across([0.1, 0.0, 0.9], ["so", "[SEP]", "too"], [0, 0, 1], 0)
    'In “so [SEP] too” token 1, “so”, looks across at “too” 0.90.'
    """
    weights, names, segments, focus = _checked(weights, tokens, segments, focus)
    across = [
        f"“{name}” {weight:.2f}"
        for name, weight, segment in zip(names, weights, segments, strict=True)
        if segment and weight >= least
    ]
    seen = ", ".join(across) or "nothing"
    return f"In “{' '.join(names)}” token {focus + 1}, “{names[focus]}”, looks across at {seen}."
