"""Chapter 05b in JupyterLab: the heads of the in-context model, by keyboard, in both themes."""

import pytest
from browser import changes, quickest

pytestmark = pytest.mark.slow
NAME = "05b_prompting.ipynb"
ROOT = ".tl-attention"
HEAD = f"{ROOT} input[aria-label=Head]"
LAYER = f"{ROOT} input[aria-label=Layer]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_explorer(open_notebook, theme, capsys):
    lab = open_notebook(NAME, theme=theme, width=1400, height=1300)
    lab.run_all()
    page = lab.page
    explorer = lab.show(ROOT)
    for control in (HEAD, LAYER):
        page.focus(control)
        page.keyboard.press("Home")
        for key in ("ArrowRight", "End"):
            assert changes(page, ROOT, lambda k=key: page.keyboard.press(k)), (control, key)
    page.focus(HEAD)
    page.keyboard.press("ArrowLeft")  # layer 2, head 2: it looks at the ending that tells
    lab.screenshot(f"05b_induction_{theme}", explorer)
    milliseconds = quickest(page, HEAD, 50)
    with capsys.disabled():
        print(f"\nchapter 05b, {theme}: attention {milliseconds:.0f} ms")
    assert lab.complaints() == []
    assert milliseconds < 50
