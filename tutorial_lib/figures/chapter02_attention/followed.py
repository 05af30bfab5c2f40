"""A head that looks one position back: where it looks, and by which numbers it finds its way."""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.diagrams import canvas, rounded
from tutorial_lib.figures.tokens import drawable, visible

STEP, BAND = 1.12, 0.78  # from word to word, and a word with its number, in inches
LOW, HIGH = 0.3, 1.2  # how far arcs to a neighbour and across all words rise
KINDS = ("looks back", "looks ahead")  # above the words in blue, and below them in orange


@style.styled
def positions_followed(words, rows, title, figure=None):
    """An arc from each word to the word that it looks at most, once for each row.

    words: T tokens; rows: {name: (numbers, weights)}, numbers[t] says which position vector word t
    was given, weights (T, T). Arcs to an earlier word are above and blue, all others are below and
    orange; at each is the number of the word that looks, and that of the word it looks at. The word
    with number 0 has none before it, and no arc. Returns the figure. Raises ShapeError when words,
    numbers and weights disagree.

    >>> drawn = positions_followed(["a", "b"], {"as it is": ([0, 1], [[1, 0], [1, 0]])}, "Back")
    >>> len(drawn.axes[0].patches)  # two words, two numbers, one arc
    5
    """
    looks = {}
    for name, (numbers, weights) in rows.items():
        weights = filled_array(weights, 2, name)
        if weights.shape != (len(words),) * 2 or sorted(numbers) != list(range(len(words))):
            raise ShapeError(f"{name}: {len(words)} words need a number each and a map, {numbers}")
        best = weights.argmax(axis=1)
        looks[name] = [(t, int(best[t])) for t in range(len(words)) if numbers[t]]
    rises = {name: _highest(arcs) for name, arcs in looks.items()}  # above the words, and below
    height = sum(0.55 + above + BAND + below + 0.15 for above, below in rises.values())
    figure, axes = canvas(figure, STEP * len(words) + 0.2, height, title, below=0)
    top = height
    for name, (numbers, _) in rows.items():
        axes.text(0.1, top - 0.2, name, fontsize=12, fontweight="bold", va="center")
        above, below = rises[name]
        base = top - 0.55 - above - BAND
        for t, (word, number) in enumerate(zip(words, numbers, strict=True)):
            left, here = 0.1 + STEP * t, {"ha": "center", "va": "center", "zorder": 4}
            rounded(axes, left + 0.06, base + 0.4, STEP - 0.12, 0.36, style.PALE_GREY, style.GRID)
            axes.text(left + STEP / 2, base + 0.57, drawable(visible(word)), fontsize=11, **here)
            rounded(
                axes, left + 0.36, base + 0.04, STEP - 0.72, 0.32, style.PALE_AMBER, style.AMBER
            )
            axes.text(left + STEP / 2, base + 0.19, str(number), fontsize=11, **here)
        for t, s in looks[name]:
            _arc(axes, t, s, base, f"{numbers[t]} → {numbers[s]}")
        top = base - below - 0.15
    said = {"fontsize": 10, "ha": "right", "va": "center"}
    right = STEP * len(words) + 0.1
    for row, (kind, colour) in enumerate(zip(KINDS, (style.BLUE, style.ORANGE), strict=True)):
        axes.text(
            right - 1.1 * (1 - row), height - 0.2, kind, color=colour, fontweight="bold", **said
        )
    told = "yellow: the number of the position vector that the word was given"
    axes.text(right - 2.15, height - 0.2, told, color=style.MUTED, **said)
    return figure


def describe_positions_followed(words, rows):
    """Say in words what `positions_followed` shows.

    >>> describe_positions_followed(["a", "b"], {"as it is": ([0, 1], [[1, 0], [1, 0]])})
    'as it is: b (1) looks at a (0).'
    """
    said = []
    for name, (numbers, weights) in rows.items():
        best = np.asarray(weights).argmax(axis=1)
        looks = [
            f"{words[t]} ({numbers[t]}) looks at {words[s]} ({numbers[s]})"
            for t, s in enumerate(best)
            if numbers[t]
        ]
        said.append(f"{name}: {', '.join(looks)}.")
    return " ".join(said)


def _rise(start, end):
    """How far an arc rises above the words, or falls below their numbers, in inches."""
    return LOW + (HIGH - LOW) * min(abs(end - start), 7) / 7


def _highest(arcs):
    """How far the arcs back rise above the words, and all others fall below their numbers."""
    back = [_rise(t, s) for t, s in arcs if s < t]
    ahead = [_rise(t, s) for t, s in arcs if s >= t]
    return max(back, default=0), max(ahead, default=0)


def _arc(axes, start, end, base, said):
    """Draw an arc above the words when it goes back, and below their numbers when it does not."""
    back = end < start
    colour, side = (style.BLUE, 1) if back else (style.ORANGE, -1)
    y = base + 0.8 if back else base
    left, right = (0.1 + STEP * (place + 0.5) for place in (start, end))
    left, right = left - 0.08 * side, right + 0.08 * side  # two arcs at one word stay apart
    rise = _rise(start, end)
    bend = rise * 2 / max(abs(right - left), 0.1)  # the curve reaches half of its control point
    axes.add_patch(
        FancyArrowPatch(
            (left, y),
            (right, y),
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=13,
            linewidth=2,
            color=colour,
            zorder=2,
            shrinkA=0,
            shrinkB=1,
        )
    )
    here = {"ha": "center", "va": "center", "fontsize": 9.5, "color": colour, "zorder": 5}
    box = {"facecolor": style.CARD, "edgecolor": "none", "pad": 1}
    axes.text((left + right) / 2, y + side * (rise - 0.02), said, bbox=box, **here)
