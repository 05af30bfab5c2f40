"""BERT on one page: layers that look both ways, and learn a language by filling gaps.

Devlin et al. 2018. `python bert.py` reads numbers in English and German words, with some words
hidden, for about a minute: which words were they, and do both say the same number?
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

PAD, CLS, SEP, MASK, FIRST_WORD = range(5)  # the first ids have other uses than words


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
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, gelu=nn.GELU(), output=output))
        self.feed_forward_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.dropout(self.attention(x, mask)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class BERT(nn.Module):
    """ids, segments (0 first sentence, 1 second), mask: (B, T) each -> hidden states (B, T, D)."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.segment_embedding = nn.Embedding(2, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.embedding_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        self.pooler = nn.Linear(d_model, d_model)
        layer, norm = nn.Linear(d_model, d_model), nn.LayerNorm(d_model, eps=1e-12)
        self.mlm_head = nn.Sequential(OrderedDict(transform=layer, gelu=nn.GELU(), norm=norm))
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))
        self.nsp_head = nn.Linear(d_model, 2)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, segments=None, mask=None):
        segments = torch.zeros_like(ids) if segments is None else segments
        x = self.token_embedding(ids) + self.segment_embedding(segments)  # (B, T, D)
        x = x + self.position_embedding.weight[: ids.size(1)]  # (T, D), the same for all texts
        x = self.dropout(self.embedding_norm(x))
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return x

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias

    def nsp_logits(self, hidden):  # does the second sentence follow? yes, no: (B, T, D) -> (B, 2)
        return self.nsp_head(self.pooler(hidden[:, 0]).tanh())  # read from [CLS] alone


def hide(ids, vocab_size):
    """Choose 15 % of the words: 80 % become [MASK], 10 % a random word, 10 % stay. All (B, T)."""
    # Real texts have no [MASK]: as any word may be asked about, it learns to understand all.
    draw = torch.rand(ids.shape).masked_fill(ids < FIRST_WORD, 1.0)  # [CLS] and so on: never
    random_words = torch.randint(FIRST_WORD, vocab_size, ids.shape)  # (B, T)
    changed = torch.where(draw < 0.135, random_words, ids).masked_fill(draw < 0.12, MASK)
    return changed, draw < 0.15


def pretraining_loss(model, ids, segments, follows):
    """Both tasks at once; only the N chosen words are asked. follows (B,): a true pair?"""
    changed, chosen = hide(ids, model.token_embedding.num_embeddings)
    hidden = model(changed, segments, ids != PAD)  # (B, T, D)
    words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])  # (N, V), (N,)
    return words + F.cross_entropy(model.nsp_logits(hidden), (~follows).long())


def pairs(english, german, n):
    """Return n of [CLS] English [SEP] German [SEP]: ids, segments (B, T), is it a pair (B,)."""
    rows, others = torch.randint(len(english), (2, n))
    others = torch.where(torch.rand(n) < 0.5, rows, others)
    ids = [[CLS, *english[a], SEP, *german[b], SEP] for a, b in zip(rows, others, strict=True)]
    ids = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in ids], batch_first=True)
    return ids, ((ids == SEP).cumsum(dim=1) > (ids == SEP)).long(), rows == others


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-", r" \g<0> ", text)  # split compound words
    rows = [row.split() for line in text.splitlines() for row in line.split("\t")]
    words = ["", "[CLS]", "[SEP]", "____", *sorted({word for row in rows for word in row})]
    rows = [[words.index(word) for word in row] for row in rows]
    english, german = rows[0::2], rows[1::2]  # 3000 each; the last 300 are held out
    model = BERT(len(words), context=32, d_model=64, n_layers=2, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, 2001):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 200, 1 - step / 2001)  # up, then down
        loss = pretraining_loss(model, *pairs(english[:2700], german[:2700], 32))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)
    ids, segments, follows = pairs(english[2700:], german[2700:], 500)
    changed, chosen = hide(ids, len(words))
    hidden = model.eval()(changed, segments, ids != PAD)  # (B, T, D)
    found, same = model.mlm_logits(hidden).argmax(dim=-1), model.nsp_logits(hidden).argmax(dim=-1)
    for n in range(3):
        print(*(words[i] for i in changed[n]), "<-", *(words[i] for i in found[n][chosen[n]]))
    right, usual = (found == ids)[chosen].float(), ids[chosen] == ids[chosen].mode().values
    print(f"words right: {right.mean():.0%}; always the commonest: {usual.float().mean():.0%}")
    right = ((same == 0) == follows).float()
    print(f"pairs told apart: {right.mean():.0%}; guessing: 50%")
