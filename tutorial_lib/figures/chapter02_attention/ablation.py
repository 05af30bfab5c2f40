"""What breaking heads does in many sentences, pair by pair, beside what the words themselves do."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import INK, MUTED, ORANGE, SKY, blank, styled


@styled
def effects_in_pairs(exchanged, measured, lit, xlabel, ylabel, title, figure=None):
    """Does breaking a model do in each pair of sentences what exchanging their words does?

    exchanged (P,): the effect of exchanging the words, to the right; measured: {name of the way:
    (P,)}, the effect of each way to break the model, upward, a dot for each pair. On the grey line
    both are equal. The first pair, in which the effect was found, is a diamond. lit: the ways to
    look at, in orange. Returns the figure. Raises ShapeError when a lit way is not among them, or
    the lengths differ.

    >>> ways = {"patched": [0.3, 0.1, 0.2], "others patched": [0.0, 0.0, 0.1]}
    >>> drawn = effects_in_pairs([0.4, 0.1, 0.3], ways, ["patched"], "ending", "patch", "Follows")
    >>> [text.get_text() for text in drawn.axes[0].texts]
    ['both equal', 'our sentence', 'patched', 'others patched']
    """
    if missing := set(lit) - set(measured):
        raise ShapeError(f"nothing is measured for {', '.join(sorted(missing))}")
    exchanged = filled_array(exchanged, 1, "exchanged")
    measured = {name: filled_array(of_pairs, 1, name) for name, of_pairs in measured.items()}
    if {len(of_pairs) for of_pairs in measured.values()} != {len(exchanged)}:
        raise ShapeError("each way needs a number for each of the pairs")
    figure = blank(figure, 8.0, 5.4)
    axes = figure.subplots()
    everything = np.concatenate([exchanged, *measured.values()])
    low, high = everything.min(), everything.max()
    step = 0.04 * (high - low)
    axes.axhline(0, color=MUTED, linewidth=0.8, zorder=0)
    axes.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    axes.plot(
        [low - step, high + step], [low - step, high + step], color=MUTED, linewidth=1.2, zorder=1
    )
    along = {"rotation": 45, "rotation_mode": "anchor", "transform_rotates_text": True}
    near = high - 0.48 * (high - low)
    axes.text(near, near + step / 2, "both equal", color=MUTED, fontsize=10, **along)
    last = exchanged.argmax()
    for name, of_pairs in measured.items():
        colour, alpha = (ORANGE, 0.8) if name in lit else (SKY, 0.55)
        axes.scatter(exchanged[1:], of_pairs[1:], s=34, color=colour, alpha=alpha, linewidth=0)
        here = {"marker": "D", "facecolor": "none", "edgecolor": colour, "linewidth": 2}
        axes.scatter(exchanged[:1], of_pairs[:1], s=70, zorder=4, **here)
    first = next(iter(measured.values()))[0]
    axes.text(exchanged[0] + step, first, "our sentence", va="center", fontsize=10, color=INK)
    for name, of_pairs in measured.items():
        look = {"color": ORANGE, "fontweight": "bold"} if name in lit else {"color": INK}
        axes.text(high + 1.5 * step, of_pairs[last], name, va="center", fontsize=11, **look)
    axes.set_aspect("equal")
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    return figure


def describe_effects_in_pairs(exchanged, measured):
    """Say in words what `effects_in_pairs` shows: means, and how closely each way follows.

    >>> describe_effects_in_pairs([0.4, 0.1, 0.5], {"patched": [0.3, 0.1, 0.3]})
    'The exchange: 0.30 on average in 2 new pairs, 0.40 in our sentence; patched: 0.20 on average, \
correlation with the exchange 1.00, within 0.1 of it in 1; 0.30 in our sentence.'
    """
    ours, *pairs = np.asarray(exchanged, dtype=float)
    said = [
        f"The exchange: {np.mean(pairs):.2f} on average in {len(pairs)} new pairs, {ours:.2f} in "
        "our sentence"
    ]
    for name, (here, *moved) in measured.items():
        moved = np.asarray(moved, dtype=float)
        near = int((abs(moved - pairs) < 0.1).sum())
        said.append(
            f"{name}: {moved.mean():.2f} on average, correlation with the exchange "
            f"{np.corrcoef(pairs, moved)[0, 1]:.2f}, within 0.1 of it in {near}; {here:.2f} in our "
            "sentence"
        )
    return "; ".join(said) + "."
