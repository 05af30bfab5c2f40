import torch
import torch.nn.functional as F


# 8a.2
def passes_right_1(ids, choose, mask_id, n):
    pairs = []
    for _ in range(n):
        chosen = choose()
        labels = torch.where(chosen, ids, -100)
        inputs = torch.where(chosen, mask_id, ids)
        pairs.append((inputs, labels))
    return pairs


# 8a.2
def passes_right_2(ids, choose, mask_id, n):
    masks = [choose() for _ in range(n)]
    return [(ids.masked_fill(m, mask_id), ids.masked_fill(~m, -100)) for m in masks]


# 8a.2
def passes_wrong_1(ids, choose, mask_id, n):
    pairs = []
    ids = ids.clone()
    for _ in range(n):
        chosen = choose()
        labels = torch.where(chosen, ids, -100)
        ids = torch.where(chosen, mask_id, ids)
        pairs.append((ids, labels))
    return pairs


# 8a.2
def passes_wrong_2(ids, choose, mask_id, n):
    chosen = choose()
    inputs = torch.where(chosen, mask_id, ids)
    labels = torch.where(chosen, ids, -100)
    return [(inputs, labels) for _ in range(n)]


# 8a.2
def passes_wrong_3(ids, choose, mask_id, n):
    pairs = []
    for _ in range(n):
        chosen = choose()
        inputs = torch.where(chosen, mask_id, ids)
        labels = torch.where(chosen, inputs, -100)
        pairs.append((inputs, labels))
    return pairs


# 8a.4
def positions_right_1(ids, pad_id):
    word = (ids != pad_id).long()
    return word.cumsum(dim=1) * word + pad_id


# 8a.4
def positions_right_2(ids, pad_id):
    rows = torch.full_like(ids, pad_id)
    for b in range(ids.size(0)):
        row = pad_id
        for t in range(ids.size(1)):
            if ids[b, t] != pad_id:
                row += 1
                rows[b, t] = row
    return rows


# 8a.4
def positions_wrong_1(ids, pad_id):
    rows = torch.arange(ids.size(1)) + pad_id + 1
    return torch.where(ids == pad_id, pad_id, rows)


# 8a.4
def positions_wrong_2(ids, pad_id):
    word = (ids != pad_id).long()
    return word.cumsum(dim=1) * word + 1


# 8a.4
def positions_wrong_3(ids, pad_id):
    return (ids != pad_id).long().cumsum(dim=1) + pad_id


# 8a.5
def order_pairs_right_1(documents, draws):
    pairs = []
    for d, s, coin in draws:
        first, second = documents[d][s], documents[d][s + 1]
        if coin < 0.5:
            pairs.append((first, second, True))
        else:
            pairs.append((second, first, False))
    return pairs


# 8a.5
def order_pairs_right_2(documents, draws):
    return [
        (*documents[d][s : s + 2][:: 1 if coin < 0.5 else -1], coin < 0.5) for d, s, coin in draws
    ]


# 8a.5
def order_pairs_wrong_1(documents, draws):
    pairs = []
    for d, s, coin in draws:
        a, b = documents[d][s], documents[d][s + 1]
        pairs.append((a, b, True) if coin <= 0.5 else (b, a, False))
    return pairs


# 8a.5
def order_pairs_wrong_2(documents, draws):
    pairs = []
    for d, s, coin in draws:
        a, b = documents[d][s], documents[d][s + 1]
        swapped = coin >= 0.5
        if swapped:
            a, b = b, a
        pairs.append((a, b, swapped))
    return pairs


# 8a.5
def order_pairs_wrong_3(documents, draws):
    pairs = []
    for d, s, coin in draws:
        first = documents[d][s]
        if coin < 0.5:
            pairs.append((first, documents[d][s + 1], True))
        else:
            pairs.append((first, documents[(d + 1) % len(documents)][0], False))
    return pairs


# 8a.7
def shared_body_right_1(make_layer, n_layers):
    class Body(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = make_layer()

        def forward(self, x, mask):
            for _ in range(n_layers):
                x = self.layer(x, mask)
            return x

    return Body()


# 8a.7
def shared_body_right_2(make_layer, n_layers):
    class Body(torch.nn.Module):
        def __init__(self):
            super().__init__()
            layer = make_layer()
            self.layers = torch.nn.ModuleList([layer] * n_layers)

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


# 8a.7
def shared_body_wrong_1(make_layer, n_layers):
    class Body(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [make_layer()] * n_layers

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


# 8a.7
import copy


def shared_body_wrong_2(make_layer, n_layers):
    class Body(torch.nn.Module):
        def __init__(self):
            super().__init__()
            layer = make_layer()
            self.layers = torch.nn.ModuleList([copy.deepcopy(layer) for _ in range(n_layers)])

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


# 8a.7
def shared_body_wrong_3(make_layer, n_layers):
    class Body(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = make_layer()

        def forward(self, x, mask):
            with torch.no_grad():
                for _ in range(n_layers - 1):
                    x = self.layer(x, mask)
            return self.layer(x, mask)

    return Body()


# 8a.9
from itertools import combinations


def choose_layers_right_1(n_teacher, n_student, loss):
    return min((list(c) for c in combinations(range(n_teacher), n_student)), key=loss)


# 8a.9
def choose_layers_right_2(n_teacher, n_student, loss):
    best, lowest = None, None

    def extend(chosen, first):
        nonlocal best, lowest
        if len(chosen) == n_student:
            value = loss(list(chosen))
            if lowest is None or value < lowest:
                best, lowest = list(chosen), value
            return
        for layer in range(first, n_teacher):
            extend(chosen + [layer], layer + 1)

    extend([], 0)
    return best


# 8a.9
from itertools import combinations


def choose_layers_wrong_1(n_teacher, n_student, loss):
    best, lowest = None, float("inf")
    for c in combinations(range(n_teacher), n_student):
        value = loss(list(c))
        if value <= lowest:
            best, lowest = list(c), value
    return best


# 8a.9
def choose_layers_wrong_2(n_teacher, n_student, loss):
    chosen = []
    for _ in range(n_student):
        rest = [layer for layer in range(n_teacher) if layer not in chosen]
        chosen = min((sorted(chosen + [layer]) for layer in rest), key=loss)
    return chosen


# 8a.9
from itertools import combinations


def choose_layers_wrong_3(n_teacher, n_student, loss):
    choices = [list(c) for c in combinations(range(n_teacher), n_student)]
    lowest = min(loss(c) for c in choices)
    return next(c for c in choices if loss(c) == lowest)


# 8a.10
def soft_targets_right_1(student_logits, teacher_logits, temperature):
    log_p = (teacher_logits.detach() / temperature).log_softmax(dim=-1)
    log_q = (student_logits / temperature).log_softmax(dim=-1)
    return temperature**2 * (log_p.exp() * (log_p - log_q)).sum(dim=-1).mean()


# 8a.10
def soft_targets_right_2(student_logits, teacher_logits, temperature):
    with torch.no_grad():
        p = F.softmax(teacher_logits / temperature, dim=-1)
    log_q = F.log_softmax(student_logits / temperature, dim=-1)
    return F.kl_div(log_q, p, reduction="batchmean") * temperature**2


# 8a.10
def soft_targets_wrong_1(student_logits, teacher_logits, temperature):
    p = F.softmax(teacher_logits.detach() / temperature, dim=-1)
    log_q = F.log_softmax(student_logits / temperature, dim=-1)
    return F.kl_div(log_q, p) * temperature**2


# 8a.10
def soft_targets_wrong_2(student_logits, teacher_logits, temperature):
    p = F.softmax(teacher_logits.detach() / temperature, dim=-1)
    log_q = F.log_softmax(student_logits / temperature, dim=-1)
    return -(p * log_q).sum(dim=-1).mean() * temperature**2


# 8a.10
def soft_targets_wrong_3(student_logits, teacher_logits, temperature):
    p = (teacher_logits / temperature).softmax(dim=-1)
    q = (student_logits / temperature).softmax(dim=-1)
    return temperature**2 * (p * (p.log() - q.log())).sum(dim=-1).mean()


# 8a.11
def lesson_right_1(student, teacher, inputs, gaps, temperature):
    with torch.no_grad():
        wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


# 8a.11
def lesson_right_2(student, teacher, inputs, gaps, temperature):
    p = F.softmax(teacher(inputs)[gaps].detach() / temperature, dim=-1)
    log_q = F.log_softmax(student(inputs)[gaps] / temperature, dim=-1)
    return F.kl_div(log_q, p, reduction="batchmean") * temperature**2


# 8a.12
def replaced_batch_right_1(ids, chosen, mask, drawn):
    changed = ids.clone()
    changed[chosen] = drawn
    labels = (changed != ids).long()
    labels[~mask] = -100
    return changed, labels


# 8a.12
def replaced_batch_right_2(ids, chosen, mask, drawn):
    changed = ids.masked_scatter(chosen, drawn)
    return changed, torch.where(mask, (changed != ids).long(), -100)


# 8a.12
def replaced_batch_wrong_1(ids, chosen, mask, drawn):
    changed = ids.clone()
    changed[chosen] = drawn
    labels = chosen.long()
    labels[~mask] = -100
    return changed, labels


# 8a.12
def replaced_batch_wrong_2(ids, chosen, mask, drawn):
    changed = ids
    changed[chosen] = drawn
    labels = (changed != ids).long()
    labels[~mask] = -100
    return changed, labels


# 8a.12
def replaced_batch_wrong_3(ids, chosen, mask, drawn):
    changed = ids.masked_scatter(chosen, drawn)
    labels = torch.where(chosen, (changed != ids).long(), -100)
    return changed, labels


# 8a.13
def replaced_loss_right_1(logits, labels):
    real = labels != -100
    return F.binary_cross_entropy_with_logits(logits[real], labels[real].float())


# 8a.13
def replaced_loss_right_2(logits, labels):
    cost = torch.where(labels == 1, F.softplus(-logits), F.softplus(logits))
    real = (labels != -100).float()
    return (cost * real).sum() / real.sum()


# 8a.13
def replaced_loss_wrong_1(logits, labels):
    real = labels != -100
    p, y = logits[real].sigmoid(), labels[real].float()
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


# 8a.13
def replaced_loss_wrong_2(logits, labels):
    real = labels != -100
    cost = F.binary_cross_entropy_with_logits(logits, labels.clamp(min=0).float(), reduction="none")
    return (cost * real).mean()


# 8a.13
def replaced_loss_wrong_3(logits, labels):
    real = labels != -100
    return F.binary_cross_entropy(logits[real].sigmoid(), labels[real].float())


# 8a.14
def forge_right_1(ids, chosen, logits, u):
    total = logits.softmax(dim=-1).cumsum(dim=-1)
    drawn = (total <= u[:, None]).sum(dim=-1).clamp(max=logits.size(-1) - 1)
    changed = ids.masked_scatter(chosen, drawn)
    return (changed, changed != ids)


# 8a.14
def forge_right_2(ids, chosen, logits, u):
    drawn = []
    for row, limit in zip(logits.softmax(dim=-1).tolist(), u.tolist()):
        total, token = 0.0, 0
        for token, p in enumerate(row):
            total += p
            if total > limit:
                break
        drawn.append(token)
    changed = ids.clone()
    changed[chosen] = torch.tensor(drawn, dtype=ids.dtype)
    return (changed, changed != ids)


# 8a.11
def lesson_wrong_1(student, teacher, inputs, gaps, temperature):
    wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)
    with torch.no_grad():
        said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


# 8a.11
def lesson_wrong_2(student, teacher, inputs, gaps, temperature):
    wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp().detach() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


# 8a.14
def forge_wrong_1(ids, chosen, logits, u):
    drawn = (logits.softmax(dim=-1) > u[:, None]).long().argmax(dim=-1)
    changed = ids.masked_scatter(chosen, drawn)
    return (changed, changed != ids)


# 8a.14
def forge_wrong_2(ids, chosen, logits, u):
    drawn = torch.multinomial(logits.softmax(dim=-1), 1)[:, 0]
    changed = ids.masked_scatter(chosen, drawn)
    return (changed, changed != ids)


# 8a.14
def forge_wrong_3(ids, chosen, logits, u):
    total = logits.softmax(dim=-1).cumsum(dim=-1)
    drawn = (total <= u[:, None]).sum(dim=-1)
    changed = ids.masked_scatter(chosen, drawn)
    return (changed, chosen)


RIGHT = {
    "8a.1": [29, 29],
    "8a.2": [passes_right_1, passes_right_2],
    "8a.3": [6, 6.0],
    "8a.4": [positions_right_1, positions_right_2],
    "8a.5": [order_pairs_right_1, order_pairs_right_2],
    "8a.6": [748, 748],
    "8a.7": [shared_body_right_1, shared_body_right_2],
    "8a.8": [85.0, 85.0],
    "8a.9": [choose_layers_right_1, choose_layers_right_2],
    "8a.10": [soft_targets_right_1, soft_targets_right_2],
    "8a.11": [("b", lesson_right_1), ("b", lesson_right_2)],
    "8a.12": [replaced_batch_right_1, replaced_batch_right_2],
    "8a.13": [replaced_loss_right_1, replaced_loss_right_2],
    "8a.14": [("d", forge_right_1), ("d", forge_right_2)],
}

WRONG = {
    "8a.1": [
        ("log(0.01) / log(0.85) = 28.3, rounded down", 28),
        ("1 / 0.15: as if no token were ever chosen twice", 7),
        ("0.15**n in place of 0.85**n", 3),
    ],
    "8a.2": [
        ("one copy before the loop: the holes still pile up from pass to pass", passes_wrong_1),
        ("chosen once, before the loop: static masking", passes_wrong_2),
        ("labels taken from the masked inputs: every label is mask_id", passes_wrong_3),
    ],
    "8a.3": [
        ("the times of a token that is hidden in each pass (static)", 40),
        ("all questions together, not the mean for one token", 1200),
        ("how many different tokens are asked about (199.7)", 199.6995397500217),
    ],
    "8a.4": [
        (
            "the place in the text, not the count of words: wrong where padding comes first",
            positions_wrong_1,
        ),
        ("1 in place of pad_id: right only for pad_id 1", positions_wrong_2),
        ("padding after a word gets the row of the last word, not pad_id", positions_wrong_3),
    ],
    "8a.5": [
        ("a coin of exactly 0.5 stays in order", order_pairs_wrong_1),
        ("the label says swapped, not in order", order_pairs_wrong_2),
        ("BERT's task: the false second sentence comes from another document", order_pairs_wrong_3),
    ],
    "8a.6": [
        ("748.8 rounded to the next number: already more", 749),
        ("the map from E to D forgotten: V * E < V * D", 767),
        ("the map taken off instead of added: E * (V - D) < V * D", 787),
    ],
    "8a.7": [
        ("a plain list: body.parameters() is empty", shared_body_wrong_1),
        (
            "copies with equal weights: n_layers sets of parameters, which part in training",
            shared_body_wrong_2,
        ),
        ("one set of weights, but it learns from the last step only", shared_body_wrong_3),
    ],
    "8a.8": [
        ("the shared layer counted once (parameters, not work)", 7.2),
        ("the map from E to D forgotten: BERT-base's number", 84.9),
        ("multiplications and additions counted as two", 170.1),
    ],
    "8a.9": [
        ("<= keeps the last of several with the lowest loss", choose_layers_wrong_1),
        ("greedy: one layer after the other, not every choice", choose_layers_wrong_2),
        ("measures choices twice", choose_layers_wrong_3),
    ],
    "8a.10": [
        ("kl_div's default mean divides by N * V, not by N", soft_targets_wrong_1),
        (
            "cross-entropy: the teacher's entropy is not taken off (not 0 for two that agree)",
            soft_targets_wrong_2,
        ),
        ("the gradient reaches the teacher, too (and log(0) for far logits)", soft_targets_wrong_3),
    ],
    "8a.12": [
        ("every gap is replaced, even where the very token was drawn", replaced_batch_wrong_1),
        ("no copy: ids is changed, and so no label is ever 1", replaced_batch_wrong_2),
        (
            "-100 outside the gaps, as in masked tokens: only gaps are asked about",
            replaced_batch_wrong_3,
        ),
    ],
    "8a.13": [
        ("the formula as it stands: inf or nan for large logits", replaced_loss_wrong_1),
        ("divides by all tokens, padding too", replaced_loss_wrong_2),
        (
            "finite, but the sigmoid is 1 from about 17 on, and then each error costs 100",
            replaced_loss_wrong_3,
        ),
    ],
    "8a.11": [
        ("froze the student", ("b", lesson_wrong_1)),
        (
            "cut off in one of two places: a gradient still reaches the teacher's log p",
            ("b", lesson_wrong_2),
        ),
    ],
    "8a.14": [
        ("each probability against u, not their sum", ("d", forge_wrong_1)),
        ("draws, but does not use u", ("d", forge_wrong_2)),
        ("draws, but calls every gap replaced", ("d", forge_wrong_3)),
    ],
}
