"""Chapter 04: greedy decoding."""

import torch

from tutorial_lib.exercises.chapter04_transformer.measures import (
    BOS,
    EOS,
    NO_END,
    properties_of_decoding,
    tokens_written,
)
from tutorial_lib.exercises.engine.next_token_models import drawn, written
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def greedy_decode(next_log_probs, bos, eos, max_length):
    """Return the tokens written: the likeliest one each time, until eos or max_length tokens.

    next_log_probs(prefix) gives log p (V,) of the token after the list prefix, which begins with
    bos. The result holds the eos, if it came, and not the bos.
    """
    ids = []
    while len(ids) < max_length and eos not in ids:
        ids.append(next_log_probs([bos, *ids]).argmax().item())
    return ids


def greedy_decode_plain(next_log_probs, bos, eos, max_length):
    """Second style."""
    prefix = [bos]
    for _ in range(max_length):
        log_p = next_log_probs(prefix).tolist()
        token = max(range(len(log_p)), key=log_p.__getitem__)
        prefix.append(token)
        if token == eos:
            break
    return prefix[1:]


def greedy_decode_cases():
    """An end in time, at once, in the last step, never; ids that are not the usual ones."""
    story = {
        (1,): [0.1, 0.1, 0.2, 0.1, 0.5],
        (1, 4): [0.1, 0.1, 0.1, 0.4, 0.3],
        (1, 4, 3): [0.1, 0.1, 0.3, 0.1, 0.4],
        (1, 4, 3, 4): [0.1, 0.1, 0.6, 0.1, 0.1],
    }
    rest = [0.6, 0.1, 0.1, 0.1, 0.1]
    return [
        case("an end in the fourth step of 8", written(story, rest), 1, 2, 8),
        case("an end in the last step", written(story, rest), 1, 2, 4),
        case("no end within 3 steps", written(story, rest), 1, 2, 3),
        case(
            "an end at once", written({(3,): [0.7, 0.1, 0.1, 0.1]}, [0.1, 0.2, 0.6, 0.1]), 3, 0, 5
        ),
        case("a random model", drawn(6, seed=3), 5, 0, 6),
    ]


def returns_ids(answer):
    """What is returned are whole numbers."""
    return not torch.as_tensor(answer(NO_END, BOS, EOS, 5)).is_floating_point()


def takes_the_likeliest(answer):
    """A model that never changes its mind writes one token over and over."""
    found = set(tokens_written(answer, written({}, [0.1, 0.1, 0.1, 0.2, 0.4, 0.05]), 30)) - {EOS}
    if found == {5}:
        return "It takes the least likely token: argmax, not argmin."
    return found == {4} or (None if not found else False)


GREEDY_DECODE = Write(
    id="4.10",
    title="Greedy decoding",
    level="easy",
    text="""
Write `greedy_decode(next_log_probs, bos, eos, max_length)`. `next_log_probs(prefix)` is the model:
it takes the list of ids so far, the start token `bos` first, and returns log p (V,) of the next
token. Always take the likeliest. Stop when it is `eos`, or after `max_length` tokens. Return the
list of what was written: with the `eos`, if it came, and without the `bos`.
""",
    hints=(
        "Begin with the list `[bos]` and make it longer by one token at a time.",
        "`log_p.argmax().item()` is the likeliest token as a number.",
        "`max_length` counts what was written, the end token too, the start token not.",
    ),
    solution=greedy_decode,
    second_style=greedy_decode_plain,
    mistakes=(),
    cases=greedy_decode_cases,
    properties=(
        Property(
            "It keeps the largest log p itself: the token is where it is, the argmax.", returns_ids
        ),
        Property("It does not take the likeliest token each time.", takes_the_likeliest),
        *properties_of_decoding(),
    ),
    see="4I Decoding",
)
