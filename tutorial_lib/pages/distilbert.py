"""DistilBERT on one page: a BERT with half the layers learns from the whole one.

Sanh et al. 2019. `python distilbert.py` trains a teacher that fills gaps in numbers written in
English and German words, then two students in a quarter of the steps: one has the teacher.
B batch, T length, H heads, D model width, K = D / H (d_k), V vocabulary, N hidden tokens
"""

import copy
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


class DistilBERT(nn.Module):
    """ids, mask: (B, T) each -> hidden states (B, T, D). A BERT without segments and pooler."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.embedding_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        layer, norm = nn.Linear(d_model, d_model), nn.LayerNorm(d_model, eps=1e-12)
        self.mlm_head = nn.Sequential(OrderedDict(transform=layer, gelu=nn.GELU(), norm=norm))
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, mask=None):
        x = self.token_embedding(ids)  # (B, T, D)
        x = x + self.position_embedding.weight[: ids.size(1)]  # (T, D), the same for all texts
        x = self.dropout(self.embedding_norm(x))
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return x

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias


def student_of(teacher):
    """Return a student with every second layer of its teacher, and all the rest."""
    student = copy.deepcopy(teacher)
    student.blocks = student.blocks[::2]
    return student.train()


def hide(ids, vocab_size):
    """Choose 15 % of the words: 80 % become [MASK], 10 % a random word, 10 % stay. All (B, T)."""
    draw = torch.rand(ids.shape).masked_fill(ids < FIRST_WORD, 1.0)  # [CLS] and so on: never
    random_words = torch.randint(FIRST_WORD, vocab_size, ids.shape)  # (B, T)
    changed = torch.where(draw < 0.135, random_words, ids).masked_fill(draw < 0.12, MASK)
    return changed, draw < 0.15


def loss_of(model, ids, changed, chosen, teacher=None, temperature=2.0):
    """Return the loss of the N hidden words; with a teacher 5 soft + 2 hidden words + 1 cosine."""
    real = ids != PAD
    hidden = model(changed, real)  # (B, T, D)
    logits = model.mlm_logits(hidden[chosen])  # (N, V)
    words = F.cross_entropy(logits, ids[chosen])
    if teacher is None:
        return words
    with torch.no_grad():  # the teacher knows already
        wanted = teacher(changed, real)  # (B, T, D)
        soft = (teacher.mlm_logits(wanted[chosen]) / temperature).softmax(dim=-1)  # (N, V)
    said = (logits / temperature).log_softmax(dim=-1)
    soft = temperature**2 * F.kl_div(said, soft, reduction="batchmean")
    return 5 * soft + 2 * words + 1 - F.cosine_similarity(hidden[real], wanted[real]).mean()


def train(model, ids, steps, teacher=None):
    """Train a model on the texts (N, T), alone or with a teacher."""
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(10 * step / steps, 1.0001 - step / steps)
        some = ids[torch.randint(len(ids), (32,))]
        loss = loss_of(model, some, *hide(some, model.token_embedding.num_embeddings), teacher)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model.eval()


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-|\t", r" \g<0> ", text).replace("\t", "[SEP]")
    rows = [line.split() for line in text.splitlines()]  # English [SEP] German, word by word
    words = ["", "[CLS]", "[SEP]", "____", *sorted({w for row in rows for w in row} - {"[SEP]"})]
    rows = [torch.tensor([CLS, *map(words.index, row), SEP]) for row in rows]
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)  # (3000, T); the last 300: held out
    sizes = {"vocab_size": len(words), "context": ids.size(1), "d_model": 64, "n_heads": 4}
    teacher = train(DistilBERT(n_layers=4, **sizes), ids[:2700], 900)  # a BERT without segments
    taught = train(student_of(teacher), ids[:2700], 225, teacher)
    alone = train(DistilBERT(n_layers=2, **sizes), ids[:2700], 225)
    changed, chosen = hide(ids[2700:], len(words))
    for name, model in (("teacher", teacher), ("taught", taught), ("alone", alone)):
        found = model.mlm_logits(model(changed, ids[2700:] != PAD)[chosen]).argmax(dim=-1)
        right = (found == ids[2700:][chosen]).float().mean()
        print(f"{name}, {len(model.blocks)} layers: {right:.0%} of the hidden words right")
