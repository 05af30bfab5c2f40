"""RoBERTa on one page: BERT without pairs, its gaps drawn anew each time a text is read.

Liu et al. 2019. `python roberta.py` reads numbers in English and German words, with some words
hidden: once and for all, as for BERT, or anew in every pass. About a minute.
B batch, T length, H heads, D model width, K = D / H (d_k), V vocabulary, N hidden tokens
"""

import math
import re
from collections import OrderedDict
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

CLS, PAD, SEP, MASK, FIRST_WORD = range(5)  # the first ids have other uses than words


class SelfAttention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V, H times: each position gathers what fits it from both sides."""

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)  # queries, keys and values in one product
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        q, k, v = rearrange(self.qkv(x), "B T (qkv H K) -> qkv B H T K", qkv=3, H=self.n_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
        if mask is not None:  # (B, T), True = a real token; exp(-inf) = 0: padding has no weight
            scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
        weights = scores.softmax(dim=-1)  # (B, H, T, T), each row sums to 1
        return self.output(rearrange(self.dropout(weights) @ v, "B H T K -> B T (H K)"))


class Block(nn.Module):
    """Two steps, each LayerNorm(x + step(x)): post-norm, as in the first Transformer."""

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads, dropout)
        self.attention_norm = nn.LayerNorm(d_model, eps=1e-5)
        hidden, output = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, gelu=nn.GELU(), output=output))
        self.feed_forward_norm = nn.LayerNorm(d_model, eps=1e-5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.dropout(self.attention(x, mask)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class RoBERTa(nn.Module):
    """ids, mask: (B, T) each -> hidden states (B, T, D)."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.segment_embedding = nn.Embedding(1, d_model)  # all is one segment
        self.position_embedding = nn.Embedding(context + PAD + 1, d_model)  # rows up to PAD: unused
        self.embedding_norm = nn.LayerNorm(d_model, eps=1e-5)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        layer, norm = nn.Linear(d_model, d_model), nn.LayerNorm(d_model, eps=1e-5)
        self.mlm_head = nn.Sequential(OrderedDict(transform=layer, gelu=nn.GELU(), norm=norm))
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, mask=None):
        x = self.token_embedding(ids) + self.segment_embedding.weight[0]  # (B, T, D)
        real = ids != PAD
        x = x + self.position_embedding(real.cumsum(dim=1) * real + PAD)  # padding is not counted
        x = self.dropout(self.embedding_norm(x))
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return x

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias


def hide(ids, vocab_size):
    """Choose 15 % of the words: 80 % become [MASK], 10 % a random word, 10 % stay. All (B, T)."""
    # Real texts have no [MASK]: as any word may be asked about, it learns to understand all.
    draw = torch.rand(ids.shape).masked_fill(ids < FIRST_WORD, 1.0)  # [CLS] and so on: never
    random_words = torch.randint(FIRST_WORD, vocab_size, ids.shape)  # (B, T)
    changed = torch.where(draw < 0.135, random_words, ids).masked_fill(draw < 0.12, MASK)
    return changed, draw < 0.15


def masked_loss(model, ids, changed, chosen):
    """The only task left: which words were hidden? Only the N chosen ones are asked."""
    hidden = model(changed, ids != PAD)  # (B, T, D)
    return F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])  # (N, V), (N,)


def texts(english, german):
    """Return all of <s> English </s> </s> German </s> as ids (N, T)."""
    rows = zip(english, german, strict=True)
    ids = [torch.tensor([CLS, *first, SEP, SEP, *second, SEP]) for first, second in rows]
    return nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PAD)


def train(ids, vocab_size, dynamic, passes=60, batch_size=32):
    """Return a RoBERTa that has read the texts so many times: hidden anew each time, or once."""
    torch.manual_seed(0)
    model = RoBERTa(vocab_size, context=32, d_model=64, n_layers=2, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    steps, step = passes * -(-len(ids) // batch_size), 0
    changed, chosen = hide(ids, vocab_size)
    for _ in range(passes):
        if dynamic:
            changed, chosen = hide(ids, vocab_size)
        for rows in torch.randperm(len(ids)).split(batch_size):
            step += 1
            optimizer.param_groups[0]["lr"] = 2e-3 * min(10 * step / steps, 1.0001 - step / steps)
            loss = masked_loss(model, ids[rows], changed[rows], chosen[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    return model.eval()


if __name__ == "__main__":
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-", r" \g<0> ", text)  # split compound words
    rows = [row.split() for line in text.splitlines() for row in line.split("\t")]
    words = ["<s>", "", "</s>", "____", *sorted({word for row in rows for word in row})]
    rows = [[words.index(word) for word in row] for row in rows]
    ids = texts(rows[0::2], rows[1::2])
    few, held_out = ids[:300], ids[2000:]  # few texts, read often: then it matters
    torch.manual_seed(1)
    changed, chosen = hide(held_out, len(words))
    for name, dynamic in (("hidden once", False), ("hidden anew in every pass", True)):
        model = train(few, len(words), dynamic)
        with torch.no_grad():
            hidden = model(changed, held_out != PAD)
            logits = model.mlm_logits(hidden[chosen])
        loss = F.cross_entropy(logits, held_out[chosen]).item()
        right = (logits.argmax(dim=-1) == held_out[chosen]).float().mean()
        print(f"{name}: {right:.0%} of the hidden words right in new texts, loss {loss:.2f}")
