"""The walk explorer's script in a real browser, moved by mouse and by keyboard."""

import pytest
import torch
from playwright.sync_api import expect

from tutorial_lib.explorers import WalkExplorer
from tutorial_lib.interpret import trace
from tutorial_lib.models import BERT, BERTConfig

pytestmark = pytest.mark.slow
TOKENS = ["[CLS]", "<script>boom()</script>", "שלום", ""]
VALUES = ".tl-values canvas"


@pytest.fixture
def explorer(open_explorer):
    torch.manual_seed(0)
    config = BERTConfig(vocab_size=3000, context=8, d_model=96, n_layers=2, n_heads=4)
    return open_explorer(WalkExplorer(trace(BERT(config), torch.tensor([[2900, 5, 7, 3]])), TOKENS))


def text(explorer, selector):
    explorer.settle()
    return explorer.page.inner_text(selector)


def test_the_walk_goes_from_ids_to_the_output_by_buttons_and_keys(explorer):
    assert text(explorer, "h4") == "token ids"
    assert "2900" in text(explorer, ".tl-readout")
    before = explorer.picture(VALUES)
    explorer.page.get_by_role("button", name="Next").click()
    assert text(explorer, "h4") == "token embedding"
    assert explorer.picture(VALUES) != before
    explorer.page.focus("input[aria-label=Step]")
    explorer.page.keyboard.press("End")
    assert text(explorer, "h4") == "output"
    expect(explorer.page.get_by_role("button", name="Next")).to_be_disabled()
    explorer.page.keyboard.press("Home")
    assert text(explorer, "h4") == "token ids"
    expect(explorer.page.get_by_role("button", name="Back")).to_be_disabled()


def test_every_step_is_drawn_without_an_error(explorer):
    for step in range(len(explorer.widget.steps)):
        explorer.receive(step=step)
        assert text(explorer, "h4") == explorer.widget.steps[step]["name"]
        assert text(explorer, ".tl-formula")
        assert text(explorer, "[aria-current=step]") == explorer.widget.steps[step]["label"]


def test_the_map_jumps_to_a_step(explorer):
    explorer.page.get_by_role("button", name="layer 1").click()
    assert text(explorer, "h4") == "layer 1 queries"
    explorer.page.get_by_role("button", name="weights").click()
    explorer.settle()
    assert explorer.widget.steps[explorer.widget.step]["name"] == "layer 1 weights"


def test_head_and_token_change_the_picture(explorer):
    explorer.page.get_by_role("button", name="layer 1").click()
    for label in ("Head", "Token"):
        before = explorer.picture(VALUES)
        explorer.page.focus(f"input[aria-label={label}]")
        explorer.page.keyboard.press("ArrowRight")
        assert explorer.picture(VALUES) != before
    assert text(explorer, ".tl-readout").startswith("Head 1, “<script>boom()</script>”, column 0:")


def test_a_number_is_read_out_on_hover_and_by_arrow_keys(explorer):
    explorer.page.get_by_role("button", name="layer 0").click()
    explorer.page.focus(VALUES)
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        explorer.page.keyboard.press(key)
    assert "column 2" in text(explorer, ".tl-readout")
    box = explorer.page.locator(VALUES).bounding_box()
    explorer.page.hover(VALUES, position={"x": box["width"] * 0.8, "y": 30})
    assert "column 2:" not in text(explorer, ".tl-readout")


def test_tokens_are_text_and_a_cut_is_noted(explorer):
    explorer.receive(step=len(explorer.widget.steps) - 1)
    assert explorer.page.locator("#root script").count() == 0
    assert explorer.page.locator("text=Only the first 64 of 96 columns are shown.").is_visible()


def test_a_slider_without_its_axis_is_off_and_nothing_moves(open_explorer):
    generator = torch.Generator().manual_seed(0)
    values = {
        "layer 0 weights": ("B H T S", torch.rand(1, 2, 4, 4, generator=generator)),
        "sentence vector": ("B D", torch.rand(1, 96, generator=generator)),
        "word similarity": ("B T V", torch.rand(1, 4, 500, generator=generator)),
    }
    records = [
        {"name": name, "axes": axes, "formula": "", "values": numbers}
        for name, (axes, numbers) in values.items()
    ]
    vocabulary = [f"word {i}" for i in range(500)]
    explorer = open_explorer(WalkExplorer(records, TOKENS, vocabulary, token=2), width=700)
    tops, off = [], []
    for step in range(3):
        explorer.receive(step=step)
        tops.append(explorer.page.locator("h4").bounding_box()["y"])
        labels = ("Head", "Token")
        boxes = [explorer.page.locator(f"input[aria-label={label}]") for label in labels]
        assert all(box.is_visible() for box in boxes)
        off.append([box.is_disabled() for box in boxes])
        if step == 0:  # opens where the token looks most
            most = int(values["layer 0 weights"][1][0, 0, 2].argmax())
            assert f"“{TOKENS[most]}”:" in text(explorer, ".tl-readout")
        if step == 1:
            assert text(explorer, ".tl-readout").startswith("column 0: 0.")
    assert off == [[False, False], [True, True], [True, False]]
    assert len(set(tops)) == 1
    best = int(values["word similarity"][1][0, 2].argmax())
    assert text(explorer, ".tl-readout").startswith(f"“שלום”, “word {best}”: 0.99")
