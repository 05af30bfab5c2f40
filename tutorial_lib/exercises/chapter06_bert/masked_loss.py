"""Chapter 06: the loss of masked language modelling, at the chosen places only."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter05b_prompting.measures import (
    COUNTED,
    loss_properties,
    moved_along,
    reading,
    tokens_that_count,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


def masked_loss_labels_zero(logits, ids, chosen):
    """This gives the other places the label 0 and counts them: leave them out."""
    return losses(logits, ids * chosen).mean()


def masked_loss_log_of_mean(logits, ids, chosen):
    """This is minus the logarithm of the mean probability: take the logarithm first."""
    return -(-losses(logits, ids)[chosen]).exp().mean().log()


def masked_loss_all_tokens(logits, ids, chosen):
    """This averages over all V tokens: only the one that stood there counts."""
    return -logits.log_softmax(dim=-1)[chosen].mean()


def masked_loss_crossed(logits, ids, chosen):
    """This asks each chosen place for the tokens of all chosen places: `log_p[:, ids]` is (N, N).
    `log_p[range(N), ids]` takes one a place.
    """
    return -logits[chosen].log_softmax(dim=-1)[:, ids[chosen]].mean()


def masked_loss_overflowing(logits, ids, chosen):
    """It overflows on large logits: `log_softmax` takes the largest away before the exp."""
    p = logits.exp() / logits.exp().sum(dim=-1, keepdim=True)
    return -p.log().gather(-1, ids[..., None]).squeeze(-1)[chosen].mean()


EVERY = torch.ones(1, 4, dtype=torch.bool)


def masked_loss_cases():
    """Unequal numbers of chosen places; a chosen token with id 0; one chosen place."""
    return [
        case("2 of 10 places", *masked_case([[5, 3, 4, 1, 2], [4, 2, 3, 5, 1]], [1, 7])),
        case(
            "1 in a row, 3 in the other", *masked_case([[6, 1, 2, 3], [4, 5, 6, 1]], [2, 4, 5, 7])
        ),
        case("logits of 100", 100 - 60 * torch.eye(4)[None], torch.tensor([[0, 1, 2, 1]]), EVERY),
        case("a chosen token has id 0", *masked_case([[0, 3, 2], [1, 0, 4]], [0, 1, 4])),
    ]


def masked_case(rows, places):
    """logits (B, T, V) in favour of the right tokens, ids (B, T), and chosen at these places."""
    ids = torch.tensor(rows)
    logits = 2 * torch.randn(*ids.shape, 7) + F.one_hot(ids, 7)
    return logits, ids, torch.isin(torch.arange(ids.numel()), torch.tensor(places)).view_as(ids)


def says_the_token_itself(answer):
    """A chosen place is asked for the token that stood there."""
    counted = tokens_that_count(answer)
    if reading(answer)[0] == 1 and (counted == COUNTED.roll(1, dims=1)).all():
        return (
            "It asks each chosen place for the token after it: a BERT says the token that stood at "
            "the place itself."
        )
    sentences = {
        1: "It reads the logits one place before each chosen one, as a language model does: a BERT "
        "answers at the place itself.",
        -1: "It reads the logits one place after each chosen one: a BERT answers at the place "
        "itself.",
    }
    return None if moved_along(answer) else sentences.get(reading(answer)[0], True)


def chosen_goes_with_ids(answer):
    """Logits and ids are those of the chosen places."""
    return None if reading(answer)[0] else not moved_along(answer)


MASKED_LOSS = Write(
    id="6.6",
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
        masked_loss_labels_zero,
        masked_loss_log_of_mean,
        masked_loss_all_tokens,
        masked_loss_crossed,
        masked_loss_overflowing,
    ),
    cases=masked_loss_cases,
    properties=loss_properties(
        Property(
            "It does not read the logits of the chosen place itself.",
            says_the_token_itself,
        ),
        Property("It counts places beside the chosen ones.", chosen_goes_with_ids),
        token="chosen place",
        others="only chosen places do",
    ),
    see="6E Pre-training",
)
