"""Chapter 05: as few tokens as hold a share p of the probability."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def top_p_filter_no_crossing(logits, p):
    """This drops the token that crosses p: it stays, or less than p is left. If the best token
    alone holds p, nothing is left at all.
    """
    _, ids, reached = ranked(logits)
    return put_back(logits, ids, reached > p)


def top_p_filter_no_crossing_but_best(logits, p):
    """This drops the token that crosses p, unless it is the best one: it always stays, or less
    than p is left.
    """
    _, ids, reached = ranked(logits)
    dropped = reached > p
    dropped[:, 0] = False
    return put_back(logits, ids, dropped)


def top_p_filter_below(logits, p):
    """This keeps what is below p with its own share: the token that reaches p stays too. If the
    best token alone holds p, nothing is left at all.
    """
    _, ids, reached = ranked(logits)
    return put_back(logits, ids, reached >= p)


def top_p_filter_below_but_best(logits, p):
    """This keeps the best token and what is below p with its own share: the token that reaches p
    stays too, whichever it is.
    """
    _, ids, reached = ranked(logits)
    dropped = reached >= p
    dropped[:, 0] = False
    return put_back(logits, ids, dropped)


def top_p_filter_one_more(logits, p):
    """This keeps one token too many: the one that crosses p is the last."""
    _, ids, reached = ranked(logits)
    dropped = torch.nn.functional.pad(reached[:, :-2] >= p, (2, 0))
    return put_back(logits, ids, dropped)


def top_p_filter_unsorted(logits, p):
    """This adds up in the order of the vocabulary: begin with the likeliest token."""
    shares = logits.softmax(dim=-1)
    return logits.masked_fill(shares.cumsum(dim=-1) - shares >= p, -math.inf)


def top_p_filter_not_put_back(logits, p):
    """This drops by rank, but applies it to the tokens as they stand: put the order back."""
    _, _, reached = ranked(logits)
    dropped = torch.nn.functional.pad(reached[:, :-1] >= p, (1, 0))
    return logits.masked_fill(dropped, -math.inf)


def top_p_filter_wrong_way_back(logits, p):
    """This sorts once more in place of going back: `ids` says which token has a rank, not which
    rank a token has. Scatter, or gather with `ids.argsort()`.
    """
    _, ids, reached = ranked(logits)
    dropped = torch.nn.functional.pad(reached[:, :-1] >= p, (1, 0))
    return logits.masked_fill(dropped.gather(-1, ids), -math.inf)


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


def top_p_filter_inverted(logits, p):
    """This drops the top tokens and keeps the rest: it is the other way round."""
    kept = top_p_filter(logits, p) > -math.inf
    return logits.masked_fill(kept, -math.inf)


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


def top_p_filter_zero(logits, p):
    """This sets the others to 0, and exp(0) is 1: they need minus infinity."""
    kept = top_p_filter(logits, p)
    return kept.masked_fill(kept == -math.inf, 0.0)


def top_p_filter_probabilities(logits, p):
    """This returns probabilities: the logits are asked for."""
    return top_p_filter(logits, p).softmax(dim=-1)


def top_p_filter_over_batch(logits, p):
    """This takes the softmax over the batch: the V tokens of one row compete."""
    ordered, ids = logits.softmax(dim=0).sort(dim=-1, descending=True)
    return put_back(logits, ids, ordered.cumsum(dim=-1) - ordered >= p)


def top_p_filter_together(logits, p):
    """This adds up over all rows together: each row must hold p by itself."""
    return top_p_filter(logits.view(1, -1), p).view_as(logits)


def top_p_filter_first_row(logits, p):
    """This keeps as many in each row as in the first: each row crosses p at its own place."""
    n_kept = (top_p_filter(logits[:1], p) > -math.inf).sum().item()
    return logits.masked_fill(logits < logits.topk(n_kept).values[:, -1:], -math.inf)


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
        top_p_filter_no_crossing,
        top_p_filter_no_crossing_but_best,
        top_p_filter_below,
        top_p_filter_below_but_best,
        top_p_filter_one_more,
        top_p_filter_unsorted,
        top_p_filter_not_put_back,
        top_p_filter_wrong_way_back,
        top_p_filter_sorted,
        top_p_filter_raw_logits,
        top_p_filter_ascending,
        top_p_filter_inverted,
        top_p_filter_rest,
        top_p_filter_each,
        top_p_filter_floor,
        top_p_filter_of_best,
        top_p_filter_zero,
        top_p_filter_probabilities,
        top_p_filter_over_batch,
        top_p_filter_together,
        top_p_filter_first_row,
    ),
    cases=top_p_filter_cases,
    see="5.5 Choosing the next token",
)
