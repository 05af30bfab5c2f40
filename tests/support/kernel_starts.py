"""A pytest plugin for notebooks: a kernel that dies while it starts is started again.

A kernel gets ports that were free a moment before. When two start at once on a busy machine, the
other may have taken one of them, and nbval would then fail every cell of the notebook.
"""

import functools

import nbval.kernel

STARTS = 3


def pytest_configure():
    start = nbval.kernel.start_new_kernel
    if not hasattr(start, "__wrapped__"):
        nbval.kernel.start_new_kernel = starting_again(start)


def starting_again(start):
    """Return `start`, called up to STARTS times until it raises no RuntimeError."""

    @functools.wraps(start)
    def start_again(*args, **kwargs):
        for _ in range(STARTS - 1):
            try:
                return start(*args, **kwargs)
            except RuntimeError:
                pass
        return start(*args, **kwargs)

    return start_again
