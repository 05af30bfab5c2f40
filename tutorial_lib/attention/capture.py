"""Watching attention from outside: taps on the layers of a model, and the maps they collect.

Inside a `with` block a `Watched` takes the place of a layer's `attend` and shows each step of the
computation to its taps. After the block the layer is as it was: no model carries what an earlier
pass left.
"""

from collections.abc import Sequence
from contextlib import ExitStack, contextmanager

import torch
import torch.nn.functional as F

from tutorial_lib.attention.grouped_query import for_each_query_head
from tutorial_lib.attention.masks import look_back
from tutorial_lib.attention.multi_head import AttentionHeads, attention_scores


class Tap:
    """Sees each step inside one attention layer: tap(name, tensor) returns the tensor to go on.

    Names in order: "queries" (B, H, T, K), "keys" and "values" (B, H, S, K), "scores" and
    "weights" (B, H, T, S), "heads" (B, H, T, K). Keys and values that several heads share are
    shown once for each of them. A tap with `changes` may return another
    tensor; one without only looks, and the model's output keeps every bit.

    >>> Tap()("scores", "any tensor")
    'any tensor'
    """

    changes = False

    def __call__(self, name, tensor):
        """Return the tensor to go on with."""
        return tensor


class Watched:
    """Takes the place of a layer's `attend`: `attention` step by step, each step shown to taps.

    Taps that only look cannot change a bit of the result: the fused kernel still computes it. With
    one that changes something, the result is what the steps lead to.
    """

    def __init__(self, layer):
        self.layer = layer
        self.unwatched = layer.attend
        self.taps = []

    def __call__(self, q, k, v, mask=None, bias=None):
        """Return the mixed values (B, H, T, K)."""
        if any(tap.changes for tap in self.taps):
            dropout = self.layer.dropout if self.layer.training else 0.0
            return self.steps(q, k, v, mask, bias, dropout)
        with torch.no_grad():
            self.steps(q, k, v, mask, bias)
        return self.unwatched(q, k, v, mask, bias)

    def steps(self, q, k, v, mask, bias, dropout=0.0):
        """Return the mixed values as `attention` does, handing each step to the taps."""
        if self.layer.causal:
            mask = look_back(mask, q.size(-2), k.size(-2), q.device)
        k, v = for_each_query_head(k, q.size(1)), for_each_query_head(v, q.size(1))
        q, k, v = self.show("queries", q), self.show("keys", k), self.show("values", v)
        scores = self.show("scores", attention_scores(q, k, mask, bias))  # (B, H, T, S)
        weights = self.show("weights", scores.softmax(dim=-1))  # (B, H, T, S)
        return self.show("heads", F.dropout(weights, dropout) @ v)  # (B, H, T, K)

    def show(self, name, tensor):
        """Return the tensor to go on with, after all taps have seen it."""
        for tap in self.taps:
            tensor = tap(name, tensor)
        return tensor

    def add(self, tap):
        """Let a tap look: after those that change something, or as the last of these."""
        n_changing = sum(other.changes for other in self.taps)
        self.taps.insert(n_changing if tap.changes else len(self.taps), tap)

    def remove(self, tap):
        """Take a tap away; with the last one the layer gets its own `attend` back."""
        self.taps.remove(tap)
        if not self.taps:
            del self.layer.attend  # what is left is the method of its class


def is_watched(layer):
    """Return whether somebody watches or changes an attention layer at present."""
    return isinstance(layer.attend, Watched)


def attention_layers(model):
    """Return the attention layers of a model in the order in which they were built."""
    layers = [module for module in model.modules() if isinstance(module, AttentionHeads)]
    if not layers:
        raise TypeError(f"{type(model).__name__} has no attention layer of this package")
    return layers


@contextmanager
def tapped(layers_and_taps):
    """Put each tap on its layer for the length of a `with` block, changing taps first.

    layers_and_taps: pairs (layer, tap). Taps that only look come last in every layer, so that
    they see what the others made of it, whichever block was entered first. Raises RuntimeError
    inside `attend_by`.
    """
    if any("attend" in vars(layer) and not is_watched(layer) for layer, _ in layers_and_taps):
        raise RuntimeError(
            "attention can be neither watched nor changed inside attend_by, whose function takes "
            "the place of its steps: leave that `with` block first (it yields the maps)"
        )
    with ExitStack() as removals:
        for layer, tap in layers_and_taps:
            if not is_watched(layer):
                layer.attend = Watched(layer)
            layer.attend.add(tap)
            removals.callback(layer.attend.remove, tap)
        yield


@contextmanager
def capture_attention(model):
    """Collect the attention weights of every forward pass inside the `with` block.

    Yields AttentionMaps, a sequence of one (B, H, T, S) tensor a layer, detached, filled when
    the forward pass ends; the last pass wins. A model with encoder and decoder also has them
    apart: maps.encoder, maps.decoder, maps.cross. The model's output does not change.
    Raises TypeError when the model has no attention layer.

    >>> from tutorial_lib.attention import MultiHeadAttention
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
        """Start a new pass beside the old maps: one that fails half-way leaves them whole."""
        self._pending = {}

    def finish(self):
        """Show the maps of the pass that has just ended."""
        self._maps, self._pending = self._pending, None

    def record(self, index, weights):
        """Keep the weights of one layer, of each time when a pass applies it several times."""
        if self._pending is None:  # outside a whole pass (model.encode(...), say): no end to await
            self._maps[index, 0] = weights
            return
        times = sum(other == index for other, _ in self._pending)
        self._pending[index, times] = weights

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
        return [self._maps[key] for key in sorted(self._maps) if self._stacks[key[0]] == stack]

    def __len__(self):
        return len(self._maps)

    def __getitem__(self, index):
        maps = [self._maps[key] for key in sorted(self._maps)]
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
