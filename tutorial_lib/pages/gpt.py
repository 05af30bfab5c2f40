"""GPT on one page: layers that only look back, and can therefore continue a text.

Radford et al. 2018, 2019 (the details are GPT-2's). `python gpt.py [text file]` trains a small one
on three plays, character by character, for about a minute, and lets it write.
B batch, T query length, S key length, H heads, D model width, K = D / H (d_k), V vocabulary
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


def attention(q, k, v, mask, dropout):
    """softmax(Q Kᵀ / √d_k) V: a mean of values, weighted by how well their keys fit the query."""
    # F.scaled_dot_product_attention takes the same arguments and does all this faster.
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S), spread near 1
    scores = scores.masked_fill(~mask, -math.inf)  # exp(-inf) = 0: no weight where mask is False
    weights = scores.softmax(dim=-1)  # (B, H, T, S), each row sums to 1
    return F.dropout(weights, dropout) @ v  # (B, H, T, K)


class CausalSelfAttention(nn.Module):
    """H heads side by side, none of which looks ahead: (B, T, D) -> (B, T, D)."""

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.n_heads, self.dropout = n_heads, dropout
        self.qkv = nn.Linear(d_model, 3 * d_model)  # queries, keys and values in one product
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found

    def forward(self, x, cache=None):
        q, k, v = rearrange(self.qkv(x), "B T (qkv H K) -> qkv B H T K", qkv=3, H=self.n_heads)
        if cache is not None:  # x has only the new tokens; earlier keys and values are still valid
            cache.append((k, v))
            k, v = (torch.cat(parts, dim=2) for parts in zip(*cache, strict=True))  # (B, H, S, K)
        T, S = q.size(2), k.size(2)  # without a cache, T = S
        mask = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)  # none later
        heads = attention(q, k, v, mask, self.dropout if self.training else 0.0)
        return self.output(rearrange(heads, "B H T K -> B T (H K)"))  # (B, T, D)


class FeedForward(nn.Module):
    """Each position works on what it gathered, on its own: (B, T, D) -> (B, T, D)."""

    def __init__(self, d_model):
        super().__init__()
        self.hidden = nn.Linear(d_model, 4 * d_model)
        self.output = nn.Linear(4 * d_model, d_model)

    def forward(self, x):  # (B, T, 4 D) in between; tanh: GPT-2's approximation of GELU
        return self.output(F.gelu(self.hidden(x), approximate="tanh"))


class Block(nn.Module):
    """Attention, then feed-forward; each reads a normalised x and adds its result to x itself."""

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model)
        self.attention = CausalSelfAttention(d_model, n_heads, dropout)
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, cache=None):
        x = x + self.dropout(self.attention(self.attention_norm(x), cache))
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class GPT(nn.Module):
    """ids (B, T) -> logits (B, T, V): at each position, a score for every token as the next one."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads, dropout=0.0):
        super().__init__()
        self.context = context
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        self.final_norm = nn.LayerNorm(d_model)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:  # each block adds two outputs to x: more blocks, smaller ones
                n_added = 2 * n_layers if name.endswith("output.weight") else 1
                nn.init.normal_(weight, std=0.02 / math.sqrt(n_added))
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, cache=None):
        start = sum(keys.size(2) for keys, _ in cache[0]) if cache else 0  # tokens read before
        assert start + ids.size(1) <= self.context, "the text is longer than the context"
        positions = torch.arange(start, start + ids.size(1), device=ids.device)  # (T,)
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(positions))
        for n, block in enumerate(self.blocks):
            x = block(x, cache[n] if cache else None)  # (B, T, D)
        return self.final_norm(x) @ self.token_embedding.weight.T  # (B, T, V): one table, twice


def next_token_loss(model, ids):
    """Mean of -log p(next token) in nats; ids (B, T + 1) give T positions and their T targets."""
    return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])  # (B, V, T), (B, T)


@torch.no_grad()
def generate(model, ids, n_tokens, temperature=1.0, top_k=None):
    """Return ids (B, T) and n_tokens more, each drawn from what the model expects next."""
    was_training = model.training
    model.eval()  # no dropout
    for n in range(n_tokens):
        if n == 0 or ids.size(1) > model.context:  # the window moves, so all positions change:
            cache, unread = [[] for _ in model.blocks], ids[:, -model.context :]  # read it anew
        logits = model(unread, cache)[:, -1] / temperature  # (B, V); below 1 favours the likely
        if top_k is not None:
            lowest = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]  # (B, 1)
            logits = logits.masked_fill(logits < lowest, -math.inf)
        unread = torch.multinomial(logits.softmax(dim=-1), num_samples=1)  # (B, 1)
        ids = torch.cat([ids, unread], dim=1)
    model.train(was_training)
    return ids


if __name__ == "__main__":
    torch.manual_seed(0)
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data/shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text])
    train, held_out = ids[: -len(ids) // 10], ids[-len(ids) // 10 :]
    pairs = torch.ones(len(characters), len(characters))  # the baseline: which one follows which?
    pairs.index_put_((train[:-1], train[1:]), torch.tensor(1.0), accumulate=True)
    baseline = -(pairs / pairs.sum(1, keepdim=True)).log()[held_out[:-1], held_out[1:]].mean()
    model = GPT(len(characters), context=64, d_model=96, n_layers=3, n_heads=4)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(1, 601):
        optimizer.param_groups[0]["lr"] = 4e-3 * min(step / 60, 1 - step / 601)  # up, then down
        starts = torch.randint(len(train) - 64, (16, 1))
        loss = next_token_loss(model, train[starts + torch.arange(65)])  # windows (B, T + 1)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)
    loss = next_token_loss(model.eval().requires_grad_(False), held_out.unfold(0, 65, 64))
    print(f"held-out: {loss:.2f} nats per character; a table of character pairs: {baseline:.2f}\n")
    print("".join(characters[i] for i in generate(model, ids[None, :1], 500, 0.8, top_k=20)[0]))
