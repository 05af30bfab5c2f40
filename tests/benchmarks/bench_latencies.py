"""How long a learner waits: for an import, for an explorer's answer, for a search of all plays.

    python tests/benchmarks/bench_latencies.py

Nobody else's code does the same work, so the other side is a goal: the milliseconds at which one
begins to feel a delay, or which the course promises. A ratio above 1 stays below it.
"""

import statistics
import subprocess
import sys
from itertools import cycle

import measure
import numpy as np

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import longest_copies
from tutorial_lib.explorers import GenerationExplorer, SaturationExplorer, TranslationExplorer
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
from tutorial_lib.recipes.translator import Translator

# What a new Python runs before and while the clock runs, and the milliseconds it may take.
IMPORTS = {
    "import tutorial_lib": ("", "import tutorial_lib", 50),
    "import GPT, torch loaded": ("import torch", "from tutorial_lib.models import GPT", 300),
}


def rows(repeats=20, memory=True):
    """Yield a row for each import, each explorer and the search."""
    for task, (before, timed, goal) in IMPORTS.items():
        yield _row(task, import_time(before, timed, repeats=min(repeats, 5)), goal)
    for task, (make, goal) in TASKS.items():
        yield _row(task, measure.in_turn(_once(make), repeats)["ours"], goal)


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


def translation():
    """Return a function that gives the translation explorer the next text."""
    explorer = TranslationExplorer(Translator.load("de"))
    texts = cycle(("1984-03-21", "999,777", "1899-09-29", "377,777"))
    return lambda: explorer.set_trait("text", next(texts))


def generation():
    """Return a function that gives the generation explorer the next prompt."""
    explorer = GenerationExplorer(load_checkpoint("shakespeare-gpt"), encode, decode)
    prompts = cycle(("x" * 255, "To be, or not to be " * 12))
    return lambda: explorer.set_trait("prompt", next(prompts))


def saturation():
    """Return a function that moves the slider of an explorer that redraws a figure."""
    explorer = SaturationExplorer(n_keys=64)
    widths = cycle(explorer.controls["d"].options)
    return lambda: setattr(explorer.controls["d"], "value", next(widths))


def copies():
    """Return a function that looks for 100 samples in all of Shakespeare."""
    text = load_shakespeare().text
    starts = np.linspace(0, len(text) - 250, 100).astype(int)
    samples = [text[start : start + 250] for start in starts]
    return lambda: longest_copies(samples, text)


TASKS = {
    "explorer: translate a new text": (translation, 500),
    "explorer: read a new prompt": (generation, 500),
    "explorer: redraw a figure": (saturation, 200),
    "100 samples searched in all plays": (copies, 10_000),
}


def _once(make):
    work = {"ours": make()}
    return lambda: work


def _row(task, milliseconds, goal):
    return measure.Row(task, "the goal", milliseconds, goal, target=1.0)


if __name__ == "__main__":
    measure.main(rows, __doc__)
