"""Positions as waves: sinusoids above binary digits."""

import numpy as np

from tutorial_lib.figures.chapter03_positional_encoding.sinusoids import (
    binary_digits,
    position_table,
)
from tutorial_lib.figures.style import GREEN, GRID, PINK, blank, headline, styled


@styled
def sinusoids_and_digits(n_positions=16, base=16, title=None, figure=None):
    """Draw four sinusoids above the four binary digits of the position: each is half as fast.

    With base 16 and eight columns each wave is twice as long as the one before, as with digits;
    the paper's base 10,000 spreads them further. Returns the figure.
    """
    waves, digits = position_table(n_positions, 8, base)[:, 0::2], binary_digits(n_positions)
    n_digits = min(4, digits.shape[1])
    figure = blank(figure, 9.0, 6.2)
    panels = figure.subplots(4 + n_digits, 1, sharex=True)
    fine = np.linspace(0, n_positions - 1, 600)
    for pair, axes in enumerate(panels[:4]):
        axes.plot(fine, np.sin(fine / base ** (pair / 4)), color=GREEN, linewidth=1.8)
        axes.plot(range(n_positions), waves[:, pair], "o", color=GREEN, markersize=4)
        axes.axhline(0, color=GRID, linewidth=0.8, zorder=0)
        axes.set(ylim=(-1.3, 1.3), yticks=[-1, 1])
        axes.set_ylabel(f"sine of\npair {pair}", rotation=0, ha="right", va="center")
    for digit, axes in enumerate(panels[4:]):
        axes.step(
            np.arange(n_positions + 1) - 0.5,
            [*digits[:, digit], digits[-1, digit]],
            where="post",
            color=PINK,
        )
        axes.set(ylim=(-0.3, 1.3), yticks=[0, 1])
        axes.set_ylabel(f"digit\nworth {2**digit}", rotation=0, ha="right", va="center")
    for axes in panels:
        axes.spines[["bottom", "left"]].set_color(GRID)
        axes.tick_params(axis="x", length=0)
    panels[-1].set_xlabel("position")
    panels[-1].set_xticks(range(0, n_positions, max(1, n_positions // 16)))
    headline(figure, title or "Each wave, like each digit, is half as fast as the one before")
    return figure
