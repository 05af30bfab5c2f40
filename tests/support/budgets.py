"""A pytest plugin for notebooks: what each costs, and no cell that passes without being checked."""

import sys
from pathlib import Path

import pytest

# Minutes on two quiet cores, printed in the chapters' headers too. Time is reported only, since
# machines differ. Memory is a promise: small public servers give a kernel little more.
MINUTES = {
    "00": 0.5,
    "01": 0.7,
    "02": 1.5,
    "03": 1.3,
    "04": 1.7,
    "05": 1.7,
    "05b": 1.0,
    "06": 1.7,
    "07": 1.5,
}
MAX_BYTES = 1.2e9

COSTS = pytest.StashKey()


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
    before, cost["bytes"] = cost["bytes"], peak_bytes(kernel.km.provisioner.pid)
    if before <= MAX_BYTES < cost["bytes"]:
        return f"the kernel took {cost['bytes'] / 1e9:.2f} GB, the budget is {MAX_BYTES / 1e9} GB"
    return None


def pytest_terminal_summary(terminalreporter, config):
    costs = config.stash[COSTS]
    if not costs:
        return
    terminalreporter.section("what the notebooks cost")
    line = "{:32}{:>9}{:>9}{:>11}{:>9}".format
    terminalreporter.write_line(line("notebook", "minutes", "budget", "memory GB", "budget"))
    for name, cost in costs.items():
        budget = MINUTES.get(name.split("_")[0], "-")
        minutes = f"{cost['seconds'] / 60:.2f}"
        gigabytes = f"{cost['bytes'] / 1e9:.2f}"
        terminalreporter.write_line(line(name, minutes, budget, gigabytes, MAX_BYTES / 1e9))
