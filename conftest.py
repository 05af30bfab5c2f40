"""For every test, doctest and notebook: offline, on the CPU, with new empty folders."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tests" / "support"))

from hypothesis import HealthCheck, settings
from isolation import isolate

pytest_plugins = [
    "budgets",
    "browser",
    "fresh_progress",
    "kernel_starts",
    "pictures",
    "shell",
    "smollm2",
]
# Benchmarks are scripts: `make bench` runs each with its own folder on the path.
collect_ignore = ["tests/offline/sitecustomize.py", "tests/benchmarks"]

_folder = tempfile.mkdtemp(prefix="tutorial-tests-")
# At import, not in a fixture: it must come before torch and before the first kernel.
isolate(_folder)
if "PYTEST_XDIST_WORKER" in os.environ:
    # Several processes share the cores, so each computes in one thread; torch reads this once.
    os.environ["OMP_NUM_THREADS"] = "1"
# No test fails because the machine is busy.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what follows from something else, before pytest looks at the marks."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if item.get_closest_marker("sweep"):
            item.add_marker("slow")


def pytest_unconfigure():
    """Remove the folders that stood in for the learner's own."""
    shutil.rmtree(_folder, ignore_errors=True)
