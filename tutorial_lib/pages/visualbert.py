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

CLS, SEP, MASK, LEFT, RIGHT, OF, ZERO = range(7)  # the words: "left", ..., "zero", ..., "nine"


class SelfAttention(nn.Module):
    """BERT's, unchanged: here words look at words and regions, and regions look at both."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)  # queries, keys and values in one product
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found

    def forward(self, x, mask):
        q, k, v = rearrange(self.qkv(x), "B S (qkv H K) -> qkv B H S K", qkv=3, H=self.n_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, S, S), S = T + R
        scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)  # False: padding
        return self.output(rearrange(scores.softmax(dim=-1) @ v, "B H S K -> B S (H K)"))


class Block(nn.Module):
    """BERT's, unchanged: two steps, each LayerNorm(x + step(x))."""

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
    """ids (B, T), regions (B, R, F), mask (B, T + R) -> hidden states (B, T + R, D)."""

    def __init__(self, vocab_size, context, d_region, d_model, n_layers, n_heads):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.segment_embedding = nn.Embedding(2, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.embedding_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.visual_projection = nn.Linear(d_region, d_model)  # these three are new
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
                nn.init.zeros_(weight)  # regions begin with what texts know:
        self.visual_segment_embedding.weight.data.copy_(self.segment_embedding.weight)
        self.visual_position_embedding.weight.data.copy_(self.position_embedding.weight)

    def forward(self, ids, regions, mask):
        x = self.token_embedding(ids) + self.segment_embedding.weight[0]  # (B, T, D)
        x = x + self.position_embedding.weight[: ids.size(1)]
        seen = self.visual_projection(regions) + self.visual_segment_embedding.weight[1]
        seen = seen + self.visual_position_embedding.weight[0]  # the same: regions have no order
        x = self.embedding_norm(torch.cat([x, seen], dim=1))  # one row, (B, T + R, D)
        for block in self.blocks:
            x = block(x, mask)
        return x

    def mlm_logits(self, hidden):  # which word stood here? (..., D) -> (..., V)
        return self.mlm_head(hidden) @ self.token_embedding.weight.T + self.mlm_head.bias

    def match_logits(self, hidden):  # is it true of this picture? yes, no: (B, S, D) -> (B, 2)
        return self.match_head(self.pooler(hidden[:, 0]).tanh())  # read from [CLS] alone


def draw(pixels, labels, n):
    """Sentences (n, 6); pictures (n, 3, 65): digits, and where they lie; mask (n, 9), true (n,)."""
    kinds = torch.rand(n, 10).argsort(dim=1)  # the first three are seen; for each of them a row:
    rows = (torch.rand(n, 3, len(labels)) * (labels == kinds[:, :3, None])).argmax(dim=-1)
    places = 2 * torch.rand(n, 3) - 1
    regions = torch.cat([pixels[rows], places[..., None]], dim=-1)  # (n, 3, 65)
    mask = torch.ones(n, 9, dtype=torch.bool)  # 6 words and 3 regions
    mask[:, 8] = torch.rand(n) < 0.5  # half of the pictures have only two digits
    true = torch.rand(n) < 0.5
    ids = torch.tensor([CLS, MASK, MASK, OF, MASK, SEP]).repeat(n, 1)  # such as "seven left of two"
    ids[:, [1, 4]] = torch.where(true[:, None], kinds[:, :2], kinds[:, [0, 3]]) + ZERO
    ids[:, 2] = torch.where(places[:, 0] < places[:, 1], LEFT, RIGHT)
    return ids, regions, mask, true


def hide(ids):
    """Hide the first digit, the side or the second digit of each sentence: both (B, T)."""
    chosen = torch.arange(6) == torch.tensor([1, 2, 4])[torch.randint(3, (len(ids), 1))]
    return ids.masked_fill(chosen, MASK), chosen


def pretraining_loss(model, ids, regions, mask, true):
    """Which words are hidden in the true sentences, and which of all sentences are true?"""
    changed, chosen = hide(ids)
    words = model(changed[true], regions[true], mask[true])[:, :6][chosen[true]]  # (N, D)
    match = F.cross_entropy(model.match_logits(model(ids, regions, mask)), (~true).long())
    return F.cross_entropy(model.mlm_logits(words), ids[true][chosen[true]]) + match


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = (Path(__file__).parent / "data/digits.txt").read_text("utf-8").splitlines()
    labels = torch.tensor([int(line[0]) for line in lines])  # (1797,); the last 397 are held out
    pixels = torch.tensor([[int(digit, 17) / 8 - 1 for digit in line[2:]] for line in lines])
    model = VisualBERT(ZERO + 10, context=8, d_region=65, d_model=64, n_layers=3, n_heads=4)
    for weight in model.parameters():
        if weight.dim() == 2:  # so narrow a model wants larger weights
            nn.init.normal_(weight, std=weight.size(1) ** -0.5)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    for step in range(1, 1401):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 140, 1 - step / 1401)  # up, then down
        loss = pretraining_loss(model, *draw(pixels[:1400], labels[:1400], 32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 140 == 0:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)
    ids, regions, mask, true = draw(pixels[1400:], labels[1400:], 1000)
    changed, chosen = hide(ids)
    asked = chosen & true[:, None]
    for picture, seen in (("with", regions), ("without", 0 * regions)):
        words = model(changed, seen, mask)[:, :6][asked]  # (N, D)
        right = (model.mlm_logits(words).argmax(dim=-1) == ids[asked]).float().mean()
        said_true = model.match_logits(model(ids, seen, mask)).argmax(dim=-1) == 0
        told = (said_true == true).float().mean()
        print(f"{picture} the picture, words right: {right:.0%}; true or false: {told:.0%}")
