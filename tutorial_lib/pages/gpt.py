"""GPT on one page: layers that only look back, and can therefore continue a text.

Radford et al. 2018, 2019 (the details are GPT-2's). `python gpt.py [text file]` trains a small one
on three plays, letter by letter, for about a minute, and lets it write.
B batch, T query length, S key length, H heads, D model width, K = D / H head width, V vocabulary
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


class CausalSelfAttention(nn.Module):
    """softmax(Q Kᵀ / √K) V in H heads side by side, none looking ahead: (B, T, D) -> (B, T, D).

    Each position takes a mean of earlier values, weighted by how well its query fits their keys.
    A sum of K products spreads like √K: divided by that, the softmax starts out soft.
    """

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)  # queries, keys and values in one product
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, cache=None):
        q, k, v = rearrange(self.qkv(x), "B T (qkv H K) -> qkv B H T K", qkv=3, H=self.n_heads)
        if cache is not None:  # x is new: what was read before, no later token can change
            cache.append((k, v))
            k = torch.cat([keys for keys, _ in cache], dim=2)  # (B, H, S, K)
            v = torch.cat([values for _, values in cache], dim=2)  # (B, H, S, K)
        T, S, K = q.size(2), k.size(2), k.size(3)  # without a cache, T = S
        scores = q @ k.transpose(-2, -1) / math.sqrt(K)  # (B, H, T, S)
        later = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(S - T + 1)
        scores = scores.masked_fill(later, -math.inf)  # exp(-inf) = 0: no weight on later keys
        weights = self.dropout(scores.softmax(dim=-1))  # (B, H, T, S), each row sums to 1
        heads = weights @ v  # (B, H, T, K); F.scaled_dot_product_attention does all this faster
        return self.output(rearrange(heads, "B H T K -> B T (H K)"))  # (B, T, D)


class FeedForward(nn.Module):
    """What each position makes, on its own, of what it gathered: (B, T, D) -> (B, T, D)."""

    def __init__(self, d_model):
        super().__init__()
        self.hidden = nn.Linear(d_model, 4 * d_model)
        self.output = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.output(F.gelu(self.hidden(x), approximate="tanh"))  # (B, T, 4 D) in between


class Layer(nn.Module):
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
        self.blocks = nn.ModuleList(Layer(d_model, n_heads, dropout) for _ in range(n_layers))
        self.final_norm = nn.LayerNorm(d_model)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:  # 2 L outputs are added to x: smaller, they keep x in bounds
                added = name.endswith("output.weight")
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * n_layers if added else 1))
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids, cache=None):
        start = sum(keys.size(2) for keys, _ in cache[0]) if cache else 0  # tokens read before
        positions = torch.arange(start, start + ids.size(1), device=ids.device)  # (T,)
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(positions))
        for n, block in enumerate(self.blocks):
            x = block(x, cache[n] if cache else None)  # (B, T, D)
        return self.final_norm(x) @ self.token_embedding.weight.T  # (B, T, V): one table, twice


def next_token_loss(model, ids):
    """Mean of -log p(next token) in nats; ids (B, T + 1) give T positions and their T targets."""
    logits = model(ids[:, :-1])  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def generate(model, ids, n_tokens, temperature=1.0, top_k=None):
    """Return ids (B, T) and n_tokens more, each drawn from what the model expects next."""
    model.eval()  # no dropout
    for n in range(n_tokens):
        if n == 0 or ids.size(1) > model.context:  # the window moves, all positions change
            cache, unread = [[] for _ in model.blocks], ids[:, -model.context :]  # a list a layer
        logits = model(unread, cache)[:, -1] / temperature  # (B, V); below 1, likely gets likelier
        if top_k is not None:
            logits = logits.masked_fill(logits < logits.topk(top_k).values[:, -1:], -math.inf)
        unread = torch.multinomial(logits.softmax(dim=-1), num_samples=1)  # (B, 1)
        ids = torch.cat([ids, unread], dim=1)
    return ids


if __name__ == "__main__":
    torch.manual_seed(0)
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data/shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(letter) for letter in text])
    train, held_out = ids[: -len(ids) // 10], ids[-len(ids) // 10 :]
    pairs = torch.ones(len(letters), len(letters))  # the baseline: how often which letter follows
    pairs.index_put_((train[:-1], train[1:]), torch.tensor(1.0), accumulate=True)
    baseline = -(pairs / pairs.sum(1, keepdim=True)).log()[held_out[:-1], held_out[1:]].mean()
    model = GPT(len(letters), context=64, d_model=96, n_layers=3, n_heads=4)
    groups = [{"params": [w], "weight_decay": 0.1 * (w.dim() > 1)} for w in model.parameters()]
    optimizer = torch.optim.AdamW(groups)  # matrices decay; biases and norms do not
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=600, pct_start=0.1)
    for step in range(1, 601):
        starts = torch.randint(len(train) - 64, (16, 1))
        loss = next_token_loss(model, train[starts + torch.arange(65)])  # windows (B, T + 1)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        rate.step()  # up in 60 steps, then down
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        loss = next_token_loss(model.eval(), held_out.unfold(0, 65, 64))
    print(f"held-out text: {loss:.2f} nats a letter; a table of letter pairs: {baseline:.2f}\n")
    print("".join(letters[i] for i in generate(model, ids[None, :1], 500, 0.8, top_k=20)[0]))
