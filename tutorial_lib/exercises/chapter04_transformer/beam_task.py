"""Chapter 04: the exercise on beam search, with its cases."""

from tutorial_lib.exercises.chapter04_transformer import beam_slips as slips
from tutorial_lib.exercises.chapter04_transformer.beam import beam_decode, beam_decode_tensors
from tutorial_lib.exercises.chapter04_transformer.models import drawn, written
from tutorial_lib.exercises.engine.tasks import Write, case

OPEN = [0.01, 0.01, 0.01, 0.33, 0.32, 0.32]  # no token is likely, the end least
SURE = [0.01, 0.01, 0.94, 0.01, 0.01, 0.02]  # the end, 2, is nearly certain


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
        slips.beam_decode_unnormalised,
        slips.beam_decode_by_power,
        slips.beam_decode_mean,
        slips.beam_decode_times_penalty,
        slips.beam_decode_start_counted,
        slips.beam_decode_end_uncounted,
        slips.beam_decode_past_the_end,
        slips.beam_decode_summed_probabilities,
        slips.beam_decode_last_only,
        slips.beam_decode_greedy,
        slips.beam_decode_forgets_finished,
        slips.beam_decode_forgets_unfinished,
        slips.beam_decode_finished_only,
        slips.beam_decode_first_end,
        slips.beam_decode_enough_ends,
        slips.beam_decode_each,
        slips.beam_decode_shrinking,
        slips.beam_decode_every_end,
        slips.beam_decode_last_token,
        slips.beam_decode_with_start,
        slips.beam_decode_without_end,
        slips.beam_decode_one_more,
    ),
    cases=beam_decode_cases,
    see="4.7 Decoding",
)
