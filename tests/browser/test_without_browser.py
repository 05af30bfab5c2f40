"""Without a browser: a skip that says how to get one, or a failure where one is obligatory."""

import os
import subprocess
import sys

import pytest
from isolation import ROOT

pytestmark = pytest.mark.slow


def run_without_browser(**environment):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no"]
    command += [
        "tests/browser/test_harness.py",
        "-k",
        "test_errors_of_scripts_handlers_and_cells_are_seen",
    ]
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("TUTORIAL_")}
    surroundings["PATH"] = str(ROOT / "tests" / "browser")
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=surroundings | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.sweep  # the same start without a browser, obligatory: the test below
def test_skips_with_one_line_of_advice():
    code, printed = run_without_browser()
    assert code == 0
    advice = [line for line in printed.splitlines() if "browser tests were skipped" in line]
    assert len(advice) == 1
    assert "apt-get install chromium" in advice[0]


def test_fails_where_a_browser_is_obligatory():
    code, printed = run_without_browser(TUTORIAL_BROWSER="required")
    assert code == 1
    assert "no browser: `apt-get install chromium`" in printed
