"""BART on one page: a Transformer that reads damaged text and writes it whole.

Lewis et al. 2019. `python bart.py` reads numbers in English and German words with spans missing,
for half a minute, and mends some that it has not seen.
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
from torch.nn.utils.rnn import pad_sequence

PAD, START, END, MASK = range(4)


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
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, gelu=nn.GELU(), output=output))
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.dropout, self.decoder = nn.Dropout(dropout), decoder

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.attention_norm(x + self.dropout(self.attention(x, x, mask)))
        if self.decoder:
            found = self.cross_attention(x, memory, memory_mask)  # memory: the encoder's output
            x = self.cross_attention_norm(x + self.dropout(found))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class BART(nn.Module):
    """source (B, S), target (B, T) -> logits (B, T, V), scores for the token after each target."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.source_embedding = nn.Embedding(vocab_size, d_model)
        self.target_embedding = self.source_embedding  # one vocabulary for both sides
        self.source_positions = nn.Embedding(2 + context, d_model)  # learned; two rows: unused
        self.target_positions = nn.Embedding(2 + context, d_model)
        self.source_norm, self.target_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        sizes = d_model, n_heads, dropout
        self.encoder_blocks = nn.ModuleList(Block(*sizes, decoder=False) for _ in range(n_layers))
        self.decoder_blocks = nn.ModuleList(Block(*sizes, decoder=True) for _ in range(n_layers))
        self.register_buffer("output_bias", torch.zeros(vocab_size))  # 0 and fixed, as published
        for name, weight in self.named_parameters():
            if not name.endswith("norm.weight"):  # biases start at 0
                nn.init.normal_(weight, std=0.02 if weight.dim() == 2 else 0.0)

    def embed(self, ids, positions, norm):
        return self.dropout(norm(self.source_embedding(ids) + positions.weight[2:][: ids.size(1)]))

    def encode(self, source, source_mask=None):
        x = self.embed(source, self.source_positions, self.source_norm)
        for block in self.encoder_blocks:
            x = block(x, source_mask)  # (B, S, D)
        return x

    def decode(self, target, memory, source_mask=None):
        y = self.embed(target, self.target_positions, self.target_norm)
        for block in self.decoder_blocks:
            y = block(y, None, memory, source_mask)  # (B, T, D)
        return y @ self.target_embedding.weight.T + self.output_bias  # (B, T, V)

    def forward(self, source, target, source_mask=None):
        return self.decode(target, self.encode(source, source_mask), source_mask)


def infill(words, share=0.3):
    """Put one MASK in place of each span of words: how many are missing, nothing says."""
    n_hidden, lengths = round(share * len(words)), []
    while sum(lengths) < n_hidden:  # a length of 0: a MASK where nothing is missing
        lengths.append(min(int(torch.poisson(torch.tensor(3.0))), n_hidden - sum(lengths)))
    gaps = torch.randperm(len(words) - n_hidden + 1)[: len(lengths)]  # so no two spans touch
    damaged, start, hidden = [], 0, 0
    for gap, length in zip(sorted(gaps.tolist()), lengths, strict=False):
        damaged += [*words[start : gap + hidden], MASK]
        start, hidden = gap + hidden + length, hidden + length
    return damaged + words[start:]


def mending_loss(model, source, target):
    """Teacher forcing: say each word of the whole text, damaged or not, after those before it."""
    logits = model(source, target[:, :-1], source != PAD).transpose(1, 2)  # (B, V, T - 1)
    return F.cross_entropy(logits, target[:, 1:], ignore_index=PAD)


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-", r" \g<0> ", text.replace("\t", " / "))
    words = ["", "/", ".", "____", *sorted({*text.split()} - {"/"})]  # first PAD, START, END, MASK
    texts = [[words.index(word) for word in line.split()] for line in text.splitlines()]
    target = pad_sequence([torch.tensor([START, *text, END]) for text in texts], True)  # (3000, T)
    model = BART(len(words), context=40, d_model=64, n_layers=2, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, 1001):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 100, 1 - step / 1001)  # up, then down
        batch = torch.randint(2700, (32,))  # the last 300 are held out
        source = pad_sequence([torch.tensor(infill(texts[n])) for n in batch], True)  # (32, S)
        loss = mending_loss(model, source, target[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    # Greedy decoding writes a text when each word is the likeliest after those before it.
    for whose, n in (("the same", 2700), ("another", 2400)):  # whose German stands beside it
        english = [text[: text.index(START)] for text in texts[2700:]]
        german = [text[text.index(START) :] for text in texts[n : n + 300]]
        source = [torch.tensor(infill(a) + b) for a, b in zip(english, german, strict=True)]
        source = pad_sequence(source, True)
        target = pad_sequence([torch.tensor([START, *text, START]) for text in english], True)
        found = model.eval()(source, target[:, :-1], source != PAD).argmax(dim=-1)  # (B, T - 1)
        right = ((found == target[:, 1:]) | (target[:, 1:] == PAD)).all(dim=1).float().mean()
        print(f"English mended beside the German of {whose} number: {right:.0%}")
