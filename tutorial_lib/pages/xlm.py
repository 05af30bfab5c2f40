"""XLM on one page: a BERT for two languages, which may look a hidden word up in the other one.

Lample and Conneau 2019. `python xlm.py` reads numbers in English and in German, alone and side by
side, with some words hidden, for about a minute. Does it find a word by its translation?
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

PAD, SEP, MASK, FIRST_WORD = range(4)  # the first ids have other uses than words


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


class XLM(nn.Module):
    """ids, languages, mask, positions: (B, T) each -> hidden states (B, T, D), 0 for padding."""

    def __init__(self, vocab_size, context, n_languages, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)  # one vocabulary for all languages
        self.position_embedding = nn.Embedding(context, d_model)
        self.language_embedding = nn.Embedding(n_languages, d_model)
        self.embedding_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        self.mlm_head = nn.Module()  # no layer of its own: a bias, and token_embedding
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, languages=None, mask=None, positions=None):
        positions = torch.arange(ids.size(1)) if positions is None else positions
        x = self.token_embedding(ids) + self.position_embedding(positions)  # (B, T, D)
        if languages is not None:
            x = x + self.language_embedding(languages)
        x = self.dropout(self.embedding_norm(x))
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return x if mask is None else x * mask[..., None]

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return hidden @ self.token_embedding.weight.T + self.mlm_head.bias


def hide(ids, vocab_size):
    """Choose 15 % of the words: 80 % become [MASK], 10 % a random word, 10 % stay. All (B, T)."""
    # Real texts have no [MASK]: as any word may be asked about, it learns to understand all.
    draw = torch.rand(ids.shape).masked_fill(ids < FIRST_WORD, 1.0)  # [SEP] and so on: never
    random_words = torch.randint(FIRST_WORD, vocab_size, ids.shape)  # (B, T)
    changed = torch.where(draw < 0.135, random_words, ids).masked_fill(draw < 0.12, MASK)
    return changed, draw < 0.15


def masked_loss(model, ids, languages, positions):
    """Which words were hidden? Only the N chosen ones are asked."""
    changed, chosen = hide(ids, model.token_embedding.num_embeddings)
    hidden = model(changed, languages, ids != PAD, positions)  # (B, T, D)
    return F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])  # (N, V), (N,)


def texts(rows):
    """Return ids, languages and positions, (B, T) each, of rows of (language, sentence).

    One sentence a row: masked language modeling, MLM; with its translation: TLM. Each counts its
    own positions, so that words with the same meaning stand near each other.
    """
    ids = [[i for _, words in row for i in (SEP, *words, SEP)] for row in rows]
    languages = [[n for n, words in row for _ in (SEP, *words, SEP)] for row in rows]
    positions = [[i for _, words in row for i in range(len(words) + 2)] for row in rows]
    tensors = ([*map(torch.tensor, part)] for part in (ids, languages, positions))
    return [nn.utils.rnn.pad_sequence(part, batch_first=True) for part in tensors]


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-", r" \g<0> ", text)  # split compound words
    rows = [row.split() for line in text.splitlines() for row in line.split("\t")]
    words = ["", "</s>", "____", *sorted({word for row in rows for word in row})]
    rows = [(n % 2, [words.index(word) for word in row]) for n, row in enumerate(rows)]
    alone = [[row] for row in rows]  # 0: English, 1: German; the last 300 of each are held out
    pairs = [list(pair) for pair in zip(rows[0::2], rows[1::2], strict=True)]
    model = XLM(len(words), 20, n_languages=2, d_model=64, n_layers=2, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, 2001):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 200, 1 - step / 2001)  # up, then down
        kind, n = (alone, 5400) if step % 2 else (pairs, 2700)  # in turn, as in the paper
        loss = masked_loss(model, *texts([kind[i] for i in torch.randint(n, (32,))]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)
    model, right = model.eval(), {}
    for name, kind in (("alone", alone[5400:]), ("pairs", pairs[2700:])):
        ids, languages, positions = texts(kind)
        changed, chosen = hide(ids, len(words))
        hidden = model(changed, languages, ids != PAD, positions)
        found = model.mlm_logits(hidden).argmax(dim=-1)
        right[name] = (found == ids)[chosen].float().mean()
        for n in range(2):
            print(*(words[i] for i in changed[n]), "<-", *(words[i] for i in found[n][chosen[n]]))
    print(f"words right beside the translation: {right['pairs']:.0%}; alone: {right['alone']:.0%}")
