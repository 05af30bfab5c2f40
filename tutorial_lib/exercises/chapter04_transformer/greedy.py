"""Chapter 04: greedy decoding."""

import torch

from tutorial_lib.exercises.chapter04_transformer.models import drawn, written
from tutorial_lib.exercises.engine.tasks import Write, case


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


def greedy_decode_endless(next_log_probs, bos, eos, max_length):
    """This does not stop at the end token: it writes max_length tokens each time."""
    ids = []
    while len(ids) < max_length:
        ids.append(next_log_probs([bos, *ids]).argmax().item())
    return ids


def greedy_decode_last_token(next_log_probs, bos, eos, max_length):
    """This asks with the last token alone: the model must see all that was written."""
    return greedy_decode(lambda prefix: next_log_probs(prefix[-1:]), bos, eos, max_length)


def greedy_decode_always_start(next_log_probs, bos, eos, max_length):
    """This asks with the start token alone each time: add what was written to the prefix."""
    return greedy_decode(lambda prefix: next_log_probs(prefix[:1]), bos, eos, max_length)


def greedy_decode_no_start(next_log_probs, bos, eos, max_length):
    """This leaves the start token out of the prefix."""
    return greedy_decode(lambda prefix: next_log_probs(prefix[1:]), bos, eos, max_length)


def greedy_decode_one_behind(next_log_probs, bos, eos, max_length):
    """This asks without the token written last: the prefix is one step behind."""

    def behind(prefix):
        return next_log_probs(prefix[:-1] or prefix)

    return greedy_decode(behind, bos, eos, max_length)


def greedy_decode_with_start(next_log_probs, bos, eos, max_length):
    """This returns the start token too: it was given, not written."""
    return [bos, *greedy_decode(next_log_probs, bos, eos, max_length)]


def greedy_decode_without_end(next_log_probs, bos, eos, max_length):
    """This drops the end token: here it is part of the result, like any token written."""
    return [token for token in greedy_decode(next_log_probs, bos, eos, max_length) if token != eos]


def greedy_decode_end_added(next_log_probs, bos, eos, max_length):
    """This ends with the end token even if the model never wrote it."""
    ids = greedy_decode(next_log_probs, bos, eos, max_length)
    return ids if ids[-1] == eos else [*ids, eos]


def greedy_decode_least(next_log_probs, bos, eos, max_length):
    """This takes the least likely token: argmax, not argmin."""
    return greedy_decode(lambda prefix: -next_log_probs(prefix), bos, eos, max_length)


def greedy_decode_drawn(next_log_probs, bos, eos, max_length):
    """This draws the token at random: greedy takes the likeliest one each time."""

    def sample(prefix):
        p = next_log_probs(prefix).exp()
        return torch.nn.functional.one_hot(torch.multinomial(p, 1)[0], len(p))

    return greedy_decode(sample, bos, eos, max_length)


def greedy_decode_one_more(next_log_probs, bos, eos, max_length):
    """This writes one token too many when no end comes: max_length tokens at most."""
    return greedy_decode(next_log_probs, bos, eos, max_length + 1)


def greedy_decode_one_less(next_log_probs, bos, eos, max_length):
    """This counts the start token into max_length: only written tokens count."""
    return greedy_decode(next_log_probs, bos, eos, max_length - 1)


def greedy_decode_values(next_log_probs, bos, eos, max_length):
    """This keeps the largest log p itself: the token is its place, the argmax."""
    ids = greedy_decode(next_log_probs, bos, eos, max_length)
    return [next_log_probs([bos, *ids[:n]]).max().item() for n in range(len(ids))]


def greedy_decode_first_step(next_log_probs, bos, eos, max_length):
    """This asks once and returns one token: ask again with the longer prefix."""
    return [next_log_probs([bos]).argmax().item()]


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
    mistakes=(
        greedy_decode_endless,
        greedy_decode_last_token,
        greedy_decode_always_start,
        greedy_decode_no_start,
        greedy_decode_one_behind,
        greedy_decode_with_start,
        greedy_decode_without_end,
        greedy_decode_end_added,
        greedy_decode_least,
        greedy_decode_drawn,
        greedy_decode_one_more,
        greedy_decode_one_less,
        greedy_decode_values,
        greedy_decode_first_step,
    ),
    cases=greedy_decode_cases,
    see="4.7 Decoding",
)
