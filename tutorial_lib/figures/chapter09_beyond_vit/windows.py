"""Windows of a map: cut, shifted and masked."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from tutorial_lib.figures import style
from tutorial_lib.models.windows import shifted_window_mask

FILLS = (style.PALE_BLUE, style.PALE_AMBER, style.PALE_PINK, style.PALE_GREEN)
LETTERS = "ABCD"  # the middle, what lies at the left edge, at the top, and in the corner


@style.styled
def rolled_windows(side=8, window=4, shift=2, title=None, figure=None):
    """Shifted windows in three steps: on the map, after the roll, and who may look in the last.

    Colours and letters say from which edge a part came.
    """
    figure = style.blank(figure, 9.0, 3.6)
    shifted, rolled, mask = figure.subplots(1, 3)
    parts = _parts(side, shift)
    _cells(shifted, parts, "the windows move")
    edges = np.arange(shift, side + 1, window)
    for edge in edges:
        shifted.axhline(edge - 0.5, color=style.INK, linewidth=2)
        shifted.axvline(edge - 0.5, color=style.INK, linewidth=2)
    _cells(rolled, np.roll(parts, (-shift, -shift), axis=(0, 1)), "or: the map rolls under them")
    for edge in range(window, side, window):
        rolled.axhline(edge - 0.5, color=style.INK, linewidth=2)
        rolled.axvline(edge - 0.5, color=style.INK, linewidth=2)
    corner = (side - window - 0.5, side - window - 0.5)
    frame = {"fill": False, "edgecolor": style.ORANGE, "linewidth": 3.5, "zorder": 4}
    rolled.add_patch(Rectangle(corner, window, window, clip_on=False, **frame))
    may = shifted_window_mask(side, side, window, shift)[-1].int().numpy()
    mask.imshow(may, cmap=ListedColormap([style.CARD, style.BLUE]), vmin=0, vmax=1)
    style.draw_frame(mask)
    style.panel_title(mask, "who may look, in the orange one")
    letters = [LETTERS[part] for part in np.roll(parts, (-shift, -shift), (0, 1))[
        side - window :, side - window :
    ].flat]  # fmt: skip
    places = range(window**2)
    mask.set_xticks(places, letters, fontsize=8)
    mask.set_yticks(places, letters, fontsize=8)
    mask.tick_params(length=0, pad=3)
    mask.set(xlabel=f"{window**2} keys", ylabel=f"{window**2} queries")
    style.headline(figure, title or "The last window holds four corners that never met")
    return figure


def describe_rolled_windows(side=8, window=4, shift=2):
    """Say in words what `rolled_windows` shows."""
    may = shifted_window_mask(side, side, window, shift)[-1]
    return (
        f"Left, a map of {side} x {side} positions with windows of {window} shifted by {shift}: at "
        f"its edges windows are cut off. Middle, the same map rolled by {shift} up and to the "
        f"left: all windows are whole again, but the last one holds parts of four corners, A, B, C "
        f"and D. Right, who may look at whom in it: {int(may.sum())} of {may.numel()} pairs, each "
        "part at itself."
    )


def _parts(side, shift):
    """Which of four parts a position belongs to: (side, side), 0 the middle, the others edges."""
    first = np.arange(side) < shift
    return 2 * first[:, None] + first[None, :]


def _cells(axes, parts, title):
    side = len(parts)
    axes.imshow(parts, cmap=ListedColormap(FILLS), vmin=0, vmax=3)
    axes.set_xticks(np.arange(side + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(side + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=style.CARD, linewidth=1)
    axes.tick_params(which="minor", length=0)
    for part, letter in enumerate(LETTERS):
        rows, columns = np.nonzero(parts == part)
        axes.text(
            columns.mean(), rows.mean(), letter, ha="center", va="center", fontsize=12,
            fontweight="bold", color=style.MUTED,
        )  # fmt: skip
    style.draw_frame(axes)
    style.panel_title(axes, title)
