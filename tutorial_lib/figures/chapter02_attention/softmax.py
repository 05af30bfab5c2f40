"""softmax(q k / sqrt(K)) v taken apart: dot products, scaled, exponentials, weights, mixture."""

from dataclasses import dataclass

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, CYCLE, GREEN, MUTED, ORANGE, blank, headline, styled


@dataclass(frozen=True)
class SoftmaxStages:
    """Every number on the way from one query to its mixed value, S keys and values of width W."""

    dots: np.ndarray  # (S,) q · k
    scaled: np.ndarray  # (S,) after 1/sqrt(K) and the temperature
    exponentials: np.ndarray  # (S,) exp(scaled - largest): the subtraction keeps exp from overflow
    weights: np.ndarray  # (S,) sum to 1
    mixed: np.ndarray  # (W,) the weighted sum of the values


def softmax_stages(q, k, v, scale=True, temperature=1.0):
    """Attention of one query, one stage after the other (Vaswani et al. 2017, eq. 1).

    q (K,), k (S, K), v (S, W); `scale` divides by sqrt(K); the temperature, above 0,
    divides the scores once more. Raises ShapeError or ValueError.

    >>> softmax_stages([1, 0], [[1, 0], [0, 1]], [[1], [3]]).weights.round(3)
    array([0.67, 0.33])
    """
    q, k, v = (np.asarray(x, dtype=np.float64) for x in (q, k, v))
    if q.ndim != 1 or k.ndim != 2 or k.shape[1] != len(q) or not k.size:
        raise ShapeError(f"q must be (K,) and k (S, K), got {q.shape} and {k.shape}")
    if v.ndim != 2 or len(v) != len(k):
        raise ShapeError(f"v must be (S, W) with S = {len(k)} keys, got {v.shape}")
    if not all(np.isfinite(x).all() for x in (q, k, v)):
        raise ShapeError("q, k and v must hold finite numbers")
    if not temperature > 0:
        raise ValueError(f"the temperature must be above 0, got {temperature}")
    dots = k @ q  # (S,)
    scaled = dots / temperature
    if scale:
        scaled = scaled / np.sqrt(len(q))
    exponentials = np.exp(scaled - scaled.max())
    weights = exponentials / exponentials.sum()
    return SoftmaxStages(dots, scaled, exponentials, weights, weights @ v)


@styled
def softmax_steps(q, k, v, scale=True, temperature=1.0, labels=None, figure=None):
    """The five stages side by side, one row a key, with the numbers beside the bars.

    q (K,), k (S, K), v (S, W); labels are S names of the keys.
    """
    stages = softmax_stages(q, k, v, scale, temperature)
    n_keys = len(stages.dots)
    labels = [f"key {i + 1}" for i in range(n_keys)] if labels is None else list(labels)
    if len(labels) != n_keys:
        raise ShapeError(f"{n_keys} keys need {n_keys} labels, got {len(labels)}")
    figure = blank(figure, 10.5, 1.5 + 0.42 * max(n_keys, len(stages.mixed)))
    panels = figure.subplots(1, 5)
    divisor = " / √K" if scale else ""
    divisor += "" if temperature == 1 else f" / {temperature:g}"
    rows = [
        ("1  q · k", stages.dots, BLUE),
        (f"2  q · k{divisor}" if divisor else "2  not scaled", stages.scaled, BLUE),
        ("3  exp(s − largest)", stages.exponentials, CYCLE[4]),
        ("4  weights", stages.weights, ORANGE),
    ]
    # One scale before and after the division, or it would seem to change nothing; then 0 to 1.
    highest = np.abs([stages.dots, stages.scaled]).max()
    reaches = (highest, highest, 1.0, 1.0)
    for panel, reach, (title, numbers, colour) in zip(panels, reaches, rows, strict=False):
        _bars(panel, title, numbers, labels if panel is panels[0] else None, colour, reach)
    components = [f"v{i + 1}" for i in range(len(stages.mixed))]
    _bars(panels[4], "5  mixed value", stages.mixed, components, GREEN, np.abs(stages.mixed).max())
    winner = int(stages.weights.argmax())
    headline(figure, f"{labels[winner]} gets {stages.weights[winner]:.0%} of the weight")
    return figure


def _bars(axes, title, numbers, labels, colour, reach):
    axes.barh(range(len(numbers)), numbers, color=colour, height=0.62)
    reach = max(float(reach), 1e-9)
    low = -1.9 * reach if (numbers < 0).any() else 0
    axes.set_xlim(low, 1.9 * reach)
    for row, number in enumerate(numbers):
        side, offset = ("right", -4) if number < 0 else ("left", 4)
        axes.annotate(
            f"{number:.3g}",
            (number, row),
            (offset, 0),
            textcoords="offset points",
            va="center",
            ha=side,
            fontsize=9.5,
        )
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.set_ylim(len(numbers) - 0.4, -0.6)
    axes.set_yticks(range(len(numbers)), labels if labels is not None else [""] * len(numbers))
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[["bottom", "left"]].set_visible(False)
    axes.set_title(title, fontsize=10.5)
