"""Chapter 04: beam search with a length penalty."""

import math

from tutorial_lib.exercises.chapter04_transformer.models import drawn, written
from tutorial_lib.exercises.engine.tasks import Write, case

OPEN = [0.01, 0.01, 0.01, 0.33, 0.32, 0.32]  # no token is likely, the end least
SURE = [0.01, 0.01, 0.94, 0.01, 0.01, 0.02]  # the end, 2, is nearly certain


def beam_decode(next_log_probs, bos, eos, max_length, width, alpha):
    """Return the best tokens that beam search finds: with the eos, if it came, without the bos.

    next_log_probs(prefix) gives log p (V,) of the token after the list prefix, which begins with
    bos. The score of n tokens is their log p divided by ((5 + n) / 6)^alpha.
    """
    going_on, finished = [(0.0, [])], []  # log p and the tokens written
    for _ in range(max_length):
        candidates = [
            (total + log_p, [*ids, token])
            for total, ids in going_on
            for token, log_p in enumerate(next_log_probs([bos, *ids]).tolist())
        ]
        candidates.sort(reverse=True)
        finished += [(total, ids) for total, ids in candidates[:width] if ids[-1] == eos]
        going_on = [(total, ids) for total, ids in candidates if ids[-1] != eos][:width]

    def score(hypothesis):
        total, ids = hypothesis
        return total / ((5 + len(ids)) / 6) ** alpha

    return max(finished + going_on, key=score)[1]


def beam_decode_tensors(next_log_probs, bos, eos, max_length, width, alpha):
    """Second style."""
    best, best_score = None, -math.inf
    beams = {(): 0.0}
    for length in range(1, max_length + 1):
        penalty = ((5 + length) / 6) ** alpha
        table = {
            (*ids, token): beams[ids] + log_p
            for ids in beams
            for token, log_p in enumerate(next_log_probs([bos, *ids]))
        }
        ranked = sorted(table, key=table.get, reverse=True)
        beams = {ids: table[ids] for ids in [i for i in ranked if i[-1] != eos][:width]}
        ended = [ids for ids in ranked[:width] if ids[-1] == eos]
        for ids in [*ended, *(beams if length == max_length else ())]:
            if table[ids] / penalty > best_score:
                best, best_score = ids, table[ids] / penalty
    return list(best)


def searched(next_log_probs, bos, eos, max_length, width, pick=None, add=None, done=None):
    """Return (finished, going_on); pick, add and done replace a step of the search."""
    going_on, finished = [(0.0, [])], []
    for _ in range(max_length):
        candidates = [
            (add(total, log_p) if add else total + log_p, [*ids, token])
            for total, ids in going_on
            for token, log_p in enumerate(next_log_probs([bos, *ids]).tolist())
        ]
        candidates.sort(reverse=True)
        ended, going_on = (pick or picked)(candidates, eos, width)
        finished += ended
        if done and done(finished):
            break
    return finished, going_on


def picked(candidates, eos, width):
    """The right choice: who ended among the best `width`, and the best `width` of the others."""
    ended = [one for one in candidates[:width] if one[1][-1] == eos]
    return ended, [one for one in candidates if one[1][-1] != eos][:width]


def best(alpha, *pools, more=0):
    """The best hypothesis of all pools by score; `more` is added to their lengths."""
    hypotheses = [one for pool in pools for one in pool]
    return max(hypotheses, key=lambda one: one[0] / ((5 + more + len(one[1])) / 6) ** alpha)[1]


def beam_decode_unnormalised(next_log_probs, bos, eos, max_length, width, alpha):
    """This compares log p alone, without the length penalty: short sentences win."""
    return beam_decode(next_log_probs, bos, eos, max_length, width, 0.0)


def beam_decode_by_power(next_log_probs, bos, eos, max_length, width, alpha):
    """This divides by n^alpha: the penalty is ((5 + n) / 6)^alpha."""
    finished, going_on = searched(next_log_probs, bos, eos, max_length, width)
    return max(finished + going_on, key=lambda one: one[0] / len(one[1]) ** alpha)[1]


def beam_decode_mean(next_log_probs, bos, eos, max_length, width, alpha):
    """This divides by the number of tokens, alpha unused: the penalty is ((5 + n) / 6)^alpha."""
    finished, going_on = searched(next_log_probs, bos, eos, max_length, width)
    return max(finished + going_on, key=lambda one: one[0] / len(one[1]))[1]


def beam_decode_times_penalty(next_log_probs, bos, eos, max_length, width, alpha):
    """This multiplies by the penalty: log p is negative, so long sentences lose even more."""
    return best(-alpha, *searched(next_log_probs, bos, eos, max_length, width))


def beam_decode_start_counted(next_log_probs, bos, eos, max_length, width, alpha):
    """This counts the start token into n: only the tokens written count."""
    return best(alpha, *searched(next_log_probs, bos, eos, max_length, width), more=1)


def beam_decode_end_uncounted(next_log_probs, bos, eos, max_length, width, alpha):
    """This leaves the end token out of n: it is a token written, with a log p of its own."""
    finished, going_on = searched(next_log_probs, bos, eos, max_length, width)

    def score(one):
        return one[0] / ((5 + len(one[1]) - (one[1][-1] == eos)) / 6) ** alpha

    return max(finished + going_on, key=score)[1]


def beam_decode_past_the_end(next_log_probs, bos, eos, max_length, width, alpha):
    """This keeps on extending finished ones: what ends in eos is put aside and never extended."""

    def pick(candidates, eos, width):
        return [], candidates[:width]

    return best(alpha, *searched(next_log_probs, bos, eos, max_length, width, pick))


def beam_decode_summed_probabilities(next_log_probs, bos, eos, max_length, width, alpha):
    """This adds probabilities up: they multiply, so add their logs."""

    def add(total, log_p):
        return total + math.exp(log_p)

    return best(alpha, *searched(next_log_probs, bos, eos, max_length, width, add=add))


def beam_decode_last_only(next_log_probs, bos, eos, max_length, width, alpha):
    """This ranks by the last token's log p alone: add it to that of the tokens before."""

    def add(total, log_p):
        return log_p

    return best(alpha, *searched(next_log_probs, bos, eos, max_length, width, add=add))


def beam_decode_greedy(next_log_probs, bos, eos, max_length, width, alpha):
    """This is greedy in disguise, a beam of width 1: several must go on, and differ."""
    return beam_decode(next_log_probs, bos, eos, max_length, 1, alpha)


def beam_decode_forgets_finished(next_log_probs, bos, eos, max_length, width, alpha):
    """This forgets the finished ones: they compete at the end with those still going on."""
    return best(alpha, searched(next_log_probs, bos, eos, max_length, width)[1])


def beam_decode_forgets_unfinished(next_log_probs, bos, eos, max_length, width, alpha):
    """This forgets those that have not ended after max_length tokens: they compete as well."""
    finished, going_on = searched(next_log_probs, bos, eos, max_length, width)
    return best(alpha, finished or going_on)


def beam_decode_finished_only(next_log_probs, bos, eos, max_length, width, alpha):
    """This returns nothing when none has ended: those still going on compete as well."""
    finished = searched(next_log_probs, bos, eos, max_length, width)[0]
    return best(alpha, finished) if finished else []


def beam_decode_first_end(next_log_probs, bos, eos, max_length, width, alpha):
    """This stops at the first one that ends: another that goes on may still overtake it."""
    finished, going_on = searched(next_log_probs, bos, eos, max_length, width, done=bool)
    return best(alpha, finished[:1] or going_on)


def beam_decode_enough_ends(next_log_probs, bos, eos, max_length, width, alpha):
    """This stops as soon as `width` have ended: one that goes on may still overtake them."""

    def done(finished):
        return len(finished) >= width

    finished, going_on = searched(next_log_probs, bos, eos, max_length, width, done=done)
    return best(alpha, finished, [] if done(finished) else going_on)


def beam_decode_each(next_log_probs, bos, eos, max_length, width, alpha):
    """This keeps `width` of each hypothesis, more at every step: keep `width` of all together."""

    def few(prefix):
        log_p = next_log_probs(prefix)
        return log_p.masked_fill(log_p < log_p.topk(width).values[-1], -math.inf)

    def pick(candidates, eos, width):
        kept = [one for one in candidates if one[0] > -math.inf]
        return picked(kept, eos, len(kept))

    return best(alpha, *searched(few, bos, eos, max_length, width, pick))


def beam_decode_shrinking(next_log_probs, bos, eos, max_length, width, alpha):
    """This lets the beam shrink when one ends: the best `width` that do not end go on."""

    def pick(candidates, eos, width):
        ended = [one for one in candidates[:width] if one[1][-1] == eos]
        return ended, [one for one in candidates[:width] if one[1][-1] != eos]

    return best(alpha, *searched(next_log_probs, bos, eos, max_length, width, pick))


def beam_decode_every_end(next_log_probs, bos, eos, max_length, width, alpha):
    """This puts aside whatever could end: an end counts if it is among the best `width`."""

    def pick(candidates, eos, width):
        ended = [one for one in candidates if one[1][-1] == eos]
        return ended, [one for one in candidates if one[1][-1] != eos][:width]

    return best(alpha, *searched(next_log_probs, bos, eos, max_length, width, pick))


def beam_decode_last_token(next_log_probs, bos, eos, max_length, width, alpha):
    """This asks with the last token alone: the model must see all that was written."""

    def short(prefix):
        return next_log_probs(prefix[-1:])

    return beam_decode(short, bos, eos, max_length, width, alpha)


def beam_decode_with_start(next_log_probs, bos, eos, max_length, width, alpha):
    """This returns the start token too: it was given, not written."""
    return [bos, *beam_decode(next_log_probs, bos, eos, max_length, width, alpha)]


def beam_decode_without_end(next_log_probs, bos, eos, max_length, width, alpha):
    """This drops the end token: here it is part of the result, like any token written."""
    ids = beam_decode(next_log_probs, bos, eos, max_length, width, alpha)
    return ids[:-1] if ids[-1] == eos else ids


def beam_decode_one_more(next_log_probs, bos, eos, max_length, width, alpha):
    """This writes one token too many when no end comes: max_length tokens at most."""
    return beam_decode(next_log_probs, bos, eos, max_length + 1, width, alpha)


def beam_decode_cases():
    """One mechanism each, then random models that tell the rarer mistakes apart."""
    trap = {(1,): [0.01, 0.01, 0.01, 0.5, 0.4, 0.07], (1, 3): OPEN}
    late = {
        (1,): [0.01, 0.01, 0.3, 0.6, 0.05, 0.03],
        (1, 3): [0.01, 0.01, 0.15, 0.01, 0.8, 0.02],
    }
    unlikely_end = {(1,): [0.01, 0.01, 0.25, 0.38, 0.34, 0.01]}
    start = {(1,): [0.03, 0.03, 0.3, 0.55, 0.05, 0.04]}
    longer = start | {(1, 3): [0.1, 0.1, 0.5, 0.1, 0.1, 0.1]}
    shorter = start | {(1, 3): [0.15, 0.13, 0.36, 0.12, 0.12, 0.12]}
    return [
        case("the likeliest start is a trap", written(trap, SURE), 1, 2, 6, 2, 0.6),
        case("of two ends the later wins", written(longer, SURE), 1, 2, 4, 2, 1.0),
        case("of two ends the earlier wins", written(shorter, SURE), 1, 2, 4, 2, 1.0),
        case("an end after the first ends", written(late, SURE), 1, 2, 6, 2, 1.0),
        case("an end that is third best", written(unlikely_end, OPEN), 1, 2, 3, 2, 0.0),
        case("no end in time", written({}, OPEN), 1, 2, 2, 3, 0.6),
        case("a random model, 5 steps", drawn(5, 54, spread=1.5), 4, 0, 5, 2, 1.0),
        case("another, 5 steps", drawn(5, 6, spread=1.5), 4, 0, 5, 2, 1.0),
        case("four tokens", drawn(4, 210, spread=1.5), 3, 0, 5, 2, 2.0),
        case("six tokens", drawn(6, 1, spread=1.5), 5, 0, 4, 3, 0.6),
        case("a random model, alpha = 2", drawn(5, 68), 4, 0, 5, 3, 2.0),
        case("a random model, width 2", drawn(5, 76), 4, 0, 6, 2, 0.6),
        case("a random model, 6 steps", drawn(6, 43), 5, 0, 6, 3, 1.0),
    ]


BEAM_DECODE = Write(
    id="4.11",
    title="Beam search",
    level="hard",
    text="""
Write `beam_decode(next_log_probs, bos, eos, max_length, width, alpha)`, with the model of the
exercise before. Up to `max_length` times, continue each hypothesis that goes on with all V tokens
and rank the results by log p, all together. Those among the best `width` that end in `eos` are
finished and put aside; the best `width` that do not end in `eos` go on. Then return the tokens with
the best score, among the finished and those still going on: log p / ((5 + n) / 6)^alpha, where n
tokens were written (`eos` counts, `bos` does not). Leave `bos` out of the result, and `eos` in.
""",
    hints=(
        "Keep a list of pairs, log p and tokens. It starts with one pair: `(0.0, [])`.",
        "One round: all pairs times all tokens make the candidates; sort them; split them in two.",
        "Within a round all candidates are equally long, so log p ranks them. The penalty is for "
        "the end, where lengths differ.",
    ),
    solution=beam_decode,
    second_style=beam_decode_tensors,
    mistakes=(
        beam_decode_unnormalised,
        beam_decode_by_power,
        beam_decode_mean,
        beam_decode_times_penalty,
        beam_decode_start_counted,
        beam_decode_end_uncounted,
        beam_decode_past_the_end,
        beam_decode_summed_probabilities,
        beam_decode_last_only,
        beam_decode_greedy,
        beam_decode_forgets_finished,
        beam_decode_forgets_unfinished,
        beam_decode_finished_only,
        beam_decode_first_end,
        beam_decode_enough_ends,
        beam_decode_each,
        beam_decode_shrinking,
        beam_decode_every_end,
        beam_decode_last_token,
        beam_decode_with_start,
        beam_decode_without_end,
        beam_decode_one_more,
    ),
    cases=beam_decode_cases,
    see="4.7 Decoding",
)
