"""Breaking attention heads on purpose: a map is a hypothesis, an intervention is the test."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import torch

from tutorial_lib.attention import Tap, attention_layers, tapped
from tutorial_lib.errors import ShapeError


@dataclass(frozen=True, eq=False)
class Intervention(Tap):
    """A change to one head of one layer, both counted from 0.

    where says which attention of a model with several kinds: "encoder", "decoder" or "cross".
    """

    layer: int
    head: int
    where: Literal["encoder", "decoder", "cross"] | None = field(default=None, kw_only=True)
    changes = True

    def replace_head(self, tensor, new):
        """Return a copy of tensor (B, H, ...) with this head's part replaced."""
        changed = tensor.clone()
        changed[:, self.head] = new
        return changed


class Zero(Intervention):
    """Silence a head: what it mixed is zero before the heads are joined.

    >>> Zero(layer=0, head=1)("heads", torch.ones(1, 2, 1, 3))[0, :, 0]
    tensor([[1., 1., 1.],
            [0., 0., 0.]])
    """

    def __call__(self, name, tensor):
        """Return the heads (B, H, T, K), this one zero."""
        return self.replace_head(tensor, 0.0) if name == "heads" else tensor


class Uniform(Intervention):
    """Make a head look equally at every key it may look at: it still mixes, but chooses nothing.

    >>> scores = torch.tensor([[[[5.0, 1.0, -torch.inf]]]])
    >>> Uniform(layer=0, head=0)("scores", scores).softmax(-1)
    tensor([[[[0.5000, 0.5000, 0.0000]]]])
    """

    def __call__(self, name, tensor):
        """Return the scores, this head's all equal except where a key is hidden."""
        if name != "scores":
            return tensor
        scores = tensor[:, self.head]
        return self.replace_head(tensor, torch.zeros_like(scores).where(~scores.isneginf(), scores))


@dataclass(frozen=True, eq=False)
class Patch(Intervention):
    """Let a head say what it said about another input of the same length.

    output (B, T, K) comes from `head_output`. A head's mean from `mean_outputs` (K,), expanded to
    (B, T, K), makes it say the same everywhere. That takes away less than Zero does: what a head
    always adds is left, and later layers have learned to expect it. Raises ShapeError when it does
    not fit.
    """

    output: torch.Tensor

    def __call__(self, name, tensor):
        """Return the heads (B, H, T, K), this one's part replaced."""
        if name != "heads":
            return tensor
        wanted = tensor[:, self.head].shape
        if self.output.shape != wanted:
            raise ShapeError(
                f"the patch for layer {self.layer}, head {self.head} has shape (B, T, K) = "
                f"{tuple(self.output.shape)}, this input needs {tuple(wanted)}: patch between "
                "inputs of the same length"
            )
        return self.replace_head(tensor, self.output)


@dataclass(frozen=True, eq=False)
class Reweigh(Intervention):
    """Change a head's weights with a function of your own: false evidence.

    change(weights, head) takes the layer's weights (B, H, T, S) and returns others. Silence shows
    whether a head is needed; this shows whether what it looks at is used.

    >>> def look_back(weights, head):
    ...     weights = weights.clone()
    ...     weights[:, head] = torch.tensor([1.0, 0.0])
    ...     return weights
    >>> weights = torch.tensor([[[[0.9, 0.1], [0.5, 0.5]]]])
    >>> Reweigh(layer=0, head=0, change=look_back)("weights", weights)[0, 0]
    tensor([[1., 0.],
            [1., 0.]])
    """

    change: Callable[[torch.Tensor, int], torch.Tensor] = field(kw_only=True)

    def __call__(self, name, tensor):
        """Return the weights (B, H, T, S) as the function changes them."""
        return self.change(tensor, self.head) if name == "weights" else tensor


@contextmanager
def intervene(model: torch.nn.Module, *interventions: Intervention):
    """Change attention heads inside a `with` block; afterwards the model is as it was.

    Give as many as you like; of two on the same head the later one wins. Maps captured and
    tensors traced inside the block show the changed values.
    Raises IndexError for a layer or head that does not exist, ValueError when `where` is needed
    or unknown.

    >>> from tutorial_lib.attention import MultiHeadAttention
    >>> layer = MultiHeadAttention(d_model=8, n_heads=2)
    >>> x = torch.randn(1, 3, 8)
    >>> with intervene(layer, Zero(layer=0, head=0), Zero(layer=0, head=1)):
    ...     silent = layer(x)
    >>> torch.equal(silent, layer.output.bias.expand(1, 3, 8))
    True
    """
    with tapped([(_layer_of(model, change), change) for change in interventions]):
        yield


def head_output(
    model: torch.nn.Module,
    layer: int,
    head: int,
    *inputs,
    where: Literal["encoder", "decoder", "cross"] | None = None,
    **options,
) -> torch.Tensor:
    """Return what one head mixes for these inputs, (B, T, K), to be used in a Patch.

    inputs and options are what the model itself takes. Raises as `intervene` does.
    """
    recorder = _HeadRecorder(layer, head, where=where)
    with tapped([(_layer_of(model, recorder), recorder)]), torch.no_grad():
        model(*inputs, **options)
    return recorder.found[-1]


def head_outputs(model: torch.nn.Module, *inputs, **options) -> list[torch.Tensor]:
    """Return what all heads mix for these inputs: one (B, H, T, K) tensor a layer.

    inputs and options are what the model itself takes.
    """
    layers = attention_layers(model)
    recorders = [_LayerRecorder() for _ in layers]
    with tapped(list(zip(layers, recorders, strict=True))), torch.no_grad():
        model(*inputs, **options)
    return [recorder.found for recorder in recorders]


def mean_outputs(model: torch.nn.Module, *inputs) -> list[torch.Tensor]:
    """Return what each head mixes on average over sequences and positions: L of (H, K).

    inputs are what the model itself takes.
    """
    return [found.mean(dim=(0, 2)) for found in head_outputs(model, *inputs)]


class _LayerRecorder(Tap):
    found = None

    def __call__(self, name, tensor):
        if name == "heads":
            self.found = tensor.detach().clone()
        return tensor


@dataclass(frozen=True, eq=False)
class _HeadRecorder(Intervention):
    found: list = field(default_factory=list)
    changes = False

    def __call__(self, name, tensor):
        if name == "heads":
            self.found.append(tensor[:, self.head].detach().clone())
        return tensor


def _layer_of(model, change):
    stacks = {}
    for layer in attention_layers(model):
        stacks.setdefault(layer.stack, []).append(layer)
    if change.where is None and len(stacks) > 1:
        raise ValueError(
            f"this model has several kinds of attention: give where, one of {sorted(stacks)}"
        )
    where = change.where or next(iter(stacks))
    if where not in stacks:
        raise ValueError(f"where must be one of {sorted(stacks)} in this model, got {where!r}")
    layers = stacks[where]
    if not 0 <= change.layer < len(layers):
        raise IndexError(
            f"layer {change.layer} does not exist: the {where} has layers 0 to {len(layers) - 1}"
        )
    n_heads = layers[change.layer].n_heads
    if not 0 <= change.head < n_heads:
        raise IndexError(f"head {change.head} does not exist: there are heads 0 to {n_heads - 1}")
    return layers[change.layer]
