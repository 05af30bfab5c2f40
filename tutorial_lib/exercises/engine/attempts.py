"""Run an answer on one case: fresh inputs, fixed seeds, errors kept."""

import copy
import inspect
import random
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch

from tutorial_lib.exercises.engine.compare import difference, settle
from tutorial_lib.exercises.engine.excerpts import show


@dataclass(frozen=True)
class Outcome:
    """What one call gave: a settled value, or an error; and the arguments it changed in place."""

    value: object = None
    error: Exception | None = None
    changed: tuple = ()


@contextmanager
def seeded(seed=0):
    """Fix every random generator inside the block, and put it back afterwards.

    >>> with seeded():
    ...     first = torch.rand(2)
    >>> with seeded():
    ...     second = torch.rand(2)
    >>> bool((first == second).all())
    True
    """
    python, numpy = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            random.seed(seed)
            np.random.seed(seed)
            torch.manual_seed(seed)
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)


def attempt(task, answer, case):
    """Run `answer` on one case of `task`; an error becomes part of the outcome.

    KeyboardInterrupt passes through, so that an endless loop can be stopped.
    """
    args, kwargs = copy.deepcopy((case.args, case.kwargs))
    with seeded():
        try:
            value = settle(task.run(answer, *args, **kwargs))
        except Exception as error:  # the learner's error, whatever it is, is the result
            return Outcome(error=error)
    return Outcome(value, changed=tuple(_changed(answer, case, args, kwargs)))


def attempts(task, answer):
    """Run `answer` on every case of `task`: a list of (case, outcome)."""
    with seeded():
        cases = list(task.cases())
    return [(case, attempt(task, answer, case)) for case in cases]


def parted(expected, got, tolerance=None):
    """Say how two outcomes differ, None when they agree.

    Errors agree when one type is a special case of the other, so ValueError may stand for
    ShapeError; a bare Exception stands for nothing.
    """
    if expected.error is None and got.error is None:
        return difference(expected.value, got.value, tolerance)
    if got.error is None:
        return f"expected a {type(expected.error).__name__}, got {show(got.value)}"
    if expected.error is None:
        return f"{type(got.error).__name__}: {got.error}"
    want, have = type(expected.error), type(got.error)
    related = issubclass(have, want) or (issubclass(want, have) and have is not Exception)
    return None if related else f"expected a {want.__name__}, got a {have.__name__}"


def _changed(answer, case, args, kwargs):
    try:
        names = list(inspect.signature(answer).parameters)
    except (TypeError, ValueError):  # built-in functions have no signature
        names = []
    names += [f"number {place + 1}" for place in range(len(names), len(args))]
    before = [*zip(names, case.args, strict=False), *case.kwargs.items()]
    for (name, old), new in zip(before, [*args, *kwargs.values()], strict=True):
        if difference(settle(old), settle(new)) is not None:
            yield name


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
