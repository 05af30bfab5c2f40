"""Chapter 04: beam search with a length penalty."""

import math


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
