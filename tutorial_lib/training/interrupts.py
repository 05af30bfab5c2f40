"""Ctrl-C that waits: a piece of work that must be done whole or not at all is finished first."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def uninterrupted():
    """Hold Ctrl-C (or a notebook's stop button) back until the block is done, then raise it.

    A second press does not wait. The handler of before is back afterwards, also after an error.
    Raises KeyboardInterrupt, at the end of the block or at the second press.

    >>> with uninterrupted():
    ...     total = sum(range(5))
    """
    before = signal.getsignal(signal.SIGINT)
    # Python runs handlers in the main thread only. One that cannot be called stands for "ignored",
    # as for a program in the background, and ignored it stays.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed = False

    def wait(number, frame):
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
