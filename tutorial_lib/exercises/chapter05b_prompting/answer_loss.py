"""Chapter 05b: the loss of the answer alone, when a task is written as text."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter05b_prompting.measures import (
    COUNTED,
    loss_properties,
    reading,
    tokens_that_count,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def answer_loss(logits, ids, is_answer):
    """Return the mean of -log p over the tokens of the answers, in nats, as a number.

    logits (B, T, V) is what a GPT said as it read ids (B, T); is_answer (B, T) is True at the
    tokens that belong to an answer.
    """
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    return losses[is_answer[:, 1:]].mean()


def answer_loss_loop(logits, ids, is_answer):
    """Second style."""
    losses = []
    for b, t in is_answer.nonzero().tolist():
        scores = logits[b, t - 1].tolist()
        highest = max(scores)
        total = sum(math.exp(score - highest) for score in scores)
        losses.append(highest + math.log(total) - scores[ids[b, t]])
    return sum(losses) / len(losses)


def losses_of(logits, ids):
    """-log p of each token but the first, (B, T - 1)."""
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")


def answer_loss_zeroed_ids(logits, ids, is_answer):
    """This sets the other tokens to 0 and counts them as token 0: leave them out."""
    return losses_of(logits, ids * is_answer).mean()


def answer_loss_late_log(logits, ids, is_answer):
    """This takes the logarithm of the mean probability: take the mean of the logarithms."""
    return -(-losses_of(logits, ids)[is_answer[:, 1:]]).exp().mean().log()


def answer_loss_cases():
    """Answers of one token and of several, inside of a row and at its end; id 0 in an answer."""
    inside = [[0, 0, 0, 1, 0, 0], [0, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]]
    ids = torch.randint(1, 7, (3, 6))
    ids[1, 2] = ids[2, 5] = 0
    end = torch.tensor([[0, 0, 0, 1]] * 2).bool()
    return [
        case(
            "answers of 1, 3 and 2 tokens",
            2 * torch.randn(3, 6, 7),
            ids,
            torch.tensor(inside).bool(),
        ),
        case("one token at the end", torch.randn(2, 4, 5), torch.randint(0, 5, (2, 4)), end),
    ]


def reads_one_position_before(answer):
    """What is said one position before a token is what counts."""
    if mask_goes_with_the_ids(answer) is not True and reading(answer)[0] != 1:
        return None
    sentences = {
        0: "It scores each token with the logits at its own position, where it has been read "
        "already: those one position before speak of it.",
        -1: "It scores each token with the logits one position after it: take those one position "
        "before.",
    }
    return sentences.get(reading(answer)[0], True)


def mask_goes_with_the_ids(answer):
    """Tokens count where is_answer is True, not one position further."""
    counted = tokens_that_count(answer)
    if (counted == COUNTED.roll(1, dims=1)).all():
        return (
            "It counts what comes one position after each token of an answer: `is_answer` goes "
            "with the ids, so cut both alike."
        )
    return not (counted == COUNTED.roll(-1, dims=1)).all()


ANSWER_LOSS = Write(
    id="5b.7",
    title="The answer counts",
    level="medium",
    text="""
A task is written as text: a question, then its answer, of one token or several. Write
`answer_loss(logits, ids, is_answer)`: a GPT has read ids (B, T), and returned logits (B, T, V).
`is_answer` (B, T) is True where a token belongs to an answer, and never at the first position of a
row. Return the mean of -log p, in nats, over all answer tokens of the batch, as a number or a
tensor of no dimension; each token counts the same. Prompt and padding do not count.
""",
    hints=(
        "Which logits speak of the token at position t? Not those at t: there it has been read.",
        "`logits[:, :-1]` speaks of `ids[:, 1:]`. Which slice of `is_answer` goes with them?",
        '`F.cross_entropy(..., reduction="none")` wants (B, V, T) and gives one loss a token.',
    ),
    solution=answer_loss,
    second_style=answer_loss_loop,
    mistakes=(
        answer_loss_zeroed_ids,
        answer_loss_late_log,
    ),
    cases=answer_loss_cases,
    properties=loss_properties(
        Property(
            "It does not score a token with the logits one position before it.",
            reads_one_position_before,
        ),
        Property(
            "It counts what comes one position before each token of an answer: `is_answer` goes "
            "with the ids, so cut both alike.",
            mask_goes_with_the_ids,
        ),
        token="token of an answer",
        others="prompt and padding cost nothing",
    ),
    see="5bE In the prompt, or in the weights?",
)
