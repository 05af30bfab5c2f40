"""The stages of `make test`, one after another, and where the time went.

    python tests/support/stages.py            what a build server runs
    python tests/support/stages.py --all      the tests marked `sweep`, too

Every stage runs, even when one before it failed; the exit code is 1 when any did.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTEST = (sys.executable, "-m", "pytest", "--durations=30")
RUFF = (sys.executable, "-m", "ruff")
TWO = ("-n", "2")
NBVAL = ("--nbval", "--nbval-current-env", "--nbval-cell-timeout=600")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
# How pytest ends: ==== 1 failed, 20 passed in 3.21s ====
CLOSING = re.compile(r"=+ (\d+ .*) in [\d.]+s.*=+")
COUNT = re.compile(r"(\d+) ([a-z]+)")
COSTS = "what the notebooks cost"
LINE = "{:12}{:>9}{:>9}  {}".format


def stages(sweep=False):
    """Return the commands of each stage by its name."""
    left_out = "" if sweep else " and not sweep"
    sanitize = f"--nbval-sanitize-with={ROOT / 'tests/notebooks/sanitize.cfg'}"
    units = (*PYTEST, *TWO, "--dist=worksteal", "-m", f"not browser{left_out}")
    # A notebook is one file, so one process runs all its cells in order, in one kernel.
    notebooks = (*PYTEST, *TWO, "--dist=loadfile", *NBVAL, sanitize)
    return {
        "lint": [(*RUFF, "check"), (*RUFF, "format", "--check")],
        "unit tests": [(*units, "tests", "tutorial_lib")],
        "notebooks": [(*notebooks, "notebooks")],
        "site": [(sys.executable, str(ROOT / "docs" / "site" / "build.py"))],
        "browser": [(*PYTEST, *TWO, "--dist=worksteal", "-m", f"browser{left_out}", "tests")],
    }


@dataclass
class Outcome:
    """What a stage took and found; `closing` and `costs` are lines that pytest has printed."""

    passed: bool = True
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    closing: str = ""
    costs: list = field(default_factory=list)


def run(commands):
    """Run the commands of a stage, print what they print, and return the Outcome."""
    outcome = Outcome()
    start, cpu = time.monotonic(), _children()
    for command in commands:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
        read(outcome, process.stdout)
        outcome.passed &= process.wait() == 0
    outcome.seconds, outcome.cpu_seconds = time.monotonic() - start, _children() - cpu
    return outcome


def read(outcome, lines):
    """Print the lines of a run and keep what the last table repeats."""
    in_costs = False
    for line in lines:
        print(line, end="", flush=True)
        plain = COLOUR.sub("", line).rstrip()
        if plain.startswith("=="):
            in_costs = COSTS in plain
            if found := CLOSING.fullmatch(plain):
                outcome.closing = found[1]
        elif in_costs:
            outcome.costs.append(plain)


def report(outcomes):
    """Return the lines of the last table: stages, notebooks, and one line as pytest writes it."""
    yield f"{' where the time went ':=^100}"
    yield LINE("stage", "minutes", "CPU", "")
    for name, outcome in outcomes.items():
        result = ("" if outcome.passed else "FAILED  ") + outcome.closing
        yield LINE(name, *_minutes(outcome.seconds, outcome.cpu_seconds), result).rstrip()
    seconds = sum(outcome.seconds for outcome in outcomes.values())
    cpu_seconds = sum(outcome.cpu_seconds for outcome in outcomes.values())
    yield LINE("together", *_minutes(seconds, cpu_seconds), "").rstrip()
    for outcome in outcomes.values():
        yield from outcome.costs
    counts = Counter()
    for outcome in outcomes.values():
        for number, kind in COUNT.findall(outcome.closing):
            counts[kind] += int(number)
    failed = [name for name, outcome in outcomes.items() if not outcome.passed]
    if failed:
        yield f"failed: {', '.join(failed)}"
    kinds = sorted(counts, key=lambda kind: (kind not in ("failed", "errors", "error"), kind))
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
    yield f"{f' {summary} in {seconds:.2f}s ':=^100}"


def main(arguments=None):
    """Run all stages and print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the tests marked sweep, too")
    outcomes = {}
    for name, commands in stages(parser.parse_args(arguments).all).items():
        print(f"\n{f' {name} ':#^100}", flush=True)
        outcomes[name] = run(commands)
        minutes, _ = _minutes(outcomes[name].seconds, 0)
        print(f"{name}: {minutes} minutes, {'ok' if outcomes[name].passed else 'FAILED'}")
    print("", *report(outcomes), sep="\n", flush=True)
    return 0 if all(outcome.passed for outcome in outcomes.values()) else 1


def _children():
    times = os.times()
    return times.children_user + times.children_system


def _minutes(*seconds):
    return [f"{some / 60:.1f}" for some in seconds]


if __name__ == "__main__":
    sys.exit(main())
