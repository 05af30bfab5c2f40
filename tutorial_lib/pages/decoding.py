"""Decoding on one page: from a model that scores the next token to a text.

The loop; greedy choice; temperature, top-k and top-p sampling; the loop with a cache; beam search.
They work with every model(ids (B, T)) -> logits (B, T, V) that reads up to model.context tokens.
`python decoding.py [text file]` trains a small one and writes in all these ways.
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn


@torch.no_grad()
def generate(model, ids, n_tokens, choose, stop=None):
    """The loop: score what may come next, choose one, append it, until each text has a `stop`."""
    start = ids.size(1)  # ids (B, T) grow by up to n_tokens
    for _ in range(n_tokens):
        logits = model(ids[:, -model.context :])[:, -1]  # (B, V): the last position's scores
        ids = torch.cat([ids, choose(logits)[:, None]], dim=1)
        if stop is not None and (ids[:, start:] == stop).any(dim=1).all():
            break
    return ids


def greedy(logits):
    """Choose the likeliest: (B, V) -> (B,). The text soon goes round in circles."""
    return logits.argmax(dim=-1)


def sample(logits):
    """Draw each token as often as the model expects it: (B, V) -> (B,)."""
    return torch.multinomial(logits.softmax(dim=-1), num_samples=1)[:, 0]


def temperature(logits, value):
    """Below 1 the likely becomes likelier, above 1 all become more alike."""
    assert value > 0  # 0 would be greedy
    return logits / value


def top_k(logits, k):
    """Rule out all but the k likeliest: the many unlikely ones add up to a lot of nonsense."""
    assert 0 < k <= logits.size(-1)
    return logits.masked_fill(logits < logits.topk(k).values[:, -1:], -math.inf)


def top_p(logits, p):
    """Keep the likeliest tokens that together hold probability p: few when the model is sure."""
    assert p > 0
    ordered, ids = logits.sort(dim=-1, descending=True, stable=True)  # (B, V)
    probability = ordered.softmax(dim=-1)
    before = probability.cumsum(dim=-1) - probability  # what the likelier ones hold already
    ordered = ordered.masked_fill(before >= p, -math.inf)  # the one that crosses p still counts
    return torch.empty_like(logits).scatter(-1, ids, ordered)  # back into the order of the ids


@torch.no_grad()
def generate_cached(model, ids, n_tokens, choose):
    """The same text for less work: the cache keeps the keys and values of tokens already read."""
    cache, unread = model.new_cache(), ids  # all of the text must fit the context
    for _ in range(n_tokens):
        unread = choose(model(unread, cache=cache)[:, -1])[:, None]  # (B, 1)
        ids = torch.cat([ids, unread], dim=1)
    return ids


@torch.no_grad()
def beam_search(model, text, n_tokens, beams=4, alpha=0.6, stop=None):
    """Follow the best few texts (lists of ids) at once; return (score, text) pairs, best first.

    A token that is not the likeliest may lead to a likelier text. log p only falls with length, so
    the score divides it by ((5 + length) / 6) ** alpha (Wu et al. 2016).
    """
    device = next(model.parameters()).device
    alive, finished = [(0.0, text)], []  # pairs: log p of what was added, the text with it
    for _ in range(n_tokens):
        texts = torch.tensor([ids for _, ids in alive], device=device)  # (beams, T)
        totals = torch.tensor([[total] for total, _ in alive], device=device)  # (beams, 1)
        totals = totals + model(texts)[:, -1].log_softmax(dim=-1)  # (beams, V): one token longer
        # Each beam can end with `stop` in one way only: among 2 * beams, at least `beams` do not.
        best, V = totals.flatten().topk(min(2 * beams, totals.numel())), totals.size(1)
        best = zip(best.values.tolist(), best.indices.tolist(), strict=True)
        longer = [(total, alive[n // V][1] + [n % V]) for total, n in best]  # n // V: which beam
        finished += [(total, ids) for total, ids in longer[:beams] if ids[-1] == stop]
        alive = [(total, ids) for total, ids in longer if ids[-1] != stop][:beams]
    scored = []
    for total, ids in finished + alive:  # those without `stop` compete as well
        scored.append((total / ((5 + len(ids) - len(text)) / 6) ** alpha, ids))
    return sorted(scored, key=lambda pair: pair[0], reverse=True)[:beams]


class CharacterModel(nn.Module):
    """A small model to write with: one layer of attention with one head (gpt.py has a real one)."""

    def __init__(self, vocab_size, context, d_model):
        super().__init__()
        self.context = context
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.hidden = nn.Linear(d_model, 4 * d_model)
        self.output = nn.Linear(4 * d_model, vocab_size)

    def new_cache(self):
        return []  # for the keys and values of what was read: no later token changes them

    def forward(self, ids, cache=None):
        cache = [] if cache is None else cache
        start = sum(keys.size(1) for keys, _ in cache)  # how many tokens were read before
        x = self.token_embedding(ids) + self.position_embedding.weight[start : start + ids.size(1)]
        q, k, v = self.qkv(x).chunk(3, dim=-1)  # (B, T, D) each
        cache.append((k, v))
        k, v = (torch.cat(parts, dim=1) for parts in zip(*cache, strict=True))  # (B, S, D) each
        mask = torch.ones(q.size(1), k.size(1), dtype=torch.bool, device=ids.device).tril(start)
        x = x + F.scaled_dot_product_attention(q, k, v, mask)  # mask (T, S), True = may look
        return self.output(self.hidden(x).relu())  # (B, T, V)


if __name__ == "__main__":
    torch.manual_seed(0)
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data/shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text])
    model = CharacterModel(len(characters), context=96, d_model=96)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(500):
        window = ids[torch.randint(len(ids) - 96, (16, 1)) + torch.arange(97)]  # (B, T + 1)
        loss = F.cross_entropy(model(window[:, :-1]).flatten(0, 1), window[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ways = {
        "greedy": greedy,
        "sampled": sample,
        "temperature 0.5": lambda logits: sample(temperature(logits, 0.5)),
        "top-k 5": lambda logits: sample(top_k(logits, 5)),
        "top-p 0.7": lambda logits: sample(top_p(logits, 0.7)),
    }
    texts = {way: generate_cached(model, ids[None, :9], 60, ways[way])[0] for way in ways}
    assert generate(model, ids[None, :9], 60, greedy)[0].equal(texts["greedy"])  # without a cache
    texts["a sampled line"] = generate(model, ids[None, :9], 60, sample, characters.index("\n"))[0]
    texts["beam search"] = torch.tensor(beam_search(model, ids[:9].tolist(), 60, beams=8)[0][1])
    for way, found in texts.items():
        log_p = -F.cross_entropy(model(found[None, :-1])[0, 8:], found[9:], reduction="sum").item()
        print(f"{way:16} log p {log_p:7.1f}  {''.join(characters[i] for i in found)!r}")
