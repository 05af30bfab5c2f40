"""The explorers of chapter 10 in a browser: by mouse, by keyboard, and with odd input."""

import re

import numpy as np
import pytest
import torch
from browser import changes
from moves import attention_regions, code_book, emoji_finder, made_up_scene
from page_checks import kernel_is_done, typed
from playwright.sync_api import expect

from tutorial_lib.explorers import CodeBookExplorer, RegionExplorer

pytestmark = pytest.mark.slow
# A slider that is pulled through some values at once.
SLIDE = """(node, values) => values.forEach((value) => {
  node.value = value;
  node.dispatchEvent(new Event("input", { bubbles: true }));
})"""


def test_a_phrase_finds_pictures_and_a_picture_says_its_name(open_explorer):
    explorer = open_explorer(emoji_finder())
    page = explorer.page
    found = page.locator(".tl-found")
    expect(found).to_have_count(10)
    first = explorer.widget.names[explorer.widget.found[0][0]]
    name = found.first.locator(".tl-name")
    expect(name).to_be_hidden()
    found.first.focus()
    expect(page.locator("output")).to_contain_text(f"1: {first}, ")
    expect(found.first).to_have_accessible_name(re.compile(rf"1 ?: {first}, score 0"))
    colour = """(canvas) => [...canvas.getContext("2d").getImageData(36, 36, 1, 1).data]"""
    assert found.first.locator("canvas").evaluate(colour)[3] == 255  # something is painted
    page.get_by_role("button", name="music").click()
    kernel_is_done(page)
    assert page.locator("textarea").input_value() == "music"
    expect(page.locator("[role=status] b")).to_have_text("music")
    page.get_by_label("Show all names").check()
    expect(name).to_be_visible()


def test_odd_phrases_are_shown_as_they_are(open_explorer):
    explorer = open_explorer(emoji_finder())
    page = explorer.page
    asked = page.locator("[role=status] b")
    for text in ("<script>document.title = 'boom'</script>", "שלום עולם", "👩‍👩‍👧"):
        typed(page, text)
        expect(asked).to_have_text(text)
    assert page.title() != "boom"
    typed(page, "")
    expect(page.locator(".tl-found")).to_have_count(0)
    expect(page.get_by_text("Type something: 40 pictures are waiting.")).to_be_visible()
    page.locator("textarea").fill("cat " * 100)
    expect(page.get_by_text("Only the first 300 characters are kept.")).to_be_visible()
    page.wait_for_function("() => kernel.get('request').text.length === 300")
    kernel_is_done(page)
    assert len(explorer.widget.text) == 300


def pointing():
    """Head 1 of layer 1 points from the word cat to the left region, from dog to the right one."""
    scene = made_up_scene(6, 2) | {"boxes": [[0, 0, 0.4, 1], [0.6, 0, 1, 1]]}
    weights = np.full((2, 3, 8, 8), 1 / 8)
    weights[1, 1, 2], weights[1, 1, 5] = np.eye(8)[6], np.eye(8)[7]
    weights[1, 1, 7] = np.eye(8)[5]
    return scene | {"weights": weights, "names": ["<b>left</b>", "right"]}


def test_words_and_regions_by_mouse_and_by_keyboard(open_explorer):
    explorer = open_explorer(RegionExplorer([pointing()], layer=1, head=1, chosen=2))
    page, readout = explorer.page, explorer.page.locator(".tl-readout")
    picture = page.locator(".tl-scene canvas")
    expect(readout).to_contain_text("“cat” looks most at the region “<b>left</b>”: 1.000. 100 %")
    page.get_by_role("button", name="dog").click()
    expect(readout).to_contain_text("“dog” looks most at the region “right”: 1.000")
    page.get_by_role("button", name="dog").press("Home")
    expect(readout).to_contain_text("The word “[CLS]” looks")
    page.keyboard.press("ArrowRight")
    explorer.answered()
    assert explorer.widget.chosen == 1
    picture.click(position={"x": 300, "y": 100})
    expect(readout).to_contain_text("The region “right” looks most at the word “dog”: 1.000")
    assert page.get_by_role("button", name="dog").get_attribute("title") == "1.000"
    picture.press("ArrowLeft")
    expect(readout).to_contain_text("The region “<b>left</b>”")
    picture.press("Escape")
    expect(readout).to_contain_text("The word “a”")
    page.get_by_label("Show").select_option("what looks at it")
    expect(readout).to_contain_text("gets most from")
    page.get_by_label("Measure at").select_option("right")
    page.get_by_label("Show").select_option("what it looks at")
    expect(readout).to_contain_text("At “right” it is 0.125, number 1 of 2 regions")
    grid = page.locator(".tl-grid canvas")
    assert changes(page, ".tl-grid", lambda: grid.press("ArrowUp"))
    explorer.answered()
    assert explorer.widget.layer == 0


def test_a_word_is_dragged_to_a_region(open_explorer):
    explorer = open_explorer(RegionExplorer([pointing()], layer=1, head=1))
    page = explorer.page
    word = page.get_by_role("button", name="cat").bounding_box()
    area = page.locator(".tl-scene canvas").bounding_box()
    start = (word["x"] + 10, word["y"] + 10)
    for x, target in ((0.9, 1), (0.1, 0), (0.5, 0)):  # between the regions nothing is measured
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(area["x"] + x * area["width"], area["y"] + 50, steps=4)
        expect(page.locator(".tl-ghost")).to_have_text("cat")
        page.mouse.up()
        explorer.answered()
        expect(page.locator(".tl-ghost")).to_be_hidden()
        assert (explorer.widget.chosen, explorer.widget.target) == (2, target)
    said = page.locator(".tl-readout")
    expect(said).to_contain_text("At “<b>left</b>” it is 1.000, number 1 of 2 regions")
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(area["x"] + 20, area["y"] + 50, steps=3)
    page.evaluate("window.cleanup()")  # in the middle of it
    page.mouse.up()
    assert page.locator(".tl-ghost").is_hidden()


def test_a_head_is_silenced_and_repaired(open_explorer):
    scene = pointing()

    def silence(number, layer, head):
        weights = scene["weights"].copy()
        weights[layer, head] = 0
        return {"outputs": [("<i>it matches</i>", 0.75, 0.5)], "weights": weights}

    explorer = open_explorer(RegionExplorer([scene], silence, layer=1, chosen=2))
    page, readout = explorer.page, explorer.page.locator(".tl-readout")
    assert page.get_by_role("button", name="Silence a head: choose one").is_disabled()
    page.get_by_label("Head", exact=True).fill("1")
    page.get_by_role("button", name="Silence head 1 of layer 1").click()
    expect(page.locator("tbody tr")).to_have_text("<i>it matches</i>0.7500.500-0.250")
    expect(readout).to_contain_text("Nothing: all weights are 0 here.")
    page.get_by_role("button", name="Repair").click()
    expect(page.locator("tbody tr")).to_have_count(0)
    expect(readout).to_contain_text("“cat” looks most at")


def test_lines_and_regions_stand_side_by_side(open_explorer):
    explorer = open_explorer(attention_regions())
    page = explorer.page
    picture = page.locator(".tl-picture canvas")
    assert page.locator(".tl-lines").is_visible()
    assert "Picture of regions" in picture.get_attribute("aria-label")
    (left, top, *_), _ = explorer.widget.panels[0]["picture"]["boxes"]
    picture.hover(position={"x": 336 * left + 5, "y": 336 * top + 5})
    expect(page.locator(".tl-readout")).to_contain_text("“a dog” looks most at")
    picture.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    explorer.answered()
    assert explorer.widget.row == 5
    page.keyboard.press("ArrowLeft")
    explorer.answered()
    assert explorer.widget.row == 4


def test_a_code_is_swapped_and_decoded_once(open_explorer):
    calls = []

    def decode(codes):
        calls.append(codes.clone())
        greys = codes[:, None].float().repeat(1, 3, 1, 1) / 9
        return greys.repeat_interleave(4, 2).repeat_interleave(4, 3)

    codes = torch.arange(8).view(2, 2, 2)
    pictures = decode(codes)
    calls.clear()
    explorer = open_explorer(CodeBookExplorer(pictures, codes, decode, 10, ["<b>one</b>", "two"]))
    page, readout = explorer.page, explorer.page.locator(".tl-readout")
    expect(readout).to_contain_text("Row 0, column 0 holds code 0. It is in 1 cell, in 1 of 2")
    boards = page.locator(".tl-panes canvas")
    boards.nth(1).click(position={"x": 200, "y": 30})
    expect(readout).to_contain_text("Row 0, column 1 holds code 1.")
    boards.first.press("ArrowDown")
    expect(readout).to_contain_text("Row 1, column 1 holds code 3.")
    assert len(calls) == 1
    made = explorer.picture(".tl-panes figure:nth-of-type(3) canvas")
    put = page.get_by_label("Code in the cell")
    put.evaluate(SLIDE, [4, 5, 6, 7, 8])
    expect(readout).to_contain_text("held code 3 and now holds 8")
    expect(readout).to_contain_text("1 code is swapped, and the picture has changed in 1 of 4")
    assert len(calls) == 2
    assert calls[-1].flatten().tolist() == [0, 1, 2, 8]
    assert explorer.picture(".tl-panes figure:nth-of-type(3) canvas") != made
    page.get_by_role("button", name="Put all back").click()
    expect(readout).to_contain_text("holds code 3.")
    explorer.answered()
    assert explorer.widget.swaps == {}
    book = page.locator(".tl-book canvas")
    book.click(position={"x": 5, "y": 5})  # all used codes are used once: the first is code 0
    expect(readout).to_contain_text("held code 3 and now holds 0")
    expect(readout).to_contain_text("1 code is swapped")
    page.locator("select").select_option("two")
    expect(readout).to_contain_text("holds code 7.")
    explorer.answered()
    assert explorer.widget.swaps == {}


def test_the_same_code_elsewhere_is_one_click_away(open_explorer):
    codes = np.zeros((3, 2, 2), int)
    codes[1, 1, 1] = codes[2, 0, 1] = 1
    explorer = open_explorer(
        CodeBookExplorer(np.ones((3, 3, 4, 4)), codes, lambda c: torch.ones(1, 3, 4, 4), 2,
                         picture=1, row=1, column=1)
    )  # fmt: skip
    page, readout = explorer.page, explorer.page.locator(".tl-readout")
    expect(readout).to_contain_text("It is in 2 cells, in 2 of 3 pictures.")
    expect(page.get_by_text("1 other picture has code 1")).to_be_visible()
    page.locator(".tl-others canvas").click(position={"x": 30, "y": 30})
    explorer.answered()
    assert (explorer.widget.picture, explorer.widget.row, explorer.widget.column) == (2, 0, 1)
    others = page.locator(".tl-others canvas")
    others.press("ArrowRight")
    others.press("Enter")
    explorer.answered()
    assert explorer.widget.picture == 1


def test_an_error_of_the_decoder_is_told(open_explorer):
    widget = code_book()
    explorer = open_explorer(widget)
    widget.decode = lambda codes: codes
    explorer.page.locator("select").select_option("picture 3")
    expect(explorer.page.get_by_role("alert")).to_contain_text("decode must give finite pixels")
