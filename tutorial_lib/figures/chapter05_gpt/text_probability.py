"""The chain rule as a picture: each token's share of the probability of a text, and their sum."""

import math

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.generation import token_name

MOST_NUMBERS = 30  # bars up to which each has its number
LINE = 55  # bars in a row of the picture


def _checked(tokens, log_probabilities):
    if hasattr(log_probabilities, "tolist"):
        log_probabilities = log_probabilities.tolist()
    values = filled_array(log_probabilities, 1, "log_probabilities")
    if len(values) != len(tokens):
        raise ShapeError(f"{len(tokens)} tokens need as many log p, got {len(values)}")
    if not (values <= 1e-6).all():
        raise ShapeError("log_probabilities are logarithms of probabilities: none is above 0")
    return np.abs(values)  # no minus zero


@style.styled
def chain_rule(tokens, log_probabilities, title="", figure=None, *, lit=None):
    """Each token's -log p given all before it, as bars; below them the sum so far.

    tokens: N labels; log_probabilities: N natural logarithms, of p(token | those before it).
    The sum at the end is -log of the probability of the whole text; divided by N it is the
    loss. lit: the numbers of the bars that are orange, by default all that cost more than
    -log 1/8, above a dashed line. Returns the figure. Raises ShapeError when the two disagree or
    a log is above 0.

    >>> figure = chain_rule(["a", "b"], [-1.0, -0.5], "1.5 nats")
    >>> figure.axes[1].lines[0].get_ydata().tolist()
    [1.0, 1.5]
    """
    costs = _checked(tokens, log_probabilities)
    n = len(costs)
    names = [token_name(token) for token in tokens]
    turned = n <= LINE and max(map(len, names)) > 2
    figure = style.blank(figure, min(max(5.0, 1.6 + 0.3 * n), 13.0), 4.3 + 0.3 * turned)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    positions = np.arange(n)
    dear = np.flatnonzero(costs > 3 * math.log(2))
    colours = [
        style.ORANGE if i in (dear if lit is None else lit) else style.BLUE for i in range(n)
    ]
    above.bar(positions, costs, color=colours, width=0.8)
    if n <= MOST_NUMBERS:
        for x, cost in enumerate(costs):
            shift = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center"}
            above.annotate(f"{cost:.2f}", (x, cost), fontsize=8, **shift)
    limit = above.get_ylim()[1]
    if lit is None and limit > 3 * math.log(2):
        above.axhline(3 * math.log(2), color=style.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        look = {"fontsize": 9, "color": style.MUTED, "va": "center"}
        look["transform"] = above.get_yaxis_transform()
        above.text(1.005, 3 * math.log(2), "p = 1/8", **look)
    above.set(ylabel="−log p (nats)", title=title, ylim=(0, max(1.08 * limit, 0.1)))
    below.step(positions, np.cumsum(costs), where="mid", color=style.GREEN)
    below.fill_between(positions, np.cumsum(costs), step="mid", color=style.GREEN, alpha=0.15)
    end = f"sum {costs.sum():.2f}, mean {costs.mean():.3f}"
    where = {"ha": "left", "va": "top", "fontsize": 9.5, "fontweight": "bold"}
    below.text(0.01, 0.95, end, transform=below.transAxes, color=style.GREEN, **where)
    below.set(ylabel="sum so far (nats)", ylim=(0, max(1.15 * costs.sum(), 0.1)))
    below.set_xlim(-0.7, n - 0.3)
    every = max(1, -(-n // LINE))
    below.set_xticks(positions[::every], names[::every], rotation=90 if turned else 0)
    below.set_xlabel("token, each given all those before it")
    for axes in (above, below):
        axes.grid(axis="y", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(axis="x", length=0)
    return figure


def describe_chain_rule(tokens, log_probabilities):
    """Say in words what `chain_rule` shows.

    >>> describe_chain_rule(["a", "b"], [-1.0, -0.5])
    '-log p of 2 tokens: sum 1.50 nats, mean 0.750; the highest: a 1.00, b 0.50.'
    """
    costs = _checked(tokens, log_probabilities)
    highest = np.argsort(-costs, kind="stable")[:3]
    names = ", ".join(f"{token_name(tokens[i])} {costs[i]:.2f}" for i in highest)
    return (
        f"-log p of {len(costs)} tokens: sum {costs.sum():.2f} nats, mean {costs.mean():.3f}; "
        f"the highest: {names}."
    )
