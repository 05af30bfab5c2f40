"""Why scores are divided by sqrt(d): wide heads make the softmax saturate."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from matplotlib.ticker import MaxNLocator

from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import BLUE, MUTED, PINK, blank, headline, styled

WIDTHS = tuple(2**i for i in range(10))  # 1 .. 512
N_QUERIES = MOST_KEYS = 64


@dataclass(frozen=True)
class Saturation:
    """What random unit-variance queries and keys of width d do in a softmax."""

    weights: np.ndarray  # (S,) of the first query, largest first
    deviation: float  # standard deviation of q · k, before any scaling
    largest: float  # largest weight, mean over the queries
    gradient: float  # how fast weights grow with their own scores, added up; mean over the queries


@lru_cache(maxsize=32)
def random_products(d, seed=0):
    """The dot products (64, 64) of 64 queries with 64 keys each, unit Gaussian of width d.

    The same seed gives the same numbers.
    """
    random = np.random.default_rng((seed, d))
    q = random.standard_normal((N_QUERIES, 1, d))
    k = random.standard_normal((N_QUERIES, MOST_KEYS, d))
    return (q * k).sum(axis=-1)  # (queries, S)


@lru_cache(maxsize=512)
def measure_saturation(d, n_keys=16, scaled=False, seed=0):
    """Measure the softmax of 64 random queries over n_keys keys each, of width d.

    Raises ValueError unless d >= 1 and 2 <= n_keys <= 64. The same seed gives the same numbers.

    >>> measure_saturation(64).deviation > 7 and measure_saturation(64, scaled=True).largest < 0.5
    True
    """
    if d < 1 or not 2 <= n_keys <= MOST_KEYS:
        raise ValueError(
            f"need a width of at least 1 and 2 to {MOST_KEYS} keys, got d={d} and n_keys={n_keys}"
        )
    dots = random_products(d, seed)[:, :n_keys]
    scores = dots / np.sqrt(d) if scaled else dots
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return Saturation(
        np.sort(weights[0])[::-1],
        float(dots.std()),
        float(weights.max(axis=1).mean()),
        float((weights * (1 - weights)).sum(axis=1).mean()),
    )


@styled
def saturation(d, n_keys=16, scaled=False, seed=0, figure=None):
    """One query's weights beside the largest weight and the gradient over the head width.

    d is the head width K, n_keys the number of keys S, scaled divides the scores by sqrt(d).
    """
    now = measure_saturation(d, n_keys, scaled, seed)
    figure = blank(figure, 9.5, 3.6)
    # Fixed margins: solving for them at every move of a slider would take longer than drawing.
    figure.set_layout_engine("none")
    margins = {"left": 0.07, "right": 0.87, "bottom": 0.15, "top": 0.82, "wspace": 0.22}
    bars, curves = figure.subplots(1, 2, width_ratios=[1, 1.1], gridspec_kw=margins)
    # One collection of thick lines is drawn much faster than 64 rectangles.
    bars.vlines(range(1, n_keys + 1), 0, now.weights, color=BLUE, linewidth=200 / n_keys)
    bars.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    bars.axhline(1 / n_keys, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.2)
    bars.text(n_keys + 0.5, 1 / n_keys + 0.015, "uniform", ha="right", va="bottom", color=MUTED)
    bars.set(
        xlim=(0.3, n_keys + 0.7),
        ylim=(0, 1.02),
        xlabel="keys, largest weight first",
        ylabel="softmax weight",
    )
    bars.set_title("One query's weights", fontsize=10.5, y=1.02, pad=0)
    points = [measure_saturation(width, n_keys, scaled, seed) for width in WIDTHS]
    for name, colour in (("largest", BLUE), ("gradient", PINK)):
        curve = [getattr(point, name) for point in points]
        curves.plot(WIDTHS, curve, color=colour)
        curves.plot([d], [getattr(now, name)], "o", color=colour, markersize=8)
        text = {"largest": "largest weight", "gradient": "gradient of\nthe softmax"}[name]
        curves.annotate(
            text,
            (WIDTHS[-1], max(curve[-1], 0.07)),
            (8, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
        )
    curves.axvline(d, color=MUTED, linewidth=0.8)
    curves.set_xscale("log", base=2)
    curves.set_xticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
    curves.set(ylim=(0, 1.02), xlabel="head width K", ylabel="mean over 64 queries")
    curves.set_title(
        f"q·k: standard deviation {now.deviation:.2f}, √K = {np.sqrt(d):.2f}",
        fontsize=10.5,
        y=1.02,  # given, so that matplotlib does not have to search for one
        pad=0,
    )
    for axes in (bars, curves):
        axes.set_yticks([0, 0.5, 1])
    headline(figure, _finding(d, now, scaled))
    return figure


def _finding(d, now, scaled):
    how = "divided by √K" if scaled else "not scaled"
    return f"d = {d}, {how}: largest weight {now.largest:.2f}, gradient {now.gradient:.3f} (means)"


ENTROPY_WIDTHS = (1, 4, 16, 64, 256)


def mean_entropy(weigh, d, n_queries=400, n_keys=64, seed=0):
    """Return the mean entropy in bits of the rows of weigh(q, k), q (T, d) and k (S, d) random.

    >>> round(mean_entropy(lambda q, k: torch.full((len(q), len(k)), 1 / len(k)), 4), 3)
    6.0
    """
    random = torch.Generator().manual_seed(seed)
    q, k = torch.randn(n_queries + n_keys, d, generator=random).split([n_queries, n_keys])
    weights = weigh(q, k)  # (T, S)
    return -(weights * weights.clamp_min(1e-12).log2()).sum(dim=-1).mean().item()


def entropy_over_width(weighings, figure=None):
    """The mean entropy of the weights over the head width, a line for each function in weighings.

    weighings: {name: function of q (T, d), k (S, d) that returns weights (T, S)}.
    """
    return line_chart(
        {name: (ENTROPY_WIDTHS, bits) for name, bits in _entropies(weighings).items()},
        "head width K",
        "entropy of the weights (bits)",
        "The sound curve is flat. What is wrong with the other?",
        references={"64 keys share equally": 6.0},
        log_x=True,
        y_range=(4, 6.4),
        figure=figure,
    )


def describe_entropy_over_width(weighings):
    """Say the numbers of `entropy_over_width` in words: its alt text."""
    said = []
    for name, bits in _entropies(weighings).items():
        pairs = zip(ENTROPY_WIDTHS, bits, strict=True)
        said.append(f"{name} " + ", ".join(f"{b:.2f} at {d}" for d, b in pairs))
    return f"Entropy in bits over the head width: {'; '.join(said)}. Equal weights have 6 bits."


def _entropies(weighings):
    return {
        name: [mean_entropy(weigh, d) for d in ENTROPY_WIDTHS] for name, weigh in weighings.items()
    }
