"""What a causal model looks back at: which positions reach an output, and the cache that grows."""

import torch
from matplotlib.patches import Rectangle

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import KEY, QUERY, VALUE, arrow, canvas, rounded
from tutorial_lib.figures.generation import token_name
from tutorial_lib.figures.tokens import drawable


def reached_positions(model, ids, focus):
    """Return which hidden states the last one at `focus` depends on: (L + 1, T), True = it does.

    ids (1, T) of a GPT; measured as gradients, so the model's own mask decides. Raises ShapeError
    when focus is no position of ids.
    """
    if not 0 <= focus < ids.size(1):
        raise ShapeError(f"position {focus} is not among the {ids.size(1)} of ids")
    with torch.enable_grad():
        states = model.hidden_states(ids)
        # Not their sum: a LayerNorm makes that the same for any input.
        direction = torch.linspace(-1, 2, states[-1].size(-1), device=ids.device) ** 2
        target = (states[-1][0, focus] * direction).sum()
        gradients = torch.autograd.grad(target, states, allow_unused=True)
    return torch.stack([g[0].abs().sum(-1) > 0 for g in gradients])


@style.styled
def causal_dependencies(model, ids, words=None, focus=None, title=None, figure=None):
    """Draw which positions of each layer the output at `focus` can depend on, the last by default.

    model: a GPT, ids (1, T), both small enough to read (T to about 10); words: what stands in the
    boxes. Every line is a look of one layer that leads to the output. Returns the figure.
    """
    focus = ids.size(1) - 1 if focus is None else focus
    reached = reached_positions(model, ids, focus)
    n_levels, n_tokens = reached.shape
    names = [str(i) for i in ids[0].tolist()] if words is None else list(words)
    across, up, left = 0.95, 0.95, 1.5
    width = left + across * n_tokens
    said = f"The output at position {focus} can use positions 0 to {focus}, none after it"
    figure, axes = canvas(figure, max(width, 7), up * n_levels + 0.1, title or said, below=0.1)
    for level in range(n_levels):
        y = 0.55 + up * level
        name = "input" if level == 0 else f"after layer {level}"
        axes.text(left - 0.45, y, name, ha="right", va="center", fontsize=9.5)
        for to in range(n_tokens):
            x = left + across * to
            for start in range(to + 1) if level else ():
                if reached[level, to] and reached[level - 1, start]:
                    ends = [(left + across * start, y - up + 0.16), (x, y - 0.16)]
                    arrow(axes, ends, style.BLUE, 1.1)
            look = (style.PALE_BLUE, style.BLUE) if reached[level, to] else (style.CARD, style.GRID)
            if level == n_levels - 1 and to == focus:
                look = (style.PALE_ORANGE, style.ORANGE)
            rounded(axes, x - 0.28, y - 0.16, 0.56, 0.32, *look)
            place = {"ha": "center", "va": "center", "fontsize": 9.5, "zorder": 4}
            axes.text(x, y, drawable(token_name(names[to])), **place)
            if level == 0:
                axes.text(x, 0.16, str(to), color=style.MUTED, **place)
    look = {"va": "center", "fontsize": 9.5, "color": style.MUTED}
    axes.text(left - 0.45, 0.16, "position", ha="right", **look)
    return figure


def computed_numbers(model, ids, start):
    """Count the numbers of queries, keys and values, step by step, without and with a cache.

    ids (1, T): the model has read `start` tokens, then they come one by one. Returns two lists,
    counted from what the attention layers computed. Raises ShapeError without a step.
    """
    if not 0 < start < ids.size(1):
        raise ShapeError(f"start must be from 1 to {ids.size(1) - 1}, got {start}")
    counted = 0

    def count(module, inputs, output):
        nonlocal counted
        counted += output.numel()

    layers = [m for m in model.modules() if isinstance(m, MultiHeadAttention)]
    hooks = [layer.qkv.register_forward_hook(count) for layer in layers]
    without, with_cache = [], []
    try:
        with torch.no_grad():
            cache = model.new_cache(context=ids.size(1))
            model(ids[:, :start], cache=cache)
            for end in range(start + 1, ids.size(1) + 1):
                counted = 0
                model(ids[:, :end])
                without.append(counted)
                counted = 0
                model(ids[:, end - 1 : end], cache=cache)
                with_cache.append(counted)
    finally:
        for hook in hooks:
            hook.remove()
    return without, with_cache


@style.styled
def growing_cache(model, ids, words=None, n_steps=4, title=None, figure=None):
    """Draw the last steps of a generation: the cache of keys and values grows by one column each.

    model: a GPT, ids (1, T) with T > n_steps. Below each step is how many numbers of queries,
    keys and values the layers computed, counted in two real runs. Returns the figure.
    """
    start = ids.size(1) - n_steps
    without, with_cache = computed_numbers(model, ids, start)
    names = [str(i) for i in ids[0].tolist()] if words is None else list(words)
    unit, gap, left = 0.27, 0.72, 1.15
    widths = [unit * (start + 1 + step) for step in range(n_steps)]
    width = left + sum(widths) + gap * n_steps
    total = f"{sum(without):,} numbers without a cache, {sum(with_cache):,} with it"
    names = [drawable(token_name(name)) for name in names]
    tall = 0.16 + 0.085 * max(map(len, names))  # the tokens stand upright over their columns
    figure, axes = canvas(
        figure, max(width, 8), 3.05 + tall, title or f"Four steps: {total}", below=0.95
    )
    rows = {"query": (2.45, QUERY), "keys": (1.45, KEY), "values": (0.35, VALUE)}
    for name, (y, colour) in rows.items():
        look = {"ha": "right", "va": "center", "fontsize": 10, "fontweight": "bold"}
        axes.text(left - 0.12, y + (0.14 if name == "query" else 0.4), name, color=colour, **look)
    x0 = left
    for step, wide in enumerate(widths):
        n_tokens = start + 1 + step
        for at in range(n_tokens):
            new = at == n_tokens - 1
            x = x0 + unit * at
            for name in ("keys", "values"):
                y, colour = rows[name]
                pale = {KEY: style.PALE_ORANGE, VALUE: style.PALE_GREEN}[colour]
                rounded(
                    axes,
                    x + 0.02,
                    y,
                    unit - 0.04,
                    0.8,
                    colour if new else pale,
                    colour,
                    linewidth=0.8,
                )
            place = {"ha": "center", "va": "bottom", "fontsize": 9, "rotation": 90}
            ink = style.INK if new else style.MUTED
            axes.text(x + unit / 2, 2.83, names[at], color=ink, **place)
            if new:
                rounded(axes, x + 0.02, 2.45, unit - 0.04, 0.28, QUERY, QUERY, linewidth=0.8)
            arrow(axes, [(x0 + wide - unit / 2, 2.43), (x + unit / 2, 2.27)], QUERY, 0.9, 2)
        for y, computed, colour in ((0.02, without, style.MUTED), (-0.28, with_cache, style.BLUE)):
            long = wide * computed[step] / without[step]
            axes.add_patch(Rectangle((x0, y - 0.09), long, 0.18, color=colour))
            axes.text(x0 + long + 0.06, y, f"{computed[step]:,}", va="center", fontsize=9.2)
        axes.text(x0, 2.85 + tall, f"step {n_tokens}", fontsize=10, fontweight="bold")
        x0 += wide + gap
    for y, name in ((0.02, "without cache"), (-0.28, "with cache")):
        axes.text(left - 0.12, y, name, ha="right", va="center", fontsize=9.2)
    each = with_cache[0]
    a_layer = next(m for m in model.modules() if isinstance(m, MultiHeadAttention)).qkv.out_features
    notes = (
        "solid boxes are computed at this step, pale ones are read from the cache",
        f"bars: numbers computed; a token takes {each:,} = {each // a_layer} layers × 3 vectors "
        f"(query, key, value) of {a_layer // 3} numbers",
    )
    for at, note in enumerate(notes):
        axes.text(left, -0.62 - 0.22 * at, note, fontsize=9.2, color=style.MUTED)
    return figure
