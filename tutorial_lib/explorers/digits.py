"""Draw a digit: what a ViT reads, how sure it is, and where it looks."""

import math

import numpy as np
import torch
import traitlets

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets.drawings import draw_strokes, like_mnist
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.explorers.reading import reading
from tutorial_lib.interpret import rollout
from tutorial_lib.models.checks import check_choice

MOST_POINTS = 4_000
THINNEST, THICKEST = 0.02, 0.2


class DigitExplorer(BrowserExplorer):
    """A canvas to draw on; when the pen is lifted the model reads the drawing.

    model: a ViT for (1, 28, 28) with ten classes, or several by name: one is chosen, and the others
    say below what they read. digits: `Digits` to load instead of drawing, by keyboard too. The
    drawing is scaled and centred as MNIST's digits are (`like_mnist`). Shown are the ten
    probabilities, the picture that the model gets, and over it the attention of one head of one
    layer, or the rollout of all.
    Raises ShapeError when a model reads other pictures, names another number of classes or has
    other layers and heads than the first; ValueError without a model.

    >>> from tutorial_lib.datasets import load_mnist
    >>> from tutorial_lib.recipes import load_checkpoint
    >>> DigitExplorer(load_checkpoint("mnist-vit"), load_mnist().test)
    Draw a digit: run this cell
    """

    title = "Draw a digit"
    _esm = javascript("digits_view.js", "digits.js")
    _css = stylesheet("digits.css")

    strokes = traitlets.List().tag(sync=True)  # [[x, y], ...] each, from 0 to 1
    pen = traitlets.Float(0.09).tag(sync=True)  # a share of the side
    example = traitlets.Int(-1).tag(sync=True)  # a place in digits, -1 = what is drawn
    n_examples = traitlets.Int().tag(sync=True, told=True)
    layer = traitlets.Int(-1).tag(sync=True)  # -1 = rollout of all layers
    head = traitlets.Int(-1).tag(sync=True)  # -1 = mean of the heads
    readers = traitlets.List().tag(sync=True, told=True)  # names of the models, [""] for one
    reader = traitlets.Int(0).tag(sync=True)  # which of them is shown
    shape = traitlets.List().tag(sync=True, told=True)  # layers, heads
    answer = traitlets.Dict().tag(sync=True, told=True)
    note = traitlets.Unicode("").tag(sync=True, told=True)

    def __init__(self, model, digits, **state):
        models = model if isinstance(model, dict) else {"": model}
        self.models, self.digits = list(models.values()), digits
        super().__init__(n_examples=len(digits), readers=list(models), shape=_shape(self.models))
        for name, value in state.items():
            self.set_trait(name, value)
        self._read()
        self.observe(self._read, names=["strokes", "pen", "example", "reader"])

    def describe(self):
        """Say in words what the explorer shows now."""
        reads = "nothing is drawn yet" if self.picture is None else "a digit is drawn"
        return (
            f"a square to draw a digit in, where {reads}, the picture that the model gets, where "
            "it looks, and its probabilities of the ten digits."
        )

    @property
    def picture(self):
        """What the model gets, (1, 28, 28), or None while nothing is drawn."""
        if self.example >= 0:
            return self.digits.images[self.example]
        ink = draw_strokes(self.strokes, self.pen)
        return like_mnist(ink) if (ink > 0.1).any() else None

    @traitlets.validate("strokes")
    def _drawable(self, proposal):
        strokes, left = [], MOST_POINTS
        for stroke in proposal.value:
            points = [[_inside(x), _inside(y)] for x, y in _pairs(stroke)][:left]
            left -= len(points)
            if points:
                strokes.append(points)
        self.note = "" if left else f"Only the first {MOST_POINTS:,} points are kept."
        return strokes

    @traitlets.validate("pen")
    def _a_pen(self, proposal):
        return min(max(proposal.value, THINNEST), THICKEST) if proposal.value > 0 else THINNEST

    @traitlets.validate("reader")
    def _a_reader(self, proposal):
        return min(max(proposal.value, 0), len(self.models) - 1)

    @traitlets.validate("example", "layer", "head")
    def _known(self, proposal):
        most = {"example": self.n_examples, "layer": self.shape[0], "head": self.shape[1]}
        return min(max(proposal.value, -1), most[proposal.trait.name] - 1)

    def _read(self, _change=None):
        picture = self.picture
        self.answer = {} if picture is None else self._reading(picture)

    def _reading(self, picture):
        model = self.models[self.reader]
        with reading(model), capture_attention(model) as maps:
            logits = model(picture[None])[0]
        return {
            "picture": (picture * 255).round().to(torch.uint8).numpy().tobytes(),
            "probabilities": [round(p, 5) for p in logits.softmax(-1).tolist()],
            "attention": looked_at(maps, model.config.pooling).tobytes(),
            "side": model.config.patches_a_side,
            "label": int(self.digits.labels[self.example]) if self.example >= 0 else None,
            "others": [
                [name, *_most_likely(other, picture)]
                for name, other in zip(self.readers, self.models, strict=True)
                if other is not model
            ],
        }


def _shape(models):
    """Return the layers and heads that all models have. Raises ShapeError, or ValueError."""
    if not models:
        raise ValueError("DigitExplorer needs at least one model, got none")
    shapes = []
    for model in models:
        config = model.config
        found = (config.channels, config.image_size, config.n_classes)
        if found != (1, 28, 10):
            raise ShapeError(
                "expected a ViT with 1 channel, 28 pixels a side and 10 classes, got "
                f"{found[0]} channels, {found[1]} pixels and {found[2]} classes"
            )
        shapes.append([config.n_layers, config.n_heads])
        if shapes[-1] != shapes[0]:
            raise ShapeError(
                f"all models need the layers and heads of the first, {shapes[0]}, got {shapes[-1]}"
            )
    return shapes[0]


def _most_likely(model, picture):
    with reading(model):
        probability, digit = model(picture[None])[0].softmax(-1).max(-1)
    return int(digit), round(float(probability), 5)


def looked_at(maps, pooling="cls"):
    """Return how much each patch is looked at by what is classified: float16 (1 + L, 1 + H, N).

    maps: the weights (1, H, T, T) of each layer. Row 0 is the rollout (the same for all heads),
    row 1 + l layer l; column 0 is the mean of the heads, column 1 + h head h. With [CLS] that is
    who looks, and its look at itself is left out; with "mean" all patches look, on average.
    Raises ValueError for another pooling.
    """
    check_choice("pooling", pooling, ("cls", "mean"))
    n_heads = maps[0].size(1)
    layers = [rollout(maps)[:, None].expand(-1, 1 + n_heads, -1, -1)]
    layers += [torch.cat([weights.mean(1, keepdim=True), weights], dim=1) for weights in maps]
    every = torch.cat(layers)  # (1 + L, 1 + H, T, T)
    seen = every[:, :, 0, 1:] if pooling == "cls" else every.mean(dim=2)
    return seen.to(torch.float16).numpy()


def _pairs(stroke):
    points = stroke if isinstance(stroke, list | tuple) else ()
    return [p for p in points if isinstance(p, list | tuple) and len(p) == 2]


def _inside(value):
    value = float(value) if isinstance(value, int | float) else 0.0
    return float(np.clip(value, 0, 1)) if math.isfinite(value) else 0.0
