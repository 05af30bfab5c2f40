"""Sinusoidal positions as pictures: their heat map beside binary digits, wavelengths, what moves.

Column 2i holds a sine and column 2i + 1 the cosine of the same angle; i counts the pairs from 0.
"""

import math

import numpy as np
import torch
from matplotlib.ticker import MaxNLocator

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import GREEN, GRID, INK, PINK, SIGNED, blank, headline, styled
from tutorial_lib.positions import turning_angles


def position_table(n_positions, d_model, base=10_000):
    """Return the sinusoids (T, D) for any base, float64; base 10,000 is `positions.sinusoidal`.

    Raises ShapeError when D is odd or there is no position.

    >>> position_table(2, 4)[0].tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    if d_model < 2 or d_model % 2 or n_positions < 1:
        raise ShapeError(
            f"sinusoids need an even width and a position, got {n_positions} x {d_model}"
        )
    angle = turning_angles(n_positions, d_model, base=base)  # (T, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).double().numpy()  # (T, D)


def wavelengths(d_model, base=10_000):
    """Return after how many positions each pair of columns begins again: (D/2,).

    >>> wavelengths(4).round(1).tolist()
    [6.3, 628.3]
    """
    return 2 * math.pi / turning_angles(1, d_model, start=1, base=base)[0].double().numpy()


def moving_columns(d_model, n_positions, base=10_000):
    """Count the columns that complete at least half a wave within n_positions steps.

    >>> moving_columns(128, 20), moving_columns(512, 20)
    (26, 104)
    """
    return 2 * int((wavelengths(d_model, base) <= 2 * n_positions).sum())


def binary_digits(n_positions):
    """Return the binary digits of 0 ... n_positions - 1, lowest digit first: (T, digits).

    >>> binary_digits(3).tolist()
    [[0, 0], [1, 0], [0, 1]]
    """
    n_digits = max(1, (n_positions - 1).bit_length())
    return np.arange(n_positions)[:, None] >> np.arange(n_digits) & 1


@styled
def sinusoid_map(
    d_model=128,
    n_positions=32,
    base=10_000,
    position=None,
    column=None,
    title=None,
    figure=None,
):
    """The sinusoids of every position and column, with the binary digits of the position beside.

    With a position, its row is drawn below as two curves; with a column, its wave beside. These
    are the keyword arguments that `SinusoidExplorer.state` gives.
    Raises ShapeError when the position or the column is not in the picture.
    """
    table = position_table(n_positions, d_model, base)
    for name, at, end in (("position", position, n_positions), ("column", column, d_model)):
        if at is not None and not 0 <= at < end:
            raise ShapeError(f"{name} {at} is not shown: there are {end}, counted from 0")
    digits = binary_digits(n_positions)
    figure = blank(figure, 10.0, 4.3 if position is None else 5.9)
    widths = [6.0, *([1.3] if column is not None else []), 0.2 * digits.shape[1]]
    heights = [1] if position is None else [3.1, 1.2]
    panels = figure.subplots(
        len(heights), len(widths), width_ratios=widths, height_ratios=heights, squeeze=False
    )
    heat, bits = panels[0, 0], panels[0, -1]
    picture = heat.imshow(
        table, cmap=SIGNED, vmin=-1, vmax=1, aspect="auto", interpolation="nearest"
    )
    edge = moving_columns(d_model, n_positions, base)
    if 0 < edge < d_model:
        heat.axvline(edge - 0.5, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
    heat.set(ylabel="position", xlabel="" if position is not None else "column")
    heat.set_title(
        f"{edge} of {d_model} columns complete half a wave", fontsize=10, fontweight="normal"
    )
    bits.imshow(digits, cmap=SIGNED, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    bits.set_title("Binary digits", fontsize=10, fontweight="normal")
    bits.set_xticks(range(digits.shape[1]), [str(2**j) for j in range(digits.shape[1])])
    bits.tick_params(axis="x", length=0, labelsize=7.5)
    bits.set(xlabel="digit's worth", yticks=[])
    if n_positions <= 40:
        bits.set_xticks(np.arange(digits.shape[1] + 1) - 0.5, minor=True)
        bits.set_yticks(np.arange(n_positions + 1) - 0.5, minor=True)
        bits.grid(which="minor", color=GRID, linewidth=0.6)
        bits.tick_params(which="minor", length=0)
    for axes in (heat, bits):
        axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.spines[:].set_visible(False)
    bits.set_yticks([])
    heat.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    if column is not None:
        _wave(panels[0, 1], table, column, base)
        heat.axvspan(column - 0.5, column + 0.5, facecolor="none", edgecolor=INK, linewidth=1.2)
    if position is not None:
        _row(panels[1, 0], table, position)
        for axes in panels[1, 1:]:
            axes.set_axis_off()
        for axes in (heat, bits):
            axes.axhspan(
                position - 0.5, position + 0.5, facecolor="none", edgecolor=INK, linewidth=1.2
            )
    bar = figure.colorbar(picture, ax=bits, fraction=0.5, aspect=24, ticks=[-1, 0, 1])
    bar.outline.set_visible(False)
    headline(figure, title or "Left columns turn fast, right ones slowly: smooth binary digits")
    return figure


def _wave(axes, table, column, base):
    n_positions, d_model = table.shape
    fine = np.linspace(0, n_positions - 1, 16 * n_positions)
    angle = fine / base ** (2 * (column // 2) / d_model)
    colour = PINK if column % 2 else GREEN
    axes.plot(np.cos(angle) if column % 2 else np.sin(angle), fine, color=colour, linewidth=1.4)
    if n_positions <= 64:
        axes.plot(table[:, column], range(n_positions), "o", color=colour, markersize=3)
    axes.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    axes.set(ylim=(n_positions - 0.5, -0.5), xlim=(-1.15, 1.15), yticks=[], xticks=[-1, 0, 1])
    axes.set_xlabel("value")
    length = wavelengths(d_model, base)[column // 2]
    axes.set_title(
        f"Column {column}: a wave is\n{length:,.1f} positions long", fontsize=9, fontweight="normal"
    )


def _row(axes, table, position):
    d_model = table.shape[1]
    dots = "o" if d_model <= 160 else ""
    for start, colour, name in ((0, GREEN, "sine"), (1, PINK, "cosine")):
        x, y = np.arange(start, d_model, 2), table[position, start::2]
        axes.plot(x, y, f"{dots}-", color=colour, markersize=2.6, linewidth=1, label=name)
    axes.axhline(0, color=GRID, linewidth=0.8, zorder=0)
    axes.set(xlim=(-0.5, d_model - 0.5), ylim=(-1.15, 1.15), yticks=[-1, 0, 1])
    axes.set(xlabel="column", ylabel="value")
    axes.set_title(f"The vector of position {position}", fontsize=10, fontweight="normal", pad=4)
    axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    # There is no panel where it is drawn, and it must not push the panels above apart.
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5)).set_in_layout(False)


def describe_sinusoids(d_model=128, n_positions=32, base=10_000, position=None, column=None):
    """Say in words what `sinusoid_map` shows, for its alt text.

    >>> describe_sinusoids(4, 3)[:58]
    'Heat map of the sinusoids of 3 positions (down) in 4 colum'
    """
    edge = moving_columns(d_model, n_positions, base)
    words = [
        f"Heat map of the sinusoids of {n_positions} positions (down) in {d_model} columns "
        f"(across): stripes that are narrow at the left and widen to the right. {edge} columns "
        f"complete half a wave. Beside it the binary digits of each position, the lowest first."
    ]
    if column is not None:
        length = wavelengths(d_model, base)[column // 2]
        words.append(f"The wave of column {column} is {length:,.1f} positions long.")
    if position is not None:
        digits = binary_digits(n_positions)[position][::-1]
        words.append(f"Position {position} is {''.join(map(str, digits))} in binary.")
    return " ".join(words)
