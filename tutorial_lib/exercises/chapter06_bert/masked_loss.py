"""Chapter 06: the loss of masked language modelling, at the chosen places only."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def masked_loss(logits, ids, chosen):
    """Return the mean of -log p(token) over the chosen places of the batch, in nats.

    logits (B, T, V); ids (B, T), the tokens before any was hidden; chosen (B, T) bool.
    """
    return F.cross_entropy(logits[chosen], ids[chosen])  # (N, V), (N,)


def masked_loss_places(logits, ids, chosen):
    """Second style."""
    total = 0.0
    places = chosen.nonzero().tolist()
    for b, t in places:
        total += logits[b, t].logsumexp(dim=0) - logits[b, t, ids[b, t]]
    return total / len(places)


def losses(logits, ids):
    """-log p(token) at each place, (B, T)."""
    return F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")


def masked_loss_all(logits, ids, chosen):
    """This counts all places: the model sees the tokens that were not chosen, and would learn to
    copy them.
    """
    return losses(logits, ids).mean()


def masked_loss_others(logits, ids, chosen):
    """This counts the places that were not chosen: turn `chosen` round."""
    return masked_loss(logits, ids, ~chosen)


def masked_loss_divided_by_all(logits, ids, chosen):
    """This sums over the chosen places and divides by all B T: divide by the number chosen."""
    return (losses(logits, ids) * chosen).mean()


def masked_loss_by_text(logits, ids, chosen):
    """This averages each text, then the texts: a place of a text with few would count for more."""
    loss = losses(logits, ids) * chosen
    return (loss.sum(dim=1) / chosen.sum(dim=1)).mean()


def masked_loss_by_batch(logits, ids, chosen):
    """This divides by the number of texts: divide by the number of chosen places."""
    return (losses(logits, ids) * chosen).sum() / len(ids)


def masked_loss_sum(logits, ids, chosen):
    """This is the sum: the mean over the chosen places is asked for."""
    return losses(logits, ids)[chosen].sum()


def masked_loss_each(logits, ids, chosen):
    """This is one number a place: their mean is asked for."""
    return losses(logits, ids)[chosen]


def masked_loss_ignored_zero(logits, ids, chosen):
    """This marks the other places with label 0 and ignores 0: a chosen token with id 0 is a
    class like others, and is lost. Use a number that is no id, -100.
    """
    return F.cross_entropy(logits.transpose(1, 2), ids * chosen, ignore_index=0)


def masked_loss_labels_zero(logits, ids, chosen):
    """This gives the other places the label 0 and counts them: leave them out."""
    return losses(logits, ids * chosen).mean()


def masked_loss_logits_zero(logits, ids, chosen):
    """This sets the other places' logits to 0 and counts them, each with log V: leave them
    out.
    """
    return losses(logits * chosen[..., None], ids).mean()


def masked_loss_next_token(logits, ids, chosen):
    """This asks each chosen place for the token after it: a BERT says the token that stood at the
    place itself.
    """
    shifted = chosen[:, :-1]
    return F.cross_entropy(logits[:, :-1][shifted], ids[:, 1:][shifted])


def masked_loss_one_before(logits, ids, chosen):
    """This reads the logits one place before each chosen one, as a language model does: a BERT
    answers at the place itself.
    """
    shifted = chosen[:, 1:]
    return F.cross_entropy(logits[:, :-1][shifted], ids[:, 1:][shifted])


def masked_loss_softmax_twice(logits, ids, chosen):
    """This takes the softmax twice: `cross_entropy` wants the raw logits."""
    return masked_loss(logits.softmax(dim=-1), ids, chosen)


def masked_loss_raw_logits(logits, ids, chosen):
    """This takes the logit for a log probability: it needs a log_softmax first."""
    return F.nll_loss(logits[chosen], ids[chosen])


def masked_loss_no_log(logits, ids, chosen):
    """This is minus the mean probability: the loss is minus the mean of its logarithm."""
    return F.nll_loss(logits[chosen].softmax(dim=-1), ids[chosen])


def masked_loss_log_of_mean(logits, ids, chosen):
    """This is minus the logarithm of the mean probability: take the logarithm first."""
    return -(-losses(logits, ids)[chosen]).exp().mean().log()


def masked_loss_sign(logits, ids, chosen):
    """This is the mean of log p: the loss is minus that, and never below 0."""
    return -masked_loss(logits, ids, chosen)


def masked_loss_bits(logits, ids, chosen):
    """This is in bits, with the logarithm to base 2: nats take the natural one."""
    return masked_loss(logits, ids, chosen) / math.log(2)


def masked_loss_perplexity(logits, ids, chosen):
    """This is the perplexity, exp(loss): the loss itself is asked for."""
    return masked_loss(logits, ids, chosen).exp()


def masked_loss_over_places(logits, ids, chosen):
    """This takes the softmax over the places: the V tokens of one place compete."""
    return F.nll_loss(logits.log_softmax(dim=1)[chosen], ids[chosen])


def masked_loss_over_chosen(logits, ids, chosen):
    """This takes the softmax over the chosen places: the V tokens of one place compete."""
    return F.nll_loss(logits[chosen].log_softmax(dim=0), ids[chosen])


def masked_loss_all_tokens(logits, ids, chosen):
    """This averages over all V tokens: only the one that stood there counts."""
    return -logits.log_softmax(dim=-1)[chosen].mean()


def masked_loss_crossed(logits, ids, chosen):
    """This asks each chosen place for the tokens of all chosen places: `log_p[:, ids]` is (N, N).
    `log_p[range(N), ids]` takes one a place.
    """
    return -logits[chosen].log_softmax(dim=-1)[:, ids[chosen]].mean()


def masked_loss_text_by_text(logits, ids, chosen):
    """This is one number a text: one for the whole batch is asked for."""
    loss = losses(logits, ids) * chosen
    return loss.sum(dim=1) / chosen.sum(dim=1)


def masked_loss_accuracy(logits, ids, chosen):
    """This is the share that is guessed right: the loss asks how likely the right token was."""
    return (logits.argmax(dim=-1) == ids)[chosen].float().mean()


def masked_loss_error(logits, ids, chosen):
    """This is the share that is guessed wrong: the loss asks how likely the right token was."""
    return (logits.argmax(dim=-1) != ids)[chosen].float().mean()


def masked_loss_cases():
    """Unequal numbers of chosen places; a chosen token with id 0; one chosen place."""
    return [
        case("2 of 10 places", *masked_case([[5, 3, 4, 1, 2], [4, 2, 3, 5, 1]], [1, 7])),
        case(
            "1 in a row, 3 in the other", *masked_case([[6, 1, 2, 3], [4, 5, 6, 1]], [2, 4, 5, 7])
        ),
        case("a chosen token has id 0", *masked_case([[0, 3, 2], [1, 0, 4]], [0, 1, 4])),
    ]


def masked_case(rows, places):
    """logits (B, T, V) in favour of the right tokens, ids (B, T), and chosen at these places."""
    ids = torch.tensor(rows)
    logits = 2 * torch.randn(*ids.shape, 7) + F.one_hot(ids, 7)
    return logits, ids, torch.isin(torch.arange(ids.numel()), torch.tensor(places)).view_as(ids)


MASKED_LOSS = Write(
    id="6.4",
    title="The loss at the chosen places",
    level="medium",
    text="""
Write `masked_loss(logits, ids, chosen)`. The model has read a text in which some tokens were
hidden, and gives logits (B, T, V); `ids` (B, T) are the tokens as they stood there **before**;
`chosen` (B, T) is True at the places that are asked about. Return the mean of -log p(token) in nats
over these places, one number for the whole batch. No other place counts.
""",
    hints=(
        "What is the shape of `logits[chosen]`, and of `ids[chosen]`?",
        "`F.cross_entropy` takes logits (N, V) and ids (N,), and gives the mean over the N.",
        "By hand: `logits.log_softmax(dim=-1)`, then the number at the token's id, at the chosen "
        "places; minus their mean.",
    ),
    solution=masked_loss,
    second_style=masked_loss_places,
    mistakes=(
        masked_loss_all,
        masked_loss_others,
        masked_loss_divided_by_all,
        masked_loss_by_text,
        masked_loss_by_batch,
        masked_loss_sum,
        masked_loss_each,
        masked_loss_ignored_zero,
        masked_loss_labels_zero,
        masked_loss_logits_zero,
        masked_loss_next_token,
        masked_loss_one_before,
        masked_loss_softmax_twice,
        masked_loss_raw_logits,
        masked_loss_no_log,
        masked_loss_log_of_mean,
        masked_loss_sign,
        masked_loss_bits,
        masked_loss_perplexity,
        masked_loss_over_places,
        masked_loss_over_chosen,
        masked_loss_all_tokens,
        masked_loss_crossed,
        masked_loss_text_by_text,
        masked_loss_accuracy,
        masked_loss_error,
    ),
    cases=masked_loss_cases,
    see="6.4 Pre-training",
)
