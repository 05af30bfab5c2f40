"""Two heads in a row: what an earlier head writes, a later one reads (Elhage et al. 2021).

A head adds its output to the residual stream. Every later head computes its queries, keys and
values from that stream, so any of the three may carry what the earlier head found out. Cut one such
path, leave all else as it was, and look whether the later head still does its work.
"""

from collections.abc import Callable
from typing import Literal

import torch

from tutorial_lib.attention import attention, for_each_query_head, look_back
from tutorial_lib.interpret.interventions import Patch, head_outputs

PARTS = ("queries", "keys", "values")


class Paths:
    """The paths that lead from earlier heads of a model into one head, for some ids.

    model: decoder-only, with LayerNorm or RMSNorm before its sub-layers; target: (layer, head);
    ids (B, T); means: what each head says on average, a list of (H, K) tensors, one a layer, as
    `mean_outputs` gives them: that is what a cut path carries. Raises IndexError for a target that
    does not exist.
    """

    def __init__(self, model, target, ids, means):
        self.layer, self.head = target
        self.block, self.n_heads = model.blocks[self.layer], model.blocks[0].attention.n_heads
        if not 0 <= self.head < self.n_heads:
            raise IndexError(f"head {self.head} does not exist: there are {self.n_heads}")
        self.model, self.means = model, means
        with torch.no_grad():
            self.stream = model.hidden_states(ids)[self.layer]  # (B, T, D), what the layer reads
            self.outputs = head_outputs(model, ids)  # L of (B, H, T, K)

    @torch.no_grad()
    def parts(self, source=None):
        """Return the target's queries, keys and values, (B, T, K) each, with one source cut.

        source: (layer, head) in an earlier layer; None cuts nothing.
        """
        x = self.stream if source is None else self.stream - self._surprise(*source)
        parts = self.block.attention.project(self.block.attention_norm(x))
        return {
            name: for_each_query_head(part, self.n_heads)[:, self.head]
            for name, part in zip(PARTS, parts, strict=True)
        }

    def _surprise(self, layer, head):
        """Return what a head wrote into the stream, less what it writes on average, (B, T, D)."""
        if layer >= self.layer:
            raise IndexError(f"layer {layer} comes no earlier than layer {self.layer}")
        found = self.outputs[layer][:, head] - self.means[layer][head]  # (B, T, K)
        width = found.size(-1)
        matrix = self.model.blocks[layer].attention.output.weight  # (D, H K)
        return found @ matrix[:, head * width : (head + 1) * width].T

    def cut(self, source, part: Literal["queries", "keys", "values"] = "keys"):
        """Return the Patch that cuts the path from a source into one part of the target."""
        return Patch(self.layer, self.head, self.parts(source)[part], at=part)

    @torch.no_grad()
    def weights(self, source=None, part="keys"):
        """Return the target's weights (B, T, T) with the path from a source into one part cut."""
        parts = self.parts()
        if source is not None:
            parts[part] = self.parts(source)[part]
        q, k, v = (parts[name][:, None] for name in PARTS)  # (B, 1, T, K) each
        mask = look_back(None, q.size(-2), k.size(-2), q.device)
        return attention(q, k, v, mask)[1][:, 0]

    def scores(self, measure: Callable, part="keys"):
        """Return measure(weights) with each earlier head cut in turn, (target's layer, H).

        measure: a function from the target's weights (B, T, T) to a number.
        """
        return torch.tensor(
            [
                [measure(self.weights((layer, head), part)) for head in range(self.n_heads)]
                for layer in range(self.layer)
            ]
        )


def mean_outputs(model: torch.nn.Module, *inputs) -> list[torch.Tensor]:
    """Return what each head mixes on average over sequences and positions: L of (H, K).

    inputs are what the model itself takes.
    """
    return [found.mean(dim=(0, 2)) for found in head_outputs(model, *inputs)]
