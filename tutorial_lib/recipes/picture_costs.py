"""Chapter 09: what a layer costs as the map gets larger: global attention, windows, latents.

One forward pass of one layer over a map of side x side positions, the least CPU time of a few
tries. "outputs" grows not what a Perceiver reads but what it is asked for, side x side queries.
`exponents` are the slopes of log(ms) over log(positions) on the larger maps: 2 is quadratic, 1 is
linear.
"""

import time

import numpy as np
import torch
from torch import nn

from tutorial_lib.attention import CrossAttention, MultiHeadAttention
from tutorial_lib.models.windows import ShiftedWindows
from tutorial_lib.positions import RelativeGrid
from tutorial_lib.training import set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "ways": ["global", "windows", "latents", "outputs"],
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


def build(way, settings):
    """Return a layer that takes a map (1, side, side, D)."""
    d_model, n_heads = settings["d_model"], settings["n_heads"]
    if way == "windows":
        window = settings["window"]
        positions = RelativeGrid(n_heads, window, window)
        attention = MultiHeadAttention(d_model, n_heads)
        return ShiftedWindows(attention, positions, window, shift=window // 2)
    if way == "global":
        return nn.Sequential(nn.Flatten(1, 2), MultiHeadAttention(d_model, n_heads))
    latents = Latents(d_model, n_heads, settings["n_latents"], asked=way == "outputs")
    return nn.Sequential(nn.Flatten(1, 2), latents)


@torch.no_grad()
def milliseconds(layer, side, settings):
    """Return the least CPU time of a pass over a map, in milliseconds."""
    x = torch.randn(1, side, side, settings["d_model"])
    layer(x)  # the first pass also sets things up
    took = []
    for _ in range(settings["tries"]):
        started = time.process_time()
        layer(x)
        took.append(time.process_time() - started)
    return round(1000 * min(took), 3)


def exponent(sides, times):
    """Return the slope of log(time) over log(side²).

    >>> exponent([1, 2, 4], [3, 12, 48])
    1.0
    """
    positions = np.log(np.square(sides))
    return round(float(np.polyfit(positions, np.log(np.maximum(times, 1e-6)), 1)[0]), 2)


def run(settings, progress=True):
    """Measure each way at each side, with each seed."""
    rows = []
    for seed in settings["seeds"]:
        set_seed(seed)
        for way in settings["ways"]:
            layer = build(way, settings).eval()
            for side in settings["sides"]:
                ms = milliseconds(layer, side, settings)
                rows.append({"way": way, "side": side, "seed": seed, "ms": ms})
                if progress:
                    print(rows[-1], flush=True)
    exponents = {}
    for way in settings["ways"]:
        fitted = [r for r in rows if r["way"] == way and r["side"] >= settings["fitted_from"]]
        exponents[way] = exponent([row["side"] for row in fitted], [row["ms"] for row in fitted])
    return {"rows": rows, "exponents": exponents}
