"""The rotary hands: their score is the library's, and depends on the offset only."""

import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import RotaryHands
from tutorial_lib.positions import rotate


def test_the_score_is_a_product_of_turned_vectors():
    widget = RotaryHands(q=[1, 2, 0.5, -1], k=[0, 1, 2, 1], query=7, key=3)
    words = torch.zeros(8, 4)
    words[7], words[3] = torch.tensor([1, 2, 0.5, -1]), torch.tensor([0, 1, 2, 1])
    turned = rotate(words)
    assert widget.score == pytest.approx((turned[7] @ turned[3]).item() / 2, abs=1e-5)


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match="even width, at most 8, got 3 and 3"):
        RotaryHands([1, 2, 3], [1, 2, 3])
    with pytest.raises(ShapeError, match="got 2 and 4"):
        RotaryHands([1, 2], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="shift must be 0 to 40, got 41"):
        RotaryHands(shift=41)


@pytest.mark.slow
def test_hands_in_the_browser(open_explorer):
    explorer = open_explorer(RotaryHands())
    page = explorer.page
    for label, name in (
        ("Query at position", "query"),
        ("Key at position", "key"),
        ("Move both by", "shift"),
    ):
        control = page.get_by_label(label, exact=True)
        for key in ("Home", "End", "ArrowLeft"):
            control.focus()
            before, picture = explorer.trait("result")["score"], explorer.picture()
            page.keyboard.press(key)
            assert explorer.picture() != picture or key == "Home"
            result = explorer.trait("result")
            assert result["score"] == pytest.approx(explorer.widget.score)
            if name == "shift":  # both hands turn, the angle between them stays
                assert result["score"] == before
    where = f"Query at position {explorer.widget.query + explorer.widget.shift},"
    assert where in page.locator(".tl-readout").inner_text()


@pytest.mark.slow
def test_a_walk_goes_on_until_it_is_stopped(open_explorer):
    explorer = open_explorer(RotaryHands(shift=38))
    page = explorer.page
    page.get_by_role("button").click()
    page.wait_for_function("() => document.querySelector('button').textContent.startsWith('▶')")
    assert explorer.trait("shift") == 40
