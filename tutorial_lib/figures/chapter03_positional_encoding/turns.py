"""The two directions in which positions turn a pair of numbers."""

import numpy as np

from tutorial_lib.figures.diagrams import KEY, QUERY
from tutorial_lib.figures.style import AMBER, GRID, blank, headline, styled


@styled
def two_turns(angle=1.0, title=None, figure=None):
    """A hand that starts at twelve, and one position later: by sinusoids and by rotary positions.

    Sinusoids shift (sine, cosine) by (cos a, sin a; -sin a, cos a), which is clockwise; rotary
    positions turn (u, v) by its transpose, counter-clockwise. angle in radians.
    """
    figure = blank(figure, 7.6, 3.3)
    circle = np.linspace(0, 2 * np.pi, 200)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    ways = {
        "shift of a sinusoid: clockwise": (turn.T, -1),
        "rotary turn: counter-clockwise": (turn, 1),
    }
    for axes, (name, (matrix, sign)) in zip(figure.subplots(1, 2), ways.items(), strict=True):
        end = matrix @ [0, 1]
        axes.plot(np.cos(circle), np.sin(circle), color=GRID, linewidth=1.2, zorder=0)
        path = np.pi / 2 + sign * np.linspace(0, angle, 60)
        axes.plot(0.45 * np.cos(path), 0.45 * np.sin(path), color=AMBER, linewidth=2.5)
        for tip, colour in (((0, 1), QUERY), (end, KEY)):
            look = {"arrowstyle": "-|>", "color": colour, "linewidth": 2}
            axes.annotate("", tip, (0, 0), arrowprops=look | {"shrinkA": 0, "shrinkB": 0})
        axes.text(0, 1.08, "position 0", ha="center", color=QUERY, fontsize=9.5)
        side = "left" if end[0] > 0 else "right"
        words = f"position 1\n({end[0]:.2f}, {end[1]:.2f})".replace("-", "−")
        axes.text(
            1.08 * end[0], 1.08 * end[1], words, ha=side, va="center", color=KEY, fontsize=9.5
        )
        axes.set(xlim=(-1.75, 1.75), ylim=(-1.1, 1.3), xticks=[], yticks=[], aspect="equal")
        axes.spines[:].set_visible(False)
        axes.set_title(name, loc="center", fontsize=10.5, fontweight="normal")
    headline(figure, title or "The same turn, in opposite directions")
    return figure
