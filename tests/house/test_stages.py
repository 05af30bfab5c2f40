"""`make test`: every stage runs, one that fails is named, and the end says where time went."""

import sys

import pytest
import stages

PRINTED = """\
....F
======================= what the notebooks cost =======================
notebook                          minutes   budget  memory GB   budget
00_start_here.ipynb                  0.30      0.5       0.60      1.2
\x1b[31m==== \x1b[1m1 failed\x1b[0m, 41 passed, 2 skipped in 63.07s (0:01:03) ====\x1b[0m
"""


def command(code, printed=""):
    return (sys.executable, "-c", f"import sys; print({printed!r}); sys.exit({code})")


def test_a_stage_keeps_how_pytest_ended_and_what_notebooks_cost(capfd):
    outcome = stages.run([command(0), command(1, PRINTED)])
    assert PRINTED in capfd.readouterr().out
    assert not outcome.passed
    assert outcome.closing == "1 failed, 41 passed, 2 skipped"
    assert [line.split()[0] for line in outcome.costs] == ["notebook", "00_start_here.ipynb"]
    assert outcome.seconds > 0


@pytest.mark.parametrize("failing", ["", "lint", "unit tests", "browser"])
def test_all_stages_run_and_one_that_fails_is_named(monkeypatch, capfd, failing):
    made = {
        name: [command(int(name == failing), f"== {number} passed in 1.00s ==")]
        for number, name in enumerate(stages.stages(), start=10)
    }
    monkeypatch.setattr(stages, "stages", lambda sweep: made)
    assert stages.main([]) == (1 if failing else 0)
    *_, last_but_one, last = capfd.readouterr().out.rstrip().splitlines()
    assert (last_but_one == f"failed: {failing}") == bool(failing)
    assert " 60 passed in " in last  # 10 + 11 + 12 + 13 + 14


def test_the_table_has_a_line_for_each_stage_and_their_sum():
    outcomes = {
        "unit tests": stages.Outcome(True, 90, 150, "3 passed, 1 skipped"),
        "notebooks": stages.Outcome(False, 30, 30, "1 failed, 2 passed", ["00_a.ipynb  0.3"]),
    }
    _, _, units, notebooks, together, costs, failed, last = stages.report(outcomes)
    assert units.split() == ["unit", "tests", "1.5", "2.5", "3", "passed,", "1", "skipped"]
    assert notebooks.split()[:4] == ["notebooks", "0.5", "0.5", "FAILED"]
    assert together.split() == ["together", "2.0", "3.0"]
    assert (costs, failed) == ("00_a.ipynb  0.3", "failed: notebooks")
    assert last.strip("= ") == "1 failed, 5 passed, 1 skipped in 120.00s"


def test_the_sweep_is_left_out_unless_asked_for():
    for name in ("unit tests", "browser"):
        ((*_, usual),), ((*_, swept),) = (
            [(*c, " ".join(c)) for c in stages.stages(sweep)[name]] for sweep in (False, True)
        )
        assert usual.replace(" and not sweep", "") == swept != usual
