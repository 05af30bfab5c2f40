import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import CARD, INK, PALE_BLUE, PALE_GREEN, PALE_ORANGE

SHOWN = ["so", "[MASK]", "cat", "wit"]
WAS = ["so", "it", "is", "wit"]
SAYS = ["a", "it", "was", "wit"]


def test_what_is_right_is_green_and_what_is_wrong_has_the_true_word_beside_it():
    (axes,) = figures.restored(SHOWN, WAS, SAYS, [1, 2], "Two of four").axes
    texts = {text.get_text(): text for text in axes.texts}
    assert {*SHOWN, "it", "was (is)"} == set(texts)  # nothing below what was not asked about
    fills = [to_hex(texts[token].get_bbox_patch().get_facecolor()) for token in SHOWN]
    assert fills == [CARD, PALE_GREEN, PALE_ORANGE, CARD]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "put right",
        "not put right",
        "thick frame: exchanged for another token",
    ]
    assert "“it”: it; “is”: was" in figures.describe_restored(SHOWN, WAS, SAYS, [1, 2])
    with pytest.raises(ShapeError, match="4 tokens shown, 3 true"):
        figures.restored(SHOWN, WAS[1:], SAYS, [1])


def test_a_token_left_as_it_was_is_no_success_and_an_exchanged_one_is_framed():
    (axes,) = figures.restored(SHOWN, WAS, SAYS, [1, 2, 3]).axes
    chips = {text.get_text(): text.get_bbox_patch() for text in axes.texts[:-1]}
    assert to_hex(chips["cat"].get_edgecolor()) == INK
    assert to_hex(chips["[MASK]"].get_edgecolor()) != INK
    chosen = next(text for text in axes.texts if text.get_text() == "wit").get_bbox_patch()
    assert to_hex(chosen.get_facecolor()) == PALE_BLUE


def test_each_loss_has_a_scale_of_its_own_with_its_guess_on_it():
    words, pairs = figures.two_losses([10, 20], [7.0, 5.3], [0.7, 0.69], 5.8, "It learns").axes
    assert words.get_ylim()[0] > 4
    assert pairs.get_ylim()[1] < 1
    assert [text.get_text() for text in words.texts] == ["a guess by frequency"]
    assert words.lines[1].get_ydata()[0] == 5.8
