"""Chapter 00: a language model writes, one likeliest piece after the other."""

import torch

from tutorial_lib.exercises.engine.next_token_models import drawn
from tutorial_lib.exercises.engine.properties import alike, composed
from tutorial_lib.exercises.engine.tasks import Write, case


def write_on(next_logits, ids, n):
    """Return the list ids with n more at its end, each one the likeliest by next_logits."""
    ids = list(ids)
    for _ in range(n):
        ids.append(next_logits(ids).argmax().item())
    return ids


def write_on_recursive(next_logits, ids, n):
    """Second style."""
    if n == 0:
        return list(ids)
    scores = next_logits(ids).tolist()
    likeliest = max(range(len(scores)), key=scores.__getitem__)
    return write_on_recursive(next_logits, [*ids, likeliest], n - 1)


def write_on_logits(next_logits, ids, n):
    """It adds the largest logit itself. The id is its position among the logits: `argmax`."""
    ids = list(ids)
    for _ in range(n):
        ids.append(next_logits([int(token) for token in ids]).max().item())
    return ids


def write_on_cases():
    """One piece, several pieces, none, and a longer beginning."""
    return [
        case("one more piece", drawn(7, seed=1), [3, 1], 1),
        case("four more pieces", drawn(7, seed=1), [3, 1], 4),
        case("no more pieces", drawn(7, seed=1), [3, 1], 0),
        case("a longer beginning", drawn(9, seed=5), [8, 2, 2, 5], 3),
    ]


MODEL, BEGINNING, N = drawn(11, seed=8), [3, 7, 1], 4


def _written(pick, grow, returned, extra):
    ids = list(BEGINNING)
    for _ in range(N + extra):
        ids.append(pick(MODEL(grow(ids))).item())
    return returned(ids)


def _second(logits):
    return logits.topk(2).indices[1]


def numbers_in_a_list(answer):
    """Remark on what is in the list: the check reads tensors, a tokenizer may not."""
    got = answer(MODEL, list(BEGINNING), 1)
    if isinstance(got, torch.Tensor):
        return "It returns a tensor: `.tolist()` makes the list of it that is asked for."
    if any(isinstance(token, list | tuple) for token in got):
        return "`topk` returns a pair, and each half holds a list: `.topk(1).indices.item()`."
    if any(isinstance(token, torch.Tensor) for token in got):
        return "Its list holds tensors: `.item()` makes a number of a tensor with one id."
    return ""


def asks_again(answer):
    """It takes the n likeliest pieces at one go: add one, then ask again with the longer list."""
    likeliest = MODEL(list(BEGINNING)).topk(N).indices.tolist()
    return not alike(answer(MODEL, list(BEGINNING), N), [*BEGINNING, *likeliest])


PROPERTIES = composed(
    lambda answer: answer(MODEL, list(BEGINNING), N),
    _written,
    {
        "Each new id is that of the largest logit.": torch.argmax,
        "It takes the least likely piece: argmax, not argmin.": torch.argmin,
        "It takes the second likeliest piece.": _second,
    },
    {
        "The model must read what has been written so far.": list,
        "It asks about the beginning each time: let the model read the new pieces as well.": (
            lambda ids: ids[: len(BEGINNING)]
        ),
        "It shows the model only the last piece: let it read all of them.": lambda ids: ids[-1:],
    },
    {
        "Return the beginning and what was added.": list,
        "It returns only the new pieces: the beginning belongs in front of them.": (
            lambda ids: ids[len(BEGINNING) :]
        ),
        "It returns only the last piece: return the whole list.": lambda ids: ids[-1],
    },
    {
        "Add n pieces.": 0,
        "It adds one piece too few.": -1,
        "It adds one piece too many.": 1,
    },
    otherwise=(asks_again,),
)


WRITE_ON = Write(
    id="0.5",
    title="Write on",
    level="medium",
    text="""
Write `write_on(next_logits, ids, n)`. `next_logits(ids)` is the model: it takes a list of ids and
returns one score for each piece that could come next, a tensor (V,). Add the id of the likeliest
piece, ask again with the longer list, and so on: n pieces. Return the whole list, and leave the
list `ids` itself as it was.
""",
    hints=(
        "A loop of n rounds. Each round asks the model about everything written so far.",
        "`logits.argmax().item()` is the position of the largest score as a Python number: the id.",
        "`ids = list(ids)` makes a list of your own, which `append` may change.",
    ),
    solution=write_on,
    second_style=write_on_recursive,
    mistakes=(write_on_logits,),
    cases=write_on_cases,
    keeps_input=True,
    properties=PROPERTIES,
    remarks=(numbers_in_a_list,),
    see="0A A model that keeps writing",
)
