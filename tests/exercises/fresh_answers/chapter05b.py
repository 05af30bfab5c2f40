import math
import re
from collections import Counter, defaultdict
from functools import reduce

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.datasets.premises import LABELS, PremisePair, relation  # given in the notebook


# 5b.7
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


# 5b.6
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


# 5b.1
def prompt_with_examples_right_1(examples, query):
    t = ""
    for a, b in examples:
        t += f"Poor English input: {a}\nGood English output: {b}\n\n"
    return t + f"Poor English input: {query}\nGood English output:"


def prompt_with_examples_right_2(shots, sentence):
    lines = []
    for shot in shots:
        lines += ["Poor English input: " + shot[0], "Good English output: " + shot[1], ""]
    return "\n".join([*lines, "Poor English input: " + sentence, "Good English output:"])


def prompt_with_examples_wrong_empty(examples, query):
    text = "\n\n".join(f"Poor English input: {a}\nGood English output: {b}" for a, b in examples)
    return text + f"\n\nPoor English input: {query}\nGood English output:"


def prompt_with_examples_wrong_one_new_line(examples, query):
    text = ""
    for a, b in examples:
        text += f"Poor English input: {a}\nGood English output: {b}\n"
    return text + f"Poor English input: {query}\nGood English output:"


def prompt_with_examples_wrong_two(examples, query):
    text = ""
    for a, b in examples:
        text += f"Poor English input: {b}\nGood English output: {a}\n\n"
    return text + f"Poor English input: {query}"


# 5b.3
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


RIGHT = {
    # the stub itself shows the letter: it goes over premises, so (a)
    "5b.7": [("a", balanced_right_1), ("a", balanced_right_2)],
    "5b.6": [answer_loss_right_1, answer_loss_right_2],
    "5b.1": [prompt_with_examples_right_1, prompt_with_examples_right_2],
    "5b.3": [induction_score_right_1, induction_score_right_2],
}

WRONG = {
    "5b.7": [
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
    "5b.6": [
        ("is_answer not shifted with the labels", answer_loss_wrong_mask_not_shifted),
        ("mean of each row's mean", answer_loss_wrong_row_means),
        ("TWO: no shift, and divides by B*T instead of the answer tokens", answer_loss_wrong_two),
    ],
    "5b.1": [
        ("without examples an empty line before the query", prompt_with_examples_wrong_empty),
        ("no empty line between examples", prompt_with_examples_wrong_one_new_line),
        ("TWO: answer before question, and no label after it", prompt_with_examples_wrong_two),
    ],
    "5b.3": [
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
}
