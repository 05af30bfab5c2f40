"""A pytest plugin for notebooks: what each costs, and no cell that passes without being checked."""

import sys
from pathlib import Path
from typing import NamedTuple

import pytest


class Budget(NamedTuple):
    """What a notebook may cost: minutes on two quiet cores, gigabytes of memory."""

    minutes: float = 1.0
    gigabytes: float = 1.2


# Printed in the chapters' headers too. Time is reported only, since machines differ. Memory is a
# promise, since small public servers give a kernel little more: 1.6 where a real model is loaded.
BUDGETS = {
    "00": Budget(0.7, 1.6),
    "01": Budget(1.0, 1.6),
    "02": Budget(1.7, 1.6),
    "03": Budget(2.0),
    "04": Budget(1.7),
    "05": Budget(1.5, 1.6),
    "05b": Budget(1.5, 1.6),
    "06": Budget(2.5),
    "06b": Budget(2.0, 1.6),
    "07": Budget(1.7, 1.6),
    "08a": Budget(1.5),
    "08b": Budget(2.0),
    "09": Budget(2.0),
    "10": Budget(2.0, 1.6),
}

COSTS = pytest.StashKey()


def budget(name):
    """The Budget of a notebook by its file's name: "05b_prompting.ipynb"."""
    return BUDGETS.get(name.split("_")[0], Budget())


def peak_bytes(pid):
    """The most memory that process `pid` has held so far, in bytes (elsewhere than on Linux and
    Windows: what it holds now)."""
    if sys.platform == "linux":
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import psutil

    memory = psutil.Process(pid).memory_info()
    return getattr(memory, "peak_wset", memory.rss)


def pytest_configure(config):
    config.stash[COSTS] = {}


# With pytest-xdist the notebooks run in processes of their own, which hand over what they noted.
def pytest_sessionfinish(session):
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["costs"] = session.config.stash[COSTS]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[COSTS].update(getattr(node, "workeroutput", {}).get("costs", {}))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if not hasattr(item, "cell_num"):
        return report
    cost = item.config.stash[COSTS].setdefault(item.path.name, {"seconds": 0.0, "bytes": 0})
    cost["seconds"] += call.duration if call.when != "teardown" else 0.0
    if call.when == "call":
        complaint = _unchecked(item, report) or _too_big(item, cost)
        if complaint:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: {complaint}"
            report.__dict__.pop("wasxfail", None)
    return report


def _unchecked(item, report):
    if item.cell.execution_count is None:
        return "this cell was never run, so nothing is compared; run `make notebooks`"
    if hasattr(report, "wasxfail"):
        return "this cell was not checked, because one before it took too long"
    return None


def _too_big(item, cost):
    kernel = item.parent.kernel
    if not kernel.is_alive():
        return None
    most = budget(item.path.name).gigabytes
    before, cost["bytes"] = cost["bytes"], peak_bytes(kernel.km.provisioner.pid)
    if before <= 1e9 * most < cost["bytes"]:
        return f"the kernel took {cost['bytes'] / 1e9:.2f} GB, the budget is {most} GB"
    return None


def pytest_terminal_summary(terminalreporter, config):
    costs = config.stash[COSTS]
    if not costs:
        return
    terminalreporter.section("what the notebooks cost")
    line = "{:32}{:>9}{:>9}{:>11}{:>9}".format
    terminalreporter.write_line(line("notebook", "minutes", "budget", "memory GB", "budget"))
    total = 0.0
    for name, cost in sorted(costs.items()):
        planned = budget(name)
        minutes = cost["seconds"] / 60
        total += minutes
        used = f"{minutes:.2f}", f"{planned.minutes:g}", f"{cost['bytes'] / 1e9:.2f}"
        terminalreporter.write_line(line(name, *used, planned.gigabytes))
    terminalreporter.write_line(line("together", f"{total:.2f}", "", "", "").rstrip())
