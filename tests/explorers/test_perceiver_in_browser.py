"""The explorers of a Perceiver in a browser: by mouse and by keyboard."""

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from tutorial_lib.explorers import LatentExplorer, ZoomExplorer
from tutorial_lib.interpret import SeenLatents

pytestmark = pytest.mark.slow


def seen():
    """Latent i reads pixel i of 2 x 3 alone, and is asked by pixel i of 3 x 3 alone."""
    reads = torch.eye(6).view(1, 6, 2, 3)
    asks = torch.eye(9)[:6].view(6, 3, 3)
    return SeenLatents("<b>six</b>", torch.rand(2, 3), reads, torch.rand(3, 3), asks)


def test_a_click_anywhere_chooses_the_latent(open_explorer):
    explorer = open_explorer(LatentExplorer([seen()]))
    read, thumbs, answer = (explorer.page.locator("canvas").nth(i) for i in range(3))
    read.click(position={"x": 370 * 5 / 6, "y": 370 * 3 / 4})
    explorer.answered()
    assert explorer.widget.latent == 5
    readout = explorer.page.locator(".tl-readout")
    expect(readout).to_contain_text("Latent 5 reads most at row 1, column 2: 6.0 times")
    answer.click(position={"x": 176 / 2, "y": 176 / 2})
    expect(readout).to_contain_text("Latent 4 reads")
    thumbs.click(position={"x": 60, "y": 20})
    expect(readout).to_contain_text("Latent 1 reads")
    for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
        thumbs.press(key)
    expect(readout).to_contain_text("Latent 5 reads")
    assert max(explorer.page.evaluate("sent")) < 100


def test_the_glass_is_dragged_and_stays_inside(open_explorer):
    answers = {4: np.eye(4), 8: np.eye(8)}
    picture = {"name": "<i>x</i>", "read": np.eye(2), "true": np.eye(4), "answers": answers}
    explorer = open_explorer(ZoomExplorer([picture], zoom=4.0))
    page = explorer.page
    box = page.locator("canvas").nth(2).bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] - 900, box["y"] + 60, steps=5)
    page.mouse.up()
    explorer.answered()
    assert explorer.widget.x == pytest.approx(1 - 0.5 / 4)
    assert 0.5 < explorer.widget.y < 0.6
    page.locator("canvas").first.press("ArrowLeft")
    explorer.answered()
    assert explorer.widget.x == pytest.approx(1 - 0.5 / 4 - 0.1 / 4)
    page.get_by_label("Points asked for").press("ArrowRight")
    expect(page.locator("figcaption").nth(2)).to_have_text("Asked: 8 × 8")
    expect(page.locator(".tl-readout")).to_contain_text("64 queries")
    expect(page.locator(".tl-readout")).to_contain_text("2 × 2 of the answers")
