"""What breaking each head does, the heads sorted by it."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, MUTED, ORANGE, blank, styled


@styled
def effects_sorted(effects, lit, y_label, title, figure=None):
    """A bar for each head, the largest effect first; those of interest are orange, with a name.

    effects: {name: share}, drawn in per cent; lit: the names to draw in orange. The bars at both
    ends are named, too. Returns the figure. Raises ShapeError when a lit name is not among them.

    >>> drawn = effects_sorted({"L0H0": 0.1, "L0H1": 0.3}, ["L0H0"], "lost", "Two heads")
    >>> [text.get_text() for text in drawn.axes[0].texts]
    ['L0H1 30 %', 'L0H0 10 %']
    """
    if missing := set(lit) - set(effects):
        raise ShapeError(f"no effect is given for {', '.join(sorted(missing))}")
    names = _sorted(effects)
    shares = np.array([100 * effects[name] for name in names])
    figure = blank(figure, 9.5, 4.2)
    axes = figure.subplots()
    colours = [ORANGE if name in lit else BLUE for name in names]
    axes.bar(range(len(names)), shares, color=colours, width=0.8)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    for place, (name, share) in enumerate(zip(names, shares, strict=True)):
        if name not in lit and 0 < place < len(names) - 1:
            continue
        look = {"rotation": 90, "ha": "center", "va": "bottom" if share > 0 else "top"}
        look |= {"fontweight": "bold"} if name in lit else {}
        axes.annotate(
            f"{name} {share:.0f} %".replace("-", "−"),
            (place, share),
            (0, 4 if share > 0 else -4),
            textcoords="offset points",
            fontsize=9.5,
            color=colours[place],
            **look,
        )
    low, high = min(shares.min(), 0), max(shares.max(), 0)
    axes.set_ylim(low - 0.45 * (high - low), high + 0.5 * (high - low))  # room for the names
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set(xlabel=f"all {len(names)} heads, the largest effect first", ylabel=y_label)
    axes.set_title(title)
    return figure


def describe_effects_sorted(effects, lit):
    """Say in words what `effects_sorted` shows: the range, and the places of the lit heads.

    >>> describe_effects_sorted({"L0H0": -0.1, "L0H1": 0.3}, ["L0H1"])
    '2 heads from 30 % to -10 %, 1 of them above 0: L0H1 30 %, place 1.'
    """
    names = _sorted(effects)
    first, last = effects[names[0]], effects[names[-1]]
    said = [f"{name} {effects[name]:.0%}, place {names.index(name) + 1}" for name in lit]
    above = sum(effect > 0 for effect in effects.values())
    return (
        f"{len(names)} heads from {first:.0%} to {last:.0%}, {above} of them above 0: "
        f"{'; '.join(said)}."
    ).replace("%", " %")


def _sorted(effects):
    return sorted(effects, key=effects.get, reverse=True)
