import math
import torch
import torch.nn.functional as F


# 0.0
def double_right_1(x):
    return x + x


def double_right_2(x):
    y = x.clone()
    y.mul_(2)
    return y


def double_wrong_mutates(x):
    x *= 2
    return x


def double_wrong_cat(x):
    return torch.cat([x, x])


def double_wrong_square_in_place(x):
    x **= 2
    return x


# 0.1
def project_right_1(x, weight):
    return F.linear(x, weight)


def project_right_2(x, weight):
    rows = []
    for token in x:
        rows.append(torch.stack([(token * w).sum() for w in weight]))
    return torch.stack(rows)


def project_wrong_reshape(x, weight):
    return x @ weight.reshape(weight.shape[1], weight.shape[0])


def project_wrong_order(x, weight):
    return weight @ x.T


def project_wrong_two(x, weight):
    return (weight @ x.T) / math.sqrt(x.shape[-1])


# 0.2
def softmax_right_1(scores):
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def softmax_right_2(scores):
    if scores.dim() == 1:
        s = scores.double()
        return torch.exp(s - torch.logsumexp(s, 0)).to(scores.dtype)
    return torch.stack([softmax_right_2(row) for row in scores])


def softmax_wrong_no_max(scores):
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax_wrong_max_twice(scores):
    top = scores - scores.max(dim=-1, keepdim=True).values
    return top.exp() / scores.exp().sum(dim=-1, keepdim=True)


def softmax_wrong_two(scores):
    e = scores.exp()
    return e / e.sum()


# 0.3
def ce_right_1(logits, labels):
    return F.cross_entropy(logits, labels)


def ce_right_2(logits, labels):
    total = 0.0
    for row, y in zip(logits.double(), labels.tolist()):
        total = total + torch.logsumexp(row, 0) - row[y]
    return total / len(labels)


def ce_wrong_fancy_index(logits, labels):
    logp = logits.log_softmax(-1)
    return -logp[:, labels].mean()


def ce_wrong_double_softmax(logits, labels):
    return F.cross_entropy(logits.softmax(-1), labels)


def ce_wrong_two(logits, labels):
    logp = logits.log_softmax(-1) / math.log(2)
    return logp[torch.arange(len(labels)), labels].mean()


# 0.4
def grad_right_1(f, x):
    return torch.func.grad(f)(x)


def grad_right_2(f, x):
    with torch.enable_grad():
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward()
    return leaf.grad


def grad_wrong_accumulates(f, x):
    x.requires_grad_()
    f(x).backward()
    return x.grad


def grad_wrong_tuple(f, x):
    y = x.clone().detach().requires_grad_()
    return torch.autograd.grad(f(y), y)


def grad_wrong_two(f, x):
    x.requires_grad_()
    f(x).backward()
    return x.detach() - x.grad


RIGHT = {
    # the third was a WRONG: the text asks for no untouched input, `check` accepts it with a remark
    "0.0": [double_right_1, double_right_2, double_wrong_mutates],
    "0.1": [project_right_1, project_right_2],
    "0.2": [softmax_right_1, softmax_right_2],
    "0.3": [ce_right_1, ce_right_2],
    "0.4": [grad_right_1, grad_right_2],
}
WRONG = {
    "0.0": [
        ("two copies side by side, as with a list * 2", double_wrong_cat),
        ("TWO: squares, and in place", double_wrong_square_in_place),
    ],
    "0.1": [
        ("reshape in place of transpose", project_wrong_reshape),
        ("weight first: result (K, T)", project_wrong_order),
        ("TWO: result (K, T), and scaled by sqrt(D)", project_wrong_two),
    ],
    "0.2": [
        ("bare exp overflows", softmax_wrong_no_max),
        ("max subtracted above, forgotten below", softmax_wrong_max_twice),
        ("TWO: bare exp, and sum over everything", softmax_wrong_two),
    ],
    "0.3": [
        ("[:, labels] picks every label for every row", ce_wrong_fancy_index),
        ("softmax before a function that does softmax", ce_wrong_double_softmax),
        ("TWO: in bits, and sign forgotten", ce_wrong_two),
    ],
    "0.4": [
        ("x.grad of the caller's x: adds up on the second call", grad_wrong_accumulates),
        ("autograd.grad's tuple returned whole", grad_wrong_tuple),
        ("TWO: adds up on the caller's x, and returns a stepped x", grad_wrong_two),
    ],
}
