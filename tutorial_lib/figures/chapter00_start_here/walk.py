"""One sentence all the way: the steps of a forward pass, in words and as a map with shapes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WIDTH, GAP, HEIGHT = 4.05, 0.45, 0.6  # of a box and its row, in inches
ACROSS = 2  # columns side by side, so that the type stays large on a notebook's page
BETWEEN = 0.85  # inches between two such rows of columns, the lower one's headings included
LONGEST = 52  # characters of what a tensor is made from

# The end of a record's name says what it means; the first that fits is taken.
_MEANINGS = (
    ("token ids", "The text as numbers: each token's number in the vocabulary."),
    ("segment ids", "Which of two texts each token belongs to: all 0 when there is one."),
    ("token embedding", "Each token's own vector, the same wherever the token comes in the text."),
    ("segment embedding", "A vector for each segment, the same for all of its tokens."),
    ("position embedding", "A vector for each position, so that order counts."),
    ("embedding sum", "What a token is, where it is and its segment, added up."),
    ("embedding norm", "Each token's vector brought to one scale: what the first layer reads."),
    ("queries", "What each token looks for, a short vector for each head."),
    ("keys", "What each token offers to be found by, a short vector for each head."),
    ("values", "What each token hands over when it is looked at."),
    ("scores", "How well each query fits each key."),
    ("weights", "Scores turned into shares: how much of each token a head takes."),
    ("heads", "What each head brings back: values mixed by its weights."),
    ("attention sum", "The residual path: what was there before plus what attention found."),
    ("attention norm", "Each token's vector brought back to one scale."),
    ("attention", "All heads side by side, mixed into one vector per token."),
    ("pre-activation", "Each token alone, spread over more features."),
    ("feed forward hidden", "The features after the nonlinearity: many are near zero."),
    ("feed forward sum", "The residual path: what was there before plus the feed-forward part."),
    ("feed forward norm", "Each token's vector brought back to one scale: the layer's result."),
    ("feed forward", "Back to the model's width: what the layer has to add."),
    ("output", "The end of the road: one vector for each token, made with all the others."),
    ("sentence vector", "The mean over all tokens: what two sentences are compared by."),
    ("logits", "A score for each token of the vocabulary: what could come next."),
    ("probabilities", "Scores turned into shares: how likely each token is to come next."),
    ("word similarity", "How close each token's last vector is to each word of the table."),
    ("sum", "What was there before plus what has been added."),
    ("norm", "Each token's vector brought to one scale."),
)
# With a norm before each half of a layer, the half reads the norm, and the path goes on unchanged.
_MEANINGS_BEFORE = (
    ("attention norm", "A copy of each token's vector, brought to one scale: what the heads read."),
    ("feed forward norm", "A copy, brought to one scale: what the feed-forward part reads."),
    ("feed forward sum", "The residual path: plus the feed-forward part, the layer's result."),
    ("final norm", "Each token's last vector brought to one scale: what the scores are made from."),
)
_MEANINGS_TURNED = (
    ("queries", "What each token looks for, turned by an angle that grows with its position."),
    ("keys", "What each token is found by, turned by an angle that grows with its position."),
)


@dataclass(frozen=True, eq=False)
class Step:
    """One tensor on the way: its name, the stage it belongs to, axes, shape, formula, meaning."""

    name: str
    stage: str
    label: str
    axes: str
    shape: tuple
    formula: str
    meaning: str
    values: object


def walk_steps(records):
    """The steps of a forward pass from a Trace, or from a list of dicts with the same fields.

    A dict has name, axes ("B T D"), formula and values (an array or tensor).
    Raises ShapeError when nothing was recorded or axes and shape disagree.

    >>> import numpy as np
    >>> ids = {"name": "token ids", "axes": "B T", "formula": "input", "values": np.ones((1, 3))}
    >>> walk_steps([ids])[0].shape
    (1, 3)
    """
    records = list(records.values()) if isinstance(records, Mapping) else list(records)
    if not records:
        raise ShapeError("a walk needs at least one recorded tensor")
    steps, norm_first = [], False
    for record in records:
        if isinstance(record, Mapping):
            name, axes, formula = (str(record.get(key, "")) for key in ("name", "axes", "formula"))
            values = record["values"]
        else:
            name, axes, formula = record.name, record.axes, record.formula
            values = record.tensor
        shape = tuple(values.shape)
        if len(axes.split()) != len(shape):
            raise ShapeError(f"{name!r} has axes {axes!r} but shape {shape}")
        layer = re.match(r"(.*?layer \d+) (.+)", name)
        before = not any("layer" in step.stage for step in steps)
        stage = layer[1] if layer else "text to vectors" if before else "result"
        label = layer[2] if layer else name
        norm_first |= before and label == "attention norm"  # else queries are a layer's first
        meaning = _meaning(name, formula, norm_first)
        steps.append(Step(name, stage, label, axes, shape, formula, meaning, values))
    return steps


def _meaning(name, formula, norm_first):
    known = _MEANINGS_TURNED if "turned by position" in formula else ()
    known += _MEANINGS_BEFORE if norm_first else ()
    return next((words for ending, words in known + _MEANINGS if name.endswith(ending)), "")


def _columns(steps):
    """The boxes of each column: into vectors, one layer in two halves, the result."""
    layers = [s for s in dict.fromkeys(step.stage for step in steps) if "layer" in s]
    columns = {"Text to vectors": [s for s in steps if s.stage == "text to vectors"]}
    if layers:
        first = [step for step in steps if step.stage == layers[0]]
        looks = [step for step in first if not step.label.startswith("feed forward")]
        alone = [step for step in first if step.label.startswith("feed forward")]
        columns[f"{layers[0].capitalize()}: tokens look at each other"] = looks
        columns[f"{layers[0].capitalize()}: each token alone"] = alone
    columns["Result"] = [s for s in steps if s.stage == "result"]
    return {title: boxes for title, boxes in columns.items() if boxes}, len(layers)


@style.styled
def walk_pipeline(records, title="", figure=None):
    """The map of one forward pass: every tensor of the first layer with its axes and sizes.

    records: what `walk_steps` takes. Each column is read downwards; a line below each name says
    what it is made from. Later layers repeat the first and are only counted.
    Returns the figure. Raises ShapeError as `walk_steps` does.
    """
    columns, n_layers = _columns(walk_steps(records))
    names = list(columns)
    bands = [names[i : i + ACROSS] for i in range(0, len(names), ACROSS)]
    heights = [HEIGHT * max(len(columns[name]) for name in band) for band in bands]
    height = sum(heights) + BETWEEN * (len(bands) - 1)
    width = max(map(len, bands)) * (WIDTH + GAP)
    figure = style.blank(figure, width=width + 0.3, height=height + 1.2)
    axes = figure.subplots()
    colours = [style.SKY, style.BLUE, style.GREEN, style.ORANGE]
    left = {name: (i % ACROSS) * (WIDTH + GAP) for i, name in enumerate(names)}
    top = {n: -sum(heights[:i]) - BETWEEN * i for i, band in enumerate(bands) for n in band}
    for i, name in enumerate(names):
        colour = style.ORANGE if name == "Result" else colours[i]
        axes.text(left[name], top[name] + 0.06, name, fontsize=11, fontweight="bold", va="bottom")
        for j, step in enumerate(columns[name]):
            _box(axes, left[name], top[name] - j * HEIGHT, step, colour)
        if i + 1 < len(names):
            _connect(axes, left, top, name, names[i + 1], len(columns[name]))
    if n_layers > 1:
        last = names[-1 - ("Result" in columns)]
        below = top[last] - len(columns[last]) * HEIGHT - 0.05
        words = f"… and {n_layers - 1} more like this one"
        axes.text(left[last], below, words, color=style.MUTED, va="top", fontsize=10)
    axes.set(xlim=(-GAP, width - GAP + 0.05), ylim=(-height - 0.3, 0.35), title=title)
    axes.axis("off")
    return figure


def _box(axes, left, top, step, colour):
    axes.add_patch(
        FancyBboxPatch(
            (left + 0.04, top - HEIGHT + 0.14),
            WIDTH - 0.08,
            HEIGHT - 0.18,
            boxstyle="round,pad=0.03",
            facecolor=style.CARD,
            edgecolor=colour,
            linewidth=1.5,
        )
    )
    label = step.label.removeprefix("feed forward ")
    sizes = "·".join(map(str, step.shape))
    made = step.formula.replace(f"{step.stage} ", "").replace("feed forward ", "")
    made = made if len(made) <= LONGEST else re.sub(r" embedding(?= \+)", "", made)
    made = made.replace("cut into H heads, turned", "H heads, turned")
    made = made if len(made) <= LONGEST else made[: LONGEST - 1] + "…"
    axes.text(left + 0.12, top - 0.16, label, fontsize=10.5, va="center")
    right = {"va": "center", "ha": "right", "color": style.INK}
    axes.text(left + WIDTH - 0.12, top - 0.16, f"{step.axes}  {sizes}", fontsize=9.5, **right)
    axes.text(left + 0.12, top - 0.37, made, fontsize=9, va="center", color=style.MUTED)


def _connect(axes, left, top, name, following, n_boxes):
    """An arrow from the last of a column's boxes to the first box of the following column."""
    middle = HEIGHT / 2 - 0.05
    end, target = left[following], top[following] - middle
    last = top[name] - (n_boxes - 1) * HEIGHT - middle
    if end > left[name]:  # beside it
        turn = left[name] + WIDTH + GAP / 2
        xs, ys = [left[name] + WIDTH, turn, turn], [last, last, target]
    else:  # below and to the left: round the heading
        start, turn = left[name] + WIDTH / 2, end - GAP / 2
        between = top[following] + BETWEEN - 0.3
        xs, ys = [start, start, turn, turn], [last - middle, between, between, target]
    axes.plot(xs, ys, color=style.MUTED, lw=1.2)
    arrow = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(
        FancyArrowPatch((turn, target), (end + 0.02, target), color=style.MUTED, **arrow)
    )
