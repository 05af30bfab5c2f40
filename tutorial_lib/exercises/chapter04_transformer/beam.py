"""Chapter 04: beam search with a length penalty."""

import itertools
import math

from tutorial_lib.exercises.chapter04_transformer.measures import (
    BOS,
    EOS,
    NO_END,
    keeps_the_end,
    properties_of_decoding,
    stops_at_the_end,
    tokens_written,
)
from tutorial_lib.exercises.engine.next_token_models import drawn, recorded, written
from tutorial_lib.exercises.engine.tasks import Property, Write, case

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


def beam_decode_worst(next_log_probs, bos, eos, max_length, width, alpha):
    """It returns the one with the smallest score: scores are negative, and the largest is best."""
    going_on, finished = {(): 0.0}, {}
    for _ in range(max_length):
        grown = {
            (*ids, token): total + log_p
            for ids, total in going_on.items()
            for token, log_p in enumerate(next_log_probs([bos, *ids]).tolist())
        }
        ranked = sorted(grown, key=grown.get, reverse=True)
        finished |= {ids: grown[ids] for ids in ranked[:width] if ids[-1] == eos}
        going_on = {i: grown[i] for i in [ids for ids in ranked if ids[-1] != eos][:width]}
    found = finished | going_on
    return list(min(found, key=lambda ids: found[ids] / ((5 + len(ids)) / 6) ** alpha))


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


N_TOKENS, WIDTH = 6, 3
ENDLESS = drawn(N_TOKENS, seed=24)  # token 7 would be its end
EARLY = {(1,): [0.02, 0.02, 0.4, 0.3, 0.2, 0.06]}  # one that ends is the best of step 1

# One that ends is the best of step 2, where there are others to take its place.
LATE = {(1,): [0.01, 0.01, 0.01, 0.5, 0.3, 0.17], (1, 3): [0.02, 0.02, 0.8, 0.1, 0.04, 0.02]}


def going_on(answer, model=ENDLESS, eos=7, length=3):
    """The tokens of the hypotheses that the model is asked to continue after some steps."""
    model, asked = recorded(model)
    answer(model, BOS, eos, 4, WIDTH, 0.6)
    found = {prefix[1:] for prefix in asked if len(prefix) == length + 1}
    if any(prefix[:1] != (BOS,) for prefix in asked):
        raise ValueError("other prefixes")
    return found


def as_many_as_wide(answer):
    """As many hypotheses go on as the beam is wide."""
    found = len(going_on(answer))
    if found == 1:
        return "This is greedy in disguise, a beam of width 1: several must go on, and differ."
    if found == WIDTH**3:
        return (
            "It keeps `width` of each hypothesis, more at every step: keep `width` of all together."
        )
    return found == WIDTH or f"After 3 steps {found} go on: the beam is {WIDTH} wide."


def the_best(n, add, length=3):
    """Which n go on after some steps, when log p are put together in some way."""
    beams = {(): 0.0}
    for _ in range(length):
        grown = {
            (*ids, token): add(total, log_p)
            for ids, total in beams.items()
            for token, log_p in enumerate(ENDLESS([BOS, *ids]).tolist())
        }
        beams = {ids: grown[ids] for ids in sorted(grown, key=grown.get, reverse=True)[:n]}
    return set(beams)


SUMS = {
    "": lambda total, log_p: total + log_p,
    "It ranks by the last token's log p alone: add it to that of the tokens before.": (
        lambda total, log_p: log_p
    ),
    "It adds probabilities up: they multiply, so add their logs.": (
        lambda total, log_p: total + math.exp(log_p)
    ),
}


def ranks_by_log_p(answer):
    """The best go on."""
    found = going_on(answer)
    if len(found) == WIDTH**3:
        return None
    texts = [text for text, add in SUMS.items() if found == the_best(len(found), add)]
    return (texts[0] or True) if texts else False


def extends_nothing_finished(answer):
    """What ends in eos is not continued."""
    asked = going_on(answer, written(EARLY, OPEN), EOS, length=2)
    return not any(EOS in ids for ids in asked)


def leaves_the_finished_alone(answer):
    """The same, where it does not show in what is returned."""
    return extends_nothing_finished(answer) if stops_at_the_end(answer, WIDTH, 0.6) else None


def stays_as_wide(answer):
    """As many go on when one ends."""
    before = len(going_on(answer, length=1))
    if not extends_nothing_finished(answer) or len(going_on(answer)) != before:
        return None
    found = len(going_on(answer, written(EARLY, OPEN), EOS, length=1))
    if found == before - 1 and len(going_on(answer, written(LATE, OPEN), EOS, length=2)) == WIDTH:
        return (
            "It continues each with its own best `width` tokens only: continue each with all V, or "
            "one whose best tokens hold `eos` gives too few that go on."
        )
    return found == min(before, N_TOKENS - 1) or (None if not found else False)


def returned(answer, table, otherwise, width=2):
    """What is returned after 3 steps with alpha = 0, a lost end added.

    Raises ValueError for a search that goes on in another way.
    """
    if not extends_nothing_finished(answer) or isinstance(ranks_by_log_p(answer), str):
        raise ValueError("another search")
    ids = tokens_written(answer, written(table, otherwise), 3, width, 0.0)
    return ids if ids or keeps_the_end(answer, WIDTH, 0.6) else [EOS]


def remembers_the_finished(answer):
    """The best one is finished after one step."""
    return returned(answer, {(BOS,): [0.01, 0.01, 0.6, 0.2, 0.1, 0.08]}, OPEN) == [EOS]


def does_not_stop_too_early(answer):
    """The best one ends in the third step, after one in each of the steps before."""
    table = {
        (BOS,): [0.02, 0.02, 0.3, 0.58, 0.06, 0.02],
        (BOS, 3): [0.01, 0.01, 0.06, 0.9, 0.01, 0.01],
        (BOS, 4): [0.01, 0.01, 0.95, 0.01, 0.01, 0.01],
    }
    return returned(answer, table, SURE) != [EOS] if remembers_the_finished(answer) else None


def remembers_the_others(answer):
    """The best one has not ended in the third step, in which another one ends."""
    if not does_not_stop_too_early(answer):
        return None
    table = {(BOS, 3, 3): [0.02, 0.02, 0.2, 0.7, 0.03, 0.03]}
    ids = returned(answer, table, [0.001, 0.001, 0.001, 0.995, 0.001, 0.001])
    return ids[:3] == [3, 3, 3]


def few_ends_count(answer):
    """An end that is third best does not count in a beam of width 2, one that is second does."""
    if not remembers_the_finished(answer) or len(going_on(answer)) == 1:
        return None
    if returned(answer, {(BOS,): [0.01, 0.01, 0.25, 0.38, 0.34, 0.01]}, OPEN) == [EOS]:
        return "It puts aside an end that is not among the best `width`: that one does not count."
    return returned(answer, {(BOS,): [0.01, 0.01, 0.35, 0.38, 0.24, 0.01]}, OPEN) == [EOS]


PENALTIES = {
    "": lambda n, ended, alpha: ((5 + n) / 6) ** alpha,
    "It compares log p alone, without the length penalty: short sentences win.": (
        lambda n, ended, alpha: 1
    ),
    "It divides by n^alpha: the penalty is ((5 + n) / 6)^alpha.": (
        lambda n, ended, alpha: n**alpha
    ),
    "It divides by the number of tokens, alpha unused: the penalty is ((5 + n) / 6)^alpha.": (
        lambda n, ended, alpha: n
    ),
    "It multiplies by the penalty: log p is negative, so long sentences lose even more.": (
        lambda n, ended, alpha: ((5 + n) / 6) ** -alpha
    ),
    "It counts the start token into n: only the tokens written count.": (
        lambda n, ended, alpha: ((6 + n) / 6) ** alpha
    ),
    "It leaves the end token out of n: it is a token written, with a log p of its own.": (
        lambda n, ended, alpha: ((5 + n - ended) / 6) ** alpha
    ),
}
ALL, START = 99, 9  # a beam so wide that nothing is lost; no token that the model writes


def hypotheses(model, length):
    """All that may be written in so many steps: {tokens: their log p}."""
    found, open_ones = {}, {(): ()}
    for _ in range(length):
        open_ones = {
            (*ids, token): (*log_ps, log_p)
            for ids, log_ps in open_ones.items()
            for token, log_p in enumerate(model([START, *ids]).tolist())
        }
        found |= {ids: log_ps for ids, log_ps in open_ones.items() if ids[-1] == 0}
        open_ones = {ids: log_ps for ids, log_ps in open_ones.items() if ids[-1] != 0}
    return found | open_ones


def penalty_of(answer):
    """The penalties that explain what is chosen among all hypotheses, whatever else is wrong."""
    length = len([token for token in tokens_written(answer, NO_END, 3, 2, 0.6) if token != EOS])
    chances = set(itertools.product(PENALTIES, SUMS, ("all", "ended", "open")))
    for seed, alpha in itertools.product(range(12), (0.5, 2.0)):
        model = drawn(4, seed=seed, spread=1.5)
        ids = [int(token) for token in answer(model, START, 0, 3, ALL, alpha)]
        ids = [token for token in ids if token not in (0, START)]
        every = hypotheses(model, length)
        for chance in list(chances):
            penalty, add, pool = PENALTIES[chance[0]], SUMS[chance[1]], chance[2]

            def score(one, penalty=penalty, add=add, every=every, alpha=alpha):
                total = 0.0
                for log_p in every[one]:
                    total = add(total, log_p)
                return total / penalty(len(one), one[-1] == 0, alpha)

            names = [one for one in every if pool == "all" or (one[-1] == 0) == (pool == "ended")]
            best = list(max(names, key=score))
            if [token for token in best if token] != ids:
                chances.discard(chance)
    return {chance[0] for chance in chances}


def divides_by_the_penalty(answer):
    """The score is log p / ((5 + n) / 6)^alpha."""
    if len(going_on(answer)) == 1 or does_not_stop_too_early(answer) is False:
        return None
    texts = penalty_of(answer)
    return "" in texts or next(iter(texts), False)


BEAM_DECODE = Write(
    id="4.11",
    title="Beam search",
    level="hard",
    text="""
Write `beam_decode(next_log_probs, bos, eos, max_length, width, alpha)`, with the model of the
exercise before. It plays `max_length` rounds, never fewer. In each round:

1. Continue every hypothesis that goes on with all V tokens, and rank all results together by log p.
2. Of the best `width` results, put those aside that end in `eos`: they are finished.
3. The best `width` results that do *not* end in `eos` go on.

After the last round return the tokens with the best score, among those put aside and those still
going on: log p / ((5 + n) / 6)^alpha, where n tokens were written (`eos` counts, `bos` does not).
Leave `bos` out of the result, and `eos` in.

An example of two rounds, width 2. Round 1 gives *a* -0.7, *b* -1.0, eos -2.0: *a* and *b* go on.
The eos is lost, since it is not among the best two. Round 2 gives *a* eos -1.1, *b a* -1.5, *a b*
-2.3, *b b* -2.4 and worse ones. *a* eos is among the best two, so it is put aside; *b a* and *a b*
go on.
""",
    hints=(
        "Keep a list of pairs, log p and tokens. It starts with one pair: `(0.0, [])`.",
        "One round: all pairs times all tokens make the candidates; sort them; split them in two.",
        "Within a round all candidates are equally long, so log p ranks them. The penalty is for "
        "the end, where lengths differ.",
    ),
    solution=beam_decode,
    second_style=beam_decode_tensors,
    mistakes=(beam_decode_worst,),
    cases=beam_decode_cases,
    properties=(
        *properties_of_decoding(WIDTH, 0.6),
        Property("The beam has another width than `width`.", as_many_as_wide),
        Property("Those that go on are not the best by log p.", ranks_by_log_p),
        Property(
            "It extends a finished one: what ends in eos is put aside and never extended.",
            leaves_the_finished_alone,
        ),
        Property(
            "The beam shrinks when one ends: the best `width` that do not end go on.",
            stays_as_wide,
        ),
        Property(
            "It forgets a finished one: they compete at the end with those still going on.",
            remembers_the_finished,
        ),
        Property(
            "It stops when some have ended: one that goes on may still overtake them.",
            does_not_stop_too_early,
        ),
        Property(
            "It forgets one that has not ended after max_length tokens: it competes as well.",
            remembers_the_others,
        ),
        Property("An end among the best `width` counts: put it aside.", few_ends_count),
        Property("The score is not log p divided by ((5 + n) / 6)^alpha.", divides_by_the_penalty),
    ),
    see="4I Decoding",
)
