"""VisualBERT on one page: a BERT that reads the regions of a picture behind the words of a text.

Li et al. 2019. `python visualbert.py` looks at handwritten digits in a row, and reads "seven left
of three", for about a minute: which word is hidden, and is the sentence true of this picture?
B batch, T words, R regions, F width of a region, H heads, D model width, K = D / H (d_k), V words
"""

import math
from collections import OrderedDict
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

WORDS = ["[CLS]", "[SEP]", "____", "left", "right", "of"]  # the ten digits follow
WORDS += ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
CLS, SEP, MASK, LEFT, RIGHT, OF, ZERO = range(7)


class SelfAttention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V, H times: words look at words and regions, regions at both."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)  # queries, keys and values in one product
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found

    def forward(self, x, mask):
        q, k, v = rearrange(self.qkv(x), "B S (qkv H K) -> qkv B H S K", qkv=3, H=self.n_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, S, S), S = T + R
        if mask is not None:  # (B, S), True = a real word or region
            scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
        return self.output(rearrange(scores.softmax(dim=-1) @ v, "B H S K -> B S (H K)"))


class Block(nn.Module):
    """BERT's layer, unchanged: two steps, each LayerNorm(x + step(x))."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.attention_norm = nn.LayerNorm(d_model, eps=1e-12)
        hidden, output = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.feed_forward = nn.Sequential(OrderedDict(hidden=hidden, gelu=nn.GELU(), output=output))
        self.feed_forward_norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, mask))
        return self.feed_forward_norm(x + self.feed_forward(x))


class VisualBERT(nn.Module):
    """ids, segments (B, T), regions (B, R, F), mask (B, T + R) -> hidden states (B, T + R, D)."""

    def __init__(self, vocab_size, context, d_region, d_model, n_layers, n_heads):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.segment_embedding = nn.Embedding(2, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.embedding_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.visual_projection = nn.Linear(d_region, d_model)  # new: these three lines,
        self.visual_segment_embedding = nn.Embedding(2, d_model)
        self.visual_position_embedding = nn.Embedding(context, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_heads) for _ in range(n_layers))
        self.pooler = nn.Linear(d_model, d_model)
        layer, norm = nn.Linear(d_model, d_model), nn.LayerNorm(d_model, eps=1e-12)
        self.mlm_head = nn.Sequential(OrderedDict(transform=layer, gelu=nn.GELU(), norm=norm))
        self.mlm_head.bias = nn.Parameter(torch.zeros(vocab_size))
        self.match_head = nn.Linear(d_model, 2)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)
        self.visual_segment_embedding.weight.data.copy_(self.segment_embedding.weight)
        self.visual_position_embedding.weight.data.copy_(self.position_embedding.weight)

    def forward(self, ids, regions, segments=None, mask=None):
        segments = torch.zeros_like(ids) if segments is None else segments
        x = self.token_embedding(ids) + self.segment_embedding(segments)  # (B, T, D)
        x = x + self.position_embedding.weight[: ids.size(1)]
        seen = self.visual_projection(regions) + self.visual_segment_embedding.weight[1]
        seen = seen + self.visual_position_embedding.weight[0]  # the same: regions have no order
        x = self.embedding_norm(torch.cat([x, seen], dim=1))  # new: one row, (B, T + R, D)
        for block in self.blocks:
            x = block(x, mask)
        return x

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias

    def match_logits(self, hidden):  # is it true of this picture? yes, no: (B, S, D) -> (B, 2)
        return self.match_head(self.pooler(hidden[:, 0]).tanh())  # read from [CLS] alone


def draw(pixels, labels, n):
    """Return n pictures and what is said of them: ids (n, 6), regions (n, 3, 65), mask, true (n,).

    A region is a digit's 64 pixels and where it lies, from 0 (left) to 1. Half of the sentences are
    true of their picture, in the others the two digits have changed places.
    """
    order = torch.rand(n, len(labels)).argsort(dim=1)  # digits of three different kinds a picture:
    kinds = torch.rand(n, 10).argsort(dim=1)[:, :3]  # (n, 3)
    rows = (labels[order][:, None] == kinds[..., None]).int().argmax(dim=-1)  # the first of each
    rows = order.gather(1, rows)  # (n, 3)
    places = torch.rand(n, 3)
    regions = torch.cat([pixels[rows], places[..., None]], dim=-1)  # (n, 3, 65)
    mask = torch.ones(n, 9, dtype=torch.bool)
    mask[:, 8] = torch.rand(n) < 0.5  # half of the pictures have only two digits
    first, second = ZERO + kinds[:, 0], ZERO + kinds[:, 1]
    relation = torch.where(places[:, 0] < places[:, 1], LEFT, RIGHT)
    true = torch.rand(n) < 0.5
    first, second = torch.where(true, first, second), torch.where(true, second, first)
    fixed = [torch.full((n,), word) for word in (CLS, OF, SEP)]
    return torch.stack([fixed[0], first, relation, *fixed[1:2], second, fixed[2]], 1), regions, mask, true


def pretraining_loss(model, ids, regions, mask, true):
    """One word of each true sentence is hidden and asked for; of all sentences: are they true?"""
    hidden = model(ids, regions, mask=mask)
    matching = F.cross_entropy(model.match_logits(hidden), (~true).long())
    changed, asked = hide(ids)
    hidden = model(changed, regions, mask=mask)[:, : ids.size(1)]  # (B, T, D)
    return matching + F.cross_entropy(model.mlm_logits(hidden[asked & true[:, None]]), ids[asked & true[:, None]])


def hide(ids):
    """Hide the first digit, the relation or the second digit of each sentence: all (B, T)."""
    at = torch.tensor([1, 2, 4])[torch.randint(3, (len(ids), 1))]
    asked = torch.arange(ids.size(1)) == at  # (B, T)
    return ids.masked_fill(asked, MASK), asked


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = (Path(__file__).parent / "data/digits.txt").read_text("utf-8").splitlines()
    labels = torch.tensor([int(line[0]) for line in lines])  # (1797,)
    pixels = torch.tensor([[int(digit, 17) / 16 for digit in line[2:]] for line in lines])
    model = VisualBERT(len(WORDS), context=8, d_region=65, d_model=64, n_layers=3, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    import time; t=time.time()
    STEPS=2000
    for step in range(1, STEPS+1):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 200, 1 - step / (STEPS+1))  # up, then down
        loss = pretraining_loss(model, *draw(pixels[:1400], labels[:1400], 32))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(f"step {step}: loss {loss.item():.2f} {time.time()-t:.1f}", flush=True)
    with torch.no_grad():
        ids, regions, mask, true = draw(pixels[1400:], labels[1400:], 1000)
        changed, asked = hide(ids)
        blank = torch.zeros_like(regions)
        for name,r in (("with",regions),("blank",blank)):
            found = model(changed, r, mask=mask)[:, :6]
            right=(model.mlm_logits(found).argmax(-1)==ids)
            dig=asked&(ids>=ZERO)&true[:,None]; rel=asked&(ids<ZERO)&true[:,None]
            m=(model.match_logits(model(ids,r,mask=mask)).argmax(-1)==0)==true
            print(name, right[dig].float().mean(), right[rel].float().mean(), m.float().mean())
