"""Run an answer on an exercise's cases: fresh inputs, the guard around each call."""

import copy
import functools
import inspect
from dataclasses import dataclass

import torch

from tutorial_lib.errors import TutorialError
from tutorial_lib.exercises.engine.compare import difference, settle
from tutorial_lib.exercises.engine.guard import TookTooLong, guarded, standard_settings
from tutorial_lib.exercises.engine.tasks import Case

LONGEST = 600  # characters that one property says of an answer


@dataclass(frozen=True)
class Outcome:
    """What one call gave: a settled value, or an error; and the arguments it changed in place.

    changed: (place, name) of each; an answer may have names of its own, the place is the same.
    """

    value: object = None
    error: BaseException | None = None
    changed: tuple = ()


class SolutionError(TutorialError, RuntimeError):
    """Our own solution fails, so nothing can be judged: something in this Python is changed."""


def cases_of(task):
    """Return the cases of a task, the same ones each time."""
    with standard_settings():
        return list(task.cases())


def attempt(task, answer, case, output=None):
    """Run `answer` on one case of `task`; an error becomes part of the outcome.

    Raises KeyboardInterrupt when the learner stops it.
    """
    args, kwargs = copy.deepcopy((case.args, case.kwargs))
    got = guarded(lambda: settle(task.run(answer, *args, **kwargs)), output=output)
    changed = guarded(lambda: tuple(_changed(answer, case, args, kwargs)))
    return Outcome(got.value, got.error, changed.value or ())


def attempts(task, answer, output=None):
    """Run `answer` on every case of `task`: a list of (case, outcome).

    Once it has taken too long, it is not run again.
    """
    found, stopped = [], None
    for case in cases_of(task):
        outcome = stopped or attempt(task, answer, case, output)
        if isinstance(outcome.error, TookTooLong):
            stopped = outcome
        found.append((case, outcome))
    return found


@functools.lru_cache(maxsize=32)
def expected(task):
    """Return the outcomes of our solution, one a case. Raises SolutionError when it fails."""
    outcomes = tuple(outcome for _, outcome in attempts(task, task.solution))
    for outcome in outcomes:
        if outcome.error is not None:
            error = outcome.error
            raise SolutionError(f"{type(error).__name__}: {error}") from error
    return outcomes


@functools.lru_cache(maxsize=1_000)
def known(task, mistake, place):
    """Return the outcome of one of our written-out mistakes on the case of that number."""
    return attempt(task, mistake, cases_of(task)[place])


def broken(task, answer):
    """Return the sentences of the properties that do not hold, in order."""
    sentences = []
    asked = functools.partial(plainly, task, answer)  # one object: what was measured may be kept
    for entry in task.properties:
        try:
            found = entry.holds(asked)
        except Exception:  # the answer fails here, or gives what the property cannot read
            continue
        if found is False or isinstance(found, str):
            sentences.append(cut(found or entry.sentence))
    return sentences


def cut(sentence):
    """A sentence that quotes an answer may become as long as that."""
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 4]} ..."


def plainly(task, answer, *args):
    """What an answer returns, numbers in lists as tensors. Raises ValueError when it fails."""
    got = attempt(task, answer, Case("", args))
    if got.error is not None:
        raise ValueError("the answer fails") from got.error
    return _tensors(got.value)


def _tensors(value):
    if not isinstance(value, list) or not value:
        return value
    try:
        return torch.tensor(value)
    except (TypeError, ValueError, RuntimeError):  # several results, or no numbers
        return [_tensors(item) for item in value]


def parted(expected, got, tolerance=None, results=()):
    """Say how an outcome differs from the expected one, None when they agree.

    An outcome that is an error differs from every value; two errors of one type agree.
    """
    if expected.error is None and got.error is None:
        return difference(expected.value, got.value, tolerance, results)
    if type(expected.error) is type(got.error):
        return None
    return type(got.error or expected.error).__name__


def _changed(answer, case, args, kwargs):
    try:
        names = list(inspect.signature(answer).parameters)
    except Exception:  # built-in functions have no signature, and one may be anything
        names = []
    names += [f"number {place + 1}" for place in range(len(names), len(args))]
    before = [*zip(names, case.args, strict=False), *case.kwargs.items()]
    for place, ((name, old), new) in enumerate(zip(before, [*args, *kwargs.values()], strict=True)):
        if difference(settle(old), settle(new)) is not None:
            yield place, name


def fill(module, seed=0):
    """Give a module's parameters, in order, fixed values that depend on shape and order alone.

    Returns the module, so that answers built in another style carry the same weights.

    >>> fill(torch.nn.Linear(2, 1)).weight.shape
    torch.Size([1, 2])
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 2)
    return module
