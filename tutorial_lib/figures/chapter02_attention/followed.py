"""A head that looks one position back: where it looks, and by which numbers it finds its way."""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.diagrams import canvas, rounded
from tutorial_lib.figures.tokens import drawable, visible

STEP, ROW = 1.12, 2.05  # from word to word and from row to row, in inches


@style.styled
def positions_followed(words, rows, title, figure=None):
    """An arc from each word to the word that it looks at most, once for each row.

    words: T tokens; rows: {name: (numbers, weights)}, numbers[t] says which position vector word t
    was given, weights (T, T). Arcs to the word whose number is one less are blue, all others
    orange; the word with number 0 has none before it, and no arc. Returns the figure. Raises
    ShapeError when words, numbers and weights disagree.

    >>> drawn = positions_followed(["a", "b"], {"as it is": ([0, 1], [[1, 0], [1, 0]])}, "Back")
    >>> len(drawn.axes[0].patches)  # two words, two numbers, one arc
    5
    """
    height = ROW * len(rows)
    figure, axes = canvas(figure, STEP * len(words) + 0.2, height, title, below=0)
    for place, (name, (numbers, weights)) in enumerate(rows.items()):
        weights = filled_array(weights, 2, name)
        if weights.shape != (len(words),) * 2 or sorted(numbers) != list(range(len(words))):
            raise ShapeError(f"{name}: {len(words)} words need a number each and a map, {numbers}")
        base = height - ROW * (place + 1)
        axes.text(0.1, base + ROW - 0.2, name, fontsize=11, fontweight="bold", va="center")
        for t, (word, number) in enumerate(zip(words, numbers, strict=True)):
            left, here = 0.1 + STEP * t, {"ha": "center", "va": "center", "zorder": 4}
            rounded(axes, left + 0.06, base + 0.5, STEP - 0.12, 0.36, style.PALE_GREY, style.GRID)
            axes.text(left + STEP / 2, base + 0.67, drawable(visible(word)), fontsize=10.5, **here)
            rounded(axes, left + 0.36, base + 0.1, STEP - 0.72, 0.32, style.PALE_AMBER, style.AMBER)
            axes.text(left + STEP / 2, base + 0.25, str(number), fontsize=10.5, **here)
            if number:
                looked = int(weights[t].argmax())
                colour = style.BLUE if numbers[looked] == number - 1 else style.ORANGE
                _arc(axes, t, looked, base + 0.9, colour)
    said = {"fontsize": 9.5, "color": style.MUTED, "ha": "right", "va": "center"}
    right = STEP * len(words) + 0.1
    told = "yellow: the position vector that the word was given; none comes before 0"
    axes.text(right, height - 0.2, told, **said)
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


def _arc(axes, start, end, y, colour):
    """Draw an arc above the words, flatter the farther it goes."""
    distance = abs(end - start)
    bend = 0.0 if not distance else (0.62 if distance == 1 else 0.75 / distance + 0.13)
    axes.add_patch(
        FancyArrowPatch(
            (0.1 + STEP * (start + 0.5), y),
            (0.1 + STEP * (end + 0.5), y),
            connectionstyle=f"arc3,rad={bend if end < start else -bend}",
            arrowstyle="-|>",
            mutation_scale=13,
            linewidth=2,
            color=colour,
            zorder=2,
        )
    )
