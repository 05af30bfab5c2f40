"""Explorers of a notebook's cell are closed when the cell runs again, else each run would keep one
more of them, with its model, until the kernel ends."""

import sys

_made = {}  # cell -> the explorers that its last run made


def closed_by_the_next_run(explorer):
    """Close the explorer when the cell that has made it runs again; outside of a cell, never."""
    shell = _shell()
    cell = _running(shell)
    if cell is None:
        return
    if not getattr(shell, "_tutorial_explorers", False):
        shell._tutorial_explorers = True
        shell.events.register("pre_run_cell", _close)
    _made.setdefault(cell, []).append(explorer)


def _close(info):
    for explorer in _made.pop(getattr(info, "cell_id", None), ()):
        explorer.close()


def _shell():
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


def _running(shell):
    """The name of the cell that runs now; JupyterLab and VS Code send it, nbclient does not."""
    kernel = getattr(shell, "kernel", None)
    parent = kernel.get_parent("shell") if kernel else {}
    return parent.get("metadata", {}).get("cellId")
