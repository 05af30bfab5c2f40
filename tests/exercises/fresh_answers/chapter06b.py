import itertools
import math
import re

import torch
import torch.nn.functional as F

from tutorial_lib.models.bert_heads import mean_pool


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


# 6b.1
def step_right_1(body, head, optimizer, ids, mask, wanted):
    hidden = body(ids, mask=mask)
    logits = head(mean_pool(hidden, mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_right_2(body, head, optimizer, ids, mask, wanted):
    optimizer.zero_grad(set_to_none=True)
    real = mask.unsqueeze(-1).float()
    x = body(ids, mask=mask)
    h = (x * real).sum(1) / real.sum(1)
    logits = head(h)
    log_p = logits.log_softmax(-1)
    loss = -log_p[torch.arange(len(wanted)), wanted].mean()
    loss.backward()
    optimizer.step()
    return (float(loss), logits.detach())


def step_wrong_softmax(body, head, optimizer, ids, mask, wanted):
    p = head(mean_pool(body(ids, mask=mask), mask)).softmax(-1)
    loss = F.cross_entropy(p, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), p)


def step_wrong_no_zero(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_mean_all(body, head, optimizer, ids, mask, wanted):
    logits = head(body(ids, mask=mask).mean(dim=1))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_no_mask(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids), mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_frozen(body, head, optimizer, ids, mask, wanted):
    with torch.no_grad():
        h = mean_pool(body(ids, mask=mask), mask)
    logits = head(h)
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_zero_late(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_cls(body, head, optimizer, ids, mask, wanted):
    logits = head(body(ids, mask=mask)[:, 0])
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_sum(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss.item(), logits)


def step_wrong_only_loss(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def step_right_tensor(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (loss, logits)


def step_wrong_after(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    logits = head(mean_pool(body(ids, mask=mask), mask))
    return loss.item(), logits


def step_wrong_p(body, head, optimizer, ids, mask, wanted):
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.softmax(-1)


# 6b.5, once more
def loss2_right_1(hidden, head, allowed, starts, ends):
    scores = head(hidden).masked_fill(~allowed[..., None], -torch.inf)
    return F.cross_entropy(scores[..., 0], starts) + F.cross_entropy(scores[..., 1], ends)


def loss2_right_2(hidden, head, allowed, starts, ends):
    start, end = head(hidden).unbind(-1)
    total = 0.0
    for logits, wanted in ((start, starts), (end, ends)):
        logits = torch.where(allowed, logits, torch.full_like(logits, -1000000000.0))
        log_p = logits - logits.logsumexp(dim=1, keepdim=True)
        total = total - log_p.gather(1, wanted[:, None]).mean()
    return total


def loss2_wrong_no_mask(hidden, head, allowed, starts, ends):
    s = head(hidden)
    return F.cross_entropy(s[..., 0], starts) + F.cross_entropy(s[..., 1], ends)


def loss2_wrong_zero(hidden, head, allowed, starts, ends):
    s = head(hidden).masked_fill(~allowed[..., None], 0.0)
    return F.cross_entropy(s[..., 0], starts) + F.cross_entropy(s[..., 1], ends)


def loss2_wrong_mean(hidden, head, allowed, starts, ends):
    return loss2_right_1(hidden, head, allowed, starts, ends) / 2


def loss2_wrong_swap(hidden, head, allowed, starts, ends):
    return loss2_right_1(hidden, head, allowed, ends, starts)


def loss2_wrong_inverted(hidden, head, allowed, starts, ends):
    s = head(hidden).masked_fill(allowed[..., None], -torch.inf)
    return F.cross_entropy(s[..., 0], starts) + F.cross_entropy(s[..., 1], ends)


def loss2_wrong_softmax_then_mask(hidden, head, allowed, starts, ends):
    p = head(hidden).softmax(dim=1) * allowed[..., None]
    b = torch.arange(len(starts))
    return -(p[b, starts, 0].log().mean() + p[b, ends, 1].log().mean())


def loss2_wrong_two_softmax(hidden, head, allowed, starts, ends):
    p = head(hidden).masked_fill(~allowed[..., None], -torch.inf).softmax(dim=1)
    return F.cross_entropy(p[..., 0], starts) + F.cross_entropy(p[..., 1], ends)


def loss2_wrong_wrong_dim(hidden, head, allowed, starts, ends):
    lp = head(hidden).masked_fill(~allowed[..., None], -1000000000.0).log_softmax(dim=-1)
    b = torch.arange(len(starts))
    return -(lp[b, starts, 0].mean() + lp[b, ends, 1].mean())


def loss2_wrong_sum(hidden, head, allowed, starts, ends):
    s = head(hidden).masked_fill(~allowed[..., None], -torch.inf)
    return F.cross_entropy(s[..., 0], starts, reduction="sum") + F.cross_entropy(
        s[..., 1], ends, reduction="sum"
    )


def loss2_wrong_item(hidden, head, allowed, starts, ends):
    return loss2_right_1(hidden, head, allowed, starts, ends).item()


def loss2_wrong_start_only_mask(hidden, head, allowed, starts, ends):
    s = head(hidden)
    return F.cross_entropy(s[..., 0].masked_fill(~allowed, -torch.inf), starts) + F.cross_entropy(
        s[..., 1], ends
    )


def loss2_wrong_reshape(hidden, head, allowed, starts, ends):
    start, end = head(hidden).reshape(hidden.size(0), 2, -1).unbind(1)
    return F.cross_entropy(start.masked_fill(~allowed, -torch.inf), starts) + F.cross_entropy(
        end.masked_fill(~allowed, -torch.inf), ends
    )


# 6b.9
def partners_right_1(a, b, scale):
    losses = []
    for i in range(len(a)):
        cos = torch.stack([torch.dot(a[i], v) / (a[i].norm() * v.norm()) for v in b])
        losses.append(-torch.log_softmax(scale * cos, dim=0)[i])
    return sum(losses) / len(losses)


def partners_right_2(a, b, scale):
    table = torch.exp(scale * F.normalize(a) @ F.normalize(b).T)
    p = table / table.sum(dim=1, keepdim=True)
    return -p.diag().log().mean()


def partners_wrong_normalize_dim(a, b, scale):
    logits = F.normalize(a, dim=0) @ F.normalize(b, dim=0).T * scale
    return F.cross_entropy(logits, torch.arange(len(a)))


def partners_wrong_two(a, b, scale):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    p = (scale * a @ b.T).softmax(dim=0)
    return -p.diagonal().log().sum()


def partners_wrong_probabilities(a, b, scale):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    p = (scale * a @ b.T).softmax(dim=1)
    return F.cross_entropy(p, torch.arange(len(a)))


# 6b.7
def layers_right_1(train, validation, test, fit, score):
    heads = []
    scores = []
    for layer in range(len(train)):
        head = fit(train[layer])
        heads.append(head)
        scores.append(score(head, validation[layer]))
    best = 0
    for layer, value in enumerate(scores):
        if value > scores[best]:
            best = layer
    return scores, best, score(heads[best], test[best])


def layers_right_2(train, validation, test, fit, score):
    scores = [score(fit(a), b) for a, b in zip(train, validation)]
    best = torch.tensor(scores).argmax().item()
    return scores, best, score(fit(train[best]), test[best])


def layers_right_3(train, validation, test, fit, score):
    rows = []
    for number, (a, b, c) in enumerate(zip(train, validation, test)):
        head = fit(a)
        rows.append((score(head, b), number, score(head, c)))
    _, best, tested = max(rows, key=lambda row: row[0])
    return [row[0] for row in rows], best, tested


def layers_wrong_test(train, validation, test, fit, score):
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, validation)]
    of_test = [score(head, part) for head, part in zip(heads, test)]
    best = of_test.index(max(of_test))
    return scores, best, of_test[best]


def layers_wrong_min(train, validation, test, fit, score):
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, validation)]
    best = min(range(len(scores)), key=lambda i: scores[i])
    return scores, best, score(heads[best], test[best])


def layers_wrong_skip_zero(train, validation, test, fit, score):
    heads = [fit(train[i]) for i in range(1, len(train))]
    scores = [score(head, validation[i + 1]) for i, head in enumerate(heads)]
    best = scores.index(max(scores))
    return scores, best, score(heads[best], test[best + 1])


def layers_wrong_from_one(train, validation, test, fit, score):
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, validation)]
    best = scores.index(max(scores)) + 1
    return scores, best, score(heads[best - 1], test[best - 1])


def layers_wrong_one_head(train, validation, test, fit, score):
    head = fit([row for part in train for row in part])
    scores = [score(head, part) for part in validation]
    best = scores.index(max(scores))
    return scores, best, score(head, test[best])


def layers_wrong_seen(train, validation, test, fit, score):
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, train)]
    best = scores.index(max(scores))
    return scores, best, score(heads[best], test[best])


def layers_wrong_left_over(train, validation, test, fit, score):
    scores = []
    for a, b in zip(train, validation):
        head = fit(a)
        scores.append(score(head, b))
    best = scores.index(max(scores))
    return scores, best, score(head, test[best])


def layers_wrong_no_test(train, validation, test, fit, score):
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, validation)]
    best = scores.index(max(scores))
    return scores, best, scores[best]


def layers_wrong_two(train, validation, test, fit, score):
    heads = [fit(part) for part in validation]
    scores = [score(head, part) for head, part in zip(heads, validation)]
    best = scores.index(max(scores))
    return scores, best, max(score(head, part) for head, part in zip(heads, test))


def layers_wrong_both(train, validation, test, fit, score):
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, validation)]
    best = scores.index(max(scores))
    return scores, best, score(fit(train[best] + validation[best]), test[best])


RIGHT = {
    "6b.1": [step_right_1, step_right_2, step_right_tensor],
    "6b.2": [entities_right_1, entities_right_2],
    "6b.3": [f1_right_1, f1_right_2, f1_right_3],
    "6b.4": [labels_right_1, labels_right_2],
    "6b.5": [loss_right_1, loss_right_2, loss2_right_1, loss2_right_2],
    "6b.6": [span_right_1, span_right_2],
    "6b.7": [layers_right_1, layers_right_2, layers_right_3],
    "6b.9": [partners_right_1, partners_right_2],
}
WRONG = {
    "6b.1": [
        ("a softmax before cross_entropy", step_wrong_softmax),
        ("old gradients are never cleared", step_wrong_no_zero),
        ("padding goes into the mean", step_wrong_mean_all),
        ("the body reads padding as real", step_wrong_no_mask),
        ("no_grad round the body: only the head learns", step_wrong_frozen),
        ("zero_grad between backward and step: nothing moves", step_wrong_zero_late),
        ("reads [CLS], not the mean", step_wrong_cls),
        ("sum, not mean over the texts", step_wrong_sum),
        ("logits not returned", step_wrong_only_loss),
        ("logits of after the step", step_wrong_after),
        ("probabilities come back", step_wrong_p),
    ],
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
        ("tokens that are not allowed take part", loss2_wrong_no_mask),
        ("score 0, not minus infinity", loss2_wrong_zero),
        ("the mean of the two losses, not the sum", loss2_wrong_mean),
        ("start and end swapped", loss2_wrong_swap),
        ("masks the allowed tokens", loss2_wrong_inverted),
        (
            "masks the probabilities, after the softmax: they no longer sum to 1",
            loss2_wrong_softmax_then_mask,
        ),
        ("a softmax too many", loss2_wrong_two_softmax),
        ("softmax over the 2 scores, not over the tokens", loss2_wrong_wrong_dim),
        ("sum over the texts", loss2_wrong_sum),
        ("no gradient", loss2_wrong_item),
        ("the end is not masked", loss2_wrong_start_only_mask),
        ("(B,T,2) reshaped to (B,2,T) in place of a transpose", loss2_wrong_reshape),
    ],
    "6b.7": [
        ("chosen by the test scores", layers_wrong_test),
        ("the lowest score", layers_wrong_min),
        ("layer 0 left out", layers_wrong_skip_zero),
        ("layers counted from 1", layers_wrong_from_one),
        ("one head for all layers", layers_wrong_one_head),
        ("scored on what it learned from", layers_wrong_seen),
        ("head left over from the loop", layers_wrong_left_over),
        ("no test score", layers_wrong_no_test),
        ("two: taught by validation, and the best of all test scores", layers_wrong_two),
        ("trained once more, on both parts, for the test", layers_wrong_both),
    ],
    "6b.9": [
        ("normalized along the wrong axis", partners_wrong_normalize_dim),
        ("two: softmax down the columns, and the sum", partners_wrong_two),
        ("probabilities go into the cross-entropy", partners_wrong_probabilities),
    ],
}
