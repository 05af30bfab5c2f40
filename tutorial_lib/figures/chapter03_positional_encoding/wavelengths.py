"""How long the waves of sinusoidal positions are."""

import math

import numpy as np

from tutorial_lib.figures.chapter03_positional_encoding.sinusoids import wavelengths
from tutorial_lib.figures.style import BLUE, GRID, MUTED, ORANGE, PINK, blank, headline, styled


@styled
def wavelength_chart(d_model=512, base=10_000, title=None, figure=None):
    """The wavelength of every pair on a log scale, with two slips of the sources beside it.

    Left all pairs; right the first and the last pairs close up: i from 0 to d/2 - 1 (the paper),
    k from 1 to d/2, and i from 0 to d/2, which is a pair too many.
    """
    figure = blank(figure, 10.0, 3.9)
    whole, *ends = figure.subplots(1, 3, width_ratios=[2, 1, 1])
    turns = wavelengths(d_model, base) / (2 * math.pi)
    pairs = np.arange(len(turns))
    whole.plot(pairs, turns * 2 * math.pi, color=BLUE)
    whole.set_yscale("log")
    powers = range(1, max(2, math.ceil(math.log10(turns[-1] * 2 * math.pi)) + 1))
    whole.set_yticks([10**power for power in powers], [f"{10**power:,}" for power in powers])
    whole.set_yticks([], minor=True)
    whole.grid(axis="y", linewidth=0.8)
    whole.set(xlabel="pair i (columns 2i and 2i + 1)", ylabel="wavelength (positions)")
    for at, side, beside in ((0, "left", (9, 0)), (-1, "right", (-9, 0))):
        whole.plot(pairs[at], turns[at] * 2 * math.pi, "o", color=BLUE)
        whole.annotate(
            f"{turns[at]:,.0f} · 2π" if at else "2π",
            (pairs[at], turns[at] * 2 * math.pi),
            beside,
            textcoords="offset points",
            ha=side,
            va="center",
        )
    for axes, shown, name in zip(
        ends, (slice(0, 3), slice(-3, None)), ("first", "last"), strict=True
    ):
        _compare_slips(axes, d_model, base, shown)
        axes.set_title(f"{name} three pairs", fontsize=10, fontweight="normal")
    names = ["i = 0 … d/2 − 1\n(the paper)", "k = 1 … d/2", "i = 0 … d/2"]
    ends[0].set_yticks(range(3), names)
    headline(figure, title or f"Wavelengths grow from 2π to just under {base:,} · 2π")
    return figure


def _compare_slips(axes, d_model, base, shown):
    half = d_model // 2
    for row, (first, count) in enumerate(((0, half), (1, half), (0, half + 1))):
        turns = (base ** (np.arange(first, first + count) / half))[shown]
        axes.axhline(row, color=GRID, linewidth=1, zorder=0)
        axes.plot(turns, [row] * len(turns), "o", color=(BLUE, ORANGE, PINK)[row])
    axes.axvline(base if shown.start < 0 else 1, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    ends = base ** (np.array([-2, -1, 0] if shown.start < 0 else [0, 1, 2]) / half)
    exact = base if shown.start < 0 else 1
    axes.set_xticks(exact * ends, [f"{x:,.0f}" if x > 100 else f"{x:.2f}" for x in exact * ends])
    axes.tick_params(axis="x", labelsize=8.5)
    axes.set(ylim=(2.6, -0.6), yticks=[], xlabel="wavelength / 2π")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
