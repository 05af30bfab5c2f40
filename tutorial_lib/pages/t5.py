"""T5 on one page: one Transformer for all tasks, each a text to read and a text to write.

Raffel et al. 2019. `python t5.py` learns two tasks with numbers in words, told apart by the
first word of the source, for half a minute, and does them with numbers that it has not seen.
B batch, T queries or target, S keys or source, H heads, D model width, K head width, V words
"""

import math
import re
from collections import OrderedDict
from pathlib import Path

import torch
from einops import rearrange
from torch import nn
from torch.nn.utils.rnn import pad_sequence

PAD, END = 0, 1  # a target begins with PAD


class MultiHeadAttention(nn.Module):
    """softmax(Q Kᵀ + distances) V in H heads: x (B, T, D) asks, context (B, S, D) answers."""

    def __init__(self, d_model, n_heads, d_head, causal=False):
        super().__init__()
        self.n_heads, self.causal = n_heads, causal
        self.qkv = nn.Linear(d_model, 3 * n_heads * d_head, bias=False)  # H K need not be D
        self.output = nn.Linear(n_heads * d_head, d_model, bias=False)  # mixes what the heads found

    def forward(self, x, context, mask=None, distances=0):
        maps = zip((x, context, context), self.qkv.weight.chunk(3), strict=True)
        q, k, v = (rearrange(y @ w.T, "B T (H K) -> B H T K", H=self.n_heads) for y, w in maps)
        scores = q @ k.transpose(-2, -1) + distances  # (B, H, T, S); w_q starts smaller by √d_k
        if mask is not None:  # (B, S), True = a real token; exp(-inf) = 0: padding has no weight
            scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
        if self.causal:  # later tokens have no weight
            scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -math.inf)
        return self.output(rearrange(scores.softmax(dim=-1) @ v, "B H T K -> B T (H K)"))


class Distances(nn.Module):
    """A learned number for each head and bucket of distances, for all layers: (H, T, T)."""

    def __init__(self, n_heads, causal, n_buckets=32, max_distance=128):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n_heads, n_buckets))
        self.causal, self.max_distance = causal, max_distance

    def forward(self, n_tokens):
        offset = torch.arange(n_tokens) - torch.arange(n_tokens)[:, None]  # -1: the token before
        near = self.weight.size(1) // (2 if self.causal else 4)  # so many have their own bucket
        distance = (-offset).clamp(min=0) if self.causal else offset.abs()
        growth = torch.log(distance.clamp(min=1) / near) / math.log(self.max_distance / near)
        far = (near + (near * growth).long()).clamp(max=2 * near - 1)  # the others get wider
        after = 0 if self.causal else (offset > 0) * 2 * near  # what comes after has its own
        return self.weight[:, after + torch.where(distance < near, distance, far)]


class Block(nn.Module):
    """Attention, in a decoder cross-attention, feed-forward; each x + step(RMSNorm(x))."""

    def __init__(self, d_model, n_heads, d_head, d_ff, decoder):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, d_head, causal=decoder)
        self.attention_norm = nn.RMSNorm(d_model, eps=1e-6)
        if decoder:
            self.cross_attention = MultiHeadAttention(d_model, n_heads, d_head)
            self.cross_attention_norm = nn.RMSNorm(d_model, eps=1e-6)
        hidden, output = (nn.Linear(*n, bias=False) for n in ((d_model, d_ff), (d_ff, d_model)))
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, relu=nn.ReLU(), output=output))
        self.feed_forward_norm = nn.RMSNorm(d_model, eps=1e-6)

    def forward(self, x, distances, mask, memory=None, memory_mask=None):
        y = self.attention_norm(x)
        x = x + self.attention(y, y, mask, distances)
        if memory is not None:  # in a decoder: what the encoder made of the source
            x = x + self.cross_attention(self.cross_attention_norm(x), memory, memory_mask)
        return x + self.feed_forward(self.feed_forward_norm(x))


class T5(nn.Module):
    """source (B, S), target (B, T) -> logits (B, T, V), scores for the token after each target."""

    def __init__(self, vocab_size, d_model, n_layers, n_heads, d_head, d_ff):
        super().__init__()
        self.source_embedding = nn.Embedding(vocab_size, d_model)  # starts with numbers around 1
        self.target_embedding = self.source_embedding  # one vocabulary for all texts
        self.source_distances = Distances(n_heads, causal=False)
        self.target_distances = Distances(n_heads, causal=True)
        self.encoder_norm, self.decoder_norm = (nn.RMSNorm(d_model, eps=1e-6) for _ in range(2))
        sizes = d_model, n_heads, d_head, d_ff
        self.encoder_blocks = nn.ModuleList(Block(*sizes, decoder=False) for _ in range(n_layers))
        self.decoder_blocks = nn.ModuleList(Block(*sizes, decoder=True) for _ in range(n_layers))
        for name, w in self.named_parameters():
            if w.dim() == 2 and name != "source_embedding.weight":
                nn.init.normal_(w, std=(d_model if "distances" in name else w.size(1)) ** -0.5)
            if "qkv" in name:  # in place of the division by √d_k
                w.data.chunk(3)[0].mul_(d_head**-0.5)

    def encode(self, source, source_mask=None):
        distances, x = self.source_distances(source.size(1)), self.source_embedding(source)
        for block in self.encoder_blocks:
            x = block(x, distances, source_mask)  # (B, S, D)
        return self.encoder_norm(x)

    def decode(self, target, memory, source_mask=None):
        distances, y = self.target_distances(target.size(1)), self.target_embedding(target)
        for block in self.decoder_blocks:
            y = block(y, distances, None, memory, source_mask)  # (B, T, D)
        y = self.decoder_norm(y) * y.size(-1) ** -0.5  # the table's numbers are √D times too large
        return y @ self.target_embedding.weight.T  # (B, T, V)

    def forward(self, source, target, source_mask=None):
        return self.decode(target, self.encode(source, source_mask), source_mask)


def text_loss(model, source, target):
    """Teacher forcing, whatever the task: say each word of the target after those before it."""
    logits = model(source, target[:, :-1], source != PAD).transpose(1, 2)  # (B, V, T - 1)
    return nn.functional.cross_entropy(logits, target[:, 1:], ignore_index=PAD)


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-", r" \g<0> ", text)  # split compound words
    rows = [row.split() for line in text.splitlines() for row in line.split("\t")]
    words = ["", ".", "german:", "reverse:", *sorted({*text.split()})]  # first PAD, END
    rows = [[words.index(word) for word in row] for row in rows]
    source = [torch.tensor([2 + n % 2, *rows[n - n % 2]]) for n in range(6000)]  # two tasks each
    target = [rows[n - 1][::-1] if n % 2 else rows[n + 1] for n in range(6000)]
    target = [torch.tensor([PAD, *text, END]) for text in target]
    source, target = pad_sequence(source, True), pad_sequence(target, True)  # (6000, S), (6000, T)
    model = T5(len(words), d_model=64, n_layers=2, n_heads=4, d_head=24, d_ff=256)
    nn.init.normal_(model.source_embedding.weight, std=0.3)  # 1 drowns what two layers add
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, 1001):
        optimizer.param_groups[0]["lr"] = 3e-3 * min(step / 100, 1 - step / 1001)  # up, then down
        batch = torch.randint(5400, (32,))  # the last 600 are held out
        loss = text_loss(model, source[batch], target[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    # Greedy decoding writes a target when each word is the likeliest after those before it.
    for whose, other in (("its own", 0), ("the other task's", 1)):
        asked, wanted = source[5400:].clone(), target[5400:, 1:]
        asked[:, 0] ^= other  # 2 becomes 3, and 3 becomes 2
        found = model.eval()(asked, target[5400:, :-1], asked != PAD).argmax(dim=-1)  # (600, T - 1)
        right = ((found == wanted) | (wanted == PAD)).all(dim=1).float().mean()
        print(f"right when the source begins with {whose} word: {right:.0%}")
