"""The table of `make bench`: what its columns say, and that every benchmark adds its rows."""

import doctest
import importlib
import math
import re
import subprocess
import sys
from functools import partial
from types import ModuleType

import numpy as np
import pytest
import torch
from isolation import ROOT

FOLDER = ROOT / "tests" / "benchmarks"


@pytest.fixture
def measure(monkeypatch):
    threads = torch.get_num_threads()
    monkeypatch.syspath_prepend(FOLDER)
    # A new process imports what stands here; an IPython shell of an earlier test cannot be.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    yield importlib.import_module("measure")
    torch.set_num_threads(threads)  # at import it asks for one thread


def test_a_ratio_above_one_is_ours_for_times_and_for_rates(measure):
    time = measure.Row("step", "peer", ours=2.0, theirs=3.0)
    rate = measure.Row("writing", "peer", ours=3.0, theirs=2.0, unit="tokens/s")
    assert time.ratio == rate.ratio == 1.5
    assert not time.missed


def test_a_target_is_missed_by_the_ratio_as_printed(measure):
    def row(theirs):
        return measure.Row("step", "peer", ours=1000.0, theirs=theirs, target=1.15)

    assert row(1140).missed
    assert not row(1146).missed  # 1.15x in the table


def test_sides_take_turns_and_the_first_turn_does_not_count(measure):
    calls = []
    sides = {name: lambda name=name: calls.append(name) for name in ("ours", "peer")}
    found = measure.in_turn(lambda: sides, 2)
    assert calls == ["ours", "peer"] * 3
    assert found.keys() == sides.keys()


def test_a_fresh_side_is_made_before_each_turn(measure):
    made = []

    def make(side):
        made.append(side)
        return lambda: math.factorial(2000)

    options = {"repeats": 2, "memory": False, "targets": {"peer": 1.1}, "notes": {"peer": "why"}}
    (row,) = measure.compare("task", ("ours", "peer"), make, **options)
    assert made == ["ours", "peer"]
    assert (row.task, row.peer, row.unit, row.target, row.note) == (
        "task",
        "peer",
        "ms",
        1.1,
        "why",
    )
    assert all(map(math.isnan, row.memory))
    (row,) = measure.compare(
        "task", ("ours", "peer"), make, fresh=True, per_call=(5, "words"), **options
    )
    assert made[2:] == ["ours", "peer"] * 3
    assert row.unit == "words/s"


def test_the_table_marks_misses_and_prints_each_note_once(measure, capsys):
    rows = [
        measure.Row("a step", "peer", 2.0, 1.0, target=1.0, memory=(1.5, 30.0), note="slow"),
        measure.Row("another", "peer", 2.0, 1.0, note="slow"),
        measure.Row("good", "peer", 1.0, 2.0, target=1.0),
    ]
    names = ["task", "ours", "peer", "theirs", "ratio", "target", "MB", "ours", "theirs"]
    measure.show(rows)
    _, head, first, second, third, note = capsys.readouterr().out.splitlines()
    assert head.split() == names
    assert first.split()[-6:] == ["0.50x", "1.00x", "1.5", "30.0", "missed", "[1]"]
    assert second.endswith("[1]")
    assert third.endswith("1.00x")
    assert note == "[1] slow"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
def test_peak_memory_is_that_of_the_work_alone(measure):
    filled = (partial, np.full, 100_000_000, 1, np.uint8)  # work() writes 100 MB, lets go of them
    assert measure.peak_memory(*filled) == pytest.approx(100, abs=10)
    assert measure.peak_memory(partial, int) < 10


@pytest.mark.parametrize(
    ("gpu", "share"),
    [
        ("NVIDIA H200", ", 10.11% of the bf16 peak"),
        ("NVIDIA H100 80GB HBM3", ", 10.11% of the bf16 peak"),
        ("NVIDIA A100-SXM4-80GB", ", 32.05% of the bf16 peak"),
        ("NVIDIA L40S", ", 27.62% of the bf16 peak"),
        ("NVIDIA L4", ", 82.64% of the bf16 peak"),
        # Another peak, or none, for which no name in the table may be taken.
        ("NVIDIA L40", ""),
        ("NVIDIA H100 PCIe", ""),
        ("NVIDIA H200 NVL", ""),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", ""),
        ("Tesla T4", ""),
        ("NVIDIA T400", ""),
        ("another", ""),
    ],
)
def test_share_of_a_gpus_peak(measure, gpu, share):
    assert measure.speed_on_gpu(1e5, 1e9, gpu) == f"100,000 tokens/s{share}"


@pytest.mark.slow
def test_a_step_on_a_gpu_is_told_in_tokens_and_share(measure, monkeypatch):
    bench_gpt = importlib.import_module("bench_gpt")
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H200")
    # 8 x 1,024 tokens in 100 ms, 854 million operations each
    told = bench_gpt.speed_on_this_gpu(100.0, bench_gpt.GPT2, 8)
    assert told == "ours: 81,920 tokens/s, 7.08% of the bf16 peak"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["measure", "bench_gpt", "bench_mlm"])
def test_the_examples_in_the_docstrings(measure, name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(module).attempted > 0


BENCHMARKS = sorted(path.stem for path in FOLDER.glob("bench_*.py"))


def test_the_table_has_every_benchmark(measure):
    table = importlib.import_module("table")
    assert sorted(benchmark.__name__ for benchmark in table.BENCHMARKS) == BENCHMARKS


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",  # SmolLM2's first row and the site's take as long as those of all others together
    [
        pytest.param(name, marks=[pytest.mark.sweep] * (name in ("bench_llama", "bench_site")))
        for name in BENCHMARKS
    ],
)
def test_a_benchmark_measures_its_first_row(measure, name):
    row = next(importlib.import_module(name).rows(repeats=1, memory=False), None)
    if row is None:
        pytest.skip("what it measures is not there: it has said what is missing")
    assert row.ratio > 0


@pytest.mark.sweep  # one row of each: test_a_benchmark_measures_its_first_row
def test_one_table_has_rows_of_every_benchmark():
    command = [sys.executable, FOLDER / "table.py", "--repeats", "1", "--no-memory"]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    tasks = (
        "BPE training",
        "BPE encoding",
        "GPT step",
        "generation",
        "SmolLM2 writes",
        "MLM step",
        "ViT step",
    )
    others = ("attention, fused", "attention layer", "import tutorial_lib", "explorer: ")
    for task in (*tasks, *others):
        assert re.search(rf"^{task}.* \d+\.\d\dx", table, re.MULTILINE), task
