"""Chapter 05: as few tokens as hold a share p of the probability."""

import math

import torch

from tutorial_lib.exercises.chapter05_gpt.top_k import (
    fills_with_minus_infinity,
    filtered,
    keeps_the_highest,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def top_p_filter(logits, p):
    """Return logits (B, V) with all but the top tokens of each row at minus infinity.

    The likeliest tokens stay, as few as hold probability p or more together.
    """
    ordered, ids = logits.sort(dim=-1, descending=True)
    shares = ordered.softmax(dim=-1)
    before = shares.cumsum(dim=-1) - shares  # what the likelier tokens hold together
    ordered = ordered.masked_fill(before >= p, -math.inf)
    return torch.empty_like(logits).scatter(-1, ids, ordered)  # back to their places


def top_p_filter_rows(logits, p):
    """Second style."""
    rows = []
    for row in logits.tolist():
        total = sum(math.exp(score) for score in row)
        kept, held = [-math.inf] * len(row), 0.0
        for token in sorted(range(len(row)), key=lambda token: -row[token]):
            if held < p:
                kept[token] = row[token]
                held += math.exp(row[token]) / total
        rows.append(kept)
    return rows


def ranked(logits):
    """Logits from high to low, their ids, and what each token and the likelier ones hold."""
    ordered, ids = logits.sort(dim=-1, descending=True)
    return ordered, ids, ordered.softmax(dim=-1).cumsum(dim=-1)


def put_back(logits, ids, dropped):
    """Minus infinity where a token was dropped; dropped is in the order of ids."""
    return logits.masked_fill(torch.zeros_like(dropped).scatter(-1, ids, dropped), -math.inf)


def top_p_filter_wrong_way_back(logits, p):
    """This sorts once more in place of going back: `ids` says which token has a rank, not which
    rank a token has. Scatter, or gather with `ids.argsort()`.
    """
    _, ids, reached = ranked(logits)
    dropped = torch.nn.functional.pad(reached[:, :-1] >= p, (1, 0))
    return logits.masked_fill(dropped.gather(-1, ids), -math.inf)


def top_p_filter_renormalised(logits, p):
    """This returns log probabilities: the logits that stay are to stay as they are."""
    return top_p_filter(logits, p).log_softmax(dim=-1)


def top_p_filter_sorted(logits, p):
    """This returns the logits from high to low: each token must stay in its place."""
    ordered, _, reached = ranked(logits)
    dropped = torch.nn.functional.pad(reached[:, :-1] >= p, (1, 0))
    return ordered.masked_fill(dropped, -math.inf)


def top_p_filter_raw_logits(logits, p):
    """This adds up the logits: p is a share of the probability, so take the softmax first."""
    ordered, ids = logits.sort(dim=-1, descending=True)
    return put_back(logits, ids, ordered.cumsum(dim=-1) - ordered >= p)


def top_p_filter_ascending(logits, p):
    """This begins with the least likely token: begin with the likeliest."""
    ordered, ids = logits.sort(dim=-1)
    shares = ordered.softmax(dim=-1)
    return put_back(logits, ids, shares.cumsum(dim=-1) - shares >= p)


def top_p_filter_rest(logits, p):
    """This keeps the tokens that hold 1 - p: they must hold p."""
    return top_p_filter(logits, 1 - p)


def top_p_filter_each(logits, p):
    """This keeps tokens that hold p each: together they must hold it."""
    return logits.masked_fill(logits.softmax(dim=-1) < p, -math.inf)


def top_p_filter_floor(logits, p):
    """This keeps the tokens likelier than 1 - p, each by itself: add up from the likeliest."""
    return logits.masked_fill(logits.softmax(dim=-1) < 1 - p, -math.inf)


def top_p_filter_of_best(logits, p):
    """This measures each token against p times the best one: add up from the likeliest."""
    shares = logits.softmax(dim=-1)
    return logits.masked_fill(shares < p * shares.amax(dim=-1, keepdim=True), -math.inf)


def top_p_filter_probabilities(logits, p):
    """This returns probabilities: the logits are asked for."""
    return top_p_filter(logits, p).softmax(dim=-1)


def top_p_filter_cases():
    """A flat and a sharp row, so that they keep other numbers of tokens; a p that one exceeds."""
    flat = torch.tensor([0.15, 0.30, 0.05, 0.26, 0.24]).log() + 2
    sharp = torch.tensor([0.02, 0.03, 0.90, 0.01, 0.04]).log()
    # Powers of 2, whose sum is 1 in single precision on every machine.
    exact = torch.tensor([[2.0**-21, 2.0**-19, 1.0, 2.0**-22, 2.0**-20]]).log()
    shuffled = torch.tensor([[0.08, 0.12, 0.41, 0.22, 0.13, 0.04]]).log() + 5
    return [
        case("flat and sharp, p = 0.6", torch.stack([flat, sharp]), 0.6),
        case("sharp and flat, p = 0.92", torch.stack([sharp, flat]), 0.92),
        case("p = 0.1: one token holds more", torch.stack([flat, sharp]), 0.1),
        case("one row, p = 0.7", shuffled, 0.7),
        case("p = 1", torch.cat([exact, exact.flip(-1) + 3]), 1.0),
    ]


SHARES = torch.tensor([
    [0.13, 0.05, 0.36, 0.02, 0.44],
    [0.07, 0.61, 0.03, 0.19, 0.10],
    [0.09, 0.08, 0.01, 0.78, 0.04],
])  # fmt: skip


def top_p_fills(answer):
    """What is dropped becomes minus infinity."""
    return fills_with_minus_infinity(answer, SHARES.log() + 1, 0.7)


def rows_are_judged_alone(answer):
    """A row keeps the same tokens whatever other rows there are."""
    together, _ = filtered(answer, SHARES.log() + 1, 0.7)
    for row in range(3):
        alone, _ = filtered(answer, SHARES[row : row + 1].log() + 1, 0.7)
        if not torch.equal(alone[0], together[row]):
            return False
    return True


def kept_in_rows(answer, p):
    """Which tokens stay. Raises ValueError where that says nothing about a row by itself."""
    if not rows_are_judged_alone(answer):
        raise ValueError("rows are not judged alone")
    return filtered(answer, SHARES.log() + 1, p)[0]


def measured_one_by_one(answer):
    """Of ten tokens that are nearly alike all stay, or none or the best, whatever p is."""
    kept_in_rows(answer, 0.7)  # raises where a row cannot be judged alone
    shares = torch.linspace(0.109, 0.091, 10)[[3, 8, 0, 5, 9, 1, 7, 2, 6, 4]]
    kept = [filtered(answer, shares.log()[None] + 1, p)[0].sum().item() for p in (0.5, 0.8)]
    return all(number in (0, 1, 10) for number in kept)


def tokens_are_added_up(answer):
    """What a token meets depends on what the likelier ones hold together."""
    return not measured_one_by_one(answer)


def kept_from_the_top(answer):
    """Which tokens stay at p = 0.7, or are dropped if it is the other way round."""
    kept = kept_in_rows(answer, 0.7)
    inverted = (~kept).any(dim=-1).all() and keeps_the_highest(~kept, SHARES)
    return ~kept if inverted else kept


def top_p_keeps_the_likeliest(answer):
    """No token is dropped that is likelier than one that stays."""
    kept = kept_in_rows(answer, 0.7)
    if not kept.any() or kept.all():
        return None
    if keeps_the_highest(~kept, SHARES):
        return "It drops the top tokens and keeps the rest: it is the other way round."
    return keeps_the_highest(kept, SHARES)


def held_by(n_kept):
    """What so many tokens of each row hold at most, (3,): their places are judged apart."""
    held = SHARES.sort(dim=-1, descending=True).values.cumsum(dim=-1)
    held = torch.cat([torch.zeros(3, 1), held], dim=-1)
    return held.gather(-1, n_kept[:, None])[:, 0]


def top_p_keeps_enough(answer):
    """What stays holds p, or more."""
    if measured_one_by_one(answer):
        return None
    held = held_by(kept_from_the_top(answer).sum(dim=-1))
    return bool((held[:2] >= 0.7).all())  # in the third the likeliest token holds it alone


def top_p_keeps_no_more(answer):
    """What stays would not hold p without its least likely token."""
    kept = kept_from_the_top(answer)
    if (~kept).all(dim=-1).any() or measured_one_by_one(answer):
        return None
    return bool((held_by(kept.sum(dim=-1) - 1) < 0.7).all())


def top_p_keeps_one(answer):
    """The likeliest token stays, even if it holds more than p."""
    if measured_one_by_one(answer):
        return None
    kept = kept_in_rows(answer, 0.2)
    return bool(kept.any(dim=-1).all())


TOP_P_FILTER = Write(
    id="5.8",
    title="Top-p",
    level="medium",
    text="""
Write `top_p_filter(logits, p)` for logits (B, V): each row keeps its likeliest tokens, **as few as
hold probability p or more together**, and all others become minus infinity. So the token that
crosses p stays, and one token always does. Where the model is sure few remain, elsewhere many. The
logits that stay are unchanged and in their places. No two tokens tie.
""",
    hints=(
        "`logits.sort(dim=-1, descending=True)` gives logits from high to low, and their ids.",
        "A token stays if the likelier ones hold less than p: the `cumsum` without its own share.",
        "The way back: `result.scatter(-1, ids, values)` puts value i at place ids[i].",
    ),
    solution=top_p_filter,
    second_style=top_p_filter_rows,
    mistakes=(
        top_p_filter_renormalised,
        top_p_filter_wrong_way_back,
        top_p_filter_sorted,
        top_p_filter_raw_logits,
        top_p_filter_ascending,
        top_p_filter_rest,
        top_p_filter_each,
        top_p_filter_floor,
        top_p_filter_of_best,
        top_p_filter_probabilities,
    ),
    cases=top_p_filter_cases,
    properties=(
        Property(
            "What a row keeps depends on the other rows: each has a softmax and a sum of its own.",
            rows_are_judged_alone,
        ),
        Property(
            "Tokens are measured one by one: add up the probabilities, from the likeliest token "
            "on, until they come to p.",
            tokens_are_added_up,
        ),
        Property(
            "It keeps a token and drops a likelier one: begin with the likeliest, and put what you "
            "find back to the tokens' own places.",
            top_p_keeps_the_likeliest,
        ),
        Property(
            "What stays holds less than p: the token that crosses p stays too.",
            top_p_keeps_enough,
        ),
        Property(
            "It keeps more than it needs: without the least likely that stays, the others would "
            "still hold p.",
            top_p_keeps_no_more,
        ),
        Property(
            "Where the likeliest token alone holds more than p, nothing is left: one token always "
            "stays.",
            top_p_keeps_one,
        ),
        Property("The others must become minus infinity.", top_p_fills),
    ),
    see="5G Choosing the next token",
)
