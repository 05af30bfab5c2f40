"""Attention on one page: the function, the masks, one head, many heads, and cross-attention.

Vaswani et al. 2017, section 3.2. `python attention.py` shows what a causal mask does, trains one
layer to look names up in small phone books, and prints where it looks.
B batch, T query length, S key length, H heads, D model width, K = D / H head width (d_k in papers)
"""

import math

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


def attention(q, k, v, mask=None):
    """softmax(Q Kᵀ / √d_k) V, equation 1: look things up, softly.

    Each query q (..., T, K) is compared with every key k (..., S, K) and gets a weighted mean of
    the values v (..., S, K): most from the keys that fit best. mask (..., T, S): True = may look;
    each query needs at least one such key. Returns what each query got, (..., T, K), and the
    weights (..., T, S). F.scaled_dot_product_attention gives the first of the two, faster.
    """
    # A dot product sums d_k terms, so it spreads like √d_k. Large scores would make the softmax
    # nearly all-or-nothing, where its gradient vanishes; dividing keeps their spread near 1.
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # exp(-inf) = 0: no weight at all
    weights = scores.softmax(dim=-1)  # (..., T, S), each row sums to 1
    return weights @ v, weights


def causal_mask(length, device=None):
    """Return the mask (T, T) of a text: each token sees itself and those before it, none later."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths, n_keys):
    """Return the mask (B, 1, 1, S) that hides the padding after the first lengths[b] keys.

    The two axes of size 1 say: the same for all heads and all queries.
    """
    lengths = torch.as_tensor(lengths)  # (B,)
    real = torch.arange(n_keys, device=lengths.device) < lengths[:, None]  # (B, S)
    return rearrange(real, "B S -> B 1 1 S")


class Head(nn.Module):
    """One head: what am I looking for, what do I offer, what do I hand over? Three linear maps.

    x (B, T, D) -> (B, T, K). The positions look at each other, so all three read x.
    """

    def __init__(self, d_model, d_head):
        super().__init__()
        self.query = nn.Linear(d_model, d_head)
        self.key = nn.Linear(d_model, d_head)
        self.value = nn.Linear(d_model, d_head)

    def forward(self, x, mask=None):
        mixed, _ = attention(self.query(x), self.key(x), self.value(x), mask)
        return mixed


class MultiHeadAttention(nn.Module):
    """H heads at once, so that a position can look at several things: x (B, T, D) -> (B, T, D).

    With a context (B, S, D), queries come from x, keys and values from the context: this is
    cross-attention. Without one, x looks at itself.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        assert d_model % n_heads == 0, "the heads share the width evenly"
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)  # the three maps of a Head, for all H of them
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found

    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        w_q, w_k, w_v = self.qkv.weight.chunk(3)  # (D, D) each: cut apart, as two inputs are read
        b_q, b_k, b_v = self.qkv.bias.chunk(3)  # (D,) each
        q = rearrange(F.linear(x, w_q, b_q), "B T (H K) -> B H T K", H=self.n_heads)
        k = rearrange(F.linear(context, w_k, b_k), "B S (H K) -> B H S K", H=self.n_heads)
        v = rearrange(F.linear(context, w_v, b_v), "B S (H K) -> B H S K", H=self.n_heads)
        mixed, weights = attention(q, k, v, mask)  # (B, H, T, K), (B, H, T, S)
        self.weights = weights.detach()  # to look at
        return self.output(rearrange(mixed, "B H T K -> B T (H K)"))


class PhoneBook(nn.Module):
    """Which number belongs to this name? The name asks, the lines of the book answer."""

    def __init__(self, n_names, d_model=32, n_heads=2):
        super().__init__()
        self.name = nn.Embedding(n_names, d_model)
        self.number = nn.Embedding(10, d_model)
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.answer = nn.Linear(d_model, 10)

    def forward(self, asked, names, numbers, lengths):
        x = self.name(asked)[:, None]  # (B, 1, D): one query
        book = self.name(names) + self.number(numbers)  # (B, S, D): a line is a name and a number
        x = self.attention(x, book, padding_mask(lengths, names.size(1)))
        return self.answer(x[:, 0])  # (B, 10)


def make_questions(n, n_names, told=True):
    """Return n questions (asked, names, numbers, lengths) for a PhoneBook, and their answers."""
    names = torch.rand(n, n_names).argsort(dim=1)[:, :8]  # (B, S): 8 lines, no name twice
    numbers, lengths = torch.randint(10, (n, 8)), torch.randint(4, 9, (n,))  # 4 to 8 lines count
    line = (torch.rand(n, 1) * lengths[:, None]).long()  # (B, 1): where the answer is
    asked, answers = names.gather(1, line)[:, 0], numbers.gather(1, line)[:, 0]  # (B,)
    if not told:
        asked = torch.randint(n_names, (n,))  # any name: the question says nothing
    return (asked, names, numbers, lengths), answers


def train(n_names, told):
    """Return a trained PhoneBook and its share of right answers to 1000 new questions."""
    model = PhoneBook(n_names)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(400):
        questions, answers = make_questions(128, n_names, told)
        loss = F.cross_entropy(model(*questions), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    questions, answers = make_questions(1000, n_names, told)
    return model, (model(*questions).argmax(dim=-1) == answers).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    head, x = Head(d_model=8, d_head=4), torch.randn(2, 5, 8)
    x[1, :4] = x[0, :4]  # two texts of five tokens that differ in the last one only
    for name, mask in (("without a mask", None), ("with a causal mask", causal_mask(5))):
        changed = head(x, mask).diff(dim=0).abs().amax(dim=-1) > 1e-6  # (1, T)
        print(f"{name}, which tokens notice that the last one changed? {changed[0].tolist()}")
    people = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ian", "Joy", "Kim", "Leo"]
    _, control = train(len(people), told=False)
    model, right = train(len(people), told=True)
    (asked, names, numbers, lengths), _ = make_questions(1, len(people))
    print(f"\nWhat is {people[asked]}'s number? Where both heads look:\n")
    answer = model(asked, names, numbers, lengths).argmax().item()
    first, second = (model.attention.weights[0, :, 0] * 20).round().int().tolist()  # (S,) each
    for n in range(8):
        looks = f"{'#' * first[n]:20}  {'#' * second[n]:20}" if n < lengths[0] else "(padding)"
        print(f"  {people[names[0, n]]:5} {numbers[0, n]}  {looks}")
    print(f"\nanswer: {answer}\nright answers: {right:.0%}; when not told the name: {control:.0%}")
