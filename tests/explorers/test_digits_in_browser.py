"""Draw-a-digit in a real browser: by mouse, by finger and by keyboard."""

import pytest
from playwright.sync_api import expect

from tutorial_lib.datasets import load_mnist
from tutorial_lib.explorers import DigitExplorer
from tutorial_lib.recipes import load_checkpoint

pytestmark = pytest.mark.slow
PAPER = "canvas.tl-paper"
SEVEN = [(0.25, 0.2), (0.75, 0.2), (0.6, 0.55), (0.45, 0.85)]


@pytest.fixture(scope="module")
def model():
    return load_checkpoint("mnist-vit")


@pytest.fixture
def explorer(open_explorer, model):
    return open_explorer(DigitExplorer(model, load_mnist().test))


def words(explorer):
    explorer.settle()
    return explorer.page.inner_text(".tl-readout")


def draw(explorer, points):
    area = explorer.page.locator(PAPER).bounding_box()
    place = [(area["x"] + x * area["width"], area["y"] + y * area["height"]) for x, y in points]
    mouse = explorer.page.mouse
    mouse.move(*place[0])
    mouse.down()
    for x, y in place[1:]:
        mouse.move(x, y, steps=8)
    mouse.up()
    explorer.settle()


def test_a_digit_drawn_with_the_mouse_is_read(explorer):
    assert words(explorer).startswith("Draw a digit")
    draw(explorer, SEVEN)
    assert words(explorer).startswith("The model reads a 7 with probability 0.9")
    assert len(explorer.widget.strokes) == 1
    blank = explorer.picture(PAPER)
    draw(explorer, [(0.4, 0.55), (0.75, 0.55)])
    assert explorer.picture(PAPER) != blank
    explorer.page.get_by_role("button", name="Undo the last stroke").click()
    assert explorer.picture(PAPER) == blank
    explorer.page.get_by_role("button", name="Clear the paper").click()
    assert words(explorer).startswith("Draw a digit")
    expect(explorer.page.get_by_role("button", name="Clear the paper")).to_be_disabled()


def test_a_click_is_a_dot_and_a_drag_beyond_the_edge_stays_inside(explorer):
    draw(explorer, [(0.5, 0.5)])
    assert words(explorer).startswith("The model reads a")
    draw(explorer, [(0.5, 0.9), (0.5, 3.0)])
    assert explorer.widget.strokes[1][-1][1] == 1


def test_a_test_digit_is_loaded_by_keyboard(explorer):
    page = explorer.page
    page.get_by_role("button", name="Load a test digit: the next one").focus()
    page.keyboard.press("Enter")
    assert "Its label is " in words(explorer)
    assert explorer.widget.example == 0
    page.locator("input.tl-example").fill("999999")
    page.keyboard.press("Enter")
    explorer.settle()
    assert explorer.widget.example == 999
    page.get_by_role("button", name="Load a test digit: the next one").click()
    explorer.settle()
    assert explorer.widget.example == 0  # round the end


def test_the_attention_over_the_picture_follows_layer_and_head(explorer):
    explorer.page.get_by_role("button", name="Load a test digit: the next one").click()
    expect(explorer.page.locator("select[aria-label=Head]")).to_be_disabled()
    seen = {explorer.picture("canvas.tl-seen")}
    for layer in ("0", "2"):
        explorer.page.select_option("select[aria-label=Layer]", layer)
        seen.add(explorer.picture("canvas.tl-seen"))
        for head in ("0", "3"):
            explorer.page.select_option("select[aria-label=Head]", head)
            seen.add(explorer.picture("canvas.tl-seen"))
    assert len(seen) >= 6


def test_the_pen_goes_to_both_ends(explorer):
    draw(explorer, SEVEN)
    for value in ("0.02", "0.2"):
        before = explorer.picture(PAPER)
        explorer.page.locator("input[aria-label=Pen]").fill(value)
        assert explorer.picture(PAPER) != before
        assert words(explorer).startswith("The model reads a")
