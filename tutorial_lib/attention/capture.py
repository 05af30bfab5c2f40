"""Watching attention: taps on the layers of a model, and the maps they collect.

A tap is called by an attention layer at every step of its computation. It lives in the layer's
`taps` list only inside a `with` block, so no model carries what an earlier pass left behind.
"""

from collections.abc import Sequence
from contextlib import ExitStack, contextmanager


class Tap:
    """Sees each step inside one attention layer: tap(name, tensor) returns the tensor to go on.

    Names in order: "queries" (B, H, T, K), "keys" and "values" (B, H, S, K), "scores" and
    "weights" (B, H, T, S), "heads" (B, H, T, K). A tap with `changes` may return another
    tensor; one without only looks, and the model's output keeps every bit.

    >>> Tap()("scores", "any tensor")
    'any tensor'
    """

    changes = False

    def __call__(self, name, tensor):
        """Return the tensor to go on with."""
        return tensor


def attention_layers(model):
    """Return the attention layers of a model in the order in which they were built."""
    layers = [module for module in model.modules() if isinstance(getattr(module, "taps", 0), list)]
    if not layers:
        raise TypeError(f"{type(model).__name__} has no attention layer of this package")
    return layers


@contextmanager
def tapped(layers_and_taps):
    """Put each tap on its layer for the length of a `with` block, changing taps first.

    layers_and_taps: pairs (layer, tap). Taps that only look come last in every layer, so that
    they see what the others made of it, whichever block was entered first.
    """
    with ExitStack() as removals:
        for layer, tap in layers_and_taps:
            changing = sum(other.changes for other in layer.taps)
            layer.taps.insert(changing if tap.changes else len(layer.taps), tap)
            removals.callback(layer.taps.remove, tap)
        yield


@contextmanager
def capture_attention(model):
    """Collect the attention weights of every forward pass inside the `with` block.

    Yields AttentionMaps, a sequence of one (B, H, T, S) tensor a layer, detached, filled when
    the forward pass ends; the last pass wins. A model with encoder and decoder also has them
    apart: maps.encoder, maps.decoder, maps.cross. The model's output does not change.
    Raises TypeError when the model has no attention layer.

    >>> import torch
    >>> from tutorial_lib.attention.multi_head import MultiHeadAttention
    >>> layer = MultiHeadAttention(d_model=8, n_heads=2)
    >>> with capture_attention(layer) as maps:
    ...     _ = layer(torch.zeros(1, 3, 8))
    >>> maps[0].shape
    torch.Size([1, 2, 3, 3])
    """
    layers = attention_layers(model)
    maps = AttentionMaps([layer.stack for layer in layers])
    hooks = [
        model.register_forward_pre_hook(lambda *_: maps.begin()),
        model.register_forward_hook(lambda *_: maps.finish()),
    ]
    try:
        with tapped([(layer, _Recorder(maps, i)) for i, layer in enumerate(layers)]):
            yield maps
    finally:
        for hook in hooks:
            hook.remove()


class AttentionMaps(Sequence):
    """The attention weights of the last forward pass: one (B, H, T, S) tensor a layer.

    >>> AttentionMaps(["encoder", "encoder"])
    AttentionMaps(no forward pass yet)
    """

    def __init__(self, stacks):
        self._stacks = stacks
        self._maps = {}
        self._pending = None

    def begin(self):
        """Set aside a place for a new pass: one that fails half-way leaves the old maps whole."""
        self._pending = {}

    def finish(self):
        """Show the maps of the pass that has just ended."""
        self._maps, self._pending = self._pending, None

    def record(self, index, weights):
        """Keep the weights of one layer."""
        # Outside a whole pass (model.encode(...), say) there is no end to wait for.
        (self._maps if self._pending is None else self._pending)[index] = weights

    @property
    def encoder(self):
        """Maps of the encoder's self-attention, first layer first."""
        return self._of("encoder")

    @property
    def decoder(self):
        """Maps of the decoder's self-attention, first layer first."""
        return self._of("decoder")

    @property
    def cross(self):
        """Maps of the attention from decoder to encoder, first layer first."""
        return self._of("cross")

    def _of(self, stack):
        return [self._maps[i] for i in sorted(self._maps) if self._stacks[i] == stack]

    def __len__(self):
        return len(self._maps)

    def __getitem__(self, index):
        maps = [self._maps[i] for i in sorted(self._maps)]
        if not maps:
            raise IndexError("no forward pass has ended inside this capture_attention block yet")
        return maps[index]

    def __repr__(self):
        shapes = ", ".join(str(tuple(weights.shape)) for weights in self) if self._maps else ""
        return f"AttentionMaps({shapes or 'no forward pass yet'})"


class _Recorder(Tap):
    def __init__(self, maps, index):
        self.maps = maps
        self.index = index

    def __call__(self, name, tensor):
        if name == "weights":
            self.maps.record(self.index, tensor.detach())
        return tensor
