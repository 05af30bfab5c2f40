"""ALBERT on one page: BERT with narrow token vectors, and one layer's weights for all layers.

Lan et al. 2019. `python albert.py` reads numbers in English words, cut in two halves, with some
words hidden, for about a minute: which words were they, and are the halves in order?
B batch, T length, H heads, D model width, K = D / H (d_k), E token vectors' width, V vocabulary
"""

import math
from collections import OrderedDict
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

PAD, CLS, SEP, MASK, FIRST_WORD = range(5)  # the first ids have other uses than words
GELU = nn.GELU(approximate="tanh")


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
        self.attention_norm = nn.LayerNorm(d_model, eps=1e-12)
        hidden, output = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, gelu=GELU, output=output))
        self.feed_forward_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.dropout(self.attention(x, mask)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class ALBERT(nn.Module):
    """ids, segments (0 first sentence, 1 second), mask: (B, T) each -> hidden states (B, T, D)."""

    def __init__(self, vocab_size, context, width, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.n_layers = n_layers
        self.token_embedding = nn.Embedding(vocab_size, width)  # V E numbers in place of V D
        self.segment_embedding = nn.Embedding(2, width)
        self.position_embedding = nn.Embedding(context, width)
        self.embedding_norm = nn.LayerNorm(width, eps=1e-12)
        self.widen = nn.Linear(width, d_model)  # E D more
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([Block(d_model, n_heads, dropout)])  # one for all layers
        self.pooler = nn.Linear(d_model, d_model)
        layer, norm = nn.Linear(d_model, width), nn.LayerNorm(width, eps=1e-12)
        self.mlm_head = nn.Sequential(OrderedDict(transform=layer, gelu=GELU, norm=norm))
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))
        self.order_head = nn.Linear(d_model, 2)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, segments=None, mask=None):
        segments = torch.zeros_like(ids) if segments is None else segments
        x = self.token_embedding(ids) + self.segment_embedding(segments)  # (B, T, E)
        x = x + self.position_embedding.weight[: ids.size(1)]  # (T, E), the same for all texts
        x = self.widen(self.dropout(self.embedding_norm(x)))  # (B, T, D)
        for _ in range(self.n_layers):
            x = self.blocks[0](x, mask)  # (B, T, D); the weights are shared, the work is not
        return x

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias

    def order_logits(self, hidden):  # are the sentences in order? yes, no: (B, T, D) -> (B, 2)
        return self.order_head(self.pooler(hidden[:, 0]).tanh())  # read from [CLS] alone


def hide(ids, vocab_size):
    """Choose 15 % of the words: 80 % become [MASK], 10 % a random word, 10 % stay. All (B, T)."""
    # Real texts have no [MASK]: as any word may be asked about, it learns to understand all.
    draw = torch.rand(ids.shape).masked_fill(ids < FIRST_WORD, 1.0)  # [CLS] and so on: never
    random_words = torch.randint(FIRST_WORD, vocab_size, ids.shape)  # (B, T)
    changed = torch.where(draw < 0.135, random_words, ids).masked_fill(draw < 0.12, MASK)
    return changed, draw < 0.15


def pretraining_loss(model, ids, segments, in_order):
    """Both tasks at once; only the N chosen words are asked. in_order (B,): not swapped?"""
    changed, chosen = hide(ids, model.token_embedding.num_embeddings)
    hidden = model(changed, segments, ids != PAD)  # (B, T, D)
    words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])  # (N, V), (N,)
    return words + F.cross_entropy(model.order_logits(hidden), (~in_order).long())


def pairs(texts, n):
    """Return n of [CLS] half [SEP] half [SEP]: ids, segments (B, T), are they in order (B,)."""
    ids, in_order = [], torch.rand(n) < 0.5
    for row, kept in zip(torch.randint(len(texts), (n,)), in_order, strict=True):
        middle = len(texts[row]) // 2
        halves = [texts[row][:middle], texts[row][middle:]][:: 1 if kept else -1]
        ids.append(torch.tensor([CLS, *halves[0], SEP, *halves[1], SEP]))
    ids = nn.utils.rnn.pad_sequence(ids, batch_first=True)
    return ids, ((ids == SEP).cumsum(dim=1) > (ids == SEP)).long(), in_order


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    rows = [line.split("\t")[0].replace("-", " ").split() for line in text.splitlines()]
    words = ["", "[CLS]", "[SEP]", "____", *sorted({word for row in rows for word in row})]
    rows = [[words.index(word) for word in row] for row in rows if len(row) > 1]
    model = ALBERT(len(words), context=32, width=16, d_model=64, n_layers=3, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, 1201):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 200, 1 - step / 1201)  # up, then down
        loss = pretraining_loss(model, *pairs(rows[:-300], 32))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    ids, segments, in_order = pairs(rows[-300:], 500)
    changed, chosen = hide(ids, len(words))
    hidden = model.eval()(changed, segments, ids != PAD)  # (B, T, D)
    right = (model.mlm_logits(hidden).argmax(dim=-1) == ids)[chosen].float().mean()
    usual = (ids[chosen] == ids[chosen].mode().values).float().mean()
    print(f"words right: {right:.0%}; always the commonest: {usual:.0%}")
    right = (model.order_logits(hidden).argmax(dim=-1) == 0) == in_order
    print(f"order right: {right.float().mean():.0%}; guessing: 50%")
    learned, layer = (sum(w.numel() for w in part.parameters()) for part in (model, model.blocks))
    print(f"{learned:,} numbers learned; with three layers of their own {learned + 2 * layer:,}")
