"""How soon an explorer follows a hand: from the event to the frame after the new picture is drawn.

    python tests/benchmarks/bench_explorers.py

Each explorer's own script runs on a plain page in Chromium, with its Python half behind it. Goals:
50 ms for what the page draws itself, 200 ms for a reading of a drawn digit, 500 ms for a typed text
that goes through a model (90 to 120 ms of that, the page waits for the next letter).
"""

import statistics
import sys
from contextlib import contextmanager
from pathlib import Path

import measure

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import moves
from browser import MISSING, find_chromium, launched
from explorer_page import CHANGE, ExplorerPage

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
    """Yield a row for each thing that can be moved, none without a browser."""
    if find_chromium() is None:
        print(f"explorers: {MISSING}")
        return
    with launched() as chromium:

        @contextmanager
        def page(widget):
            opened = chromium.new_page(viewport={"width": 1100, "height": 900})
            yield ExplorerPage(opened, widget).show().page
            opened.close()

        for task, milliseconds, goal in moved(page, repeats):
            median = statistics.median(milliseconds)
            yield measure.Row(task, "the goal", median, goal, target=1.0)


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


if __name__ == "__main__":
    measure.main(rows, __doc__)
