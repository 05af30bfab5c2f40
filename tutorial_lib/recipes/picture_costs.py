"""Chapter 09: what a layer costs as the map gets larger: global attention, windows, latents.

One training step, forward and backward, of one layer over a map of side x side positions: the least
CPU time of a few tries, and the memory of what the forward pass keeps for the backward pass.
"outputs" grows not what a Perceiver reads but what it is asked for, side x side queries. "global,
stored" computes the same as "global", by the formula, and so keeps all weights; its time is left
out. `exponents` are the slopes of log(ms), or log(mb), over log(positions) on the larger maps: 2 is
quadratic, 1 is linear.
"""

import time

import numpy as np
import torch
from torch import nn

from tutorial_lib.attention import CrossAttention, MultiHeadAttention, attention
from tutorial_lib.models.windows import ShiftedWindows
from tutorial_lib.positions import RelativeGrid
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.training import set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "ways": ["global", "global, stored", "windows", "latents", "outputs"],
    "sides": [14, 28, 56, 84, 112],  # positions
    "fitted_from": 28,
    "d_model": 64,
    "n_heads": 4,
    "window": 7,
    "n_latents": 64,
    "tries": 3,
}
SMOKE = SETTINGS | {"seeds": [0], "sides": [7, 14], "fitted_from": 7, "tries": 1}


class Latents(nn.Module):
    """Latents that read all positions, or are asked by all of them, and look at each other once."""

    def __init__(self, d_model, n_heads, n_latents, asked):
        super().__init__()
        self.asked = asked
        self.latents = nn.Parameter(torch.randn(1, n_latents, d_model))
        self.cross = CrossAttention(d_model, n_heads)
        self.among = MultiHeadAttention(d_model, n_heads)

    def forward(self, x):
        """Return (1, N, D) latents, or (1, T, D) answers, from positions x (1, T, D)."""
        if self.asked:
            return self.cross(x, self.among(self.latents))
        return self.among(self.cross(self.latents, x))


class StoredWeights(MultiHeadAttention):
    """MultiHeadAttention without the fused kernel."""

    def attend(self, q, k, v, mask=None, bias=None):
        """Return the mixed values by the formula, which stores the weights (B, H, T, S)."""
        return attention(q, k, v, mask, bias)[0]


def build(way, settings):
    """Return a layer that takes a map (1, side, side, D)."""
    d_model, n_heads = settings["d_model"], settings["n_heads"]
    if way == "windows":
        window = settings["window"]
        positions = RelativeGrid(n_heads, window, window)
        heads = MultiHeadAttention(d_model, n_heads)
        return ShiftedWindows(heads, positions, window, shift=window // 2)
    if way.startswith("global"):
        kind = StoredWeights if way.endswith("stored") else MultiHeadAttention
        return nn.Sequential(nn.Flatten(1, 2), kind(d_model, n_heads))
    latents = Latents(d_model, n_heads, settings["n_latents"], asked=way == "outputs")
    return nn.Sequential(nn.Flatten(1, 2), latents)


def milliseconds(layer, x, tries):
    """Return the least CPU time of a step over a map x, in milliseconds."""
    took = []
    for attempt in range(1 + tries):
        started = time.process_time()
        layer(x).sum().backward()
        if attempt:  # the first step also sets things up
            took.append(time.process_time() - started)
    return round(1000 * min(took), 3)


def kept_megabytes(layer, x):
    """Return the size of what a forward pass over x keeps for the backward pass, in 10⁶ bytes."""
    sizes, own = {}, {weight.data_ptr() for weight in layer.parameters()}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            sizes[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        found = layer(x)  # held until all is counted: freed memory would be counted twice
    del found
    return round(sum(sizes.values()) / 1e6, 3)


def exponent(sides, costs):
    """Return the slope of log(cost) over log(side²).

    >>> exponent([1, 2, 4], [3, 12, 48])
    1.0
    """
    positions = np.log(np.square(sides))
    return round(float(np.polyfit(positions, np.log(np.maximum(costs, 1e-6)), 1)[0]), 2)


def run(settings, progress=True):
    """Measure each way at each side, with each seed."""
    rows = []
    for seed in settings["seeds"]:
        set_seed(seed)
        for way in settings["ways"]:
            layer = build(way, settings)
            for side in settings["sides"]:
                x = torch.randn(1, side, side, settings["d_model"])
                row = {"way": way, "side": side, "seed": seed, "mb": kept_megabytes(layer, x)}
                if not way.endswith("stored"):
                    row["ms"] = milliseconds(layer, x, settings["tries"])
                rows.append(row)
                tell(row, progress)
    exponents = {what: {} for what in ("ms", "mb")}
    for way in settings["ways"]:
        fitted = [r for r in rows if r["way"] == way and r["side"] >= settings["fitted_from"]]
        for what in exponents:
            if what in fitted[0]:
                costs = [row[what] for row in fitted]
                exponents[what][way] = exponent([row["side"] for row in fitted], costs)
    return {"rows": rows, "exponents": exponents}
