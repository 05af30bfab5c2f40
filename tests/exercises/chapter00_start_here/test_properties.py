"""Answers of chapter 00 that nobody has written out: each mistake of theirs is named."""

import property_checks
import pytest
import torch


def softmax(dim=-1, base=torch.e, shift=True, divide=True):
    """A softmax with a choice of slips."""

    def answer(scores):
        top = scores.amax(dim, keepdim=True) if shift else 0
        weights = base ** (scores - top)
        return weights / weights.sum(dim, keepdim=True) if divide else weights

    return answer


def cross_entropy(sign=-1, reduce=torch.mean, dim=-1, log=torch.log):
    """A cross-entropy with a choice of slips."""

    def answer(logits, labels):
        p = torch.softmax(logits, dim)
        picked = p.gather(1, labels[:, None])[:, 0]
        return sign * reduce(log(picked))

    return answer


def two_sided(f, x, step=1e-2, factor=2):
    """A gradient by small steps, without autograd."""
    found = []
    for i in range(len(x)):
        e = torch.zeros_like(x)
        e[i] = step
        found.append((f(x + e) - f(x - e)) / (factor * step))
    return torch.stack(found)


def adding_up(f, x):
    """As it is given in the notebook."""
    x.requires_grad_()
    f(x).backward()
    return x.grad


def kept_on_x(f, x):
    x.requires_grad_(True)
    (-f(x)).backward()
    return x.grad


def left_required(f, x):
    x.requires_grad_()
    return torch.autograd.grad(f(x), x)[0]


def cleared_first(f, x):
    x.requires_grad_()
    x.grad = None
    f(x).backward()
    return x.grad


def tied_to_x(f, x):
    z = x.clone()
    z.requires_grad_()
    f(z).backward()
    return z.grad


def switched_off_again(f, x):
    x.requires_grad_()
    found = torch.autograd.grad(f(x), x)[0]
    x.requires_grad_(False)
    return found


WRONG = {
    "0.0": {
        "half": (lambda x: x / 2, ["Each number must come out twice"]),
        "one more, summed": (lambda x: (2 * x + 1).sum(), ["must have the shape of x"]),
        "a list": (lambda x: x.tolist() * 2, ["repeats the tensor"]),
    },
    "0.1": {
        "as given": (
            lambda x, weight: x @ weight.reshape(x.size(-1), -1),
            ["It reshapes where two axes"],
        ),
        "each product": (lambda x, weight: x[:, None] * weight, ["must have shape (T, K)"]),
        "summed over the rows": (
            lambda x, weight: (x @ weight.T).sum(0),
            ["must have shape (T, K)"],
        ),
        "turned, then reshaped": (
            lambda x, weight: (weight @ x.T).reshape(len(x), len(weight)),
            ["It reshapes where two axes"],
        ),
    },
    "0.2": {
        "as given": (
            lambda scores: scores.exp() / scores.exp().sum(),
            ["the first one sums to", "overflows"],
        ),
        "columns, overflowing": (
            softmax(dim=0, shift=False),
            ["first axis: the columns", "overflows"],
        ),
        "shifted by the smallest": (
            lambda s: (
                torch.exp(s - s.amin(-1, True)) / torch.exp(s - s.amin(-1, True)).sum(-1, True)
            ),
            ["It overflows on large scores: subtract"],
        ),
        "sigmoids": (
            lambda s: torch.sigmoid(s) / torch.sigmoid(s).sum(-1, keepdim=True),
            ["The weights must go with exp(score): one"],
        ),
        "powers of 2": (softmax(base=2.0), ["The weights must go with exp(score): one"]),
        "not divided": (softmax(divide=False), ["the first one sums to 1.22"]),
        "its logarithm": (
            lambda scores: torch.log_softmax(scores, -1),
            ["the logarithms of the weights"],
        ),
    },
    "0.3": {
        "sum, wrong sign": (
            cross_entropy(1, torch.sum),
            ["is the sum", "lacks the minus"],
        ),
        "in bits": (cross_entropy(log=torch.log2), ["in bits"]),
        "columns, sum": (
            cross_entropy(reduce=torch.sum, dim=0),
            ["over the examples, not", "is the sum"],
        ),
        "of the likeliest": (
            lambda logits, y: -logits.log_softmax(-1).amax(-1).mean(),
            ["A sure and wrong example must cost much,"],
        ),
        "logarithm of the mean": (
            lambda logits, y: -logits.softmax(-1)[torch.arange(len(y)), y].mean().log(),
            ["the logarithm of the mean probability"],
        ),
        "no logarithm": (cross_entropy(log=lambda p: p), ["The logarithm is missing"]),
    },
    "0.4": {
        "as given": (adding_up, ["adds up over calls", "It leaves a mark on x itself: after"]),
        "downhill, adding up": (
            kept_on_x,
            ["points downhill", "adds up over calls", "It leaves a mark on x itself"],
        ),
        "x left to require gradients": (
            left_required,
            ["It leaves a mark on x itself: afterwards `x.requires_grad` is True. Work"],
        ),
        "x.grad cleared first": (
            cleared_first,
            ["afterwards `x.requires_grad` is True and `x.grad` is filled. Work"],
        ),
        "a clone still tied to x": (tied_to_x, ["For an `x` that requires gradients already it"]),
        "x switched off again": (
            switched_off_again,
            ["It changes the `.grad` or `requires_grad` of an x that"],
        ),
        "twice too large": (lambda f, x: two_sided(f, x, factor=1), ["It is 2 times the gradient"]),
        "of length 1": (
            lambda f, x: torch.nn.functional.normalize(torch.func.grad(f)(x), dim=0),
            ["It is 0.0807 times the gradient"],
        ),
    },
}
RIGHT = {
    "0.0": lambda x: [number * 2 for number in x.tolist()],
    "0.1": lambda x, weight: torch.einsum("td,kd->tk", x, weight),
    "0.2": lambda scores: torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)),
    "0.3": lambda logits, labels: torch.stack(
        [row.logsumexp(0) - row[label] for row, label in zip(logits, labels, strict=True)]
    ).mean(),
    "0.4": lambda f, x: torch.func.grad(f)(x),
}


READY_MADE = {
    "method": lambda scores: scores.softmax(-1),
    "function": lambda scores: torch.nn.functional.softmax(scores, dim=-1),
    "layer": torch.nn.Softmax(dim=-1),
    "logarithm": lambda scores: scores.log_softmax(-1).exp(),
}


@pytest.mark.parametrize("answer", READY_MADE.values(), ids=list(READY_MADE))
def test_a_ready_made_softmax_is_right_with_a_remark(answer):
    found = property_checks.verdict("0.2", answer)
    assert found.status == "right"
    assert found.text == (
        "right. It calls torch's ready-made softmax: the exercise asks you to write it out."
    )


def test_the_ready_made_loss_is_right_with_a_remark():
    found = property_checks.verdict("0.3", torch.nn.functional.cross_entropy)
    assert found.status == "right"
    assert "It calls torch's ready-made cross-entropy" in found.text
    for own in (cross_entropy(), RIGHT["0.3"]):
        assert property_checks.verdict("0.3", own).text == "right."


@pytest.mark.parametrize("answer", [softmax(), RIGHT["0.2"]])
def test_a_softmax_of_ones_own_gets_no_remark(answer):
    assert property_checks.verdict("0.2", answer).text == "right."


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize(("id", "answer"), RIGHT.items(), ids=list(RIGHT))
def test_a_right_answer_in_another_style_is_right(id, answer):
    property_checks.assert_right(id, answer)


def writer(pick=torch.argmax, start=0, given=None, extra=0):
    """A loop that writes, with a choice of slips."""

    def answer(next_logits, ids, n):
        ids = list(ids)
        beginning = len(ids)
        for _ in range(n + extra):
            ids.append(pick(next_logits(ids[:beginning] if given else ids[start:])).item())
        return ids

    return answer


@pytest.mark.parametrize(
    ("slips", "sentences"),
    [
        ({"pick": torch.argmin}, ["argmax, not argmin"]),
        ({"given": True}, ["asks about the beginning each time"]),
        ({"start": -1}, ["only the last piece"]),
        ({"extra": -1, "pick": torch.argmin}, ["argmax, not argmin", "one piece too few"]),
    ],
)
def test_what_is_wrong_with_a_writer_is_named(slips, sentences):
    property_checks.assert_named("0.5", writer(**slips), sentences)


def adding(piece):
    """A loop that adds piece(scores) to its list."""

    def answer(next_logits, ids, n):
        ids = list(ids)
        for _ in range(n):
            ids.append(piece(next_logits(ids)))
        return ids

    return answer


def in_a_tensor(next_logits, ids, n):
    ids = torch.tensor(ids)
    for _ in range(n):
        ids = torch.cat([ids, next_logits(ids.tolist()).argmax()[None]])
    return ids


def test_the_likeliest_of_one_look_are_named():
    def at_one_go(next_logits, ids, n):
        return ids + next_logits(ids).topk(n).indices.tolist()

    property_checks.assert_named("0.5", at_one_go, ["It takes the n likeliest pieces at one go"])


@pytest.mark.parametrize("of", [lambda found: found, lambda found: found.indices.tolist()])
def test_a_misread_topk_is_named(of):
    found = property_checks.verdict("0.5", adding(lambda scores: of(scores.topk(1))))
    assert found.status == "differs"
    assert "`topk` returns a pair, and each half holds a list" in found.text


@pytest.mark.parametrize(
    ("answer", "remark"),
    [
        (adding(torch.argmax), "Its list holds tensors: `.item()`"),
        (adding(lambda scores: scores.topk(1).indices), "Its list holds tensors: `.item()`"),
        (in_a_tensor, "It returns a tensor: `.tolist()`"),
        (adding(lambda scores: scores.topk(1).indices.item()), ""),
    ],
    ids=["argmax", "indices", "tensor", "numbers"],
)
def test_tensors_in_the_list_get_a_remark(answer, remark):
    found = property_checks.verdict("0.5", answer)
    assert found.status == "right"
    assert found.text.startswith(f"right. {remark}") if remark else found.text == "right."
