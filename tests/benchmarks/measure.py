"""What the benchmarks of training steps share: turns, peak memory, one row of a table."""

import math
import multiprocessing
import statistics
import time
from pathlib import Path

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
STATUS = Path("/proc/self/status")


def training_step(model, loss, batch):
    """Return a function that makes one training step: loss, gradient, AdamW."""
    model.to(DEVICE).train()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step():
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            value = loss(model, batch)
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def in_turn(functions, repeats):
    """Return the median milliseconds of each function, called in turn."""
    # CPU time where nothing else can be waited for: it does not count a neighbour's work.
    clock = time.process_time if DEVICE == "cpu" else time.perf_counter
    times = {name: [] for name in functions}
    for repeat in range(repeats + 1):
        for name, function in functions.items():
            start = clock()
            function()
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            if repeat:  # the first call warms up
                times[name].append(1e3 * (clock() - start))
    return {name: statistics.median(found) for name, found in times.items()}


def peak_memory(make_step, *arguments):
    """Return the megabytes that three steps of make_step(*arguments) need on top of the imports.

    It runs in a process of its own, since a peak cannot be set back.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (make_step, *arguments))


def head(about):
    """Print the first line of a table."""
    print(f"{DEVICE}, {torch.get_num_threads()} threads, {about}; above 1x ours is the better one")


def report(name, found, unit, better="lower"):
    """Print one row: ours, and each peer with the factor by which ours is better."""
    ours = found["ours"]
    peers = "".join(
        f"{peer:>15} {value:9.2f} {value / ours if better == 'lower' else ours / value:6.2f}x"
        for peer, value in found.items()
        if peer != "ours"
    )
    print(f"{name:42} {ours:9.2f} {unit:9}{peers}", flush=True)


def _peak(make_step, *arguments):
    before = _megabytes("VmRSS")
    step = make_step(*arguments)
    for _ in range(3):
        step()
    if DEVICE == "cuda":
        return torch.cuda.max_memory_allocated() / 1e6
    return _megabytes("VmHWM") - before


def _megabytes(field):
    # Not resource.getrusage: its peak is handed on from the process that started this one.
    if not STATUS.exists():  # no Linux: the column reads nan
        return math.nan
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines[field].split()[0]) / 1e3  # kB
