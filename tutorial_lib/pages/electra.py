"""ELECTRA on one page: a small BERT fills gaps, a larger one learns to see which words it put in.

Clark et al. 2020. `python electra.py` reads numbers in English and German words for about a
minute: which words were replaced? Every word teaches, not only the hidden ones.
B batch, T length, H heads, D model width, K = D / H (d_k), E token vectors' width, V vocabulary
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


class Encoder(nn.Module):
    """ids, segments (0 first sentence, 1 second), mask: (B, T) each -> hidden states (B, T, D)."""

    def __init__(self, vocab_size, context, width, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, width)
        self.segment_embedding = nn.Embedding(2, width)
        self.position_embedding = nn.Embedding(context, width)
        self.embedding_norm = nn.LayerNorm(width, eps=1e-12)
        self.widen = nn.Linear(width, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        self.build_head(vocab_size, width, d_model)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=weight.size(1) ** -0.5)  # 0.02 suits a wide one
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, segments=None, mask=None):
        segments = torch.zeros_like(ids) if segments is None else segments
        x = self.token_embedding(ids) + self.segment_embedding(segments)  # (B, T, E)
        x = x + self.position_embedding.weight[: ids.size(1)]  # (T, E), the same for all texts
        x = self.widen(self.dropout(self.embedding_norm(x)))  # (B, T, D)
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return x


class Generator(Encoder):
    """Fills gaps, as a BERT does; thrown away after the training."""

    def build_head(self, vocab_size, width, d_model):
        layer, norm = nn.Linear(d_model, width), nn.LayerNorm(width, eps=1e-12)
        self.mlm_head = nn.Sequential(OrderedDict(transform=layer, gelu=nn.GELU(), norm=norm))
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias


class Discriminator(Encoder):
    """Says of each word whether it was replaced; this one is kept and fine-tuned."""

    def build_head(self, vocab_size, width, d_model):
        head = OrderedDict(transform=nn.Linear(d_model, d_model), gelu=nn.GELU())
        head["output"] = nn.Linear(d_model, 1)
        self.replaced_head = nn.Sequential(head)

    def replaced_logits(self, hidden):  # above 0: replaced. (B, T, D) -> (B, T)
        return self.replaced_head(hidden).squeeze(-1)


def electra_loss(generator, discriminator, ids, share=0.15, weight=50.0):
    """Both losses of one batch (B, T), and the words after the replacement, and which are new."""
    real = ids != PAD
    chosen = torch.rand(ids.shape).masked_fill(ids < FIRST_WORD, 1.0) < share
    gaps = ids.masked_fill(chosen, MASK)
    logits = generator.mlm_logits(generator(gaps, mask=real)[chosen])  # (N, V)
    with torch.no_grad():  # a draw has no gradient: the generator does not learn to deceive
        changed = ids.masked_scatter(chosen, torch.multinomial(logits.softmax(dim=-1), 1))
    replaced = changed != ids  # a word drawn as it was is no replacement
    said = discriminator.replaced_logits(discriminator(changed, mask=real))  # (B, T)
    judged = F.binary_cross_entropy_with_logits(said[real], replaced[real].float())
    return F.cross_entropy(logits, ids[chosen]) + weight * judged, changed, replaced


if __name__ == "__main__":
    torch.manual_seed(0)
    text = (Path(__file__).parent / "data/numbers_en_de.txt").read_text(encoding="utf-8")
    text = re.sub("hundert|tausend|(?<!h)und|-|\t", r" \g<0> ", text).replace("\t", "[SEP]")
    rows = [line.split() for line in text.splitlines()]  # English [SEP] German, word by word
    words = ["", "[CLS]", "[SEP]", "____", *sorted({w for row in rows for w in row} - {"[SEP]"})]
    rows = [torch.tensor([CLS, *map(words.index, row), SEP]) for row in rows]
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)  # (3000, T); the last 300: held out
    sizes = {"vocab_size": len(words), "context": ids.size(1), "width": 64, "n_layers": 2}
    generator = Generator(d_model=16, n_heads=1, **sizes)
    discriminator = Discriminator(d_model=64, n_heads=4, **sizes)
    generator.token_embedding = discriminator.token_embedding  # one table for both
    both = nn.ModuleList([generator, discriminator])
    optimizer = torch.optim.AdamW(both.parameters(), weight_decay=0.01)
    for step in range(1, 1001):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 200, 1 - step / 1001)  # up, then down
        loss, _, _ = electra_loss(generator, discriminator, ids[torch.randint(2700, (32,))])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(both.parameters(), 1.0)
        optimizer.step()
    ids = ids[2700:]
    _, changed, replaced = electra_loss(generator, discriminator, ids)
    found = discriminator.replaced_logits(discriminator(changed, mask=ids != PAD)) > 0
    print(*(words[i] for i in changed[0] if i), "<-", *(words[i] for i in changed[0][found[0]]))
    caught, wronged = found[replaced].float().mean(), found[~replaced & (ids != PAD)].float().mean()
    print(f"replaced words found: {caught:.0%}; others suspected: {wronged:.1%}")
