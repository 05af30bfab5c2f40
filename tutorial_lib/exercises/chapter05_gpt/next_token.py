"""Chapter 05: the loss of a batch of texts."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def next_token_loss(logits, ids):
    """Return the mean of -log p(next token), in nats, of logits (B, T, V) for texts ids (B, T).

    logits[b, t] are made from ids[b, : t + 1] and speak about the token that comes after it.
    """
    predictions, labels = logits[:, :-1], ids[:, 1:]  # (B, T - 1, V), (B, T - 1)
    return F.cross_entropy(predictions.flatten(0, 1), labels.flatten())


def next_token_loss_picked(logits, ids):
    """Second style."""
    losses = []
    for scores, text in zip(logits.log_softmax(dim=-1), ids.tolist(), strict=True):
        losses += [-scores[t, token] for t, token in enumerate(text[1:])]
    return sum(losses) / len(losses)


def token_losses(predictions, labels):
    """-log p of each label, in nats: (B, T) from (B, T, V)."""
    return -predictions.log_softmax(dim=-1).gather(-1, labels[..., None]).squeeze(-1)


def next_token_loss_rows(logits, ids):
    """This returns one loss a text: the mean over the whole batch is asked for."""
    return token_losses(logits[:, :-1], ids[:, 1:]).mean(dim=1)


def next_token_loss_places(logits, ids):
    """This returns one loss a place: the mean over the whole batch is asked for."""
    return token_losses(logits[:, :-1], ids[:, 1:])


def next_token_loss_log_of_mean(logits, ids):
    """This is minus the logarithm of the mean probability: take the logarithms first."""
    return -token_losses(logits[:, :-1], ids[:, 1:]).neg().exp().mean().log()


def next_token_loss_over_places(logits, ids):
    """This takes the softmax over the places of a text: the V tokens of one place compete."""
    log_p = logits[:, :-1].log_softmax(dim=1)
    return -log_p.gather(-1, ids[:, 1:, None]).mean()


def next_token_loss_cases():
    """Several texts, then one alone; B, T and V differ, and some token stands in two places."""
    return [
        case(
            "2 texts of 5 tokens",
            2 * torch.randn(2, 5, 7),
            torch.tensor([[3, 1, 6, 1, 2], [5, 0, 4, 2, 6]]),
        ),
        case(
            "3 texts of 4 tokens",
            2 * torch.randn(3, 4, 6),
            torch.tensor([[1, 5, 2, 3], [4, 4, 1, 2], [2, 3, 5, 1]]),
        ),
        case("one text of 3 tokens", torch.randn(1, 3, 4), torch.tensor([[2, 3, 1]])),
    ]


IDS = torch.tensor([[3, 1, 7, 1, 2, 6], [5, 0, 4, 2, 6, 3]])


PROBABILITY = "It takes the probability: the loss is minus its logarithm."


def number(answer, logits, ids):
    """What an answer returns, as a number. Raises ValueError for anything else."""
    loss = answer(logits, ids)
    value = loss.item() if isinstance(loss, torch.Tensor) else float(loss)
    if math.isnan(value):
        raise ValueError("nan")
    return value


def logits_for(ahead, height):
    """Logits of 0, but for the token `ahead` places further on, where there is one."""
    logits = torch.zeros(*IDS.shape, 8)
    for t in range(IDS.size(1)):
        if 0 <= t + ahead < IDS.size(1):
            logits[torch.arange(2), t, IDS[:, t + ahead]] = height
    return logits


def asked_for(answer):
    """Which token an answer asks each place for: by how many places it lies ahead.

    A little more for that token moves the loss most, whatever is made of it afterwards.
    """
    undecided = number(answer, torch.zeros(2, 6, 8), IDS)
    moved = {
        ahead: abs(number(answer, logits_for(ahead, 0.1), IDS) - undecided)
        for ahead in (-1, 0, 1, 2, 3)
    }
    return max(moved, key=moved.get)


def asks_for_the_next_token(answer):
    """The loss hangs on the logit of the next token."""
    sentences = {
        -1: "It asks each position for the token before: shift the other way.",
        0: "It asks each position for the token that it has just read: shift the two by one.",
        2: "It asks for the token after the next one: logits and labels are one step apart.",
    }
    ahead = asked_for(answer)
    return True if ahead == 1 else sentences.get(ahead, False)


def last_place_is_not_asked(answer):
    """What the logits at the last place say does not matter, to a loss that looks ahead."""
    if asked_for(answer) < 1:
        return None
    logits = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(7))
    before = number(answer, logits, IDS)
    logits[:, -1] = logits[:, -1].flip(-1) * 2
    return abs(number(answer, logits, IDS) - before) < 1e-4


def each_place_counts(answer):
    """A change at any other place changes the loss."""
    if asked_for(answer) != 1:
        return None
    logits = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(7))
    before = number(answer, logits, IDS)
    for text in range(2):
        for t in range(5):
            changed = logits.clone()
            changed[text, t] = changed[text, t].flip(-1) * 2
            if abs(number(answer, changed, IDS) - before) < 1e-5:
                return False
    return True


def tokens_of_a_place_compete(answer):
    """The same number added to all logits of a place changes nothing."""
    logits = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(7))
    heights = torch.arange(12.0).view(2, 6, 1) / 4
    return abs(number(answer, logits + heights, IDS) - number(answer, logits, IDS)) < 1e-4


def every_token_counts(answer):
    """With other numbers for the tokens the loss is the same."""
    logits = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(7))
    before = number(answer, logits, IDS)
    return all(
        abs(number(answer, logits.roll(by, dims=-1), (IDS + by) % 8) - before) < 1e-4
        for by in range(1, 8)
    )


def is_a_mean(answer):
    """Logits that say nothing cost the same in texts of any length and number."""
    short = number(answer, torch.zeros(1, 2, 8), IDS[:1, :2])
    long = number(answer, torch.zeros(2, 6, 8), IDS)
    sentences = {
        10: "It is the sum over all predictions: their mean is asked for.",
        5: "It sums over each text, and takes the mean of the texts: each prediction counts alike.",
        2: "It sums over the texts: the mean over all predictions is asked for.",
        5 / 3: "It divides by B·T: there are B·(T - 1) predictions, the last place has none.",
    }
    for ratio, sentence in sentences.items():
        if math.isclose(long / short, ratio, rel_tol=1e-3):
            return sentence
    return math.isclose(long, short, rel_tol=1e-3)


def is_not_negative(answer):
    """The loss of logits that say nothing is above 0."""
    if not tokens_of_a_place_compete(answer) or is_in_nats(answer) == PROBABILITY:
        return None
    return number(answer, torch.zeros(1, 2, 8), IDS[:1, :2]) > 0


def is_in_nats(answer):
    """One prediction out of eight equal tokens costs log 8."""
    loss = abs(number(answer, torch.zeros(1, 2, 8), IDS[:1, :2]))
    if any(math.isclose(loss, bits, rel_tol=1e-3) for bits in (3, 1.5)):
        return "It is in bits: nats take the natural logarithm, as PyTorch does."
    if math.isclose(loss, 8, rel_tol=1e-3):
        return "It is the perplexity: the loss itself is asked for, without the exponential."
    if math.isclose(loss, 1 / 8, rel_tol=1e-3):
        return PROBABILITY
    return True if math.isclose(loss, math.log(8), rel_tol=1e-3) else None


def is_0_when_sure_and_right(answer):
    """Logits that are sure of the right token cost nothing."""
    if not tokens_of_a_place_compete(answer) or isinstance(is_in_nats(answer), str):
        return None
    if asked_for(answer) != 1 or not last_place_is_not_asked(answer):
        return None
    logits = logits_for(1, 12.0)[:1, :4]
    return abs(number(answer, logits, IDS[:1, :4])) < 1


NEXT_TOKEN_LOSS = Write(
    id="5.2",
    title="The loss of a language model",
    level="easy",
    text="""
Write `next_token_loss(logits, ids)`. A model has read the texts `ids` (B, T) and returned `logits`
(B, T, V): those at position t are made from tokens 0 to t and speak about the token **after** them.
Return the mean of -log p, in nats, over all **B·(T - 1)** checkable predictions, as one
number. All texts have the same length, without padding.
""",
    hints=(
        "Which logits have a token that follows? Which tokens have a position before them?",
        "`logits[:, :-1]` and `ids[:, 1:]` belong together: a position and what came after it.",
        "`F.cross_entropy` wants (N, V) and (N,): `.flatten(0, 1)` and `.flatten()` make them.",
    ),
    solution=next_token_loss,
    second_style=next_token_loss_picked,
    mistakes=(
        next_token_loss_rows,
        next_token_loss_places,
        next_token_loss_log_of_mean,
        next_token_loss_over_places,
    ),
    cases=next_token_loss_cases,
    properties=(
        Property(
            "It asks each position for another token than the next one: `logits[:, t]` speak about "
            "`ids[:, t + 1]`.",
            asks_for_the_next_token,
        ),
        Property(
            "The logits at the last position count, but nothing is known to come after it: leave "
            "them out.",
            last_place_is_not_asked,
        ),
        Property(
            "Some position does not count: every one but the last predicts.", each_place_counts
        ),
        Property(
            "It matters how high all logits of a position are: the V tokens of one position "
            "compete, in a softmax of their own.",
            tokens_of_a_place_compete,
        ),
        Property(
            "It matters which token has which number: token 0 is one like any other, and there is "
            "no padding.",
            every_token_counts,
        ),
        Property(
            "A longer text costs more: the mean over all predictions is asked for.", is_a_mean
        ),
        Property("It has the wrong sign: a loss is -log p, 0 at best.", is_not_negative),
        Property("It is not in nats.", is_in_nats),
        Property(
            "A model that is sure and right still has a loss: take one softmax, of the raw logits.",
            is_0_when_sure_and_right,
        ),
    ),
    remarks=(lambda answer: no_way_back(answer, torch.ones(1, 3, 4), torch.tensor([[0, 1, 2]])),),
    see="5B How probable is a text?",
)
