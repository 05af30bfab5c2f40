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


# 6.7
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
RIGHT = {
    "6.1": [76],
    "6.2": [144],
    "6.3": [segment_right_1, segment_right_2],
    "6.4": [pairs_right_1, pairs_right_2],
    "6.5": [mask_right_1, mask_right_2],
    "6.6": [0.14],
    "6.7": [("c", batch_right_1), ("c", batch_right_2)],  # letter from the stub's code
    "6.8": [335.1],
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
        ("a random token copied is counted as right", 0.24),
        ("only the copies", 0.1),
        ("the commonest token at all places, and the copies", 0.15),
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
}
