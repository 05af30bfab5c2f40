"""Positions as waves: sinusoids over binary digits."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import GREEN, GRID, PINK, blank, headline, styled


@styled
def sinusoids_and_digits(digits, title=None, figure=None):
    """Draw the binary digits of the positions (T, digits), each with a sinusoid that is as slow.

    Each wave is twice as long as the one before, and moved so that it is above its middle where
    the digit is 1; the waves of the paper are spread further. Returns the figure. Raises
    ShapeError unless there is a row for each of at least two positions.
    """
    digits = np.asarray(digits, dtype=float)
    if digits.ndim != 2 or len(digits) < 2:
        raise ShapeError(f"digits must be two or more rows (T, digits), got {digits.shape}")
    n_positions = len(digits)
    figure = blank(figure, 9.0, 1.1 + 0.95 * digits.shape[1])
    panels = figure.subplots(digits.shape[1], 1, sharex=True)
    edges, fine = np.arange(n_positions + 1) - 0.5, np.linspace(-0.5, n_positions - 0.5, 600)
    for digit, axes in enumerate(panels):
        square = [*(2 * digits[:, digit] - 1), 2 * digits[-1, digit] - 1]
        axes.step(edges, square, where="post", color=PINK, linewidth=1.5)
        wave = np.pi / 2**digit  # radians a position: one turn while the digit switches twice
        axes.plot(fine, -np.sin(wave * (fine + 0.5)), color=GREEN, linewidth=2)
        at = np.arange(n_positions)
        axes.plot(at, -np.sin(wave * (at + 0.5)), "o", color=GREEN, markersize=4)
        axes.axhline(0, color=GRID, linewidth=0.8, zorder=0)
        axes.set(ylim=(-1.3, 1.3), yticks=[-1, 1], yticklabels=["0", "1"])
        axes.set_ylabel(f"counts {2**digit}s", rotation=0, ha="right", va="center")
        axes.spines[["bottom", "left"]].set_color(GRID)
        axes.tick_params(axis="x", length=0)
    panels[-1].set_xlabel("position")
    panels[-1].set_xticks(range(0, n_positions, max(1, n_positions // 16)))
    inch = 1 / figure.get_figwidth()
    for place, (text, colour) in zip(
        (0.2, 1.8), (("binary digit", PINK), ("sine", GREEN)), strict=True
    ):
        figure.text(place * inch, 0.02, f"● {text}", color=colour, fontsize=9.5, fontweight="bold")
    headline(figure, title or "A sine is a binary digit, rounded off")
    return figure
