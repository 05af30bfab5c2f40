import math
from collections import Counter, defaultdict
from itertools import product

import torch
import torch.nn.functional as F
from torch import einsum


# 2.1
def attend_right_1(query, keys, values):
    s = keys @ query
    e = (s - s.max()).exp()
    return (e / e.sum()) @ values


def attend_right_2(query, keys, values):
    top, total, out = -math.inf, 0.0, torch.zeros_like(values[0], dtype=torch.float64)
    for k, v in zip(keys.double(), values.double()):
        s = float(k @ query.double())
        new = max(top, s)
        shrink = math.exp(top - new)
        out = out * shrink + math.exp(s - new) * v
        total = total * shrink + math.exp(s - new)
        top = new
    return (out / total).to(values.dtype)


def attend_wrong_hard(query, keys, values):
    return values[(keys @ query).argmax()]


def attend_wrong_max_below_missing(query, keys, values):
    s = keys @ query
    e = torch.exp(s - s.max())
    return e @ values / torch.exp(s).sum()


def attend_wrong_two(query, keys, values):
    s = keys @ query / math.sqrt(len(query))
    e = s.exp()
    return (e / e.sum()) @ values


# 2.2
def attention_right_1(q, k, v):
    w = torch.softmax(einsum("...tk,...sk->...ts", q, k) * q.shape[-1] ** -0.5, -1)
    return einsum("...ts,...sd->...td", w, v), w


def attention_right_2(q, k, v):
    if q.dim() > 2:
        outs, ws = zip(*[attention_right_2(a, b, c) for a, b, c in zip(q, k, v)])
        return torch.stack(outs), torch.stack(ws)
    rows = []
    for t in range(q.shape[0]):
        s = torch.stack([q[t].dot(k[i]) for i in range(k.shape[0])]) / math.sqrt(k.shape[1])
        rows.append(F.softmax(s, dim=0))
    w = torch.stack(rows)
    return w.mm(v), w


def attention_wrong_scale_d(q, k, v):
    w = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(v.size(-1)), dim=-1)
    return w @ v, w


def attention_wrong_scale_after(q, k, v):
    w = F.softmax(q @ k.mT, dim=-1) / math.sqrt(k.size(-1))
    return w @ v, w


def attention_wrong_two(q, k, v):
    w = F.softmax(q @ k.mT, dim=-2)
    return w @ v, w


# 2.8
def sgrad_right_1(weights, grad_weights, width):
    m = (weights * grad_weights).sum(-1, keepdim=True)
    return weights * (grad_weights - m) / math.sqrt(width)


def sgrad_right_2(weights, grad_weights, width):
    out = []
    for p, g in zip(weights.double(), grad_weights.double()):
        jacobian = torch.diag(p) - torch.outer(p, p)
        out.append(jacobian @ g / width**0.5)
    return torch.stack(out).to(weights.dtype)


def sgrad_wrong_diagonal(weights, grad_weights, width):
    return grad_weights * weights * (1 - weights) / math.sqrt(width)


def sgrad_wrong_plain_mean(weights, grad_weights, width):
    return weights * (grad_weights - grad_weights.mean(-1, keepdim=True)) / math.sqrt(width)


def sgrad_wrong_two(weights, grad_weights, width):
    return weights * (grad_weights - (weights * grad_weights).sum()) * math.sqrt(width)


# 2.11
def hw_right_1(q, k):
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)


def hw_right_2(q, k):
    scores = einsum("tk,sk->ts", q * k.shape[1] ** -0.25, k * k.shape[1] ** -0.25)
    return torch.exp(scores - scores.logsumexp(1, keepdim=True))


def hw_wrong_norm(q, k):
    return (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).T).softmax(dim=-1)


def hw_wrong_size0(q, k):
    return (q @ k.T / math.sqrt(q.size(0))).softmax(dim=-1)


def hw_wrong_two(q, k):
    return (q @ k.T * math.sqrt(q.size(-1))).softmax(dim=0)


# 2.3
def cm_right_1(n):
    i = torch.arange(n)
    return i[:, None] >= i


def cm_right_2(n):
    m = torch.zeros(n, n, dtype=torch.bool)
    for t in range(n):
        for s in range(t + 1):
            m[t, s] = True
    return m


def cm_wrong_triu1(n):
    return torch.triu(torch.ones(n, n), diagonal=1).bool()


def cm_wrong_float(n):
    return torch.tril(torch.ones(n, n))


def cm_wrong_two(n):
    m = torch.zeros(n, n)
    for t in range(n):
        m[t, :t] = 1
    return m


# 2.4
def ma_right_1(q, k, v, mask):
    s = (q @ k.T) / q.size(-1) ** 0.5
    s = torch.where(mask, s, torch.tensor(float("-inf"), dtype=s.dtype))
    w = s.softmax(-1)
    return w @ v, w


def ma_right_2(q, k, v, mask):
    w = torch.zeros(q.shape[0], k.shape[0], dtype=q.dtype)
    for t in range(len(q)):
        seen = mask[t].nonzero().flatten()
        w[t, seen] = F.softmax(k[seen] @ q[t] / math.sqrt(k.shape[1]), dim=0)
    return w.matmul(v), w


def ma_wrong_add_bool(q, k, v, mask):
    s = q @ k.T / math.sqrt(q.shape[-1]) + mask.float()
    w = s.softmax(-1)
    return w @ v, w


def ma_wrong_tiny(q, k, v, mask):
    s = q @ k.T / math.sqrt(q.shape[-1])
    w = s.masked_fill(mask.logical_not(), 1e-9).softmax(-1)
    return w @ v, w


def ma_wrong_two(q, k, v, mask):
    s = (q @ k.T).masked_fill(mask, float("-inf"))
    w = s.softmax(-1)
    return w @ v, w


# 2.5
def mh_right_1(x, w_q, w_k, w_v, w_o, n_heads, mask):
    B, T, D = x.shape
    split = lambda y: y.view(B, T, n_heads, D // n_heads).transpose(1, 2)
    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out.transpose(1, 2).reshape(B, T, D) @ w_o


def mh_right_2(x, w_q, w_k, w_v, w_o, n_heads, mask):
    K = x.shape[-1] // n_heads
    total = 0
    for h in range(n_heads):
        c = slice(h * K, (h + 1) * K)
        q, k, v = x @ w_q[:, c], x @ w_k[:, c], x @ w_v[:, c]
        s = einsum("btk,bsk->bts", q, k) / math.sqrt(K)
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
        total = total + s.softmax(-1) @ v @ w_o[c]
    return total


def mh_wrong_scale_d(x, w_q, w_k, w_v, w_o, n_heads, mask):
    B, T, D = x.shape
    q, k, v = ((x @ w).view(B, T, n_heads, D // n_heads).transpose(1, 2) for w in (w_q, w_k, w_v))
    s = (q @ k.mT / math.sqrt(D)).masked_fill(~mask, -math.inf)
    return (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D) @ w_o


def mh_wrong_view_heads(x, w_q, w_k, w_v, w_o, n_heads, mask):
    B, T, D = x.shape
    q, k, v = ((x @ w).view(B, n_heads, T, D // n_heads) for w in (w_q, w_k, w_v))
    s = (q @ k.mT / math.sqrt(D // n_heads)).masked_fill(~mask, -math.inf)
    return (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D) @ w_o


def mh_wrong_two(x, w_q, w_k, w_v, w_o, n_heads, mask):
    B, T, D = x.shape
    q, k, v = ((x @ w).view(B, T, n_heads, D // n_heads).transpose(1, 2) for w in (w_q, w_k, w_v))
    s = q @ k.mT / math.sqrt(D // n_heads)
    w = s.softmax(-1) * mask
    return (w @ v).reshape(B, T, D) @ w_o


# 2.6
def pm_right_1(lengths, n_keys):
    return (torch.arange(n_keys) < lengths[:, None])[:, None, None, :]


def pm_right_2(lengths, n_keys):
    return torch.tensor(
        [[[[s < n for s in range(n_keys)]]] for n in lengths.tolist()], dtype=torch.bool
    )


def pm_wrong_inclusive(lengths, n_keys):
    return (torch.arange(n_keys)[None] <= lengths[:, None])[:, None, None]


def pm_wrong_padding_true(lengths, n_keys):
    m = torch.zeros(len(lengths), 1, 1, n_keys, dtype=torch.bool)
    for b, n in enumerate(lengths):
        m[b, ..., n:] = True
    return m


def pm_wrong_two(lengths, n_keys):
    m = torch.zeros(len(lengths), n_keys)
    for b, n in enumerate(lengths):
        m[b, :n] = 1
    return m


# The layer as a black box
def ahead_right_1(layer, x):
    base = layer(x)
    for last in range(len(x) - 1):
        for later in range(last + 1, len(x)):
            other = x.clone()
            other[later] += 1 + torch.rand(x.shape[1])
            if ((layer(other) - base)[last].abs() > 1e-3).any():
                return True
    return False


def ahead_right_2(layer, x):
    x = x.detach().clone().requires_grad_()
    for t, out in enumerate(layer(x)):
        for number in out.flatten():
            (slope,) = torch.autograd.grad(number, x, retain_graph=True)
            if slope[t + 1 :].abs().max(dim=0).values.sum() > 1e-5 if t + 1 < len(x) else False:
                return True
    return False


def ahead_wrong_shuffle(layer, x):
    order = torch.randperm(len(x))
    return not torch.allclose(layer(x[order]), layer(x)[order], atol=1e-4)


def ahead_wrong_prefix_of_two(layer, x):
    other = x.clone()
    other[2:] = 0
    return not torch.allclose(layer(other)[:2], layer(x)[:2], atol=1e-4)


def ahead_wrong_two(layer, x):
    other = x.clone()
    other[0] = 9
    return bool((layer(other) == layer(x)).all())


# The dictionary
def dictionary_right_1(pages):
    table = {}
    for german, english, m in pages:
        for t, g in enumerate(german):
            for s, e in enumerate(english):
                table[g, e] = table.get((g, e), 0) + float(m[t][s])
    best = {}
    for (g, e), weight in sorted(table.items(), key=lambda item: item[1]):
        best[g] = e
    return best


def dictionary_right_2(pages):
    words = {g for german, _, _ in pages for g in german}
    found = {}
    for word in words:
        sums = {}
        for german, english, m in pages:
            row = m[[t for t, g in enumerate(german) if g == word]].sum(0)
            for e in set(english):
                here = torch.tensor([e == other for other in english])
                sums[e] = sums.get(e, 0) + row[here].sum().item()
        found[word] = sorted(sums, key=lambda e: -sums[e])[0]
    return found


def dictionary_wrong_first_page(pages):
    found = {}
    for german, english, m in pages:
        for g, row in zip(german, m):
            found.setdefault(g, english[row.argmax()])
    return found


def dictionary_wrong_last_page(pages):
    return {g: english[row.argmax()] for german, english, m in pages for g, row in zip(german, m)}


def dictionary_wrong_columns(pages):
    found = {}
    for german, english, m in pages:
        for s, e in enumerate(english):
            found[e] = german[m[:, s].argmax()]
    return found


# A later reader's answers, all exercises in order.


# 2.2
def attend_later_right(query, keys, values):
    shares = torch.distributions.Categorical(logits=(keys * query).sum(dim=1)).probs
    return (shares[:, None] * values).sum(dim=0)


def attend_later_wrong_1(query, keys, values):
    e = torch.exp(keys @ query)
    return (e / e.sum()) @ values


def attend_later_wrong_2(query, keys, values):
    scores = keys @ query / keys.size(-1) ** 0.5
    return torch.softmax(scores, dim=0) @ values


# 2.4
def attention_later_right(q, k, v):
    scores = torch.einsum("...tk,...sk->...ts", q * q.shape[-1] ** -0.25, k * k.shape[-1] ** -0.25)
    weights = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
    return torch.einsum("...ts,...sd->...td", weights, v), weights


def attention_later_wrong_1(q, k, v):
    scores = q @ k.transpose(-2, -1) / v.size(-1) ** 0.5
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def attention_later_wrong_2(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    weights = scores.softmax(dim=-2)
    return weights @ v, weights


# 2.5
def head_weights_later_right(q, k):
    scores = torch.nn.functional.linear(q / q.shape[1] ** 0.5, k)
    return torch.softmax(scores, 1)


def head_weights_later_wrong_1(q, k):
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1)


def head_weights_later_wrong_2(q, k):
    return (q @ k.T / math.sqrt(q.size(0))).softmax(dim=-1)


# 2.6
def scores_gradient_later_right(weights, grad_weights, width):
    jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]  # (T, S, S)
    return torch.einsum("tij,ti->tj", jacobian, grad_weights) * width**-0.5


def scores_gradient_later_wrong_1(weights, grad_weights, width):
    return weights * (grad_weights - (grad_weights * weights).sum(-1, keepdim=True))


def scores_gradient_later_wrong_2(weights, grad_weights, width):
    return grad_weights * weights * (1 - weights) / width**0.5


# 2.7
def causal_mask_later_right(n):
    return torch.tensor([[s <= t for s in range(n)] for t in range(n)], dtype=torch.bool)


def causal_mask_later_wrong_1(n):
    return torch.ones(n, n, dtype=torch.bool).triu()


def causal_mask_later_wrong_2(n):
    i = torch.arange(n)
    return i[:, None] > i[None, :]


# 2.8
def masked_attention_later_right(q, k, v, mask):
    scores = torch.einsum("tk,sk->ts", q, k) / math.sqrt(k.shape[-1])
    scores = torch.where(mask, scores, torch.tensor(-math.inf, dtype=scores.dtype))
    weights = (scores - scores.logsumexp(dim=1, keepdim=True)).exp()
    return weights @ v, weights


def masked_attention_later_wrong_1(q, k, v, mask):
    scores = (q @ k.T / math.sqrt(q.size(-1))).masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def masked_attention_later_wrong_2(q, k, v, mask):
    scores = (q @ k.T / math.sqrt(q.size(-1))) * mask
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


# 2.9
def looks_ahead_later_right(layer, x):
    random = torch.Generator().manual_seed(7)
    before = layer(x).detach().clone()
    size = x.abs().max() + 1
    for cut in range(1, len(x)):  # fresh words from the cut on, three times
        for _ in range(3):
            other = x.clone()
            other[cut:] = size * torch.randn(x[cut:].shape, generator=random).to(x)
            if not torch.allclose(layer(other)[:cut], before[:cut], rtol=1e-3, atol=1e-4):
                return True
    return False


def looks_ahead_later_wrong_1(layer, x):
    other = x.clone()
    other[-1] += 1
    return not torch.allclose(layer(other)[:-1], layer(x)[:-1], atol=1e-5)


def looks_ahead_later_wrong_2(layer, x):
    for t in range(len(x)):
        other = x.clone()
        other[t] += 1
        if not torch.equal(layer(other)[:t], layer(x)[:t]):
            return True
    return False


# 2.11
def multi_head_later_right(x, w_q, w_k, w_v, w_o, n_heads, mask):
    d = x.shape[-1]
    q, k, v = (torch.einsum("btd,dhk->bhtk", x, w.reshape(d, n_heads, -1)) for w in (w_q, w_k, w_v))
    scores = torch.einsum("bhtk,bhsk->bhts", q, k) * (n_heads / d) ** 0.5
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    # the sum over heads of (its output times its rows of w_o) is side by side, then w_o
    return torch.einsum("bhts,bhsk,hkd->btd", weights, v, w_o.reshape(n_heads, d // n_heads, d))


def multi_head_later_wrong_1(x, w_q, w_k, w_v, w_o, n_heads, mask):
    B, T, D = x.shape
    split = lambda w: (x @ w).view(B, T, n_heads, D // n_heads).transpose(1, 2)
    q, k, v = split(w_q), split(w_k), split(w_v)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(D)).masked_fill(~mask, -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D) @ w_o


def multi_head_later_wrong_2(x, w_q, w_k, w_v, w_o, n_heads, mask):
    B, T, D = x.shape
    K = D // n_heads
    split = lambda w: (x @ w).view(B, T, n_heads, K).transpose(1, 2)
    q, k, v = split(w_q), split(w_k), split(w_v)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(K)).masked_fill(~mask, -math.inf)
    return (scores.softmax(-1) @ v).reshape(B, T, D) @ w_o


# 2.10
def padding_mask_later_right(lengths, n_keys):
    counted = torch.ones(len(lengths), 1, 1, n_keys, dtype=torch.long).cumsum(-1)  # 1, 2, 3 ...
    return counted <= lengths.view(-1, 1, 1, 1)


def padding_mask_later_wrong_1(lengths, n_keys):
    return (torch.arange(n_keys) <= lengths[:, None])[:, None, None]


def padding_mask_later_wrong_2(lengths, n_keys):
    return torch.arange(n_keys)[None, :] < lengths[:, None]


# 2.12
def dictionary_later_right(pages):
    totals = defaultdict(Counter)
    for written, source, weights in pages:
        for (t, word), (s, other) in product(enumerate(written), enumerate(source)):
            totals[word].update({other: float(weights[t][s])})
    return {word: max(found, key=found.get) for word, found in totals.items()}


def dictionary_later_wrong_1(pages):
    best = {}
    for written, source, weights in pages:
        for t, word in enumerate(written):
            s = int(weights[t].argmax())
            if word not in best or weights[t, s] > best[word][0]:
                best[word] = (weights[t, s], source[s])
    return {word: other for word, (_, other) in best.items()}


def dictionary_later_wrong_2(pages):
    sums = defaultdict(lambda: defaultdict(float))
    for written, source, weights in pages:
        for word in set(written):
            t = written.index(word)
            for s, other in enumerate(source):
                sums[word][other] += weights[t, s].item()
    return {word: max(d, key=d.get) for word, d in sums.items()}


RIGHT = {
    "2.2": [attend_right_1, attend_right_2, attend_later_right],
    "2.4": [attention_right_1, attention_right_2, attention_later_right],
    "2.7": [cm_right_1, cm_right_2, causal_mask_later_right],
    "2.8": [(None, ma_right_1), (None, ma_right_2), ("b", masked_attention_later_right)],
    "2.11": [mh_right_1, mh_right_2, multi_head_later_right],
    "2.10": [pm_right_1, pm_right_2, padding_mask_later_right],
    "2.12": [dictionary_right_1, dictionary_right_2, dictionary_later_right],
    "2.6": [sgrad_right_1, sgrad_right_2, scores_gradient_later_right],
    "2.9": [ahead_right_1, ahead_right_2, looks_ahead_later_right],
    "2.5": [(None, hw_right_1), (None, hw_right_2), ("d", head_weights_later_right)],
    "2.3": [16**2 / 3, 85],
    "2.1": [5],
    "2.13": [0.16, 0.158],
}
WRONG = {
    "2.2": [
        ("hard choice: the value of the best key", attend_wrong_hard),
        ("max subtracted above, not below", attend_wrong_max_below_missing),
        ("TWO: scaled though not asked, and bare exp", attend_wrong_two),
        ("bare exp: inf / inf at scores of 1,000", attend_later_wrong_1),
        ("divides by the root of K, though no scale was asked for", attend_later_wrong_2),
    ],
    "2.4": [
        ("scale from the width of v (D), not of k (K)", attention_wrong_scale_d),
        ("scale after the softmax", attention_wrong_scale_after),
        ("TWO: no scale, and softmax over the queries", attention_wrong_two),
        (
            "repairs the axis of the softmax only: still the width of the values",
            attention_later_wrong_1,
        ),
        ("softmax over the queries", attention_later_wrong_2),
    ],
    "2.7": [
        ("True for hidden: triu(1), as in nn.Transformer", cm_wrong_triu1),
        ("ones and zeros as floats", cm_wrong_float),
        ("TWO: without itself, and floats", cm_wrong_two),
        ("looks ahead: triu for tril", causal_mask_later_wrong_1),
        ("leaves out the word itself", causal_mask_later_wrong_2),
    ],
    "2.8": [
        ("adds the boolean mask to the scores", (None, ma_wrong_add_bool)),
        ("fills with 1e-9 (meant -1e9)", (None, ma_wrong_tiny)),
        ("TWO: mask inverted, and no scale", (None, ma_wrong_two)),
        (
            "letter c: sees that rows do not sum to 1, does not add up a column",
            ("c", masked_attention_later_wrong_1),
        ),
        (
            "masks before the softmax, but with 0: hidden keys still get weight",
            ("b", masked_attention_later_wrong_2),
        ),
    ],
    "2.11": [
        ("scale from D, not K", mh_wrong_scale_d),
        ("view(B, H, T, K) without transpose", mh_wrong_view_heads),
        ("TWO: mask after the softmax, and heads not transposed back before reshape", mh_wrong_two),
        (
            "divides by the root of the model width D, not of the head width K",
            multi_head_later_wrong_1,
        ),
        (
            "puts the outputs together without moving the head axis back: words are scrambled",
            multi_head_later_wrong_2,
        ),
    ],
    "2.10": [
        ("<= : one key too many", pm_wrong_inclusive),
        ("True for the padding", pm_wrong_padding_true),
        ("TWO: floats, and shape (B, n_keys)", pm_wrong_two),
        ("one key too many", padding_mask_later_wrong_1),
        ("shape (B, n_keys): does not line up with (B, H, T, S)", padding_mask_later_wrong_2),
    ],
    "2.12": [
        ("the first page decides", dictionary_wrong_first_page),
        ("the last page decides", dictionary_wrong_last_page),
        ("TWO: the columns, and the last page decides", dictionary_wrong_columns),
        ("takes the largest single weight, does not add up", dictionary_later_wrong_1),
        ("index() finds the first place of a word only", dictionary_later_wrong_2),
    ],
    "2.6": [
        ("only the diagonal of the jacobian", sgrad_wrong_diagonal),
        ("plain mean of the gradients, not weighted", sgrad_wrong_plain_mean),
        ("TWO: sum over the whole matrix, and times sqrt(width)", sgrad_wrong_two),
        ("forgets that the scores were divided by sqrt(width)", scores_gradient_later_wrong_1),
        (
            "the diagonal only: a score moves its own weight and no other",
            scores_gradient_later_wrong_2,
        ),
    ],
    "2.9": [
        ("shuffles: that finds out who knows the order", ahead_wrong_shuffle),
        ("one prefix only", ahead_wrong_prefix_of_two),
        ("TWO: changes what is before, and says True for no change", ahead_wrong_two),
        (
            "changes the last word only: misses a layer that looks one word ahead at one earlier place",
            looks_ahead_later_wrong_1,
        ),
        ("exact comparison: takes rounding for a leak", looks_ahead_later_wrong_2),
    ],
    "2.5": [
        ("cosine in place of scaling", (None, hw_wrong_norm)),
        ("divides by the root of the number of queries", (None, hw_wrong_size0)),
        ("TWO: multiplies by the root, and softmax over queries", (None, hw_wrong_two)),
        (
            "letter b (root of S): that curve would meet the sound one at K = 64",
            ("b", head_weights_later_wrong_1),
        ),
        (
            "right letter, but takes the root of the number of queries, not of the width",
            ("d", head_weights_later_wrong_2),
        ),
    ],
    "2.3": [
        ("forgot the three: 37 ** 2", 1369),
        ("did not square N: 37 / 3", 12.33),
        ("TWO: neither square nor three: 37", 37),
        ("counts one D x D matrix, not three: 256", 256),
        ("compares the widths, forgets the square: 5", 5),
    ],
    "2.1": [
        ("largest dot product taken for nearest", 1),
        ("counted from 0", 4),
        ("TWO: looked up document a, in a list sorted by dot product upward", 2),
    ],
    "2.13": [
        ("the second smallest (L2H8), a layer searched too hastily", 0.22),
        ("took the head without which L3H1 swings most (L0H5) for the one it needs", 0.42),
    ],
}
