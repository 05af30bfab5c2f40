"""The explorer of windows: what it takes, where its controls stop, and that the page counts as
`interpret.reach` does."""

import random
from importlib.resources import files

import numpy as np
import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import WindowsExplorer
from tutorial_lib.interpret import reach


def test_every_control_stops_at_both_ends():
    explorer = WindowsExplorer(np.zeros((3, 40, 60), dtype=np.float32), patch_size=10)
    ends = {"layers": (0, 8), "window": (2, 8), "row": (0, 3), "column": (0, 5)}
    for name, (low, high) in ends.items():
        for value, kept in ((-5, low), (10**30, high)):
            explorer.set_state({name: value})
            assert getattr(explorer, name) == kept, name


@pytest.mark.parametrize(
    ("image", "patch_size", "message"),
    [
        (torch.zeros(40, 40), 10, "image must be"),
        (torch.zeros(3, 40, 45), 10, "do not fill"),
        (torch.zeros(3, 10, 40), 10, "2 to 64 patches"),
        (torch.zeros(3, 10, 650), 5, "2 to 64 patches"),
        (torch.full((3, 40, 40), torch.nan), 10, "finite"),
    ],
)
def test_what_does_not_fit(image, patch_size, message):
    with pytest.raises(ShapeError, match=message):
        WindowsExplorer(image, patch_size=patch_size)


def test_its_words_count_what_it_shows():
    explorer = WindowsExplorer(torch.zeros(3, 40, 60), patch_size=5, layers=3, window=2)
    assert f"{int(explorer.seen.sum())} after 3 layers" in explorer.describe()


@pytest.mark.slow
def test_the_page_counts_as_python_does(chromium):
    draw = random.Random(0)
    states = []
    for _ in range(300):
        state = {"rows": draw.randint(2, 24), "columns": draw.randint(2, 24)}
        state |= {"side": draw.randint(2, 8), "layers": draw.randint(0, 8)}
        state |= {"shift": draw.random() < 0.7, "merge": draw.random() < 0.5}
        state |= {"row": draw.randrange(state["rows"]), "column": draw.randrange(state["columns"])}
        states.append(state)
    code = (files("tutorial_lib.explorers") / "assets" / "windows_reach.js").read_text("utf-8")
    page = chromium.new_page()
    each = "states.map((s) => reached(s, s.layers, s.row, s.column))"
    found = page.evaluate(f"(states) => {{ {code}\nreturn {each}; }}", states)
    page.close()
    for state, box in zip(states, found, strict=True):
        names = ("rows", "columns", "side", "layers", "row", "column", "shift", "merge")
        seen = reach(*(state[name] for name in names))
        wanted = torch.zeros_like(seen)
        wanted[box["top"] : box["bottom"], box["left"] : box["right"]] = True
        assert torch.equal(seen.bool(), wanted.bool()), state
        assert box["count"] == int(seen.sum())
