import math
import re
from collections import Counter, defaultdict
from functools import reduce

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.datasets.premises import LABELS, PremisePair, relation  # given in the notebook


# 5b.8
def balanced_right_1(premises, hypotheses):
    pairs = []
    for hypothesis in hypotheses:
        found = {}
        for premise in premises:
            found.setdefault(relation(premise, hypothesis), premise)
        if len(found) == len(LABELS):
            pairs += [PremisePair(found[x].text, hypothesis.text, x) for x in LABELS]
    return pairs


def balanced_right_2(ps, hs):
    out = []
    for h in hs:
        ways = [[p for p in ps if relation(p, h) == label] for label in LABELS]
        if all(ways):
            out.extend(PremisePair(w[-1].text, h.text, label) for w, label in zip(ways, LABELS))
    return out


def balanced_wrong_keeps_incomplete(premises, hypotheses):
    pairs = []
    for hypothesis in hypotheses:
        found = {}
        for premise in premises:
            found.setdefault(relation(premise, hypothesis), premise)
        pairs += [PremisePair(found[x].text, hypothesis.text, x) for x in found]
    return pairs


def balanced_wrong_swapped_texts(premises, hypotheses):
    pairs = []
    for hypothesis in hypotheses:
        found = {}
        for premise in premises:
            found.setdefault(relation(premise, hypothesis), premise)
        if len(found) == len(LABELS):
            pairs += [PremisePair(hypothesis.text, found[x].text, x) for x in LABELS]
    return pairs


def balanced_wrong_two(premises, hypotheses):
    pairs = []
    for hypothesis in hypotheses:
        found = {}
        for premise in premises:
            found.setdefault(relation(hypothesis, premise), premise)
        if len(found) >= 2:
            pairs += [PremisePair(found[x].text, hypothesis.text, x) for x in LABELS if x in found]
    return pairs


# 5b.7
def answer_loss_right_1(logits, ids, is_answer):
    here = is_answer[:, 1:]
    return F.cross_entropy(logits[:, :-1][here], ids[:, 1:][here])


def answer_loss_right_2(said, tokens, answer):
    losses = []
    logp = torch.log_softmax(said.double(), 2)
    for b, t in answer.nonzero().tolist():
        losses.append(-logp[b, t - 1, tokens[b, t]].item())
    return sum(losses) / len(losses)


def answer_loss_wrong_mask_not_shifted(logits, ids, is_answer):
    logp = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
    m = is_answer[:, :-1]
    return -(logp * m).sum() / m.sum()


def answer_loss_wrong_row_means(logits, ids, is_answer):
    loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    m = is_answer[:, 1:].float()
    return ((loss * m).sum(1) / m.sum(1)).mean()


def answer_loss_wrong_two(logits, ids, is_answer):
    loss = F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
    return (loss * is_answer).mean()


# 5b.3
def two_heads_right_1(ids, n_tokens, sharpness):
    x = torch.eye(n_tokens)[ids]
    notes = torch.cat([torch.zeros(1, n_tokens), x[:-1]])
    scores = sharpness * (x @ notes.T)
    mask = torch.tril(torch.ones(len(ids), len(ids)))
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    return weights, weights @ x


def two_heads_right_2(ids, n_tokens, sharpness):
    T = ids.shape[0]
    note = torch.zeros(T, n_tokens, dtype=torch.float64)
    for t in range(1, T):
        note[t, ids[t - 1]] = 1
    q = F.one_hot(ids, num_classes=n_tokens).double()
    w = torch.zeros(T, T, dtype=torch.float64)
    for t in range(T):
        e = torch.exp(sharpness * (note[: t + 1] @ q[t]))
        w[t, : t + 1] = e / e.sum()
    return w, torch.einsum("ts,sv->tv", w, q)


def two_heads_with(
    note=lambda x: torch.cat([torch.zeros_like(x[:1]), x[:-1]]),
    later=lambda T: torch.ones(T, T).triu(1).bool(),
    query=lambda x, note: x,
    value=lambda x, note: x,
    dim=-1,
    score=1.0,
    fetched=0.0,
    classes=lambda ids, n: n,
):
    def answer(ids, n_tokens, sharpness):
        x = torch.eye(classes(ids, n_tokens))[ids]
        k = note(x)
        s = sharpness**score * query(x, k) @ k.T
        w = s.masked_fill(later(len(ids)), float("-inf")).softmax(dim)
        return w, sharpness**fetched * w @ value(x, k)

    return answer


# 5b.4
def induction_score_right_1(weights):
    n = weights.size(-1) // 2
    t = torch.arange(n, 2 * n)
    return weights[:, t, t - n + 1].mean(-1)


def induction_score_right_2(maps):
    scores = []
    n = maps.shape[1] // 2
    for head in maps:
        total = 0.0
        for i in range(n):
            total += head[n + i, i + 1].double()
        scores.append(total / n)
    return torch.stack(scores)


def induction_score_wrong_extra_row(weights):
    n = weights.size(-1) // 2
    return weights.diagonal(offset=1 - n, dim1=1, dim2=2).mean(-1)


def induction_score_wrong_wraps(weights):
    n = weights.size(-1) // 2
    i = torch.arange(n)
    return weights[:, n + i, (i + 1) % n].mean(-1)


def induction_score_wrong_two(weights):
    n = weights.size(-1) // 2
    total = 0
    for i in range(n):
        total = total + weights[:, i, n + i]
    return total / n


# 5b.1
def few_shot_score_right_1(pairs, k, build, goes_on):
    right = 0
    n = len(pairs)
    for i, (question, answer) in enumerate(pairs):
        examples = [pairs[(i + 1 + j) % n] for j in range(k)]
        if goes_on(build(examples, question)) == answer:
            right += 1
    return right / n


def few_shot_score_right_2(pairs, k, build, goes_on):
    twice = list(pairs) + list(pairs)
    return sum(
        goes_on(build(twice[i + 1 : i + 1 + k], q)) == a for i, (q, a) in enumerate(pairs)
    ) / len(pairs)


def few_shot_score_wrong_own(pairs, k, build, goes_on):
    twice = list(pairs) * 2
    return sum(goes_on(build(twice[i : i + k], q)) == a for i, (q, a) in enumerate(pairs)) / len(
        pairs
    )


def few_shot_score_wrong_nowrap(pairs, k, build, goes_on):
    return sum(
        goes_on(build(pairs[i + 1 : i + 1 + k], q)) == a for i, (q, a) in enumerate(pairs)
    ) / len(pairs)


def few_shot_score_wrong_firstk(pairs, k, build, goes_on):
    return sum(goes_on(build(pairs[:k], q)) == a for q, a in pairs) / len(pairs)


def few_shot_score_wrong_count(pairs, k, build, goes_on):
    twice = list(pairs) * 2
    return sum(goes_on(build(twice[i + 1 : i + 1 + k], q)) == a for i, (q, a) in enumerate(pairs))


def few_shot_score_wrong_contains(pairs, k, build, goes_on):
    twice = list(pairs) * 2
    return sum(
        a in goes_on(build(twice[i + 1 : i + 1 + k], q)) for i, (q, a) in enumerate(pairs)
    ) / len(pairs)


def few_shot_score_wrong_before(pairs, k, build, goes_on):
    n = len(pairs)
    return (
        sum(
            goes_on(build([pairs[(i - j - 1) % n] for j in range(k)], q)) == a
            for i, (q, a) in enumerate(pairs)
        )
        / n
    )


def few_shot_score_wrong_skip(pairs, k, build, goes_on):
    rest = pairs[k:]
    return sum(goes_on(build(pairs[:k], q)) == a for q, a in rest) / len(rest)


def few_shot_score_wrong_build_order(pairs, k, build, goes_on):
    twice = list(pairs) * 2
    return sum(
        goes_on(build(q, twice[i + 1 : i + 1 + k])) == a for i, (q, a) in enumerate(pairs)
    ) / len(pairs)


def few_shot_score_wrong_percent(pairs, k, build, goes_on):
    return 100 * few_shot_score_right_1(pairs, k, build, goes_on)


# 5b.2
def ceiling_right_1(kinds, k):
    n = 0
    for words in kinds:
        if words[k] in words[:k]:
            n += 1
    return n / len(kinds)


def ceiling_right_2(kinds, k):
    seen = [set(row[i] for i in range(k)) for row in kinds]
    hits = torch.tensor([row[k] in before for row, before in zip(kinds, seen)])
    return hits.float().mean().item()


def ceiling_wrong_itself(kinds, k):
    return sum(words[k] in words[: k + 1] for words in kinds) / len(kinds)


def ceiling_wrong_count(kinds, k):
    return sum(words[k] in words[:k] for words in kinds)


def ceiling_wrong_from_one(kinds, k):
    known = 0
    for words in kinds:
        if words[k - 1] in words[: k - 1]:
            known += 1
    return known / len(kinds)


# 5b.5
def silence_right_1(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        K = x.size(-1) // n_heads
        x[..., head * K : (head + 1) * K] = instead
        return (x,)

    return output.register_forward_pre_hook(change)


def silence_right_2(output, n_heads, head, instead):
    def change(module, inputs):
        (x,) = inputs
        parts = list(x.chunk(n_heads, dim=-1))
        parts[head] = torch.zeros_like(parts[head]) + instead
        return (torch.cat(parts, -1),)

    return output.register_forward_pre_hook(change)


def silence_wrong_inplace(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0]
        K = x.size(-1) // n_heads
        x[..., head * K : (head + 1) * K] = instead
        return (x,)

    return output.register_forward_pre_hook(change)


def silence_wrong_nohook(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        K = x.size(-1) // n_heads
        x[..., head * K : (head + 1) * K] = instead
        return (x,)

    output.register_forward_pre_hook(change)


def silence_wrong_interleaved(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        x[..., head::n_heads] = instead
        return (x,)

    return output.register_forward_pre_hook(change)


def silence_wrong_width(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        x[..., head * n_heads : (head + 1) * n_heads] = (
            instead if isinstance(instead, float) else instead[:n_heads]
        )
        return (x,)

    return output.register_forward_pre_hook(change)


def silence_wrong_last(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        K = x.size(-1) // n_heads
        x[:, -1, head * K : (head + 1) * K] = instead
        return (x,)

    return output.register_forward_pre_hook(change)


def silence_wrong_noreturn(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        K = x.size(-1) // n_heads
        x[..., head * K : (head + 1) * K] = instead

    return output.register_forward_pre_hook(change)


def silence_wrong_from1(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        K = x.size(-1) // n_heads
        x[..., (head - 1) * K : head * K] = instead
        return (x,)

    return output.register_forward_pre_hook(change)


def silence_wrong_post(output, n_heads, head, instead):
    def change(module, inputs, out):
        x = out.clone()
        K = x.size(-1) // n_heads
        x[..., head * K : (head + 1) * K] = instead
        return x

    return output.register_forward_hook(change)


def silence_wrong_zero_only(output, n_heads, head, instead):
    return silence_right_1(output, n_heads, head, 0.0)


def silence_wrong_others(output, n_heads, head, instead):
    def change(module, inputs):
        x = inputs[0].clone()
        y = x.view(*x.shape[:-1], n_heads, -1)
        keep = y[..., head, :].clone()
        y[:] = instead
        y[..., head, :] = keep
        return (x,)

    return output.register_forward_pre_hook(change)


# 5b.6
def without_note_right_1(stream, said, mean, matrix, head):
    K = said.size(-1)
    columns = matrix[:, head * K : (head + 1) * K]  # (D, K)
    return stream + (mean - said) @ columns.T


def without_note_right_2(stream, said, mean, matrix, head):
    D = matrix.size(0)
    per_head = matrix.reshape(D, -1, said.size(-1))[:, head]
    added = torch.einsum("btk,dk->btd", said, per_head)
    usual = torch.einsum("k,dk->d", mean, per_head)
    return stream - added + usual


def without_note_wrong_zero(stream, said, mean, matrix, head):
    K = said.size(-1)
    return stream - said @ matrix[:, head * K : (head + 1) * K].T


def without_note_wrong_sign(stream, said, mean, matrix, head):
    K = said.size(-1)
    return stream + (said - mean) @ matrix[:, head * K : (head + 1) * K].T


def without_note_wrong_rows(stream, said, mean, matrix, head):
    K = said.size(-1)
    return stream - (said - mean) @ matrix[head * K : (head + 1) * K]


def without_note_wrong_stride(stream, said, mean, matrix, head):
    n_heads = matrix.size(1) // said.size(-1)
    return stream - (said - mean) @ matrix[:, head::n_heads].T


def without_note_wrong_ownmean(stream, said, mean, matrix, head):
    K = said.size(-1)
    return stream - (said - said.mean((0, 1))) @ matrix[:, head * K : (head + 1) * K].T


def without_note_wrong_nomatrix(stream, said, mean, matrix, head):
    K = said.size(-1)
    out = stream.clone()
    out[..., head * K : (head + 1) * K] -= said - mean
    return out


def without_note_wrong_from1(stream, said, mean, matrix, head):
    return without_note_right_1(
        stream, said, mean, matrix, head - 1 if head else matrix.size(1) // said.size(-1) - 1
    )


def without_note_wrong_last(stream, said, mean, matrix, head):
    out = stream.clone()
    out[:, -1] = without_note_right_1(stream, said, mean, matrix, head)[:, -1]
    return out


def without_note_wrong_addmean(stream, said, mean, matrix, head):
    K = said.size(-1)
    return stream + mean @ matrix[:, head * K : (head + 1) * K].T


def without_note_wrong_submean(stream, said, mean, matrix, head):
    K = said.size(-1)
    return stream - (said + mean) @ matrix[:, head * K : (head + 1) * K].T


def without_note_wrong_onlyhead(stream, said, mean, matrix, head):
    K = said.size(-1)
    return (mean @ matrix[:, head * K : (head + 1) * K].T).expand_as(stream)


RIGHT = {
    # the stub itself shows the letter: it goes over premises, so (a)
    "5b.8": [("a", balanced_right_1), ("a", balanced_right_2)],
    "5b.7": [answer_loss_right_1, answer_loss_right_2],
    "5b.3": [two_heads_right_1, two_heads_right_2],
    "5b.4": [induction_score_right_1, induction_score_right_2],
    "5b.1": [few_shot_score_right_1, few_shot_score_right_2],
    "5b.2": [ceiling_right_1, ceiling_right_2],
    "5b.5": [silence_right_1, silence_right_2],
    "5b.6": [without_note_right_1, without_note_right_2],
}

WRONG = {
    "5b.8": [
        ("keeps a hypothesis that lacks a label", ("a", balanced_wrong_keeps_incomplete)),
        (
            "swaps the texts: the hypothesis is written as the premise",
            ("a", balanced_wrong_swapped_texts),
        ),
        (
            "TWO: relation asked the wrong way round, and two labels are enough",
            ("a", balanced_wrong_two),
        ),
    ],
    "5b.7": [
        ("is_answer not shifted with the labels", answer_loss_wrong_mask_not_shifted),
        ("mean of each row's mean", answer_loss_wrong_row_means),
        ("TWO: no shift, and divides by B*T instead of the answer tokens", answer_loss_wrong_two),
    ],
    "5b.3": [
        (
            "notes of the token after",
            two_heads_with(note=lambda x: torch.cat([x[1:], torch.zeros_like(x[:1])])),
        ),
        ("roll wraps", two_heads_with(note=lambda x: x.roll(1, 0))),
        ("no note", two_heads_with(note=lambda x: x)),
        ("no mask", two_heads_with(later=lambda T: torch.zeros(T, T).bool())),
        ("strict mask", two_heads_with(later=lambda T: torch.ones(T, T).triu(0).bool())),
        ("query of the note", two_heads_with(query=lambda x, note: note)),
        ("fetches A", two_heads_with(value=lambda x, note: note)),
        ("softmax over t", two_heads_with(dim=0)),
        ("no sharpness", two_heads_with(score=0.0)),
        ("sharpness on the values", two_heads_with(score=0.0, fetched=1.0)),
        (
            "one-hots as long as the highest id",
            two_heads_with(classes=lambda ids, n: int(ids.max()) + 1),
        ),
        ("one-hots of T", two_heads_with(classes=lambda ids, n: max(len(ids), n))),
        (
            "TWO: roll wraps, and fetches A",
            two_heads_with(note=lambda x: x.roll(1, 0), value=lambda x, note: note),
        ),
    ],
    "5b.4": [
        ("the whole diagonal: N + 1 weights, one of row N - 1", induction_score_wrong_extra_row),
        (
            "the last token's place behind taken modulo N (column 0 instead of N)",
            induction_score_wrong_wraps,
        ),
        (
            "TWO: row and column swapped, and the first place itself, not the one behind",
            induction_score_wrong_two,
        ),
    ],
    "5b.1": [
        ("its own answer is among the examples", few_shot_score_wrong_own),
        ("does not go on at the first", few_shot_score_wrong_nowrap),
        ("the same first k for all", few_shot_score_wrong_firstk),
        ("a count", few_shot_score_wrong_count),
        ("contains the answer", few_shot_score_wrong_contains),
        ("the k pairs before it, the nearest first", few_shot_score_wrong_before),
        ("the first k are examples, and only the others are asked", few_shot_score_wrong_skip),
        ("the arguments of build turned round", few_shot_score_wrong_build_order),
        ("in percent", few_shot_score_wrong_percent),
    ],
    "5b.2": [
        ("word k itself counts", ceiling_wrong_itself),
        ("a number of sequences", ceiling_wrong_count),
        ("words count from 1", ceiling_wrong_from_one),
    ],
    "5b.5": [
        ("no copy", silence_wrong_inplace),
        ("returns no hook", silence_wrong_nohook),
        ("every H-th column", silence_wrong_interleaved),
        ("width H in place of K", silence_wrong_width),
        ("the last position only", silence_wrong_last),
        ("change returns nothing", silence_wrong_noreturn),
        ("heads from 1", silence_wrong_from1),
        ("in the mixed output", silence_wrong_post),
        ("zeros, whatever instead is", silence_wrong_zero_only),
        ("silences all others", silence_wrong_others),
    ],
    "5b.6": [
        ("the mean is forgotten", without_note_wrong_zero),
        ("sign turned", without_note_wrong_sign),
        ("rows of the matrix", without_note_wrong_rows),
        ("every H-th column", without_note_wrong_stride),
        ("the mean of this text", without_note_wrong_ownmean),
        ("in the slot of the stream, without the matrix", without_note_wrong_nomatrix),
        ("heads from 1", without_note_wrong_from1),
        ("the last position only", without_note_wrong_last),
        ("adds the mean, leaves what was said", without_note_wrong_addmean),
        ("takes away both", without_note_wrong_submean),
        ("returns only the mean's vector", without_note_wrong_onlyhead),
    ],
}
