"""What the benchmarks share: turns, peak memory, and the rows of one table.

A benchmark is a function `make(side, *task)` that returns a function doing the work once, for
"ours" and for each peer. `compare` runs them in turn, so that a busy neighbour slows all of them,
and gives one `Row` for each peer.
"""

import argparse
import math
import multiprocessing
import re
import statistics
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPE = torch.bfloat16 if DEVICE == "cuda" else torch.float32
# Of bf16 without sparsity, from NVIDIA's data sheets; H200 and H100 are those on an SXM board.
PEAK_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12}
OTHER_PEAK = {"PCIe", "NVL", "MIG"}  # the same name, but slower cards or a part of one
PROCESS = Path("/proc/self")
if DEVICE == "cpu":
    torch.set_num_threads(1)  # CPU time counts every thread, and idle ones spin
COLUMNS = "{:42} {:>10} {:8} {:21} {:>10} {:>7} {:>7}  {:>8} {:>8} {}"


@dataclass(frozen=True)
class Row:
    """Ours against one peer, both in `unit`: milliseconds, or something a second.

    `target` is the ratio to reach, None where none is set; `memory` the megabytes of ours and
    theirs; the notes are printed below the table.
    """

    task: str
    peer: str
    ours: float
    theirs: float
    unit: str = "ms"
    target: float | None = None
    memory: tuple[float, float] = (math.nan, math.nan)
    note: str = ""

    @property
    def ratio(self):
        """By how much ours is better; below 1 the peer is."""
        more_is_better = self.unit.endswith("/s")
        return self.ours / self.theirs if more_is_better else self.theirs / self.ours

    @property
    def missed(self):
        """Whether the ratio, as it is printed, falls short of the target."""
        return self.target is not None and round(self.ratio, 2) < self.target


def compare(
    task,
    sides,
    make,
    *arguments,
    repeats=20,
    memory=True,
    fresh=False,
    per_call=None,
    targets=None,
    notes=None,
):
    """Return a Row for each peer among the sides, measured in turn; "ours" is one of them.

    make(side, *arguments) gives what to time, again before each turn if fresh; per_call: (number,
    unit), such as (128, "tokens"), turns milliseconds into a rate; targets, notes: by peer.
    """

    def functions():
        return {side: make(side, *arguments) for side in sides}

    found, unit = in_turn(functions if fresh else cache(functions), repeats), "ms"
    if per_call:
        number, unit = per_call[0], f"{per_call[1]}/s"
        found = {side: 1e3 * number / milliseconds for side, milliseconds in found.items()}
    megabytes = dict.fromkeys(sides, math.nan)
    if memory:
        megabytes = {side: peak_memory(make, side, *arguments) for side in sides}
    return [
        Row(
            task=task,
            peer=peer,
            ours=found["ours"],
            theirs=found[peer],
            unit=unit,
            target=(targets or {}).get(peer),
            memory=(megabytes["ours"], megabytes[peer]),
            note=(notes or {}).get(peer, ""),
        )
        for peer in sides
        if peer != "ours"
    ]


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


def in_turn(prepare, repeats):
    """Return the median milliseconds of the functions that prepare() gives by name.

    It is called before each turn, outside of the time, so it may give fresh ones.
    """
    # CPU time where nothing else can be waited for: it does not count a neighbour's work.
    clock = time.process_time if DEVICE == "cpu" else time.perf_counter
    times = {}
    for turn in range(repeats + 1):
        for name, function in prepare().items():
            start = clock()
            function()
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            if turn:  # the first call warms up
                times.setdefault(name, []).append(1e3 * (clock() - start))
    return {name: statistics.median(found) for name, found in times.items()}


def peak_memory(make, *arguments):
    """Return the megabytes that make(*arguments) and three calls need on top of the imports.

    It runs in a process of its own, where nothing else has left memory to use again.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (make, *arguments))


def speed_on_gpu(tokens_per_second, flops_per_token, gpu):
    """Return tokens a second and the share of the GPU's bf16 peak where it is known, as text.

    >>> speed_on_gpu(1e6, 6e8, "NVIDIA H100 80GB HBM3")
    '1,000,000 tokens/s, 60.67% of the bf16 peak'
    """
    text = f"{tokens_per_second:,.0f} tokens/s"
    words = set(re.findall(r"\w+", gpu))
    for name, peak in PEAK_FLOPS.items():
        if name in words and not words & OTHER_PEAK:
            return f"{text}, {tokens_per_second * flops_per_token / peak:.2%} of the bf16 peak"
    return text


def show(rows):
    """Print a table of rows as they come, then their notes."""
    where = f"{DEVICE}, {str(DTYPE).removeprefix('torch.')}"
    if DEVICE == "cpu":
        where += ", one thread, CPU time"
    print(f"{where}; above 1x ours is better; MB: peak memory on top of the imports")
    names = ("task", "ours", "", "peer", "theirs", "ratio", "target", "MB ours", "theirs", "")
    print(COLUMNS.format(*names).rstrip())
    notes = []
    for row in rows:
        mark = "missed" if row.missed else ""
        if row.note:
            if row.note not in notes:
                notes.append(row.note)
            mark += f" [{notes.index(row.note) + 1}]"
        print(_line(row, mark), flush=True)
    for number, note in enumerate(notes, start=1):
        print(f"[{number}] {note}")


def main(rows, about):
    """Show what rows(repeats, memory) yields, as the command line asks for."""
    parser = command_line(about)
    options = parser.parse_args()
    show(rows(options.repeats, not options.no_memory))


def command_line(about):
    """Return a parser with the options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20, help="turns; the median counts")
    parser.add_argument("--no-memory", action="store_true", help="measure times only")
    return parser


def _line(row, mark):
    target = "" if row.target is None else f"{row.target:.2f}x"
    memory = ("" if math.isnan(megabytes) else f"{megabytes:.1f}" for megabytes in row.memory)
    cells = (row.task, f"{row.ours:,.2f}", row.unit, row.peer, f"{row.theirs:,.2f}")
    return COLUMNS.format(*cells, f"{row.ratio:.2f}x", target, *memory, mark).rstrip()


def _peak(make, *arguments):
    if (PROCESS / "clear_refs").exists():
        (PROCESS / "clear_refs").write_text("5")  # the peak so far, of the imports, is forgotten
    before = _megabytes("VmRSS")
    work = make(*arguments)
    for _ in range(3):
        work()
    if DEVICE == "cuda":
        return torch.cuda.max_memory_allocated() / 1e6
    return _megabytes("VmHWM") - before


def _megabytes(field):
    # Not resource.getrusage: its peak is handed on from the process that started this one.
    status = PROCESS / "status"
    if not status.exists():  # no Linux: the column stays empty
        return math.nan
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines[field].split()[0]) / 1e3  # kB
