"""Chapter 05b: the loss of the answer alone, when a task is written as text."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def answer_loss(logits, ids, is_answer):
    """Return the mean of -log p over the tokens of the answers, in nats, as a number.

    logits (B, T, V) is what the model said about ids (B, T), at each place about the next token;
    is_answer (B, T) is True at the tokens that belong to an answer.
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


def answer_loss_unshifted(logits, ids, is_answer):
    """This scores each token with the logits at its own place, where it has been read already:
    those one place before speak of it.
    """
    losses = F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
    return losses[is_answer].mean()


def answer_loss_backwards(logits, ids, is_answer):
    """This scores each token with the logits one place after it: take those one place before."""
    losses = F.cross_entropy(logits[:, 1:].transpose(1, 2), ids[:, :-1], reduction="none")
    return losses[is_answer[:, :-1]].mean()


def answer_loss_mask_late(logits, ids, is_answer):
    """This shifts the logits and not the mask: it counts what comes one place after each token of
    an answer.
    """
    return losses_of(logits, ids)[is_answer[:, :-1]].mean()


def answer_loss_all(logits, ids, is_answer):
    """This counts all tokens: the prompt and the padding cost nothing."""
    return losses_of(logits, ids).mean()


def answer_loss_prompt(logits, ids, is_answer):
    """This counts everything but the answers: the mask is turned round."""
    return losses_of(logits, ids)[~is_answer[:, 1:]].mean()


def answer_loss_diluted(logits, ids, is_answer):
    """This divides by all places: divide by the number of answer tokens."""
    return (losses_of(logits, ids) * is_answer[:, 1:]).mean()


def answer_loss_diluted_by_ids(logits, ids, is_answer):
    """This divides by all B · T tokens: divide by the number of answer tokens."""
    return losses_of(logits, ids)[is_answer[:, 1:]].sum() / ids.numel()


def answer_loss_of_rows(logits, ids, is_answer):
    """This averages each row first: a token of a short answer then counts for more."""
    counted = is_answer[:, 1:]
    return ((losses_of(logits, ids) * counted).sum(1) / counted.sum(1)).mean()


def answer_loss_of_answers(logits, ids, is_answer):
    """This adds up the tokens of an answer: the mean over tokens is asked for."""
    return losses_of(logits, ids)[is_answer[:, 1:]].sum() / len(ids)


def answer_loss_sum(logits, ids, is_answer):
    """This is the sum: take the mean over the answer tokens."""
    return losses_of(logits, ids)[is_answer[:, 1:]].sum()


def answer_loss_each(logits, ids, is_answer):
    """This returns a loss a token: their mean is asked for."""
    return losses_of(logits, ids)[is_answer[:, 1:]]


def answer_loss_first(logits, ids, is_answer):
    """This counts the first token of each answer only: all of them count."""
    firsts = is_answer & (is_answer.int().cumsum(dim=1) == 1)
    return losses_of(logits, ids)[firsts[:, 1:]].mean()


def answer_loss_last(logits, ids, is_answer):
    """This counts the last token of each answer only: all of them count."""
    remaining = is_answer.int().flip(1).cumsum(dim=1).flip(1)
    return losses_of(logits, ids)[(is_answer & (remaining == 1))[:, 1:]].mean()


def answer_loss_zeroed_ids(logits, ids, is_answer):
    """This sets the other tokens to 0 and counts them as token 0: leave them out."""
    return losses_of(logits, ids * is_answer).mean()


def answer_loss_zeroed_logits(logits, ids, is_answer):
    """This sets the logits elsewhere to 0, which still costs log V: leave those places out."""
    kept = torch.cat([logits[:, :-1] * is_answer[:, 1:, None], logits[:, -1:]], dim=1)
    return losses_of(kept, ids).mean()


def answer_loss_ignored_zero(logits, ids, is_answer):
    """This leaves out token 0 in the answers too: it is a word like others."""
    return losses_of(logits, ids)[is_answer[:, 1:] & (ids[:, 1:] != 0)].mean()


def answer_loss_over_places(logits, ids, is_answer):
    """This takes the softmax over the places: it goes over the vocabulary."""
    log_p = logits[:, :-1].log_softmax(dim=1).gather(-1, ids[:, 1:, None])[..., 0]
    return -log_p[is_answer[:, 1:]].mean()


def answer_loss_softmax_twice(logits, ids, is_answer):
    """This takes the softmax twice: `cross_entropy` wants logits, not probabilities."""
    return answer_loss(logits.softmax(dim=-1), ids, is_answer)


def answer_loss_no_softmax(logits, ids, is_answer):
    """This averages minus the logits: the softmax is missing."""
    picked = logits[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
    return -picked[is_answer[:, 1:]].mean()


def answer_loss_probability(logits, ids, is_answer):
    """This averages -p: the logarithm is missing."""
    return -(-losses_of(logits, ids)[is_answer[:, 1:]]).exp().mean()


def answer_loss_late_log(logits, ids, is_answer):
    """This takes the logarithm of the mean probability: take the mean of the logarithms."""
    return -(-answer_loss_probability(logits, ids, is_answer)).log()


def answer_loss_sign(logits, ids, is_answer):
    """This has the wrong sign: a loss is -log p, never below 0."""
    return -answer_loss(logits, ids, is_answer)


def answer_loss_bits(logits, ids, is_answer):
    """This is in bits: nats take the natural logarithm."""
    return answer_loss(logits, ids, is_answer) / math.log(2)


def answer_loss_perplexity(logits, ids, is_answer):
    """This is the perplexity: the loss is its logarithm."""
    return answer_loss(logits, ids, is_answer).exp()


def answer_loss_all_unshifted(logits, ids, is_answer):
    """This counts all tokens, and scores each with the logits at its own place: take those one
    place before, and the answers only.
    """
    return F.cross_entropy(logits.transpose(1, 2), ids)


def answer_loss_accuracy(logits, ids, is_answer):
    """This is the share of answer tokens that have the highest logit: the loss is asked for."""
    hits = logits[:, :-1].argmax(dim=-1) == ids[:, 1:]
    return hits[is_answer[:, 1:]].float().mean()


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


ANSWER_LOSS = Write(
    id="5b.5",
    title="The answer counts",
    level="medium",
    text="""
The task is written as text: premise, hypothesis, then the answer, here of one token or several.
Write `answer_loss(logits, ids, is_answer)`: the model has read ids (B, T), and said logits
(B, T, V), **at each place about the next token**. `is_answer` (B, T) is True where a token belongs
to an answer, and never at the first place of a row. Return the mean of -log p, in nats, over all
answer tokens of the batch; each counts the same. Prompt and padding cost nothing.
""",
    hints=(
        "Which logits speak of the token at place t? Not those at t: there it has been read.",
        "`logits[:, :-1]` speaks of `ids[:, 1:]`. Which slice of `is_answer` goes with them?",
        '`F.cross_entropy(..., reduction="none")` wants (B, V, T) and gives one loss a token.',
    ),
    solution=answer_loss,
    second_style=answer_loss_loop,
    mistakes=(
        answer_loss_unshifted,
        answer_loss_backwards,
        answer_loss_mask_late,
        answer_loss_all,
        answer_loss_prompt,
        answer_loss_diluted,
        answer_loss_diluted_by_ids,
        answer_loss_of_rows,
        answer_loss_of_answers,
        answer_loss_sum,
        answer_loss_each,
        answer_loss_first,
        answer_loss_last,
        answer_loss_zeroed_ids,
        answer_loss_zeroed_logits,
        answer_loss_ignored_zero,
        answer_loss_over_places,
        answer_loss_softmax_twice,
        answer_loss_no_softmax,
        answer_loss_probability,
        answer_loss_late_log,
        answer_loss_sign,
        answer_loss_bits,
        answer_loss_perplexity,
        answer_loss_all_unshifted,
        answer_loss_accuracy,
    ),
    cases=answer_loss_cases,
    see="5b.4 The same as text",
)
