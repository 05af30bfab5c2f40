import itertools
import math
import re

import torch
import torch.nn.functional as F


# 6b.2
def entities_right_1(tags):
    out = []
    start = None
    for i, tag in enumerate(tags):
        if start is not None and tag != "I":
            out.append((start, i))
            start = None
        if tag == "B" or (tag == "I" and start is None):
            start = i
    if start is not None:
        out.append((start, len(tags)))
    return out


def entities_right_2(tags):
    return [m.span() for m in re.finditer("[BI]I*", "".join(tags))]


def entities_wrong_stray_i(tags):
    return [m.span() for m in re.finditer("BI*", "".join(tags))]


def entities_wrong_last_lost(tags):
    out, start = [], None
    for i, tag in enumerate(tags):
        if start is not None and tag in "BO":
            out.append((start, i))
            start = None
        if tag == "B" or (tag == "I" and start is None):
            start = i
    return out


def entities_wrong_two(tags):
    return [(m.start(), m.end() - 1) for m in re.finditer("[BI]+", "".join(tags))]


# 6b.4
def labels_right_1(tags, pieces):
    number = {"O": 0, "B": 1, "I": 2}
    out = [-100]
    for tag, word in zip(tags, pieces):
        for k, _ in enumerate(word):
            out.append(number[tag] if k == 0 else -100)
    out.append(-100)
    return out


def labels_right_2(tags, pieces):
    rows = [["OBI".find(t), *itertools.repeat(-100, len(p) - 1)] for t, p in zip(tags, pieces)]
    return list(itertools.chain([-100], *rows, [-100]))


def labels_wrong_every_piece(tags, pieces):
    number = {"O": 0, "B": 1, "I": 2}
    inside = [number[t] for t, p in zip(tags, pieces) for _ in p]
    return [-100, *inside, -100]


def labels_wrong_no_special(tags, pieces):
    return labels_right_1(tags, pieces)[1:-1]


def labels_wrong_two(tags, pieces):
    number = {"O": 0, "B": 1, "I": 2}
    out = [0]
    for t, p in zip(tags, pieces):
        out += [-100] * (len(p) - 1) + [number[t]]
    return [*out, -100]


# 6b.3
def f1_right_1(predicted, true):
    right = sum(len(set(p) & set(t)) for p, t in zip(predicted, true))
    if right == 0:
        return 0.0
    precision = right / sum(len(p) for p in predicted)
    recall = right / sum(len(t) for t in true)
    return 2 * precision * recall / (precision + recall)


def f1_right_2(guesses, gold):
    a = {(i, *span) for i, spans in enumerate(guesses) for span in spans}
    b = {(i, *span) for i, spans in enumerate(gold) for span in spans}
    return 2 * len(a & b) / max(1, len(a) + len(b))


def f1_wrong_mean_of_texts(predicted, true):
    scores = []
    for p, t in zip(predicted, true):
        right = len(set(p) & set(t))
        scores.append(2 * right / (len(p) + len(t)) if right else 0.0)
    return sum(scores) / len(scores)


def f1_wrong_no_zero(predicted, true):
    right = sum(span in t for p, t in zip(predicted, true) for span in p)
    precision = right / sum(map(len, predicted))
    recall = right / sum(map(len, true))
    return 2 * precision * recall / (precision + recall)


def f1_wrong_two(predicted, true):
    p = [s for text in predicted for s in text]
    t = [s for text in true for s in text]
    right = len([s for s in p if s in t])
    if not right:
        return 0
    return (right / len(p) + right / len(t)) / 2


def f1_right_3(predicted, true):
    tp = fp = fn = 0
    for ours, theirs in zip(predicted, true):
        for name in ours:
            if name in theirs:
                tp += 1
            else:
                fp += 1
        fn += sum(name not in ours for name in theirs)
    return 0 if tp == 0 else tp / (tp + (fp + fn) / 2)


def f1_wrong_one_end(predicted, true):
    tp = sum(any(a == c or b == d for c, d in t) for p, t in zip(predicted, true) for a, b in p)
    if tp == 0:
        return 0.0
    precision, recall = tp / sum(map(len, predicted)), tp / sum(map(len, true))
    return 2 * precision * recall / (precision + recall)


def f1_wrong_words(predicted, true):
    a = {(i, w) for i, spans in enumerate(predicted) for s, e in spans for w in range(s, e)}
    b = {(i, w) for i, spans in enumerate(true) for s, e in spans for w in range(s, e)}
    return 2 * len(a & b) / (len(a) + len(b)) if a & b else 0.0


def f1_wrong_arithmetic_mean(predicted, true):
    right = sum(len(set(p) & set(t)) for p, t in zip(predicted, true))
    if not right:
        return 0.0
    return (right / sum(map(len, predicted)) + right / sum(map(len, true))) / 2


# 6b.6
def span_right_1(start_logits, end_logits, allowed, longest):
    best, where = -math.inf, None
    for s in range(len(start_logits)):
        for e in range(s, min(s + longest, len(end_logits))):
            if allowed[s] and allowed[e]:
                score = (start_logits[s] + end_logits[e]).item()
                if score > best:
                    best, where = score, (s, e)
    return where


def span_right_2(a, b, allowed, longest):
    n = a.numel()
    ok = torch.ones(n, n, dtype=torch.bool).triu().tril(longest - 1)
    ok &= allowed[:, None] & allowed[None, :]
    sums = (a.double()[:, None] + b.double()[None, :]).masked_fill(~ok, -math.inf)
    return divmod(sums.argmax().item(), n)


def span_wrong_greedy(start_logits, end_logits, allowed, longest):
    start = start_logits.masked_fill(~allowed, -math.inf).argmax().item()
    ends = end_logits.masked_fill(~allowed, -math.inf)[start : start + longest]
    return start, start + ends.argmax().item()


def span_wrong_one_too_long(start_logits, end_logits, allowed, longest):
    best, where = -math.inf, (0, 0)
    places = [i for i, a in enumerate(allowed.tolist()) if a]
    for s in places:
        for e in places:
            if s <= e and e - s <= longest:
                score = float(start_logits[s] + end_logits[e])
                if score > best:
                    best, where = score, (s, e)
    return where


def span_wrong_two(start_logits, end_logits, allowed, longest):
    best, where = -math.inf, (0, 0)
    for s in range(len(allowed)):
        if not allowed[s]:
            continue
        for e in range(s, min(len(allowed), s + longest)):
            score = start_logits[s] + end_logits[e]
            if score > best:
                best, where = score, (s, e + 1)
    return where


# 6b.5
def loss_right_1(hidden, head, allowed, starts, ends):
    scores = head(hidden)
    scores[~allowed] = float("-inf")
    s, e = scores[..., 0], scores[..., 1]
    return F.cross_entropy(s, starts) + F.cross_entropy(e, ends)


def loss_right_2(hidden, head, allowed, starts, ends):
    total = 0
    for h, ok, s, e in zip(hidden, allowed, starts, ends):
        p = torch.exp(head(h)) * ok[:, None]
        p = p / p.sum(dim=0)
        total = total - torch.log(p[s, 0]) - torch.log(p[e, 1])
    return total / len(starts)


def loss_wrong_no_mask(hidden, head, allowed, starts, ends):
    logits = head(hidden)
    return F.cross_entropy(logits[..., 0], starts) + F.cross_entropy(logits[..., 1], ends)


def loss_wrong_times_mask(hidden, head, allowed, starts, ends):
    logits = head(hidden) * allowed[..., None]
    return F.cross_entropy(logits[..., 0], starts) + F.cross_entropy(logits[..., 1], ends)


def loss_wrong_two(hidden, head, allowed, starts, ends):
    logits = head(hidden)
    return (F.cross_entropy(logits[..., 0], starts) + F.cross_entropy(logits[..., 1], ends)) / 2


def loss_wrong_pair(hidden, head, allowed, starts, ends):
    logits = head(hidden).masked_fill(~allowed[..., None], -math.inf)
    return F.cross_entropy(logits[..., 0], starts), F.cross_entropy(logits[..., 1], ends)


RIGHT = {
    "6b.2": [entities_right_1, entities_right_2],
    "6b.3": [f1_right_1, f1_right_2, f1_right_3],
    "6b.4": [labels_right_1, labels_right_2],
    "6b.5": [loss_right_1, loss_right_2],
    "6b.6": [span_right_1, span_right_2],
}
WRONG = {
    "6b.2": [
        ("an I without B begins nothing", entities_wrong_stray_i),
        ("name at the very end is lost", entities_wrong_last_lost),
        (
            "two: B behind a name does not begin a new one, and end is the last word",
            entities_wrong_two,
        ),
    ],
    "6b.3": [
        ("F1 of each text, then the mean", f1_wrong_mean_of_texts),
        ("divides by zero when none is right", f1_wrong_no_zero),
        ("two: spans matched across texts, and mean of P and R", f1_wrong_two),
        ("one end is enough", f1_wrong_one_end),
        ("counts words, not names", f1_wrong_words),
        ("arithmetic mean of P and R", f1_wrong_arithmetic_mean),
    ],
    "6b.4": [
        ("every piece has the label of its word", labels_wrong_every_piece),
        ("no entries for [CLS] and [SEP]", labels_wrong_no_special),
        ("two: the last piece carries the label, and [CLS] is O", labels_wrong_two),
    ],
    "6b.6": [
        ("best start first, then the best end for it", span_wrong_greedy),
        ("end - start <= longest: one token too many", span_wrong_one_too_long),
        ("two: end may stand outside allowed, and end returned exclusive", span_wrong_two),
    ],
    "6b.5": [
        ("nothing is forbidden", loss_wrong_no_mask),
        ("forbidden scores are 0", loss_wrong_times_mask),
        ("two: nothing is forbidden, and the mean of both", loss_wrong_two),
        ("both losses, not added", loss_wrong_pair),
    ],
}
