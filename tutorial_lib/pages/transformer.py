"""The Transformer on one page: an encoder reads a sentence, a decoder writes its translation.

Vaswani et al. 2017, sections 3 and 5. `python transformer.py` learns to translate numbers in words
from English to German for about a minute, and translates some that it has not seen.
B batch, T queries or target, S keys or source, H heads, D model width, K = D / H (d_k), V words
"""

import math
import re
from collections import OrderedDict
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

PAD, START, END = 0, 1, 2


class MultiHeadAttention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V (eq. 1) in H heads: x (B, T, D) asks, context (B, S, D) answers."""

    def __init__(self, d_model, n_heads, causal=False):
        super().__init__()
        self.n_heads, self.causal = n_heads, causal
        self.qkv = nn.Linear(d_model, 3 * d_model)  # all maps of all heads; forward cuts them apart
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found

    def forward(self, x, context, mask=None):
        (w_q, w_k, w_v), (b_q, b_k, b_v) = self.qkv.weight.chunk(3), self.qkv.bias.chunk(3)
        q = rearrange(F.linear(x, w_q, b_q), "B T (H K) -> B H T K", H=self.n_heads)
        k = rearrange(F.linear(context, w_k, b_k), "B S (H K) -> B H S K", H=self.n_heads)
        v = rearrange(F.linear(context, w_v, b_v), "B S (H K) -> B H S K", H=self.n_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
        if mask is not None:  # (B, S), True = a real token; exp(-inf) = 0: padding has no weight
            scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
        if self.causal:  # later tokens have no weight
            scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -math.inf)
        return self.output(rearrange(scores.softmax(dim=-1) @ v, "B H T K -> B T (H K)"))


class Block(nn.Module):
    """Figure 1: attention, in a decoder cross-attention, feed-forward; each LayerNorm(x + step)."""

    def __init__(self, d_model, n_heads, dropout, decoder):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, causal=decoder)
        self.attention_norm = nn.LayerNorm(d_model)
        if decoder:
            self.cross_attention = MultiHeadAttention(d_model, n_heads)
            self.cross_attention_norm = nn.LayerNorm(d_model)
        hidden, output = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)  # eq. 2
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, relu=nn.ReLU(), output=output))
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.dropout, self.decoder = nn.Dropout(dropout), decoder

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.attention_norm(x + self.dropout(self.attention(x, x, mask)))
        if self.decoder:
            found = self.cross_attention(x, memory, memory_mask)  # memory: the encoder's output
            x = self.cross_attention_norm(x + self.dropout(found))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class Transformer(nn.Module):
    """source (B, S), target (B, T) -> logits (B, T, V), scores for the token after each target."""

    def __init__(self, vocab_size, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.source_embedding = nn.Embedding(vocab_size, d_model)
        self.target_embedding = self.source_embedding  # one vocabulary for both languages
        self.dropout = nn.Dropout(dropout)
        sizes = d_model, n_heads, dropout
        self.encoder_blocks = nn.ModuleList(Block(*sizes, decoder=False) for _ in range(n_layers))
        self.decoder_blocks = nn.ModuleList(Block(*sizes, decoder=True) for _ in range(n_layers))
        nn.init.normal_(self.source_embedding.weight, std=d_model**-0.5)

    def embed(self, ids):
        D = self.source_embedding.embedding_dim
        position = torch.arange(ids.size(1), device=ids.device)[:, None]  # (T, 1)
        angle = position / 10_000 ** (torch.arange(0, D, 2, device=ids.device) / D)  # (T, D / 2)
        # Attention alone would not see the order: waves, from fast to slow, number the positions.
        waves = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (T, D)
        # The table also scores the next token (in decode), so its numbers are small, near 1 / √D.
        return self.dropout(self.source_embedding(ids) * math.sqrt(D) + waves)  # (B, T, D)

    def encode(self, source, source_mask=None):
        x = self.embed(source)
        for block in self.encoder_blocks:
            x = block(x, source_mask)  # (B, S, D)
        return x

    def decode(self, target, memory, source_mask=None):
        y = self.embed(target)  # padding comes last, and no earlier token sees it: no mask
        for block in self.decoder_blocks:
            y = block(y, None, memory, source_mask)  # (B, T, D)
        return y @ self.target_embedding.weight.T  # (B, T, V): the same table once more

    def forward(self, source, target, source_mask=None):
        return self.decode(target, self.encode(source, source_mask), source_mask)


def translation_loss(model, source, target):
    """Teacher forcing: predict each next token from the right ones before it, all at once."""
    logits = model(source, target[:, :-1], source != PAD).transpose(1, 2)  # (B, V, T - 1)
    # Label smoothing: the aim is 90 % on the right token, so no score has to grow without end.
    return F.cross_entropy(logits, target[:, 1:], ignore_index=PAD, label_smoothing=0.1)


@torch.no_grad()
def translate(model, source, n_tokens):
    """Greedy decoding: read source (B, S) once, then add the likeliest tokens; PAD after END."""
    memory = model.encode(source, source != PAD)  # (B, S, D)
    target = torch.full_like(source[:, :1], START)  # (B, 1)
    for _ in range(n_tokens):
        ended = (target == END).any(dim=1, keepdim=True)  # (B, 1)
        if ended.all():
            break
        best = model.decode(target, memory, source != PAD)[:, -1:].argmax(dim=-1)  # (B, 1)
        target = torch.cat([target, best.masked_fill(ended, PAD)], dim=1)
    return target


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-", r" \g<0> ", text)  # cut compounds, not "hundred"
    rows = [row.split() for line in text.splitlines() for row in line.split("\t")]
    words = ["", "", "", *sorted({word for row in rows for word in row})]  # first PAD, START, END
    rows = [torch.tensor([START, *map(words.index, row), END]) for row in rows]
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)  # (6000, T), filled up with 0 = PAD
    source, target = ids[0::2], ids[1::2]  # (3000, T) each; the last 300 are held out
    model = Transformer(len(words), d_model=64, n_layers=2, n_heads=4)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    for step in range(1, 601):  # eq. 3; it warms up, as Adam's first averages rest on few batches
        optimizer.param_groups[0]["lr"] = 64**-0.5 * min(step**-0.5, step * 400**-1.5)
        batch = torch.randint(2700, (32,))
        loss = translation_loss(model, source[batch], target[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)
    found = translate(model.eval(), source[2700:], n_tokens=target.size(1) - 1)
    for english, german in zip(source[2700:2705], found, strict=False):
        print(*(words[i] for i in english if i > END), "->", "".join(words[i] for i in german))
    right = (found == target[2700:, : found.size(1)]).all(dim=1).float().mean()
    known = (target[2700:, None] == target[:2700]).all(dim=2).any(dim=1).float().mean()
    print(f"\n{right:.0%} of 300 new numbers fully right; remembering old ones gives {known:.0%}")
