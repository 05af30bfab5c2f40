"""How long a learner waits: for an import, for an explorer to follow the hand, for a search.

    python tests/benchmarks/bench_latencies.py

Nobody else's code does the same work, so the other side is a goal: the milliseconds at which one
begins to feel a delay, or which the course promises. A ratio above 1 stays below it.

Explorers that draw in the browser run on a plain page in Chromium, with their Python half behind
them, from the event to the frame after the new picture is drawn. Goals: 50 ms for what the page
draws itself, 200 ms for a reading of a drawn digit, 500 ms for a typed text that goes through a
model (90 to 120 ms of that, the page waits for the next letter). Without a browser their rows are
missing.
"""

import statistics
import subprocess
import sys
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import measure
import numpy as np

from tutorial_lib.datasets import load_photographs, load_shakespeare
from tutorial_lib.decoding import longest_copies
from tutorial_lib.explorers import PatchExplorer

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import moves
from browser import MISSING, find_chromium, launched
from explorer_page import CHANGE, ExplorerPage

# What a new Python runs before and while the clock runs, and the milliseconds it may take.
IMPORTS = {
    "import tutorial_lib": ("", "import tutorial_lib", 50),
    "import GPT, torch loaded": ("import torch", "from tutorial_lib.models import GPT", 300),
}
# What is timed ends in the frame after the one that draws: the first callback runs before that
# frame is painted, the second after.
FRAMES = """const frame = () => new Promise(requestAnimationFrame);
  const drawn = async () => { await frame(); await frame(); };
  const answered = async () => { while (!sent.length || kernel.waiting) await frame(); };"""
MOVE = f"""async (control, turns) => {{
  {FRAMES}
  const change = {CHANGE};
  const times = [];
  for (let turn = 0; turn < turns; turn += 1) {{
    await drawn();
    const start = performance.now();
    change(control, turn);
    await drawn();
    times.push(performance.now() - start);
  }}
  return times;
}}"""
TYPE = f"""async (box, texts) => {{
  {FRAMES}
  const times = [];
  for (const text of texts) {{
    window.sent = [];
    const start = performance.now();
    box.value = text;
    box.dispatchEvent(new Event("input", {{ bubbles: true }}));
    await answered();
    await drawn();
    times.push(performance.now() - start);
  }}
  return times;
}}"""
# A stroke; timed from lifting the pen.
LIFT = f"""async (canvas, turns) => {{
  {FRAMES}
  const area = canvas.getBoundingClientRect();
  const times = [];
  canvas.setPointerCapture = () => {{}}; // no real pointer stands behind these events
  for (let turn = 0; turn < turns; turn += 1) {{
    const clientX = area.left + (0.1 + (0.8 * turn) / turns) * area.width;
    const point = (name, y) => canvas.dispatchEvent(new PointerEvent(name, {{
      clientX, clientY: area.top + y * area.height,
      pointerId: 1, pointerType: "touch", isPrimary: true, bubbles: true, cancelable: true,
    }}));
    point("pointerdown", 0.1);
    for (let i = 1; i <= 20; i += 1) point("pointermove", 0.1 + i / 30);
    await drawn();
    window.sent = [];
    const start = performance.now();
    point("pointerup", 0.8);
    await answered();
    await drawn();
    times.push(performance.now() - start);
  }}
  return times;
}}"""


def rows(repeats=20, memory=True):
    """Yield a row for each import, each piece of work in Python and each move in the browser."""
    for task, (before, timed, goal) in IMPORTS.items():
        yield _row(task, import_time(before, timed, repeats=min(repeats, 5)), goal)
    for task, (make, goal) in TASKS.items():
        yield _row(task, measure.in_turn(_once(make), repeats)["ours"], goal)
    for task, milliseconds, goal in in_the_browser(repeats):
        yield _row(task, statistics.median(milliseconds), goal)


def import_time(before, timed, repeats):
    """Return the median milliseconds of processor time of an import, in new Pythons."""
    code = (
        f"{before}\nimport time; start = time.process_time()\n{timed}\n"
        "print(1000 * (time.process_time() - start))"
    )
    command = [sys.executable, "-c", code]
    runs = (
        subprocess.run(command, capture_output=True, text=True, check=True)
        for _ in range(repeats + 1)
    )
    _, *times = [float(run.stdout) for run in runs]  # the first one fills the disk's cache
    return statistics.median(times)


def patches():
    """Return a function that moves the slider of an explorer that redraws a figure."""
    explorer = PatchExplorer({"photograph": load_photographs(size=224)[0].image})
    sizes = cycle(explorer.controls["patch_size"].options)
    return lambda: setattr(explorer.controls["patch_size"], "value", next(sizes))


def copies():
    """Return a function that looks for 100 samples in all of Shakespeare."""
    text = load_shakespeare().text
    starts = np.linspace(0, len(text) - 250, 100).astype(int)
    samples = [text[start : start + 250] for start in starts]
    return lambda: longest_copies(samples, text)


TASKS = {
    "explorer: redraw a figure": (patches, 200),
    "100 samples searched in all plays": (copies, 10_000),
}


def in_the_browser(repeats):
    """Yield (explorer and control, milliseconds, goal) for all that can be moved or typed."""
    if find_chromium() is None:
        print(f"explorers: {MISSING}")
        return
    with launched() as chromium:

        @contextmanager
        def page(widget):
            opened = chromium.new_page(viewport={"width": 1100, "height": 900})
            yield ExplorerPage(opened, widget).show().page
            opened.close()

        yield from moved(page, repeats)


def moved(page, repeats):
    """Yield (explorer and control, milliseconds, goal) for each; page(widget) shows an explorer."""
    for name, (make, controls) in moves.MOVES.items():
        with page(make()) as shown:
            for control in controls:
                milliseconds = shown.locator(control).first.evaluate(MOVE, repeats)
                yield f"{name}: {moves.label(control)}", milliseconds, 50
    for name, (make, box, texts) in moves.TYPED.items():
        with page(make()) as shown:
            yield f"{name}: a new text", shown.locator(box).first.evaluate(TYPE, texts), 500
    with page(moves.digits()) as shown:
        milliseconds = shown.locator("canvas.tl-paper").evaluate(LIFT, min(repeats, 9))
        yield "digits: the pen is lifted", milliseconds, 200


def _once(make):
    work = {"ours": make()}
    return lambda: work


def _row(task, milliseconds, goal):
    return measure.Row(task, "the goal", milliseconds, goal, target=1.0)


if __name__ == "__main__":
    measure.main(rows, __doc__)
