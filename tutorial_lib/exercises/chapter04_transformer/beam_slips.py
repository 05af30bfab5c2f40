"""Chapter 04: what goes wrong in beam searches."""

import math

from tutorial_lib.exercises.chapter04_transformer.beam import beam_decode


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
