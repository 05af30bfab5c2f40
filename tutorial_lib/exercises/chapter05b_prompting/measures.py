"""What a loss over some of the tokens says about the way in which it was made."""

import functools
import math

import torch

from tutorial_lib.exercises.engine.tasks import Property

N_IDS = 9
IDS = torch.tensor([[3, 1, 7, 0, 2, 6], [5, 8, 4, 2, 1, 3]])
COUNTED = torch.tensor([[0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 0, 0]]).bool()
ONE_ID = torch.tensor([[4, 7, 2, 5]])
ONE_COUNTED = torch.tensor([[False, True, False, False]])
UNITS = {
    math.log(N_IDS): True,
    math.log2(N_IDS): "It is in bits: nats take the natural logarithm.",
    math.log10(N_IDS): "It takes the logarithm to base 10: nats take the natural one.",
    1 / N_IDS: "It averages probabilities: the logarithm of each is missing.",
    N_IDS: "It is the perplexity, exp(loss): the loss itself is asked for.",
}


def number(answer, logits, ids=IDS, counted=COUNTED):
    """The loss, or the mean of several, as a number. Raises ValueError for nan."""
    value = torch.as_tensor(answer(logits, ids, counted)).float().mean().item()
    if math.isnan(value):
        raise ValueError("nan")
    return value


def random_logits():
    """Logits (2, 6, 9) for IDS."""
    return torch.randn(2, 6, N_IDS, generator=torch.Generator().manual_seed(8))


def favouring(ahead, height, tokens=True):
    """Logits of 0, but for some tokens of IDS, each where a reader `ahead` of it would look."""
    logits = torch.zeros(2, 6, N_IDS)
    for b, t in torch.ones(2, 6).mul(tokens).nonzero().tolist():
        if 0 <= t - ahead < 6:
            logits[b, t - ahead, IDS[b, t]] = height
    return logits


def one_number(answer):
    """The loss of a batch is one number."""
    found = torch.as_tensor(answer(torch.zeros(2, 6, N_IDS), IDS, COUNTED))
    if found.dim() and len(found) == 2:
        return "There is one number a text: the mean over the whole batch is asked for."
    return found.numel() == 1


def weights(answer, ahead):
    """How much the loss hangs on each token, (2, 6), at the logits that many places before it."""
    undecided = number(answer, torch.zeros(2, 6, N_IDS))
    found = torch.zeros(2, 6)
    for place in range(12):
        here = (torch.arange(12) == place).view(2, 6)
        found.view(-1)[place] = number(answer, favouring(ahead, 0.1, here)) - undecided
    return found.abs()


def asks_how_likely(answer):
    """A little more for the right tokens makes a difference, whether or not they are highest."""
    height = random_logits().abs().max().item() / 100
    more = favouring(0, height) + favouring(1, height) + favouring(-1, height)
    before, after = (number(answer, logits) for logits in (random_logits(), random_logits() + more))
    return abs(after - before) > 1e-6


@functools.lru_cache(maxsize=4)
def reading(answer):
    """By how many places the logits stand before their token, and how much each token weighs.

    Raises ValueError when the loss hangs on none, or when tokens of several places compete.
    """
    if not asks_how_likely(answer):
        raise ValueError("a share of hits")
    raised = number(answer, random_logits() + 1) - number(answer, random_logits())
    if abs(raised) < 1e-3 and not logits_of_a_place_compete(answer):
        raise ValueError("a softmax over something else")
    found = {ahead: weights(answer, ahead) for ahead in (-1, 0, 1)}
    ahead = max(found, key=lambda ahead: found[ahead].max())
    if found[ahead].max() < 1e-5:
        raise ValueError("no token weighs anything")
    return ahead, found[ahead]


def tokens_that_count(answer):
    """Which tokens of IDS the loss hangs on, (2, 6) bool."""
    found = reading(answer)[1]
    return found > found.max() / 20


def logits_of_a_place_compete(answer):
    """The same number added to all logits of a place changes nothing."""
    heights = torch.arange(12.0).view(2, 6, 1) / 4
    return abs(number(answer, random_logits() + heights) - number(answer, random_logits())) < 1e-3


def moved_along(answer):
    """The tokens one place after the marked ones count, or those before."""
    return any((tokens_that_count(answer) == COUNTED.roll(by, dims=1)).all() for by in (1, -1))


def no_others_count(answer):
    """Only the marked tokens weigh something, and no other logits are looked at."""
    counted, (ahead, _) = tokens_that_count(answer), reading(answer)
    if moved_along(answer):
        return None
    if not (counted & COUNTED).any():
        return "Everything counts but what is marked True: the mask is turned round."
    if (counted & ~COUNTED).any():
        return False
    looked_at = COUNTED.roll(-ahead, dims=1)[..., None]
    other = torch.where(looked_at, random_logits(), random_logits().flip(-1))
    return abs(number(answer, other) - number(answer, random_logits())) < 1e-4


def all_count(answer):
    """Each marked token weighs something."""
    counted = tokens_that_count(answer)
    if moved_along(answer) or not (counted & COUNTED).any():
        return None
    lost = COUNTED & ~counted
    if (counted[0, 2:5].tolist()) == [True, False, False]:
        return "Only the first marked token of each row counts: all of them do."
    if (counted[0, 2:5].tolist()) == [False, False, True]:
        return "Only the last marked token of each row counts: all of them do."
    if lost.any() and (IDS[lost] == 0).all():
        return "Token 0 is left out where it is marked: it is a token like any other."
    return not lost.any()


def all_count_the_same(answer):
    """The only token of a row weighs as much as one of three."""
    if not logits_of_a_place_compete(answer):
        return None
    found = reading(answer)[1][COUNTED & tokens_that_count(answer)]
    return torch.allclose(found, found[:1].expand_as(found), rtol=0.02)


def divides_by(answer):
    """What the losses of the tokens are divided by: 1 is nothing, 0 their number.

    Told from the ratio of two losses that say nothing, in 2 rows of 6 tokens and 1 row of 4.
    """
    one = number(answer, torch.zeros(1, 4, N_IDS), ONE_ID, ONE_COUNTED)
    ratio = number(answer, torch.zeros(2, 6, N_IDS)) / one
    n_counted = tokens_that_count(answer).sum().item()
    total = n_counted / {12: 4, 10: 3, 8: 3, 6: 2}.get(n_counted, 1)
    known = {total: 1, total / 2: 2, total / 3: 12, total * 3 / 10: 10, 1: 0}
    return next((by for x, by in known.items() if math.isclose(ratio, x, rel_tol=1e-3)), None)


def is_a_mean(answer):
    """Logits that say nothing cost the same, however many tokens are marked."""
    sentences = {
        0: True,
        1: "It is the sum: the mean is asked for.",
        2: "It divides by the number of rows: divide by the number of tokens that count.",
        10: "It divides by all B · (T - 1) places: divide by the number of tokens that count.",
        12: "It divides by all B · T tokens: divide by the number of those that count.",
    }
    return sentences.get(divides_by(answer), False)


def in_nats(answer):
    """One marked token out of nine alike costs log 9, whatever it is divided by."""
    loss = abs(number(answer, torch.zeros(1, 4, N_IDS), ONE_ID, ONE_COUNTED))
    loss *= {10: 3, 12: 4}.get(divides_by(answer), 1)
    known = (found for unit, found in UNITS.items() if math.isclose(loss, unit, rel_tol=1e-3))
    return next(known, None)


def is_not_negative(answer):
    """A loss is above 0, when logarithms are taken of one softmax a place."""
    if in_nats(answer) in (UNITS[1 / N_IDS], None):
        return None
    return number(answer, torch.zeros(1, 4, N_IDS), ONE_ID, ONE_COUNTED) > 0


def is_0_when_sure_and_right(answer):
    """Logits that are sure of all tokens cost nothing."""
    if in_nats(answer) in (UNITS[1 / N_IDS], UNITS[N_IDS], None) or moved_along(answer):
        return None
    return abs(number(answer, favouring(reading(answer)[0], 12.0))) < 0.3


def loss_properties(reads_there, marks_tokens, token, others):
    """The properties of a loss over marked tokens.

    reads_there and marks_tokens are properties of the exercise; token is what it calls a marked
    token, others what it says of those that do not count.
    """
    return (
        Property(f"There is a loss for each {token}: their mean is asked for.", one_number),
        Property(
            "A little more for the right token changes nothing: the loss asks how likely it was, "
            "not whether it is the best guess.",
            asks_how_likely,
        ),
        reads_there,
        marks_tokens,
        Property(f"Other tokens count too: {others}.", no_others_count),
        Property(f"Not every {token} counts.", all_count),
        Property(
            "It matters how high all logits of a place are: take the softmax over the vocabulary, "
            "where the V tokens of one place compete.",
            logits_of_a_place_compete,
        ),
        Property(
            f"A {token} counts for more in a row that has few: take one mean over the whole batch, "
            "not one a row first.",
            all_count_the_same,
        ),
        Property(
            f"The loss depends on how many there are: take the mean, each {token} the same.",
            is_a_mean,
        ),
        Property("It has the wrong sign: a loss is -log p, never below 0.", is_not_negative),
        Property("It is not in nats, the natural logarithm.", in_nats),
        Property(
            f"A model that is sure of each token, and right, still has a loss: leave out what is "
            f"no {token}, and take one softmax, of the raw logits.",
            is_0_when_sure_and_right,
        ),
    )
