"""Chapter 06b: one step of fine-tuning, and one batch to learn by heart."""

import copy
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.guard import seeded
from tutorial_lib.exercises.engine.tasks import Property, Write, case
from tutorial_lib.models import BERTConfig
from tutorial_lib.models.bert_heads import mean_pool


def train_step(body, head, optimizer, ids, mask, wanted):
    """Move body and head one step towards the labels; return the loss and the logits (B, 2).

    ids, mask (B, T), True = a real token; wanted (B,), 0 for rotten, 1 for fresh.
    """
    hidden = body(ids, mask=mask)  # (B, T, D)
    logits = head(mean_pool(hidden, mask))  # (B, 2)
    # Of logits: a second softmax of (1, 0) gives e / (e + 1), and no loss below ln(1 + 1/e) = 0.31.
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_of_log_p(body, head, optimizer, ids, mask, wanted):
    """Second style."""
    optimizer.zero_grad()
    logits = head(mean_pool(body(ids, mask=mask), mask))
    log_p = logits.log_softmax(dim=-1)  # (B, 2)
    loss = -log_p[torch.arange(len(wanted)), wanted].mean()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_kept(body, head, optimizer, ids, mask, wanted):
    """This never clears the gradients: those of all earlier steps are added up."""
    hidden = body(ids, mask=mask)  # (B, T, D)
    logits = head(mean_pool(hidden, mask))  # (B, 2)
    loss = F.cross_entropy(logits, wanted)
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_softmax(body, head, optimizer, ids, mask, wanted):
    """This takes the softmax twice: once by itself, and once more inside the cross-entropy."""
    hidden = body(ids, mask=mask)  # (B, T, D)
    logits = head(mean_pool(hidden, mask))  # (B, 2)
    loss = F.cross_entropy(logits.softmax(dim=-1), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_p(body, head, optimizer, ids, mask, wanted):
    """This takes the softmax twice, by itself and inside the cross-entropy, and returns
    probabilities where logits are asked for.
    """
    p = head(mean_pool(body(ids, mask=mask), mask)).softmax(dim=-1)
    loss = F.cross_entropy(p, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), p.detach()


def train_step_head_alone(body, head, optimizer, ids, mask, wanted):
    """This cuts the body off from the loss, so that only the head learns."""
    with torch.no_grad():
        hidden = body(ids, mask=mask)  # (B, T, D)
    logits = head(mean_pool(hidden, mask))  # (B, 2)
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_padding(body, head, optimizer, ids, mask, wanted):
    """This lets the body read the padding like words: its attention gets no mask."""
    hidden = body(ids)  # (B, T, D)
    logits = head(mean_pool(hidden, mask))  # (B, 2)
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_mean_of_all(body, head, optimizer, ids, mask, wanted):
    """This takes the mean over the padding too: give `mean_pool` the mask."""
    hidden = body(ids, mask=mask)  # (B, T, D)
    logits = head(hidden.mean(dim=1))  # (B, 2)
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_first(body, head, optimizer, ids, mask, wanted):
    """This gives the head the vector of [CLS] alone: the mean of the real tokens is asked for."""
    hidden = body(ids, mask=mask)  # (B, T, D)
    logits = head(hidden[:, 0])  # (B, 2)
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def train_step_idle(body, head, optimizer, ids, mask, wanted):
    """This learns nothing: call `backward`, then `optimizer.step()`; nothing is cleared between."""
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.cross_entropy(logits, wanted)
    optimizer.zero_grad()
    loss.backward()
    return loss.item(), logits.detach()


def train_step_no_log(body, head, optimizer, ids, mask, wanted):
    """This gives probabilities to `nll_loss`, which wants their logarithms: cross-entropy takes the
    logits and does both.
    """
    logits = head(mean_pool(body(ids, mask=mask), mask))
    loss = F.nll_loss(logits.softmax(dim=-1), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.detach()


def tiny(seed):
    """A body of one layer, a head, their optimizer, and three padded texts with labels."""
    with seeded(seed):
        sizes = {"context": 6, "d_model": 8, "n_layers": 1, "n_heads": 2}
        body = BERTConfig(vocab_size=9, **sizes).build()
        head = torch.nn.Linear(8, 2)
        ids = torch.randint(1, 9, (3, 6))
    mask = torch.arange(6) < torch.tensor([[6], [4], [2]])
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.5)
    return body, head, optimizer, ids * mask, mask, torch.tensor([1, 0, 1])


def numbers_of(model):
    """All parameters of a model in one row."""
    return torch.cat([part.detach().flatten() for part in model.parameters()])


def two_steps(answer, seed, left_over=0.0):
    """Loss and logits of two steps on one batch, then the numbers of head and body after them.

    left_over is what the gradients hold before the first step.
    """
    body, head, *rest = tiny(seed)
    for part in (*body.parameters(), *head.parameters()):
        part.grad = torch.full_like(part, left_over)
    loss, logits = answer(body, head, *rest)
    loss_again, logits_again = answer(body, head, *rest)
    return loss, logits, loss_again, logits_again, numbers_of(head), numbers_of(body)


def moves(place, answer):
    """Whether the head (0) or the body (1) has learned, other than from left-over gradients."""
    body, head, *_ = tiny(2)
    before = numbers_of((head, body)[place])
    return not torch.equal(before, torch.as_tensor(answer(2)[4 + place]).float())


def gradients_are_fresh(answer):
    """What an earlier batch has left does not count."""
    once, left_over = (torch.as_tensor(answer(3, left)[4]).float() for left in (0.0, 5.0))
    return torch.allclose(once, left_over, atol=1e-3)


def loss_is_of_logits(answer):
    """The loss that is returned fits the logits; where the loss is right, the logits are not."""
    loss, logits, *_ = (torch.as_tensor(part).float() for part in answer(4))
    body, head, _, ids, mask, wanted = tiny(4)
    with torch.no_grad():
        true = head(mean_pool(body(ids, mask=mask), mask))
    if torch.allclose(loss, F.cross_entropy(logits, wanted), atol=1e-2):
        return True
    if not torch.allclose(loss, F.cross_entropy(true, wanted), atol=1e-2):
        return False
    if torch.allclose(logits, true.softmax(dim=-1), atol=1e-3):
        return "The loss is right, but probabilities come back: return the logits."
    return "The loss is right, but the logits are not: return those that the loss was made of."


def keeps_the_history(answer):
    """A loss that is still a tensor with its graph."""
    body, head, *rest = tiny(5)
    loss, _ = answer(body, head, *rest)
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        return (
            "The loss is still a tensor with its whole history, which fills the memory when you "
            "keep many: `loss.item()` is a plain number."
        )
    return ""


class ByHeart(NamedTuple):
    """What one batch, shown again and again, gave in each step: loss in nats, share right."""

    loss: list[float]
    right: list[float]


def by_heart(train_step, body, tokenizer, reviews, steps=40, lr=1e-3):
    """Train a copy of `body` and a new head with `train_step` on the same reviews in every step.

    body is a BERT, tokenizer its WordPieceTokenizer, reviews have text and label. Returns ByHeart.
    The same code gives the same numbers; about a second for a small BERT and 16 short sentences.
    """
    rows = [torch.tensor(tokenizer.encode(review.text).ids) for review in reviews]
    ids = torch.nn.utils.rnn.pad_sequence(
        rows, batch_first=True, padding_value=tokenizer.pad_id
    )  # (B, T)
    wanted = torch.tensor([review.label for review in reviews])
    body = copy.deepcopy(body)
    with seeded():
        head = torch.nn.Linear(body.config.d_model, 2)
    optimizer = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=lr)
    losses, right = [], []
    for _ in range(steps):
        loss, logits = train_step(body, head, optimizer, ids, ids != tokenizer.pad_id, wanted)
        losses.append(float(loss))
        right.append((logits.argmax(dim=-1) == wanted).float().mean().item())
    return ByHeart(losses, right)


FINE_TUNING_STEP = Write(
    id="6b.1",
    title="One step of fine-tuning",
    level="medium",
    text="""
Write `train_step(body, head, optimizer, ids, mask, wanted)`: one step in which body and head learn
from a batch of texts. `body(ids, mask=mask)` gives the vectors (B, T, D), where `mask` (B, T) is
True for a real token, and `mean_pool(hidden, mask)` is their mean for each text. The labels
`wanted` (B,) are 0 for rotten and 1 for fresh. Gradients left over from an earlier step must not
count. Return the loss, the mean cross-entropy, as a plain number (`loss.item()`), and the head's
logits (B, 2). Compute both before the update. The caller uses the logits to count right answers.
""",
    hints=(
        "Five lines make the loss: the body's vectors, their mean, the logits, the cross-entropy. "
        "Three lines make the step: clear the gradients, `backward`, `optimizer.step()`.",
        "The mask is needed twice: by the body, for its attention, and by the mean.",
        "`loss.item()` is the plain number, and `logits.detach()` are logits without a history.",
    ),
    solution=train_step,
    second_style=train_step_of_log_p,
    mistakes=(
        train_step_kept,
        train_step_softmax,
        train_step_p,
        train_step_head_alone,
        train_step_padding,
        train_step_mean_of_all,
        train_step_first,
        train_step_idle,
        train_step_no_log,
    ),
    cases=lambda: [case("two steps on 3 texts", 0), case("two steps on 3 others", 1)],
    run=two_steps,
    properties=(
        Property("The head does not learn: its numbers stay.", partial(moves, 0)),
        Property("The body does not learn: its numbers stay.", partial(moves, 1)),
        Property(
            "Gradients of earlier batches count: call `optimizer.zero_grad()` before `backward`.",
            gradients_are_fresh,
        ),
        Property(
            "The loss is not the cross-entropy of the logits with the labels, in nats.",
            loss_is_of_logits,
        ),
    ),
    remarks=(keeps_the_history,),
    results=(
        "loss",
        "logits",
        "loss of the second step",
        "logits of the second step",
        "head's numbers after two steps",
        "body's numbers after two steps",
    ),
    see="6bB Fine-tuning",
)
