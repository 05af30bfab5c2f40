"""Chapter 05 in JupyterLab: both generation explorers move, the full one writes, is steered as it
writes, and stops; the logit lens moves."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
ROOT = ".tl-generation:not(.tl-simple)"  # the one with every knob
SIMPLE = ".tl-generation.tl-simple"
EXPLORERS = {
    "generation_simple": (SIMPLE, "input[aria-label=Temperature]", "ArrowRight"),
    "generation": (ROOT, "input[aria-label=Temperature]", "ArrowRight"),
    "logit_lens": (".tl-logit-lens", "canvas", "ArrowLeft"),
}
WRITTEN = f"document.querySelectorAll('{ROOT} .tl-text [data-index]').length"
STOP = f"{ROOT} button[aria-label='Stop writing']"


def test_the_explorer(open_chapter):
    lab = open_chapter("05_gpt.ipynb", EXPLORERS)
    page = lab.page
    opening = lab.show(SIMPLE)  # a prompt, one knob, bars: no cache, no cuts
    for words in ("Cache", "without cache", "cut away"):
        expect(opening).not_to_contain_text(words, use_inner_text=True)
    explorer = lab.show(ROOT)
    write_one = explorer.get_by_role("button", name="Step: write one token")
    write_one.focus()
    assert changes(page, ROOT, lambda: page.keyboard.press("Enter"))

    page.click(f"{ROOT} button[aria-label='Run: write token after token']")
    page.wait_for_function(f"() => {WRITTEN} >= 20")
    # While it runs a slider is heard, and so is the cache.
    page.focus(f"{ROOT} input[aria-label=Temperature]")
    page.keyboard.press("ArrowRight")
    page.uncheck(f"{ROOT} input[type=checkbox]")
    now = page.evaluate(WRITTEN)
    page.wait_for_function(f"() => {WRITTEN} >= {now + 40}")
    page.click(STOP)
    page.wait_for_function(f"() => document.querySelector({STOP!r}).disabled")
    lab.settle()
    stopped = page.evaluate(WRITTEN)
    assert lab.messages(lambda: page.wait_for_timeout(300)) == []  # nothing more is asked for
    assert page.evaluate(WRITTEN) == stopped
    assert "without cache" in page.inner_text(f"{ROOT} .tl-stats >> nth=1")
    assert "temperature 0.95" in page.inner_text(f"{ROOT} figure:nth-of-type(1)")
    lab.screenshot("05_generation_written", explorer)

    page.fill(f"{ROOT} textarea", "JULIET.\nO")
    expect(explorer.locator(".tl-prompt")).to_have_text("JULIET.\nO", use_inner_text=True)
    assert lab.complaints() == []
