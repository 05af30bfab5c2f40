"""Chapter 03 in JupyterLab: its explorers by keyboard, in both themes."""

import pytest
from browser import changes, measure

pytestmark = pytest.mark.slow
NAME = "03_positional_encoding.ipynb"
WIDTH = ".tl-sinusoids input[aria-label='Width d']"
SHIFT = ".tl-schemes input[aria-label='Shift both by']"
TRAINED = ".tl-schemes >> nth=1"  # the one with the numbers of section 3.9
MADE_UP = "made up"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_explorers(open_notebook, theme, capsys):
    lab = open_notebook(NAME, theme=theme, width=1400, height=1300)
    lab.run_all()
    page, press = lab.page, lab.page.keyboard.press
    times = {}
    for name, root, control in (
        ("sinusoids", ".tl-sinusoids", WIDTH),
        ("schemes", ".tl-schemes", SHIFT),
    ):
        explorer = lab.show(root)
        lab.screenshot(f"03_{name}_{theme}", explorer)
        page.focus(control)
        assert changes(page, root, lambda: press("ArrowRight"))
        times[name] = min(measure(page, control) for _ in range(3))
    trained = page.locator(TRAINED)
    lab.screenshot(f"03_trained_{theme}", trained)
    page.focus(f"{TRAINED} >> input[aria-label='Head']")
    assert changes(page, TRAINED, lambda: press("ArrowRight"))
    assert MADE_UP in page.locator(".tl-schemes").first.inner_text()
    assert MADE_UP not in trained.inner_text()
    with capsys.disabled():
        print(f"\n{theme}: " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in times.items()))
    assert max(times.values()) < 50
    assert lab.complaints() == []
