"""Positions on one page: five ways to give an unordered set of tokens its order.

Two add a vector to each token: sinusoids and learned positions. Three change how queries and keys
meet: relative positions, rotary positions, ALiBi. `python positions.py` asks a small reader with
each of them "which token is three to the left?", in about a minute.
B batch, T query length, S key length, H heads, D model width, K = D / H head width, V vocabulary
"""

import math

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


def angles(length, width):
    """Return position / 10000^(2i / width), (T, width / 2): one hand of a clock for each pair i.

    The first turns by a radian at each position, each further one more slowly, so together they
    tell any position from any other, as the hands of a clock tell the seconds of a day.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (T, 1)
    return position / 10_000 ** (torch.arange(0, width, 2) / width)  # (T, width / 2)


def sinusoidal(length, d_model):
    """Vectors (T, D) to add to the tokens: the sine and cosine of each hand (Vaswani et al. 2017).

    Nothing is learned. A step of n positions turns each pair by a fixed angle, wherever it starts.
    """
    angle = angles(length, d_model)  # (T, D / 2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()  # (T, D)


class LearnedPositions(nn.Module):
    """Vectors (T, D) to add to the tokens: one learned for each position (BERT, GPT).

    Simple and flexible; the row of a position never seen in training is still noise.
    """

    def __init__(self, context, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(context, d_model) * 0.02)

    def forward(self, length):
        return self.weight[:length]


def offsets(length):
    """Return key position minus query position, (T, S): -1 is the token before."""
    position = torch.arange(length)
    return position[None, :] - position[:, None]


class RelativePositions(nn.Module):
    """Numbers (H, T, S) to add to the scores: one learned for each head and offset.

    Far offsets share the last number (Shaw et al. 2018), so every length is defined.
    """

    def __init__(self, n_heads, max_distance):
        super().__init__()
        self.max_distance = max_distance
        self.weight = nn.Parameter(torch.zeros(n_heads, 2 * max_distance + 1))

    def forward(self, length):
        offset = offsets(length).clamp(-self.max_distance, self.max_distance)  # (T, S)
        return self.weight[:, offset + self.max_distance]  # (H, T, S)


def rotate(x):
    """Turn each pair of numbers in x (..., T, K) by its hand's angle (Su et al. 2021).

    Done to queries and keys: their product then depends on the distance alone, because the turn
    of one undoes the turn of the other up to the difference.
    """
    angle = angles(x.size(-2), x.size(-1))  # (T, K / 2)
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    a, b = x[..., 0::2], x[..., 1::2]  # (..., T, K / 2)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)  # (..., T, K)


def alibi(n_heads, length):
    """Numbers (H, T, S) to add to the scores: minus slope times distance (Press et al. 2021).

    Nothing is learned: near keys count more, in some heads a lot, in others hardly. The slopes are
    2^(-8/H), 2^(-16/H) ... 2^-8, for a power of two of heads.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)  # (H,)
    return -slopes[:, None, None] * offsets(length).abs()  # (H, T, S)


class Reader(nn.Module):
    """One causal attention layer that knows positions by one scheme: ids (B, T) -> (B, T, V)."""

    def __init__(self, scheme, vocab_size, context, d_model=32, n_heads=4):
        super().__init__()
        self.scheme, self.n_heads = scheme, n_heads
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.learned = LearnedPositions(context, d_model)
        self.relative = RelativePositions(n_heads, max_distance=8)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        x, T = self.embedding(ids), ids.size(1)  # (B, T, D)
        if self.scheme == "sinusoidal":
            x = x + sinusoidal(T, x.size(-1))
        elif self.scheme == "learned":
            x = x + self.learned(T)
        q, k, v = rearrange(self.qkv(x), "B T (qkv H K) -> qkv B H T K", qkv=3, H=self.n_heads)
        if self.scheme == "rotary":
            q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
        if self.scheme == "relative":
            scores = scores + self.relative(T)
        elif self.scheme == "ALiBi":
            scores = scores + alibi(self.n_heads, T)
        scores = scores.masked_fill(offsets(T) > 0, -math.inf)  # no key from later
        return self.output(rearrange(scores.softmax(dim=-1) @ v, "B H T K -> B T (H K)"))


if __name__ == "__main__":
    print("three to the left, right answers (guessing: 10%)   length 24, as trained   length 48")
    for scheme in ("no positions", "sinusoidal", "learned", "relative", "rotary", "ALiBi"):
        torch.manual_seed(0)
        model = Reader(scheme, vocab_size=10, context=48)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(500):
            ids = torch.randint(10, (64, 24))  # random tokens: nothing but their positions helps
            loss = F.cross_entropy(model(ids)[:, 3:].flatten(0, 1), ids[:, :-3].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        shares = []
        for length in (24, 48):
            ids = torch.randint(10, (500, length))
            right = model(ids)[:, -12:].argmax(dim=-1) == ids[:, -15:-3]  # the last 12 answers
            shares.append(right.float().mean().item())
        print(f"{scheme:47} {shares[0]:15.0%} {shares[1]:17.0%}", flush=True)
