"""The attention explorer's picture view in a real browser, by mouse and by keyboard."""

import pytest
import torch
from browser import changes

from tutorial_lib.datasets import load_mnist
from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.explorers.attention_picture import patch_labels
from tutorial_lib.explorers.packing import as_picture
from tutorial_lib.recipes import load_checkpoint

pytestmark = pytest.mark.slow
PICTURE, LINES = ".tl-picture canvas", ".tl-lines"


@pytest.fixture(scope="module")
def model():
    return load_checkpoint("mnist-vit")


@pytest.fixture
def explorer(open_explorer, model):
    return open_explorer(
        AttentionExplorer.from_pictures(model, load_mnist().test.images[:20], ink=True)
    )


def readout(explorer):
    explorer.settle()
    return explorer.page.inner_text(".tl-readout")


def test_the_picture_stands_in_for_the_lines(explorer):
    page = explorer.page
    assert page.locator(PICTURE).is_visible()
    assert not page.locator(LINES).is_visible()
    assert "“[CLS]” looks" in page.inner_text("figure:nth-of-type(2) .tl-note")
    before = explorer.picture(PICTURE)
    for label in ("Layer", "Head"):
        page.focus(f"input[aria-label={label}]")
        page.keyboard.press("End")
        assert explorer.picture(PICTURE) != before
        before = explorer.picture(PICTURE)
    page.locator("input[aria-label='Hide weights below']").fill("1")
    assert explorer.picture(PICTURE) != before


def test_a_patch_is_chosen_by_mouse_and_by_keyboard(explorer):
    page = explorer.page
    page.hover(PICTURE, position={"x": 100, "y": 60})  # patches are 48 pixels here
    assert "“row 1, column 2” looks most at" in readout(explorer)
    page.mouse.move(1000, 880)
    page.click(PICTURE, position={"x": 10, "y": 330})
    page.mouse.move(1000, 880)
    assert "“row 6, column 0” looks most at" in readout(explorer)
    assert explorer.trait("row") == 1 + 6 * 7
    page.focus(PICTURE)
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    assert "“row 5, column 0” looks most at" in readout(explorer)
    page.keyboard.press("Escape")
    assert explorer.trait("row") == -1
    page.keyboard.press("ArrowRight")
    assert "“row 0, column 0” looks most at" in readout(explorer)


def test_another_picture_is_typed_and_a_head_is_broken(explorer):
    page = explorer.page
    number = page.locator("input[aria-label='Picture number']")
    assert changes(page, ".tl-picture", lambda: number.fill("7"))
    number.fill("seven")
    page.wait_for_selector("text=expected the number of a picture, 0 to 19, got 'seven'")
    number.fill("7")
    page.fill("input[aria-label='Other picture, to patch from']", "2")
    page.wait_for_function("() => kernel.get('other') === '2'")
    page.get_by_role("button", name="Patch it from the other input").click()
    page.wait_for_selector("text=gives what it gave for the other input")
    rows = "document.querySelectorAll('.tl-outputs [role=row]').length"
    page.wait_for_function(f"() => {rows} === 11")  # the heading and ten digits
    assert page.locator("input[aria-label='Second segment']").count() == 0


def test_without_a_class_token_all_patches_look(open_explorer):
    weights = torch.rand(1, 1, 9, 9).softmax(-1)
    picture = as_picture(torch.rand(3, 30, 30), 3, 3)
    explorer = open_explorer(AttentionExplorer(weights, patch_labels(3, 3, False), picture=picture))
    assert "All patches in the mean look" in explorer.page.inner_text("figure:nth-of-type(2)")
