"""One sentence all the way: the steps of a forward pass, in words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tutorial_lib.errors import ShapeError

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
