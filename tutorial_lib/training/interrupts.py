"""Ctrl-C that waits: a piece of work that must be done whole or not at all is finished first."""

import signal
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_whole_only = ContextVar("whole trainings only", default=False)


@dataclass
class CtrlC:
    """Whether Ctrl-C, or a notebook's stop button, was pressed while it was held back."""

    pressed: bool = False


@contextmanager
def held_back():
    """Hold Ctrl-C back in this block and yield a CtrlC that says whether it was pressed.

    A second press does not wait: it raises KeyboardInterrupt. The handler of before is back
    afterwards, also after an error.

    >>> with held_back() as ctrl_c:
    ...     total = sum(range(5))
    >>> ctrl_c.pressed
    False
    """
    ctrl_c = CtrlC()
    before = signal.getsignal(signal.SIGINT)
    # Python runs handlers in the main thread only. One that cannot be called stands for "ignored",
    # as for a program in the background, and ignored it stays.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield ctrl_c
        return

    def wait(number, frame):
        if ctrl_c.pressed:
            raise KeyboardInterrupt
        ctrl_c.pressed = True

    signal.signal(signal.SIGINT, wait)
    try:
        yield ctrl_c
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def uninterrupted():
    """Hold Ctrl-C (or a notebook's stop button) back until the block is done, then raise it.

    A second press does not wait.
    Raises KeyboardInterrupt, at the end of the block or at the second press.

    >>> with uninterrupted():
    ...     total = sum(range(5))
    """
    with held_back() as ctrl_c:
        yield
    if ctrl_c.pressed:
        raise KeyboardInterrupt


@contextmanager
def all_or_nothing():
    """In this block an interrupted `fit` raises KeyboardInterrupt; elsewhere it returns.

    For work that is worth nothing in half, as a table of many trainings.

    >>> with all_or_nothing():
    ...     whole_only()
    True
    """
    token = _whole_only.set(True)
    try:
        yield
    finally:
        _whole_only.reset(token)


def whole_only():
    """Return whether this is inside `all_or_nothing`."""
    return _whole_only.get()
