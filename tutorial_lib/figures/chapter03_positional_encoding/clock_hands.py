"""Positions as clock hands and as waves: rotary pairs that turn, sinusoids beside binary digits."""

import numpy as np
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter03_positional_encoding.sinusoids import (
    binary_digits,
    position_table,
)
from tutorial_lib.figures.diagrams import KEY, QUERY
from tutorial_lib.figures.style import AMBER, GREEN, GRID, PINK, blank, headline, styled
from tutorial_lib.positions import rotate


def hand_angles(vector, position, base=10_000):
    """Return the angle of each pair of a rotary vector (K,) at a position: (K/2,), in degrees.

    Counted from the right, counter-clockwise, as `positions.rotate` turns.
    """
    pairs = rotate(vector[None].double(), position, base)[0].view(-1, 2)  # (K/2, 2)
    return torch.atan2(pairs[:, 1], pairs[:, 0]).rad2deg()


def hands_between(query, key, m, n, base=10_000):
    """Return the angle from query (at m) to key (at n) in each pair: (K/2,), -180 to 180."""
    turn = hand_angles(key, n, base) - hand_angles(query, m, base)
    return (turn + 180) % 360 - 180


@styled
def rotary_hands(
    query, key, positions=((0, 2), (3, 5), (8, 10)), n_pairs=4, base=10_000, title=None, figure=None
):
    """Draw pairs of a query and a key as clock hands: both turn, the angle between them stays.

    query, key (K,); positions: (m, n) of query and key, a row each; turned by `positions.rotate`,
    counter-clockwise (Su et al. 2021, eq. 34). Returns the figure. Raises ShapeError when query
    and key are no two vectors of one even width.
    """
    if query.dim() != 1 or query.shape != key.shape or len(query) % 2:
        raise ShapeError(f"expected two vectors of one even width: {query.shape}, {key.shape}")
    n_pairs = min(n_pairs, len(query) // 2)
    figure = blank(figure, 2.0 * n_pairs + 1.0, 1.95 * len(positions) + 0.9)
    grid = figure.subplots(len(positions), n_pairs, squeeze=False)
    circle = np.linspace(0, 2 * np.pi, 200)
    for row, (m, n) in zip(grid, positions, strict=True):
        ends = [np.deg2rad(hand_angles(v, at, base).numpy()) for v, at in ((query, m), (key, n))]
        between = hands_between(query, key, m, n, base).numpy()
        row[0].set_ylabel(f"query at {m}\nkey at {n}", rotation=0, ha="right", va="center")
        for pair, axes in enumerate(row):
            axes.plot(np.cos(circle), np.sin(circle), color=GRID, linewidth=1.2, zorder=0)
            for angle, colour in zip((ends[0][pair], ends[1][pair]), (QUERY, KEY), strict=True):
                look = {"arrowstyle": "-|>", "color": colour, "linewidth": 2}
                look |= {"shrinkA": 0, "shrinkB": 0}
                axes.annotate("", (np.cos(angle), np.sin(angle)), (0, 0), arrowprops=look)
            path = ends[0][pair] + np.deg2rad(between[pair]) * np.linspace(0, 1, 60)
            axes.plot(0.45 * np.cos(path), 0.45 * np.sin(path), color=AMBER, linewidth=2.5)
            axes.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), xticks=[], yticks=[], aspect="equal")
            axes.spines[:].set_visible(False)
            axes.set_xlabel(f"{between[pair]:.0f}° between", fontsize=9.5)
            if row is grid[0]:
                axes.set_title(f"pair {pair}", loc="center", fontsize=10, fontweight="normal")
    inch = 1 / figure.get_figwidth()
    for at, (text, colour) in zip(
        (1.2, 2.3, 3.1), (("query", QUERY), ("key", KEY), ("between", AMBER)), strict=True
    ):
        figure.text(at * inch, 0.015, f"● {text}", color=colour, fontsize=9.5, fontweight="bold")
    bottom = 0.3 / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, bottom, 1, 1 - bottom))
    headline(figure, title or "Both hands turn; at one distance the angle between them stays")
    return figure


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
