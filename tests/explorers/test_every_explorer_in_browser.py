"""What every explorer keeps to, each on one plain page: what a move costs (`make bench` prints the
milliseconds), room, both palettes, names for all controls, and that it lets go of the kernel."""

import os

import pytest
from moves import MOVES
from page_checks import faint, unreachable

pytestmark = pytest.mark.slow
LARGEST = 2_000  # bytes: what was moved, what the page computed, a typed text; never maps
WIDTHS = (1300, 760, 500)
WIDE = {"sinusoids"}  # on a narrow page it is scrolled
# JupyterLab takes the arrow keys of a control without this mark for itself.
UNMARKED = """() => [...document.querySelectorAll("input, select, textarea, canvas[tabindex]")]
  .filter((node) => !node.hasAttribute("data-lm-suppress-shortcuts")).map((n) => n.outerHTML)"""
# Tables and grids without column headings, and headings that do not say of what.
NO_HEADINGS = """() => [
  ...[...document.querySelectorAll("table, [role=table], [role=grid]")]
    .filter((table) => table.querySelector("[role=row], tr")
      && !table.querySelector("th[scope=col], [role=row] > [role=columnheader]")),
  ...document.querySelectorAll("th:not([scope])"),
].map((node) => node.outerHTML.slice(0, 200))"""
COLOURS = """() => [getComputedStyle(document.querySelector(".tl-explorer")).color,
  ...[...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL())].join()"""


@pytest.mark.parametrize("name", MOVES)
def test_it_keeps_the_rules(open_explorer, name):
    make, controls = MOVES[name]
    explorer = open_explorer(make())
    page = explorer.page
    for control in controls:
        one, many = (explorer.cost(control, turns) for turns in (1, 9))
        assert len(one["sent"]) <= 1, control
        assert max(one["sent"], default=0) <= LARGEST, control
        assert one["drawings"] <= 1, control
        assert many["drawings"] <= 1, control  # however many moves come, each frame draws once
        if control == "textarea":  # Python is asked when typing rests
            assert len(many["sent"]) == 1
    assert unreachable(page) == []
    assert page.evaluate(UNMARKED) == []
    assert page.evaluate(NO_HEADINGS) == []

    root = page.locator(".tl-explorer")
    for width in WIDTHS[:2] if name in WIDE else WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        explorer.settle()
        assert root.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 0, width
    page.set_viewport_size({"width": 1100, "height": 900})
    pictures = []
    for dark in (False, True, False):
        explorer.use_theme(dark)
        assert faint(page) == []
        pictures.append(page.evaluate(COLOURS))
        if folder := os.environ.get("TUTORIAL_SCREENSHOTS"):
            file = f"{name.replace(', ', '_').replace(' ', '_')}-{'dark' if dark else 'light'}.png"
            root.screenshot(path=f"{folder}/{file}")
    assert pictures[0] == pictures[2] != pictures[1]

    page.evaluate("window.cleanup()")
    assert page.evaluate("window.kernel.listening()") == 0
