"""Matching patches in a real browser: by mouse and by keyboard."""

import pytest
import torch
from playwright.sync_api import expect

from tutorial_lib.explorers import PatchMatcher
from tutorial_lib.explorers.patch_matches import MODES
from tutorial_lib.interpret import SeenPicture, patch_similarity

pytestmark = pytest.mark.slow
FIRST, SECOND = ("figure:nth-of-type(1) canvas", "figure:nth-of-type(2) canvas")


def seen(name, rows, columns, seed):
    generator = torch.Generator().manual_seed(seed)
    return SeenPicture(
        name,
        torch.rand(3, 14 * rows, 14 * columns, generator=generator),
        torch.randn(rows, columns, 16, generator=generator),
        torch.rand(3, rows, columns, generator=generator) / 40,
    )


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(PatchMatcher([seen("one", 6, 6, 0), seen("<b>two</b>", 3, 6, 1)]))


def words(explorer):
    explorer.answered()
    return explorer.page.inner_text(".tl-readout")


def test_a_click_shows_what_is_like_the_patch(explorer):
    before = [explorer.picture(canvas) for canvas in (FIRST, SECOND)]
    explorer.page.locator(FIRST).click(position={"x": 336 * 4.5 / 6, "y": 336 * 2.5 / 6})
    said = words(explorer)
    assert (explorer.widget.picture, explorer.widget.row, explorer.widget.column) == (0, 2, 4)
    one, two = (picture.patches.flatten(0, 1) for picture in explorer.widget.seen)
    alike = patch_similarity(one[2 * 6 + 4][None], two)[0]
    row, column = divmod(int(alike.argmax()), 6)
    assert f"row {row}, column {column} of <b>two</b> (green), cosine {alike.max():.2f}" in said
    assert "Under the pointer, row 2, column 4 of one: cosine 1.00." in said
    assert all(explorer.picture(c) != b for c, b in zip((FIRST, SECOND), before, strict=True))
    assert max(explorer.page.evaluate("sent")) < 100


def test_arrow_keys_move_the_patch_and_stop_at_the_edges(explorer):
    page = explorer.page
    page.locator(SECOND).focus()
    for key, times in (("ArrowRight", 9), ("ArrowDown", 9)):
        for _ in range(times):
            page.keyboard.press(key)
    assert "row 2, column 5 of <b>two</b> (black)" in words(explorer)
    assert (explorer.widget.picture, explorer.widget.row, explorer.widget.column) == (1, 2, 5)
    for key in ("ArrowLeft", "ArrowUp") * 9:
        page.keyboard.press(key)
    assert "row 0, column 0 of <b>two</b> (black)" in words(explorer)
    page.locator(FIRST).focus()
    page.keyboard.press("ArrowDown")
    assert "row 1, column 0 of one (black)" in words(explorer)


def test_components_and_attention(explorer):
    page = explorer.page
    head = page.locator("input[aria-label=Head]")
    expect(head).to_be_disabled()
    pictures = {explorer.picture(SECOND)}
    page.select_option("select[aria-label=Show]", MODES[1])
    assert "principal components" in words(explorer)
    pictures.add(explorer.picture(SECOND))
    page.select_option("select[aria-label=Show]", MODES[2])
    expect(head).to_be_enabled()
    for value in ("0", "2"):
        head.fill(value)
        said = words(explorer)
        weights = explorer.widget.seen[0].attention[int(value)]
        row, column = divmod(int(weights.argmax()), 6)
        assert f"In head {value}" in said
        assert f"row {row}, column {column} of one ({weights.max():.3f})" in said
        pictures.add(explorer.picture(SECOND))
    assert len(pictures) == 4
    assert explorer.widget.head == 2
    assert explorer.widget.mode == MODES[2]


def test_python_moves_it_too(explorer):
    explorer.receive(mode=MODES[0], picture=1, row=1, column=3)
    assert "row 1, column 3 of <b>two</b> (black)" in words(explorer)
