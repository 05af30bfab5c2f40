"""Perceiver IO on one page: a few latents read anything, and answer whatever they are asked.

Jaegle et al. 2021 and 2022. `python perceiver.py` learns handwritten digits in half a minute, from
pixels in any order.

B batch, M inputs of width C, N latents of width D, O queries of width Q, H heads, K = D / H (d_k)
"""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


class CrossAttention(nn.Module):
    """x (B, T, D) asks, context (B, S, C) answers: softmax(Q Kᵀ / √d_k) V in H heads."""

    def __init__(self, d_model, n_heads, d_context, d_qk):
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_qk)
        self.key = nn.Linear(d_context, d_qk)
        self.value = nn.Linear(d_context, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x, context):
        maps = (self.query(x), self.key(context), self.value(context))
        q, k, v = (rearrange(part, "B T (H K) -> B H T K", H=self.n_heads) for part in maps)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S): no T x T, no S x S
        return self.output(rearrange(scores.softmax(dim=-1) @ v, "B H T K -> B T (H K)"))


class FeedForward(nn.Module):
    """Each vector works on what it gathered, on its own."""

    def __init__(self, d_model):
        super().__init__()
        self.hidden = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x):
        return self.output(F.gelu(self.hidden(x)))


class Layer(nn.Module):
    """Attention to a context, or to x itself, then feed-forward; both read what is normalised."""

    def __init__(self, d_model, n_heads, d_context=None, d_qk=None, keeps_query=True):
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model)
        self.context_norm = nn.LayerNorm(d_context) if d_context else None
        widths = (d_context or d_model, d_qk or d_model)
        self.attention = CrossAttention(d_model, n_heads, *widths)
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model)
        self.keeps_query = keeps_query

    def forward(self, x, context=None):
        read = self.attention_norm(x)
        found = self.attention(read, read if context is None else self.context_norm(context))
        x = x + found if self.keeps_query else found
        return x + self.feed_forward(self.feed_forward_norm(x))


class Perceiver(nn.Module):
    """inputs (B, M, C), queries (B, O, Q) -> answers (B, O, d_output); M and O are free."""

    def __init__(
        self, *, d_input, n_latents, d_latent, n_layers, n_rounds, n_heads, d_query, d_output
    ):
        super().__init__()
        self.n_rounds = n_rounds
        self.latents = nn.Parameter(torch.randn(n_latents, d_latent) * 0.02)
        self.read = Layer(d_latent, 1, d_input, d_qk=d_input)
        self.blocks = nn.ModuleList(Layer(d_latent, n_heads) for _ in range(n_layers))
        self.ask = Layer(d_query, 1, d_latent, keeps_query=False)
        self.answer = nn.Linear(d_query, d_output)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.02)
                nn.init.zeros_(module.bias)

    def forward(self, inputs, queries):
        latents = self.latents.expand(len(inputs), -1, -1)
        latents = self.read(latents, inputs)  # the only place where M counts: N M products
        for _ in range(self.n_rounds):  # the same layers again: N N products each, however large M
            for block in self.blocks:
                latents = block(latents)
        return self.answer(self.ask(queries, latents))  # and here O counts: O N products


def fourier_features(positions, n_bands, finest):
    """Positions (..., 2) from -1 to 1 as waves of n_bands lengths: (..., 2 + 4 n_bands)."""
    angles = math.pi * positions[..., None] * torch.linspace(1.0, finest / 2, n_bands)
    waves = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)
    return torch.cat([positions, waves], dim=-1)


def grid(side):
    """The middles of side x side cells, row by row: (side², 2), from -1 to 1."""
    middles = (torch.arange(side) + 0.5) * 2 / side - 1
    return torch.cartesian_prod(middles, middles)


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = (Path(__file__).parent / "data/digits.txt").read_text("utf-8").splitlines()
    labels = torch.tensor([int(line[0]) for line in lines])  # (1797,)
    # Each of the 64 pixels is written as one digit to base 17: 0 is white, G (16) is black.
    pixels = torch.tensor([[int(digit, 17) / 16 for digit in line[2:]] for line in lines])
    known, new = torch.randperm(len(lines)).split([1400, len(lines) - 1400])
    means = torch.stack([pixels[known][labels[known] == digit].mean(dim=0) for digit in range(10)])
    nearest = torch.cdist(pixels[new], means).argmin(dim=1)  # the baseline
    baseline = (nearest == labels[new]).float().mean()
    places = fourier_features(grid(8), n_bands=4, finest=8)  # (64, 18): where a pixel is

    def read(rows):
        """64 inputs a picture, its pixels, in an order of their own; one query: which digit?"""
        order = torch.randperm(64)
        where = places[order].expand(len(rows), -1, -1)
        inputs = torch.cat([pixels[rows][:, order, None], where], dim=-1)  # (B, 64, 19)
        return model(inputs, torch.zeros(len(rows), 1, 18))[:, 0]  # (B, 10)

    sizes = {"n_latents": 16, "d_latent": 64, "n_layers": 2, "n_rounds": 2, "n_heads": 4}
    model = Perceiver(d_input=19, d_query=18, d_output=10, **sizes)
    for name, weight in model.named_parameters():
        if weight.dim() == 2 and name != "latents":  # so narrow a model wants larger weights
            nn.init.normal_(weight, std=weight.size(1) ** -0.5)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(1, 801):
        optimizer.param_groups[0]["lr"] = 3e-3 * min(step / 100, 1 - step / 801)  # up, then down
        chosen = known[torch.randint(1400, (64,))]
        loss = F.cross_entropy(read(chosen), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
    with torch.no_grad():
        right = (read(new).argmax(dim=-1) == labels[new]).float().mean()
        places = places[torch.randperm(64)]  # the control: each pixel is said to be elsewhere
        misled = (read(new).argmax(dim=-1) == labels[new]).float().mean()
    print(f"with wrong positions: {misled:.1%}")
    print(f"right on new digits: {right:.1%}; by the nearest mean picture: {baseline:.1%}")
