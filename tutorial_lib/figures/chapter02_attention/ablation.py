"""What breaking a head does in many sentences: the strongest heads, and all others."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import BLUE, GRID, INK, MUTED, ORANGE, blank, styled

SHOWN = 6  # heads with a row of their own at the top
OTHERS = "all others"


@styled
def effects_in_pairs(lost, turns, lit, title, figure=None):
    """A row for each of the strongest heads: what the turn loses without it, a dot for each pair.

    lost: {name: (P,)}, what the turn of each sentence pair loses without that head, the pair in
    which the heads were found first; turns (P,): the turns themselves; lit: the heads found, in
    orange. The first pair is a diamond, and the line is the mean of the others. The lowest row
    holds the means of the heads without a row. Returns the figure. Raises ShapeError when a lit
    head is not among them, or the lengths differ.

    >>> lost = {"L0H0": [0.1, 0.0, 0.1], "L0H1": [0.0, 0.2, 0.4]}
    >>> drawn = effects_in_pairs(lost, [0.4, 0.5, 0.5], ["L0H0"], "Two heads")
    >>> [text.get_text() for text in drawn.axes[0].texts]
    ['60 %', 'our sentence', '10 %', 'share of all turns']
    """
    if missing := set(lit) - set(lost):
        raise ShapeError(f"no effect is given for {', '.join(sorted(missing))}")
    turns = filled_array(turns, 1, "turns")
    lost = {name: filled_array(of_pairs, 1, name) for name, of_pairs in lost.items()}
    if any(len(of_pairs) != len(turns) for of_pairs in lost.values()):
        raise ShapeError(f"each head needs what {len(turns)} pairs lose")
    shares = shares_of_the_turn(lost, turns)
    names = sorted(shares, key=shares.get, reverse=True)
    shown = [name for place, name in enumerate(names) if place < SHOWN or name in lit]
    rest = [name for name in names if name not in shown]
    rows = [*shown, OTHERS] if rest else shown
    figure = blank(figure, 9.5, 1.3 + 0.42 * len(rows))
    axes = figure.subplots()
    axes.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    right = 1.05 * max(of_pairs.max() for of_pairs in lost.values())
    for row, name in enumerate(rows):
        axes.axhline(row, color=GRID, linewidth=0.8, zorder=0)
        if name == OTHERS:
            means = np.array([lost[other][1:].mean() for other in rest])
            axes.scatter(means, _scattered(row, len(means)), s=20, color=MUTED, alpha=0.6)
            said = f"{shares[rest[0]]:.0%} to {shares[rest[-1]]:.0%}"
        else:
            colour = ORANGE if name in lit else BLUE
            pairs = lost[name][1:]
            axes.scatter(pairs, _scattered(row, len(pairs)), s=20, color=colour, alpha=0.6)
            axes.plot([pairs.mean()] * 2, [row - 0.34, row + 0.34], color=INK, linewidth=2.5)
            said = f"{shares[name]:.0%}"
            if name in lit:
                here = {"marker": "D", "facecolor": "none", "edgecolor": ORANGE, "linewidth": 2}
                axes.scatter([lost[name][0]], [row], s=70, zorder=4, **here)
                if name == lit[0]:
                    beside = {"color": ORANGE, "va": "center", "ha": "center", "fontsize": 9.5}
                    axes.text(lost[name][0], row - 0.5, "our sentence", **beside)
        said = said.replace("%", " %").replace("-", "−")
        look = {"va": "center", "ha": "right", "fontweight": "bold", "fontsize": 11}
        axes.text(1.27 * right, row, said, color=INK, **look)
    said = {"va": "center", "ha": "right", "color": MUTED, "fontsize": 9.5}
    axes.text(1.27 * right, -0.85, "share of all turns", **said)
    named = [f"{len(rest)} others, means" if name == OTHERS else name for name in rows]
    axes.set_yticks(range(len(rows)), named)
    for label, name in zip(axes.get_yticklabels(), rows, strict=True):
        label.set(color=ORANGE if name in lit else INK, fontsize=11)
        label.set_fontweight("bold" if name in lit else "normal")
    axes.set_xlim(right=1.29 * right)
    axes.set_ylim(len(rows) - 0.4, -1.2)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set(
        xlabel=f"turn lost without the head: a dot for each of {len(turns) - 1} new pairs, "
        "the line is their mean",
        title=title,
    )
    return figure


def shares_of_the_turn(lost, turns):
    """Return which share of all turns is lost without each head, in all pairs but the first.

    >>> shares_of_the_turn({"L0H0": [9.0, 0.25, 0.25]}, [9.0, 0.5, 0.5])
    {'L0H0': 0.5}
    """
    total = np.asarray(turns, dtype=float)[1:].sum()
    return {name: float(np.asarray(pairs, float)[1:].sum() / total) for name, pairs in lost.items()}


def describe_effects_in_pairs(lost, turns, lit):
    """Say in words what `effects_in_pairs` shows: the range, and the places of the lit heads.

    >>> describe_effects_in_pairs({"L0H0": [0, -0.1], "L0H1": [0.2, 0.3]}, [1, 1], ["L0H1"])
    '2 heads from 30 % to -10 % of all turns in new pairs, 1 of them above 0: L0H1 30 %, place 1.'
    """
    shares = shares_of_the_turn(lost, turns)
    names = sorted(shares, key=shares.get, reverse=True)
    said = [f"{name} {shares[name]:.0%}, place {names.index(name) + 1}" for name in lit]
    above = sum(share > 0 for share in shares.values())
    return (
        f"{len(names)} heads from {shares[names[0]]:.0%} to {shares[names[-1]]:.0%} of all turns "
        f"in new pairs, {above} of them above 0: {'; '.join(said)}."
    ).replace("%", " %")


def _scattered(row, n):
    """Heights around a row, so that equal dots don't hide one another."""
    return row + 0.26 * np.sin(2.4 * np.arange(n))
