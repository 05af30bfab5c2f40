import math

import numpy as np
import torch
import torch.nn.functional as F
from einops import rearrange


# 3.1
def binary_right_1(n, bits):
    return (torch.arange(n)[:, None] >> torch.arange(bits)) & 1


def binary_right_2(count, width):
    out = torch.zeros(count, width, dtype=torch.float64)
    for pos in range(count):
        digits = format(pos, "b")[::-1]
        for i, digit in enumerate(digits[:width]):
            out[pos, i] = int(digit)
    return out


def binary_wrong_no_remainder(n, bits):
    return torch.arange(n)[:, None] // 2 ** torch.arange(bits)


def binary_wrong_saturates(n, bits):
    pos = torch.arange(n).clamp(max=2**bits - 1)
    return (pos[:, None] >> torch.arange(bits)) & 1


def binary_wrong_one_based_msb(n, bits):
    pos = torch.arange(1, n + 1)
    return (pos[:, None] >> torch.arange(bits - 1, -1, -1)) & 1


def binary_wrong_transposed(n, bits):
    return (torch.arange(n)[None, :] >> torch.arange(bits)[:, None]) & 1


# 3.2
def sinusoid_right_1(n, d):
    pos = torch.arange(n)[:, None]
    angle = pos / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(n, d)


def sinusoid_right_2(length, dim):
    rows = []
    for pos in range(length):
        row = []
        for i in range(dim // 2):
            a = pos / 10000 ** (2 * i / dim)
            row += [math.sin(a), math.cos(a)]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float64)


def sinusoid_wrong_angle_by_column(n, d):
    col = torch.arange(d)
    angle = torch.arange(n)[:, None] / 10000 ** (col / d)
    return torch.where(col % 2 == 0, angle.sin(), angle.cos())


def sinusoid_wrong_halves(n, d):
    angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.cat([angle.sin(), angle.cos()], dim=1)


def sinusoid_wrong_exponent_and_cos_first(n, d):
    angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(d // 2) / d)
    out = torch.zeros(n, d)
    out[:, 0::2] = angle.cos()
    out[:, 1::2] = angle.sin()
    return out


# 3.4
def gather_right_1(words, table, question):
    x = words + table[: words.size(1)]
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_right_2(words, table, question):
    out = []
    for number in words:
        x = number.clone()
        x += table[: len(number)]
        out.append((x @ question / math.sqrt(question.numel())).softmax(0) @ x)
    return torch.stack(out)


def gather_wrong_kept_none(words, table, question):
    x = words + table[: words.size(1), None]
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)
    return torch.einsum("bs,bsd->bd", weights, x)


def gather_wrong_keys_only(words, table, question):
    x = words + table[: words.size(1)]
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)
    return torch.einsum("bs,bsd->bd", weights, words)


def gather_wrong_values_only_no_scale(words, table, question):
    x = words + table[: words.size(1)]
    weights = (words @ question).softmax(dim=-1)
    return torch.einsum("bs,bsd->bd", weights, x)


# 3.5
def offset_right_1(M):
    d = len(M)
    start = torch.tensor([0.0, 1.0] * (d // 2))
    there = M @ start  # PE(offset)
    i = torch.arange(0, d, 2)
    offsets = torch.arange(-1000, 1001)
    angles = offsets[:, None] / 10000 ** (i / d)
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return offsets[(table - there).norm(dim=1).argmin()]


def offset_right_2(matrix):
    d = matrix.shape[0]
    best, which = -1e9, None
    for offset in range(-1000, 1001):
        total = 0.0
        for i in range(d // 2):
            a = offset / 10000 ** (2 * i / d)
            total += math.cos(a) * float(matrix[2 * i][2 * i])
            total += math.sin(a) * float(matrix[2 * i][2 * i + 1])
        if total > best:
            best, which = total, offset
    return which


def offset_wrong_fast_hand(M):
    return round(math.asin(max(-1.0, min(1.0, float(M[0, 1])))))


def offset_wrong_slow_hand(M):
    d = len(M)
    return round(math.asin(float(M[-2, -1])) * 10000 ** ((d - 2) / d))


def offset_wrong_back(M):
    return -offset_right_2(M)


# 3.6
def relative_right_1(n_queries, n_keys, reach):
    q = torch.arange(n_keys - n_queries, n_keys)
    return (torch.arange(n_keys) - q[:, None]).clamp(-reach, reach) + reach


def relative_right_2(t, s, r):
    rows = [[max(-r, min(r, j - (s - t + i))) + r for j in range(s)] for i in range(t)]
    return torch.tensor(rows, dtype=torch.int32)


def relative_wrong_queries_first(n_queries, n_keys, reach):
    off = torch.arange(n_keys)[None] - torch.arange(n_queries)[:, None]
    return off.clamp(-reach, reach) + reach


def relative_wrong_clip_not_shifted(n_queries, n_keys, reach):
    q = torch.arange(n_queries) + n_keys - n_queries
    off = torch.arange(n_keys)[None] - q[:, None]
    return off.clamp(-reach, reach)


def relative_wrong_query_minus_key_from_zero(n_queries, n_keys, reach):
    off = torch.arange(n_queries)[:, None] - torch.arange(n_keys)[None]
    return off.clamp(-reach, reach) + reach


def relative_wrong_float(n_queries, n_keys, reach):
    q = torch.arange(n_keys - n_queries, n_keys).float()
    return (torch.arange(n_keys).float() - q[:, None]).clamp(-reach, reach) + reach


# 3.7
def rotate_right_1(x, positions):
    k = x.size(-1)
    a = positions[:, None] / 10000 ** (torch.arange(0, k, 2) / k)
    u, v = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = u * a.cos() - v * a.sin()
    out[..., 1::2] = u * a.sin() + v * a.cos()
    return out


def rotate_right_2(x, positions):
    k = x.shape[-1]
    speed = 10000.0 ** (-torch.arange(0, k, 2, dtype=torch.float64) / k)
    angle = torch.outer(positions.double(), speed)
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def rotate_wrong_halves(x, positions):
    k = x.size(-1)
    a = positions[:, None] / 10000 ** (torch.arange(0, k, 2) / k)
    u, v = x.chunk(2, dim=-1)
    return torch.cat([u * a.cos() - v * a.sin(), u * a.sin() + v * a.cos()], dim=-1)


def rotate_wrong_overwrites_u(x, positions):
    k = x.size(-1)
    a = positions[:, None] / 10000 ** (torch.arange(0, k, 2) / k)
    out = x.clone()
    u, v = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = u * a.cos() - v * a.sin()
    out[..., 1::2] = u * a.sin() + v * a.cos()
    return out


def rotate_wrong_mutates(x, positions):
    k = x.size(-1)
    a = positions[:, None] / 10000 ** (torch.arange(0, k, 2) / k)
    u, v = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = u * a.cos() - v * a.sin()
    x[..., 1::2] = u * a.sin() + v * a.cos()
    return x


def rotate_wrong_from_zero_and_other_way(x, positions):
    k = x.size(-1)
    a = torch.arange(x.size(2))[:, None] / 10000 ** (torch.arange(0, k, 2) / k)
    u, v = x[..., 0::2], x[..., 1::2]
    turned = [u * a.cos() + v * a.sin(), v * a.cos() - u * a.sin()]
    return torch.stack(turned, dim=-1).flatten(-2)


# 3.8
def needed_right_1(weights, share):
    found = []
    for row in weights:
        for n in range(1, len(row) + 1):
            if row[-n:].sum() >= share:
                found.append(n)
                break
    return torch.tensor(found)


def needed_right_2(weights, share):
    held = torch.flip(weights, dims=[1]).cumsum(1)
    return (held >= share).long().argmax(1) + 1


def needed_wrong_from_left(weights, share):
    return (weights.cumsum(1) >= share).long().argmax(1) + 1


def needed_wrong_index(weights, share):
    return torch.flip(weights, dims=[1]).cumsum(1).ge(share).long().argmax(1)


def needed_wrong_two(weights, share):
    return weights.mean(0).cumsum(0).ge(share).long().argmax() + 1


# 3.9
def rotary_right_1(q, k):
    def turn(x, places):
        angle = places[:, None] * 10000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = (angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2])
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q, torch.arange(len(q))) @ turn(k, torch.arange(len(k))).T


def rotary_right_2(q, k):
    width = q.size(1)
    qc = torch.complex(q[:, 0::2], q[:, 1::2])
    kc = torch.complex(k[:, 0::2], k[:, 1::2])
    out = torch.zeros(len(q), len(k))
    for t in range(len(q)):
        for s in range(len(k)):
            a = (t - s) / 10000 ** (torch.arange(0, width, 2) / width)
            out[t, s] = (qc[t] * kc[s].conj() * torch.exp(1j * a)).real.sum()
    return out


def rotary_wrong_queries_only(q, k):
    def turn(x, places):
        angle = places[:, None] * 10000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = (angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2])
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q, torch.arange(len(q))) @ k.T


def rotary_wrong_both_backwards(q, k):
    def turn(x, places):
        angle = places[:, None] * 10000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = (angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2])
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q, -torch.arange(len(q))) @ turn(k, -torch.arange(len(k))).T


def rotary_wrong_keys_from_one_and_scaled(q, k):
    def turn(x, places):
        angle = places[:, None] * 10000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = (angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2])
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    scores = turn(q, torch.arange(len(q))) @ turn(k, torch.arange(1, len(k) + 1)).T
    return scores / math.sqrt(q.size(1))


# A later reader's answers, all exercises in order.


# 3.1
def binary_positions_later_right(n, bits):
    return torch.tensor([[pos >> i & 1 for i in range(bits)] for pos in range(n)]).view(n, bits)


def binary_positions_later_wrong_1(n, bits):
    return torch.tensor([[int(c) for c in format(p % 2**bits, f"0{bits}b")] for p in range(n)])


def binary_positions_later_wrong_2(n, bits):
    return torch.arange(n)[:, None] // 2 ** torch.arange(bits)


# 3.2
def sinusoidal_positions_later_right(n, d):
    speed = 1e4 ** (-torch.linspace(0, d - 2, d // 2, dtype=torch.float64) / d)
    hands = torch.exp(1j * torch.outer(torch.arange(n, dtype=torch.float64), speed))
    return torch.view_as_real(hands).flip(-1).reshape(n, d).float()


def sinusoidal_positions_later_wrong_1(n, d):
    table = torch.zeros(n, d)
    angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(d // 2) / d)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table


def sinusoidal_positions_later_wrong_2(n, d):
    angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.cat([angle.sin(), angle.cos()], dim=1)


# 3.4
def gather_later_right(words, table, question):
    places = torch.arange(words.shape[1])
    x = words + torch.nn.functional.embedding(places, table)
    scores = torch.einsum("bsd,d->bs", x, question) / question.numel() ** 0.5
    return (scores.softmax(1).unsqueeze(1) @ x).squeeze(1)


def gather_later_wrong_1(words, table, question):
    x = words + table[: words.size(1)]
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)
    return (weights[:, None] @ x)[:, 0]


def gather_later_wrong_2(words, table, question):
    x = words + table[: words.size(1)]
    weights = (x @ question / len(question) ** 0.5).softmax(dim=-1)
    return (weights[:, None] @ words)[:, 0]


# 3.5
def offset_of_later_right(matrix):
    m = np.asarray(matrix, dtype=float)
    d = len(m)
    even = np.arange(0, d, 2)
    hands = m[even, even] + 1j * m[even, even + 1]  # cos + i sin of each turn
    tries = np.arange(-1000, 1001)
    turns = np.exp(-1j * np.outer(tries, 10_000.0 ** (-even / d)))
    return int(tries[(turns * hands).real.sum(axis=1).argmax()])


def offset_of_later_wrong_1(matrix):
    return round(math.atan2(matrix[0, 1], matrix[0, 0]))


def offset_of_later_wrong_2(matrix):
    d = len(matrix)
    angle = math.atan2(matrix[-2, -1], matrix[-2, -2])
    return round(angle * 10000 ** ((d - 2) / d))


# 3.6
def relative_index_later_right(n_queries, n_keys, reach):
    first = n_keys - n_queries
    return torch.tensor(
        [
            [reach + sorted((-reach, s - t, reach))[1] for s in range(n_keys)]
            for t in range(first, n_keys)
        ]
    )


def relative_index_later_wrong_1(n_queries, n_keys, reach):
    offset = torch.arange(n_keys) - torch.arange(n_queries)[:, None]
    return offset.clamp(-reach, reach) + reach


def relative_index_later_wrong_2(n_queries, n_keys, reach):
    q = torch.arange(n_keys - n_queries, n_keys)
    return (q[:, None] - torch.arange(n_keys)).clamp(-reach, reach) + reach


# 3.7
def rotate_pairs_later_right(x, positions):
    width = x.shape[-1]
    speed = 10_000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.outer(positions.double(), speed)  # (T, K/2)
    turn = torch.polar(torch.ones_like(angles), angles)
    hands = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(hands * turn).flatten(-2).to(x.dtype)


def rotate_pairs_later_wrong_1(x, positions):
    angles = positions[:, None] / 10_000 ** (torch.arange(0, x.size(-1), 2) / x.size(-1))
    turned = x.clone()
    u, v = turned[..., 0::2], turned[..., 1::2]
    turned[..., 0::2] = u * angles.cos() - v * angles.sin()
    turned[..., 1::2] = u * angles.sin() + v * angles.cos()
    return turned


def rotate_pairs_later_wrong_2(x, positions):
    steps = torch.arange(x.size(-2)) + positions[0]
    angles = steps[:, None] / 10_000 ** (torch.arange(0, x.size(-1), 2) / x.size(-1))
    turned = x.clone()
    u, v = x[..., 0::2], x[..., 1::2]
    turned[..., 0::2] = u * angles.cos() - v * angles.sin()
    turned[..., 1::2] = u * angles.sin() + v * angles.cos()
    return turned


# 3.8
def keys_needed_later_right(weights, share):
    held = weights.flip(-1).cumsum(-1).contiguous()  # what the nearest 1, 2, 3 ... hold
    place = torch.searchsorted(held, torch.full_like(held[:, :1], share))[:, 0] + 1
    return place.clamp(max=weights.shape[-1])


def keys_needed_later_wrong_1(weights, share):
    return (weights.flip(-1).cumsum(-1) < share).sum(-1)


def keys_needed_later_wrong_2(weights, share):
    held = weights.sort(dim=-1, descending=True).values.cumsum(-1)
    return (held < share).sum(-1) + 1


# 3.9
def rotary_scores_later_right(q, k):
    width = q.shape[-1]
    speed = 10_000.0 ** (-torch.arange(0, width, 2) / width)  # (K/2,)
    q, k = (torch.view_as_complex(x.reshape(len(x), -1, 2).contiguous()) for x in (q, k))
    offset = torch.arange(len(k)) - torch.arange(len(q))[:, None]  # (T, S)
    turn = torch.polar(torch.ones(1), offset[..., None] * speed)  # (T, S, K/2)
    return torch.einsum("tc,tsc,sc->ts", q.conj(), turn.to(q.dtype), k).real


def rotary_scores_later_wrong_1(q, k):
    def turn(x):
        angle = torch.arange(len(x))[:, None] * 10_000 ** (
            -torch.arange(0, x.size(1), 2) / x.size(1)
        )
        cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q) @ turn(k).T


def rotary_scores_later_wrong_2(q, k):
    def turn(x):
        angle = torch.arange(len(x))[:, None] * 10_000 ** (
            -torch.arange(0, x.size(1), 2) / x.size(1)
        )
        cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q) @ turn(k).T / q.size(-1) ** 0.5


# 3.1, by a reader of the restructured chapter
def b_right1(n, bits):
    return torch.tensor([[(p >> i) & 1 for i in range(bits)] for p in range(n)])


def b_right2(n, bits):
    return (np.arange(n)[:, None] // 2 ** np.arange(bits) % 2).astype(float)


def b_right3(n, bits):
    return [[int(c) for c in reversed(format(p, "b").zfill(bits)[-bits:])] for p in range(n)]


def b_msb(n, bits):
    return torch.tensor([[(p >> i) & 1 for i in reversed(range(bits))] for p in range(n)])


def b_from1(n, bits):
    return torch.tensor([[(p >> i) & 1 for i in range(bits)] for p in range(1, n + 1)])


def b_nomod(n, bits):
    return torch.arange(n)[:, None] // 2 ** torch.arange(bits)


def b_transposed(n, bits):
    return b_right1(n, bits).T


def b_keepsfirst(n, bits):  # drops the wrong digits when they don't fit
    return torch.tensor(
        [[int(c) for c in format(p, "b").zfill(bits)[:bits]][::-1] for p in range(n)]
    )


def b_pm(n, bits):
    return b_right1(n, bits) * 2 - 1


def b_gray(n, bits):
    return torch.tensor([[((p ^ (p >> 1)) >> i) & 1 for i in range(bits)] for p in range(n)])


def b_powers(n, bits):
    return torch.arange(n)[:, None] & 2 ** torch.arange(bits)


# 3.2, by the same reader
def s_right1(n, d):
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    out = torch.zeros(n, d)
    out[:, 0::2], out[:, 1::2] = a.sin(), a.cos()
    return out


def s_right2(n, d):
    out = np.zeros((n, d))
    for pos in range(n):
        speed = 1.0
        for i in range(d // 2):
            out[pos, 2 * i], out[pos, 2 * i + 1] = math.sin(pos * speed), math.cos(pos * speed)
            speed /= 10000 ** (2 / d)
    return out


def s_right3(n, d):
    z = torch.exp(
        1j
        * torch.outer(
            torch.arange(n).double(), torch.exp(-math.log(1e4) * torch.arange(0, d, 2) / d).double()
        )
    )
    return torch.view_as_real(z).flip(-1).flatten(1)


def s_2i(n, d):  # i taken as the column number, times two: 2i/d with i = 0, 2, 4
    a = torch.arange(n)[:, None] / 10000 ** (2 * torch.arange(0, d, 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_half(n, d):  # i/d in place of 2i/d
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(d // 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_blocks(n, d):
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.cat([a.sin(), a.cos()], -1)


def s_swapped(n, d):
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([a.cos(), a.sin()], -1).flatten(1)


def s_from1(n, d):
    a = torch.arange(1, n + 1)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_linspace(n, d):  # slowest exactly 10000 times slower
    a = torch.arange(n)[:, None] / 10000 ** torch.linspace(0, 1, d // 2)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_faster(n, d):  # gets faster
    a = torch.arange(n)[:, None] * 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_everycolumn(n, d):  # each column its own speed
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(d) / d)
    out = torch.zeros(n, d)
    out[:, 0::2], out[:, 1::2] = a[:, 0::2].sin(), a[:, 1::2].cos()
    return out


def s_degrees(n, d):
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d) * math.pi / 180
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_turns(n, d):  # a whole turn a position
    a = 2 * math.pi * torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


def s_first(n, d):  # hand 0 already slowed
    a = torch.arange(n)[:, None] / 10000 ** (torch.arange(2, d + 2, 2) / d)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


# 3.10, by the same reader
def heads(y, h):
    return y.unflatten(-1, (h, -1)).transpose(1, 2)


def layer(x, w_q, w_k, w_v, h, table, turn, bias, *, wrong=""):
    x0 = x
    if table is not None:
        if wrong == "lastrows":
            x = x + table[-x.size(1) :]
        elif wrong == "noslice":
            x = x + table
        elif wrong == "row0":
            x = x + table[:1]
        elif wrong == "batchaxis":
            x = x + table[: x.size(0), None]
        elif wrong == "afterq":
            pass
        else:
            x = x + table[: x.size(1)]
    if wrong == "elif" and table is not None:
        turn = bias = None
    if wrong == "elif" and turn is not None:
        bias = None
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    if wrong == "values0":
        v = x0 @ w_v
    if wrong == "valuesonly":
        q, k = x0 @ w_q, x0 @ w_k
    if wrong == "transposed":
        q, k, v = x @ w_q.T, x @ w_k.T, x @ w_v.T
    if wrong == "vk":
        v = k
    if wrong == "afterq" and table is not None:
        q, k = q + table[: x.size(1)], k + table[: x.size(1)]
    if wrong == "turnbefore" and turn is not None:
        q, k, turn = turn(q[:, None])[:, 0], turn(k[:, None])[:, 0], None
    if wrong == "view":
        q, k, v = (y.reshape(x.size(0), h, x.size(1), -1) for y in (q, k, v))
    elif wrong == "interleaved":
        q, k, v = (rearrange(y, "b t (k h) -> b h t k", h=h) for y in (q, k, v))
    else:
        q, k, v = (heads(y, h) for y in (q, k, v))
    if turn is not None:
        q = turn(q)
        if wrong != "queriesonly":
            k = turn(k)
        if wrong == "turnvalues":
            v = turn(v)
    K = q.size(-1)
    s = q @ k.transpose(-1, -2)
    if wrong == "biasbefore" and bias is not None:
        s = s + bias
        bias = None
    s = s / math.sqrt(x.size(-1) if wrong == "sqrtD" else 1 if wrong == "noscale" else K)
    if wrong == "divK":
        s = s * math.sqrt(K) / K
    if bias is not None and wrong != "biasafter":
        if wrong == "minus":
            s = s - bias
        elif wrong == "biasT":
            s = s + bias.transpose(-1, -2)
        elif wrong == "bias0":
            s = s + bias[0]
        elif wrong == "biastimes":
            s = s * bias
        else:
            s = s + bias
    if wrong == "causal":
        s = s.masked_fill(torch.ones(s.shape[-2:]).triu(1).bool(), -math.inf)
    w = s.softmax(-2 if wrong == "softmaxdim" else -1)
    if bias is not None and wrong == "biasafter":
        w = w + bias
    out = w @ v
    if wrong == "merge":
        return out.reshape(x.shape)
    if wrong == "mean":
        return out.mean(1)
    return out.transpose(1, 2).flatten(2)


def wrong310(name):
    def attend_with_positions(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
        return layer(x, w_q, w_k, w_v, n_heads, table, turn, bias, wrong=name)

    return attend_with_positions


def a_right1(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
    if table is not None:
        x = x + table[: x.shape[1]]
    q, k, v = (rearrange(x @ w, "b t (h k) -> b h t k", h=n_heads) for w in (w_q, w_k, w_v))
    if turn is not None:
        q, k = turn(q), turn(k)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    return rearrange(scores.softmax(-1) @ v, "b h t k -> b t (h k)")


def a_right2(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
    x = x if table is None else x + table[None, : x.size(1)]
    q, k, v = (heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    turn = turn or (lambda y: y)
    return (
        F.scaled_dot_product_attention(turn(q), turn(k), v, attn_mask=bias)
        .transpose(1, 2)
        .flatten(2)
    )


def a_right3(
    x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None
):  # by hand, head after head
    B, T, D = x.shape
    K = D // n_heads
    if table is not None:
        x = torch.stack([x[:, t] + table[t] for t in range(T)], 1)
    q = torch.stack([x @ w_q[:, h * K : (h + 1) * K] for h in range(n_heads)], 1)
    k = torch.stack([x @ w_k[:, h * K : (h + 1) * K] for h in range(n_heads)], 1)
    if turn is not None:
        q, k = turn(q), turn(k)
    outs = []
    for h in range(n_heads):
        s = torch.einsum("btk,bsk->bts", q[:, h], k[:, h]) * K**-0.5
        if bias is not None:
            s = s + bias[h]
        e = (s - s.amax(-1, keepdim=True)).exp()
        outs.append(e / e.sum(-1, keepdim=True) @ (x @ w_v[:, h * K : (h + 1) * K]))
    return torch.cat(outs, -1)


# 3.12, by the same reader
def t_right(x, positions):
    angles = positions[:, None] / 10_000 ** (torch.arange(0, x.size(-1), 2) / x.size(-1))
    u, v = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        [u * angles.cos() - v * angles.sin(), u * angles.sin() + v * angles.cos()], -1
    ).flatten(-2)


def freq(K):
    return 1 / 10000 ** (torch.arange(0, K, 2) / K)


def turned(x, angles):
    u, v = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        [u * angles.cos() - v * angles.sin(), u * angles.sin() + v * angles.cos()], -1
    ).flatten(-2)


def p_right1(x, positions, trained, factor):
    fast = trained * freq(x.size(-1)) >= 2 * math.pi
    return torch.where(
        fast.repeat_interleave(2), t_right(x, positions), t_right(x, positions / factor)
    )


def p_right2(x, positions, trained, factor):
    K = x.size(-1)
    out = x.clone()
    for i in range(K // 2):
        w = 10000 ** (-2 * i / K)
        a = positions * w if 2 * math.pi / w <= trained else positions * w / factor
        u, v = x[..., 2 * i], x[..., 2 * i + 1]
        out[..., 2 * i] = u * a.cos() - v * a.sin()
        out[..., 2 * i + 1] = u * a.sin() + v * a.cos()
    return out


def p_right3(x, positions, trained, factor):
    w = freq(x.size(-1)).double()
    w = torch.where(trained * w >= 2 * math.pi, w, w / factor)
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous()) * torch.exp(
        1j * positions.double()[:, None] * w
    )
    return torch.view_as_real(z).flatten(-2).to(x.dtype)


def wrong312(name):
    def stretch_pairs(x, positions, trained, factor):
        K = x.size(-1)
        w = freq(K)
        p = positions[:, None].float()
        at_least = trained * w >= 2 * math.pi
        if name == "all":
            a = p * w / factor
        elif name == "none":
            a = p * w
        elif name == "fastslow":
            a = torch.where(at_least, p / factor, p) * w
        elif name == "halfturn":
            a = torch.where(trained * w >= math.pi, p, p / factor) * w
        elif name == "radian":
            a = torch.where(trained * w >= 1, p, p / factor) * w
        elif name == "longer":
            a = torch.where(trained * factor * w >= 2 * math.pi, p, p / factor) * w
        elif name == "textlength":
            a = torch.where(len(positions) * w >= 2 * math.pi, p, p / factor) * w
        elif name == "lastpos":
            a = torch.where(positions.max() * w >= 2 * math.pi, p, p / factor) * w
        elif name == "multiplied":
            a = torch.where(at_least, p, p * factor) * w
        elif name == "floored":
            a = torch.where(at_least, p, p // factor) * w
        elif name == "clamped":
            a = torch.where(at_least, p, p.clamp(max=trained)) * w
        elif name == "onlybeyond":
            a = torch.where(at_least | (p < trained), p, p / factor) * w
        elif name == "halves":  # first half of the pairs fast
            a = torch.where(torch.arange(K // 2) < K // 4, p, p / factor) * w
        elif name == "from0":
            q = torch.arange(x.size(-2))[:, None].float()
            a = torch.where(at_least, q, q / factor) * w
        elif name == "twice":  # both turns, one after the other
            y = turned(x, p * w * at_least)
            return turned(y, p / factor * w)
        elif name == "freqK2":
            w2 = 1 / 10000 ** (torch.arange(K // 2) / K)
            a = torch.where(trained * w2 >= 2 * math.pi, p, p / factor) * w2
        elif name == "swaphalf":
            fast = trained * w >= 2 * math.pi
            mask = torch.cat([fast, fast])  # mask laid out as halves, not neighbours
            return torch.where(mask, t_right(x, positions), t_right(x, positions / factor))
        elif name == "wavelength":  # wavelength taken as 10000^(2i/K), 2 pi forgotten = radian
            a = torch.where(1 / w <= trained, p, p / factor) * w
        elif name == "modulo":
            a = torch.where(at_least, p, p % trained) * w
        elif name == "othersign":
            a = -torch.where(at_least, p, p / factor) * w
        return turned(x, a)

    return stretch_pairs


W310 = {
    "values0": "door 1 reaches queries and keys only, not the values",
    "valuesonly": "door 1 reaches the values only",
    "lastrows": "the last T rows of table",
    "noslice": "table not cut to T (crashes if N > T)",
    "row0": "every word gets row 0",
    "batchaxis": "table indexed by the batch",
    "afterq": "table added to q and k after the maps",
    "elif": "if/elif: only one door open at once",
    "transposed": "w.T",
    "vk": "values are the keys",
    "turnbefore": "turn before cutting into heads",
    "view": "cut by reshape, no transpose",
    "interleaved": "(k h) in place of (h k)",
    "queriesonly": "only queries turned",
    "turnvalues": "values turned, too",
    "biasbefore": "bias before the division",
    "sqrtD": "sqrt(D)",
    "noscale": "no division",
    "divK": "divided by K",
    "biasafter": "bias after softmax",
    "minus": "bias subtracted",
    "biasT": "bias transposed",
    "bias0": "bias of head 0 for all",
    "biastimes": "bias multiplied",
    "causal": "causal mask",
    "softmaxdim": "softmax over queries",
    "merge": "merged without transposing back",
    "mean": "heads averaged",
}
W312 = {
    "all": "all pairs divided",
    "none": "nothing divided",
    "fastslow": "the fast divided, slow not",
    "halfturn": "half a turn as border",
    "radian": "1 radian as border (2 pi forgotten)",
    "longer": "border at trained * factor",
    "textlength": "border at len(positions)",
    "lastpos": "border at the last position",
    "multiplied": "times factor",
    "floored": "positions // factor",
    "clamped": "positions clamped to trained",
    "onlybeyond": "divided only beyond trained",
    "halves": "first half of pairs fast",
    "from0": "positions counted from 0, argument ignored",
    "twice": "slow turn laid over the fast one",
    "freqK2": "i/K in place of 2i/K",
    "swaphalf": "fast/slow mask laid out in halves",
    "modulo": "positions modulo trained",
    "othersign": "turned the other way",
}

RIGHT = {
    "3.1": [
        binary_right_1,
        binary_right_2,
        binary_positions_later_right,
        b_right1,
        b_right2,
        b_right3,
    ],
    "3.2": [
        sinusoid_right_1,
        sinusoid_right_2,
        sinusoidal_positions_later_right,
        s_right1,
        s_right2,
        s_right3,
    ],
    "3.3": [304],
    "3.4": [("b", gather_right_1), ("b", gather_right_2), ("b", gather_later_right)],
    "3.5": [offset_right_1, offset_right_2, offset_of_later_right],
    "3.6": [relative_right_1, relative_right_2, relative_index_later_right],
    "3.7": [rotate_right_1, rotate_right_2, rotate_wrong_mutates, rotate_pairs_later_right],
    "3.8": [needed_right_1, needed_right_2, keys_needed_later_right],
    "3.9": [("c", rotary_right_1), ("c", rotary_right_2), ("c", rotary_scores_later_right)],
    "3.10": [a_right1, a_right2, a_right3],
    "3.12": [p_right1, p_right2, p_right3],
}

WRONG = {
    "3.1": [
        ("divides by 2^i but takes no remainder: not digits", binary_wrong_no_remainder),
        ("positions that do not fit stay at all ones instead of repeating", binary_wrong_saturates),
        ("TWO: positions 1..n, most significant digit first", binary_wrong_one_based_msb),
        ("shape (bits, n)", binary_wrong_transposed),
        ("most significant digit first", binary_positions_later_wrong_1),
        ("divides but forgets the remainder by 2: numbers above 1", binary_positions_later_wrong_2),
        ("most significant first", b_msb),
        ("positions from 1", b_from1),
        ("% 2 forgotten", b_nomod),
        ("transposed", b_transposed),
        ("drops the low digits", b_keepsfirst),
        ("-1 and 1", b_pm),
        ("Gray code", b_gray),
        ("& gives 2^i, not 1", b_powers),
    ],
    "3.2": [
        ("each column its own angle, pos / 10000^(column/d)", sinusoid_wrong_angle_by_column),
        ("all sines, then all cosines", sinusoid_wrong_halves),
        (
            "TWO: exponent i/d instead of 2i/d, cosine before sine",
            sinusoid_wrong_exponent_and_cos_first,
        ),
        ("exponent i/d in place of 2i/d", sinusoidal_positions_later_wrong_1),
        ("all sines first, then all cosines", sinusoidal_positions_later_wrong_2),
        ("2i with i the column: 4i/d", s_2i),
        ("i/d", s_half),
        ("sines first, then cosines", s_blocks),
        ("cosine first", s_swapped),
        ("from position 1", s_from1),
        ("linspace: last exactly 10000 times slower", s_linspace),
        ("hands get faster", s_faster),
        ("each column its own speed", s_everycolumn),
        ("degrees", s_degrees),
        ("a whole turn a position", s_turns),
        ("hand 0 slowed already", s_first),
    ],
    "3.3": [
        ("a whole wave (2 pi) instead of half a wave", 607),
        ("pair 128: i counted from 1", 315),
        ("303.06 rounded down", 303),
        ("in proportion: 20 steps move a fifth, so 50 move half", 50),
    ],
    "3.4": [
        ("size(1), but keeps the None: (S, 1, D)", ("b", gather_wrong_kept_none)),
        ("values without positions", ("b", gather_wrong_keys_only)),
        ("TWO: keys without positions, and no sqrt", ("b", gather_wrong_values_only_no_scale)),
        ("right repair, wrong letter", ("a", gather_right_1)),
        (
            "letter a: a true bag of words, its two curves would lie on one another",
            ("a", gather_later_wrong_1),
        ),
        ("right letter, but the values go without their positions", ("b", gather_later_wrong_2)),
    ],
    "3.5": [
        ("the fastest hand alone", offset_wrong_fast_hand),
        ("the slowest hand alone", offset_wrong_slow_hand),
        ("the sign turned round", offset_wrong_back),
        ("reads the fastest hand only: it is back every 6.28 positions", offset_of_later_wrong_1),
        ("reads the slowest hand only: two decimals are far too coarse", offset_of_later_wrong_2),
    ],
    "3.6": [
        ("queries are the first words", relative_wrong_queries_first),
        ("clips but does not add reach", relative_wrong_clip_not_shifted),
        (
            "TWO: query minus key, queries are the first words",
            relative_wrong_query_minus_key_from_zero,
        ),
        ("rows as floats, no index", relative_wrong_float),
        ("takes the queries for the first words, not the last", relative_index_later_wrong_1),
        ("query minus key: the sign is turned round", relative_index_later_wrong_2),
    ],
    "3.7": [
        ("pairs are the halves i and i + K/2", rotate_wrong_halves),
        (
            "u is a view of the clone and already turned when v is computed",
            rotate_wrong_overwrites_u,
        ),
        (
            "TWO: ignores positions (arange), turns the other way",
            rotate_wrong_from_zero_and_other_way,
        ),
        (
            "positions mended, but u is still a view that has been overwritten",
            rotate_pairs_later_wrong_1,
        ),
        (
            "takes the first position and counts on: wrong where positions have gaps",
            rotate_pairs_later_wrong_2,
        ),
    ],
    "3.8": [
        ("counts from the start of the text", needed_wrong_from_left),
        ("counts from 0", needed_wrong_index),
        ("TWO: the mean of the heads, and from the start", needed_wrong_two),
        ("one too few: the key that reaches the share is not counted", keys_needed_later_wrong_1),
        ("takes the heaviest keys, not the nearest", keys_needed_later_wrong_2),
    ],
    "3.9": [
        ("turns the queries only", ("c", rotary_wrong_queries_only)),
        ("turns both backwards", ("c", rotary_wrong_both_backwards)),
        (
            "TWO: keys' places from 1, divided by sqrt(K)",
            ("c", rotary_wrong_keys_from_one_and_scaled),
        ),
        ("right repair, wrong letter", ("b", rotary_right_1)),
        (
            "letter b: the map would depend on t - 2 s, and this one is symmetric",
            ("b", rotary_scores_later_wrong_1),
        ),
        (
            "right letter, but divides by the root of K, which the text excludes",
            ("c", rotary_scores_later_wrong_2),
        ),
    ],
    "3.10": [(what, wrong310(name)) for name, what in W310.items()],
    "3.12": [(what, wrong312(name)) for name, what in W312.items()],
}
