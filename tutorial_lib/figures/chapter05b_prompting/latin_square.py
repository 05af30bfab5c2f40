"""A Latin square of sentence pairs: each premise and each hypothesis meets each label once."""

from textwrap import fill

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import CARD, blank, styled

COLOURS = {"entailment": "#b9e0d2", "neutral": "#e6e8ee", "contradiction": "#f3c6a5"}


@styled
def latin_square(pairs, title="", *, figure=None):
    """A table with a row for each premise and a column for each hypothesis, coloured by label.

    pairs: with .premise, .hypothesis and .label. Raises ShapeError when a cell is left empty.

    >>> from tutorial_lib.datasets.premises import balanced_pairs
    >>> figure = latin_square(balanced_pairs(9, 9).train)
    >>> len(figure.axes[0].patches)
    9
    """
    premises = list(dict.fromkeys(pair.premise for pair in pairs))
    hypotheses = list(dict.fromkeys(pair.hypothesis for pair in pairs))
    labels = {(pair.premise, pair.hypothesis): pair.label for pair in pairs}
    if not labels or len(labels) < len(premises) * len(hypotheses):
        raise ShapeError("latin_square needs a pair for each premise with each hypothesis")
    figure = blank(figure, 3.0 + 1.9 * len(hypotheses), 1.5 + 0.62 * len(premises))
    axes = figure.subplots()
    for row, premise in enumerate(premises):
        for column, hypothesis in enumerate(hypotheses):
            label = labels[premise, hypothesis]
            axes.add_patch(
                Rectangle(
                    (column, row), 1, 1, facecolor=COLOURS[label], edgecolor=CARD, linewidth=3
                )
            )
            axes.text(column + 0.5, row + 0.5, label, ha="center", va="center")
    axes.set_xticks([n + 0.5 for n in range(len(hypotheses))], [fill(h, 22) for h in hypotheses])
    axes.set_yticks([n + 0.5 for n in range(len(premises))], [fill(p, 26) for p in premises])
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set(xlim=(0, len(hypotheses)), ylim=(len(premises), 0), title=title)
    axes.set(xlabel="hypothesis", ylabel="premise")
    return figure


def describe_latin_square(pairs):
    """Say in words what `latin_square` shows.

    >>> from tutorial_lib.datasets.premises import PremisePair
    >>> describe_latin_square([PremisePair("two dogs are indoors", "some are", "neutral")])
    'two dogs are indoors, some are: neutral.'
    """
    return " ".join(f"{pair.premise}, {pair.hypothesis}: {pair.label}." for pair in pairs)
