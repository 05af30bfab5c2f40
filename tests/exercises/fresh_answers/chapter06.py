import itertools
import math
import re

import torch
import torch.nn.functional as F


# 6.2
def segment_right_1(ids, sep_id):
    sep = (ids == sep_id).long()
    before = sep.cumsum(dim=1) - sep
    return (before == 1).long()


def segment_right_2(tokens, sep):
    rows = []
    for row in tokens.tolist():
        first = row.index(sep)
        second = row.index(sep, first + 1)
        rows.append([1 if first < t <= second else 0 for t in range(len(row))])
    return torch.tensor(rows)


def segment_wrong_sep_in_second(ids, sep_id):
    return ((ids == sep_id).cumsum(dim=1) == 1).long()


def segment_wrong_pad_is_zero(ids, sep_id):
    sep = (ids == sep_id).long()
    out = (sep.cumsum(dim=1) - sep).clamp(max=1)
    out[ids == 0] = 0
    return out


def segment_wrong_two(ids, sep_id):
    return (ids == sep_id).cumsum(dim=1).clamp(max=1)


# 6.5
def pairs_right_1(documents, draws):
    out = []
    for d, s, coin, u in draws:
        first = documents[d][s]
        if coin < 0.5:
            out.append((first, documents[d][s + 1], True))
        else:
            others = [x for i, doc in enumerate(documents) if i != d for x in doc]
            out.append((first, others[int(u * len(others))], False))
    return out


def pairs_right_2(docs, draws):
    def one(d, s, coin, u):
        rest = list(itertools.chain.from_iterable(docs[:d] + docs[d + 1 :]))
        follows = bool(coin < 0.5)
        return docs[d][s], docs[d][s + 1] if follows else rest[math.floor(u * len(rest))], follows

    return [one(*draw) for draw in draws]


def pairs_wrong_own_document(documents, draws):
    out = []
    everything = [x for doc in documents for x in doc]
    for d, s, coin, u in draws:
        if coin < 0.5:
            out.append((documents[d][s], documents[d][s + 1], True))
        else:
            out.append((documents[d][s], everything[int(u * len(everything))], False))
    return out


def pairs_wrong_rounds(documents, draws):
    out = []
    for d, s, coin, u in draws:
        others = [x for i, doc in enumerate(documents) if i != d for x in doc]
        if coin < 0.5:
            out.append((documents[d][s], documents[d][s + 1], True))
        else:
            out.append((documents[d][s], others[round(u * (len(others) - 1))], False))
    return out


def pairs_wrong_two(documents, draws):
    out = []
    everything = sum(documents, [])
    for d, s, coin, u in draws:
        if coin >= 0.5:
            out.append((documents[d][s], documents[d][s + 1], True))
        else:
            out.append((documents[d][s], everything[int(u * len(everything))], False))
    return out


# 6.3
def mask_right_1(ids, chosen, draw, random_ids, mask_id):
    hidden = torch.where(draw < 0.8, torch.full_like(ids, mask_id), random_ids)
    return torch.where(chosen & (draw < 0.9), hidden, ids)


def mask_right_2(ids, chosen, draw, random_ids, mask_id):
    out = ids.clone()
    for b, t in chosen.nonzero().tolist():
        if draw[b, t] < 0.8:
            out[b, t] = mask_id
        elif draw[b, t] < 0.9:
            out[b, t] = random_ids[b, t]
    return out


def mask_wrong_overwrites(ids, chosen, draw, random_ids, mask_id):
    out = ids.clone()
    out[chosen & (draw < 0.8)] = mask_id
    r = chosen & (draw < 0.9)
    out[r] = random_ids[r]
    return out


def mask_wrong_random_everywhere(ids, chosen, draw, random_ids, mask_id):
    out = ids.masked_fill(chosen & (draw < 0.8), mask_id)
    return torch.where((draw >= 0.8) & (draw < 0.9), random_ids, out)


def mask_wrong_two(ids, chosen, draw, random_ids, mask_id):
    r = chosen & (draw >= 0.9)
    ids[chosen & (draw < 0.8)] = mask_id
    ids[r] = random_ids[r]
    return ids


# 6.4
def loss_right_1(logits, ids, chosen):
    return F.cross_entropy(logits[chosen], ids[chosen])


def loss_right_2(scores, tokens, where):
    scores = scores.double()
    terms = []
    for b in range(scores.shape[0]):
        for t in range(scores.shape[1]):
            if where[b, t]:
                terms.append(torch.logsumexp(scores[b, t], 0) - scores[b, t, tokens[b, t]])
    return sum(terms) / len(terms)


def loss_wrong_mean_of_rows(logits, ids, chosen):
    nll = F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
    per_row = (nll * chosen).sum(dim=1) / chosen.sum(dim=1).clamp(min=1)
    return per_row.mean()


def loss_wrong_shifted(logits, ids, chosen):
    return F.cross_entropy(logits[:, :-1][chosen[:, 1:]], ids[:, 1:][chosen[:, 1:]])


def loss_wrong_two(logits, ids, chosen):
    p = logits.softmax(dim=-1)
    return F.cross_entropy(p.flatten(0, 1), ids.flatten())


# 6.6
def batch_right_1(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(~chosen, -100)
    return (inputs, labels)


def batch_right_2(ids, chosen, mask_id):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    for b in range(len(ids)):
        for t in range(len(ids[b])):
            if chosen[b, t]:
                labels[b, t] = ids[b, t]
                inputs[b, t] = mask_id
    return [inputs, labels]


def batch_wrong_inverted(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(chosen, -100)
    return (inputs, labels)


def batch_wrong_labels_from_inputs(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = torch.where(chosen, inputs, torch.tensor(-100))
    return (inputs, labels)


def batch_wrong_two(ids, chosen, mask_id):
    labels = torch.where(chosen, ids, torch.full_like(ids, -1))
    ids[chosen] = mask_id
    return (ids, labels)


# 6.8
def pool_right_1(hidden, mask):
    kept = hidden.masked_fill(~mask.unsqueeze(-1), 0.0)
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True)


def pool_right_2(vectors, real):
    return torch.stack([v[r].mean(dim=0) for v, r in zip(vectors, real)])


def pool_wrong_divides_by_t(hidden, mask):
    return (hidden * mask.unsqueeze(-1)).mean(dim=1)


def pool_wrong_divides_by_batch(hidden, mask):
    return (hidden * mask[:, :, None]).sum(dim=1) / mask.sum()


def pool_wrong_two(hidden, mask):
    h, m = hidden[:, 1:], mask[:, 1:]
    return (h * m[..., None]).sum(dim=1) / h.shape[1]


# 6.9
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


# 6.11
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


# 6.10
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


# 6.12
def vectors_right_1(hidden, mask):
    m = mask.unsqueeze(-1).to(hidden.dtype)
    pooled = (hidden * m).sum(dim=1) / m.sum(dim=1)
    return pooled / pooled.norm(dim=-1, keepdim=True)


def vectors_right_2(hidden, mask):
    return F.normalize(torch.einsum("btd,bt->bd", hidden, mask.to(hidden.dtype)), dim=-1)


def vectors_wrong_tokens_normed(hidden, mask):
    unit = F.normalize(hidden, dim=-1) * mask[..., None]
    pooled = unit.sum(dim=1) / mask.sum(dim=1, keepdim=True)
    return F.normalize(pooled, dim=-1)


def vectors_wrong_no_root(hidden, mask):
    pooled = (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    return pooled / (pooled * pooled).sum(dim=-1, keepdim=True)


def vectors_wrong_two(hidden, mask):
    h, m = hidden[:, 1:], mask[:, 1:, None]
    return (h * m).sum(dim=1) / m.sum(dim=1)


RIGHT = {
    "6.1": [76],
    "6.2": [144],
    "6.3": [segment_right_1, segment_right_2],
    "6.4": [pairs_right_1, pairs_right_2],
    "6.5": [mask_right_1, mask_right_2],
    "6.6": [loss_right_1, loss_right_2],
    "6.7": [("c", batch_right_1), ("c", batch_right_2)],  # letter from the stub's code
    "6.8": [335.1],
    "6.9": [pool_right_1, pool_right_2],
    "6.10": [entities_right_1, entities_right_2],
    "6.11": [f1_right_1, f1_right_2],
    "6.12": [span_right_1, span_right_2],
    "6.13": [("b", vectors_right_1), ("b", vectors_right_2)],  # letter from the stub's code
}
WRONG = {
    "6.1": [
        ("15 % of all 512, special tokens too: 76.8 -> 77", 77),
        ("only those shown as [MASK]: 80 % of 76", 61),
        ("two: 15 % of all 512, and not rounded", 76.8),
    ],
    "6.2": [
        ("took it at its word: the columns of the two [MASK] are 0, 12 x 10", 120),
        ("causal mask: 12 x 13 / 2", 78),
        ("two: [MASK] tokens left out, and causal: 10 x 11 / 2", 55),
    ],
    "6.3": [
        ("each [SEP] counted with what follows", segment_wrong_sep_in_second),
        ("padding found by id 0; any other pad id gets 1", segment_wrong_pad_is_zero),
        ("two: first [SEP] is 1, and the padding is 1", segment_wrong_two),
    ],
    "6.4": [
        ("random sentence from all documents, own one too", pairs_wrong_own_document),
        ("round(u * (n - 1)) in place of int(u * n)", pairs_wrong_rounds),
        ("two: coin turned round, and own document in the list", pairs_wrong_two),
    ],
    "6.5": [
        ("second assignment overwrites the [MASK]s with random tokens", mask_wrong_overwrites),
        ("random tokens also at places not chosen", mask_wrong_random_everywhere),
        ("two: random from 0.9 on (0.8 to 0.9 stays), and changes ids itself", mask_wrong_two),
    ],
    "6.6": [
        ("mean of each row first, then mean of rows", loss_wrong_mean_of_rows),
        ("shifted by one as in a language model", loss_wrong_shifted),
        ("two: softmax before cross_entropy, and all places count", loss_wrong_two),
    ],
    "6.7": [
        ("-100 at the chosen places, not at the others", ("c", batch_wrong_inverted)),
        ("labels from the changed inputs", ("c", batch_wrong_labels_from_inputs)),
        ("two: -1 in place of -100, and hides in ids itself", ("c", batch_wrong_two)),
    ],
    "6.8": [
        ("pooler forgotten", 334.1),
        ("the 30,000 tokens of the textbook", 334.6),
        ("two: 30,000 tokens and no pooler", 333.6),
    ],
    "6.9": [
        ("padding zeroed, but divided by T", pool_wrong_divides_by_t),
        ("divided by the real tokens of the whole batch", pool_wrong_divides_by_batch),
        ("two: [CLS] dropped, and divided by all places", pool_wrong_two),
    ],
    "6.10": [
        ("an I without B begins nothing", entities_wrong_stray_i),
        ("name at the very end is lost", entities_wrong_last_lost),
        (
            "two: B behind a name does not begin a new one, and end is the last word",
            entities_wrong_two,
        ),
    ],
    "6.11": [
        ("F1 of each text, then the mean", f1_wrong_mean_of_texts),
        ("divides by zero when none is right", f1_wrong_no_zero),
        ("two: spans matched across texts, and mean of P and R", f1_wrong_two),
    ],
    "6.12": [
        ("best start first, then the best end for it", span_wrong_greedy),
        ("end - start <= longest: one token too many", span_wrong_one_too_long),
        ("two: end may stand outside allowed, and end returned exclusive", span_wrong_two),
    ],
    "6.13": [
        ("token vectors brought to length 1 before the mean", ("b", vectors_wrong_tokens_normed)),
        ("divided by the squared length", ("b", vectors_wrong_no_root)),
        ("two: [CLS] left out, and not brought to length 1", ("b", vectors_wrong_two)),
    ],
}
