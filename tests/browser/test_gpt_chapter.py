"""Chapter 05 in JupyterLab: the generation explorer writes, by keyboard, with every control."""

import pytest
from browser import changes

pytestmark = pytest.mark.slow
NAME = "05_gpt.ipynb"
ROOT = ".tl-generation"
SLIDERS = ("Top-k", "Top-p", "Temperature")
ODD_PROMPTS = ("", "\n\n", "😀 שלום 中", "<script>alert(1)</script>", "so " * 3_000)


def test_the_explorer(open_notebook):
    lab = open_notebook(NAME, theme="dark", width=1400, height=1300)
    lab.run_all()
    page = lab.page
    explorer = lab.show(ROOT)

    def press(control, key):
        page.focus(f"{ROOT} {control}")
        page.keyboard.press(key)

    write_one = "button[aria-label='Write one token']"
    for _ in range(3):
        assert changes(page, ROOT, lambda: press(write_one, "Enter"))
    for label in SLIDERS:
        for key in ("End", "Home"):
            control = f"input[aria-label='{label}']"
            assert changes(page, ROOT, lambda c=control, k=key: press(c, k)), (label, key)
    assert "greedy" in explorer.inner_text()
    press("input[aria-label='Keep keys and values (cache)']", "Space")
    assert changes(page, ROOT, lambda: press(write_one, "Enter"))
    assert "without cache" in explorer.inner_text()
    for prompt in ODD_PROMPTS:
        assert changes(page, ROOT, lambda text=prompt: page.fill(f"{ROOT} textarea", text)), prompt
        page.wait_for_timeout(500)
    lab.screenshot("05_generation_dark", explorer)
    assert lab.complaints() == []
