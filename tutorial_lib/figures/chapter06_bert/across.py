"""One token of a pair and what it looks at: the first text above, the second below."""

from collections.abc import Sequence

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.inputs import _box
from tutorial_lib.figures.generation import token_name

GAP = 0.1  # inches between two boxes
UPPER, LOWER = 1.0, 0.0  # heights of the middles of the boxes
ARC = 0.7  # how much room arcs above the first text take


@style.styled
def looks_across(
    panels: Sequence[tuple[Sequence[float], Sequence[str], Sequence[int], int]],
    title: str = "",
    captions: Sequence[str] | None = None,
    least: float = 0.05,
    within: bool = False,
    figure=None,
):
    """Draw what one token of the first text looks at in the second, a line a weight.

    panels: (weights (T,), T tokens, T segments of 0 or 1, the index of the token that looks), one
    above the other. Weights below `least` have no line, nor have those within the first text,
    unless `within` asks for them, as arcs above it. The token that looks is blue. Of the words
    with a line, the heaviest has a thick one, and is green, or orange within the first text.
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
    widest = max(width for _, names, segments, _ in checked for width in _widths(names, segments))
    widest = max(widest, style.text_width(title, 12, "bold"))
    over = ARC if within else 0.0
    figure = style.blank(figure, widest + 0.4, (1.75 + over) * len(checked) + 0.5)
    rows = figure.subplots(len(checked), 1, squeeze=False)[:, 0]
    for axes, panel, caption in zip(rows, checked, captions, strict=True):
        _draw(axes, *panel, least, within)
        top = UPPER + 0.3 + over
        axes.set(xlim=(-widest / 2 - 0.1, widest / 2 + 0.1), ylim=(LOWER - 0.45, top))
        axes.axis("off")
        axes.set_title(caption, fontsize=10, fontweight="normal", pad=6)
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


def _width(name):
    return 0.085 * len(name) + 0.22  # inches


def _widths(names, segments):
    """Return the width of the first text's row and of the second's."""
    pairs = [*zip(names, segments, strict=True)]
    rows = [[_width(name) for name, segment in pairs if segment == row] for row in (0, 1)]
    return [sum(row) + GAP * (len(row) - 1) for row in rows]


def _middles(names, segments):
    """Return the middle of each box; both rows are centred on 0, so that lines stay short."""
    ends = [-width / 2 for width in _widths(names, segments)]
    middles = []
    for name, segment in zip(names, segments, strict=True):
        middles.append(ends[segment] + _width(name) / 2)
        ends[segment] += _width(name) + GAP
    return middles


def _draw(axes, weights, names, segments, focus, least, within):
    middles = _middles(names, segments)
    drawn = [i for i in np.flatnonzero(weights >= least) if segments[i] or (within and i != focus)]
    most = max(drawn, key=lambda index: weights[index], default=None)
    green = {"fill": style.PALE_GREEN, "edge": style.GREEN}
    orange = {"fill": style.PALE_ORANGE, "edge": style.ORANGE}
    looks = {} if most is None else {most: green if segments[most] else orange}
    looks[focus] = {"fill": style.PALE_BLUE, "edge": style.BLUE}
    for index, name in enumerate(names):
        row = LOWER if segments[index] else UPPER
        _box(axes, middles[index], row, name, _width(name), fontsize=10, **looks.get(index, {}))
    for index in drawn:
        line = {"color": style.MUTED, "linewidth": 0.5 + 4 * weights[index], "zorder": 1}
        label = {"ha": "center", "va": "center", "fontsize": 9.5, "color": style.MUTED}
        if index == most:
            line |= {"color": style.BLUE, "linewidth": 2.5 + 4 * weights[index], "zorder": 2}
            label |= {"color": style.INK, "fontweight": "bold"}
        start, end = middles[focus], middles[index]
        if segments[index]:
            # The ends are under the boxes, so that no corner of a thick line stands out.
            axes.plot([start, end], [UPPER - 0.1, LOWER + 0.1], **line)
            axes.text(end, LOWER - 0.3, f"{weights[index]:.2f}", **label)
        else:
            x = np.linspace(start, end, 30)
            rise = 4 * (x - start) * (end - x) / (end - start) ** 2  # 0 at both ends, 1 between
            axes.plot(x, UPPER + 0.1 + 0.5 * rise, **line)
            axes.text((start + end) / 2, UPPER + 0.78, f"{weights[index]:.2f}", **label)


def describe_looks_across(weights, tokens, segments, focus, least=0.05, within=False):
    """Say in words what one panel of `looks_across` shows.

    >>> describe_looks_across([0.1, 0.0, 0.9], ["so", "[SEP]", "too"], [0, 0, 1], 0)
    'In “so [SEP] too” token 1, “so”, looks across at “too” 0.90.'
    """
    weights, names, segments, focus = _checked(weights, tokens, segments, focus)
    shown = [
        f"“{name}” {weight:.2f}"
        for index, (name, weight) in enumerate(zip(names, weights, strict=True))
        if weight >= least and (segments[index] or (within and index != focus))
    ]
    seen = ", ".join(shown) or "nothing"
    text, where = " ".join(names), "" if within else " across"
    return f"In “{text}” token {focus + 1}, “{names[focus]}”, looks{where} at {seen}."
