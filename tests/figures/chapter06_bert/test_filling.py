import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.filling import (
    describe_filling_orders,
    describe_filling_up,
    filling_orders,
    filling_up,
)

PASSES = ["[MASK] hundert [MASK]", "[MASK] hundert zwei", "drei hundert zwei"]


def test_the_word_that_is_new_in_a_pass_is_bold():
    (axes,) = filling_up(PASSES, "A number").axes
    words = [text for text in axes.texts if text.get_text() not in ("before", "pass 1", "pass 2")]
    bold = [text.get_text() for text in words if text.get_fontweight() == "bold"]
    assert [text.get_text() for text in words] == " ".join(PASSES).split()
    assert bold == ["zwei", "drei"]


def test_a_text_without_a_pass_is_described():
    assert describe_filling_up(["[MASK] zwei"]) == "One gap at first. At the end: [MASK] zwei."


@pytest.mark.parametrize("passes", [[], [""], ["[MASK] [MASK]", "zwei"]])
def test_texts_of_different_lengths_are_refused(passes):
    for draw in (filling_up, describe_filling_up):
        with pytest.raises(ShapeError, match="texts of one length"):
            draw(passes)


ORDERS = {
    "from the left": ["[MASK] [MASK]", "hundert [MASK]", "hundert zwei"],
    "surest first": ["[MASK] [MASK]", "[MASK] zwei", "drei zwei"],
}
SHARES = {
    "BERT": {"from the left": 0.25, "surest first": 1},
    "yours": {"from the left": 0.5, "surest first": 0.75},
}


def test_right_words_are_green_and_wrong_ones_amber_each_with_its_pass():
    (axes,) = filling_orders("three two", ORDERS, "drei zwei", SHARES).axes
    words = [text.get_text() for text in axes.texts]
    assert words[:3] == ["three two", "BERT", "yours"]
    assert words[3:10] == ["from the left", "hundert", "pass 1", "zwei", "pass 2", "0.25", "0.50"]
    assert words[10:] == ["surest first", "drei", "pass 2", "zwei", "pass 1", "1.00", "0.75"]
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    edges = [to_hex(box.get_edgecolor()) for box in boxes]
    assert edges == [style.AMBER, style.GREEN, style.GREEN, style.GREEN]


def test_each_model_has_a_column_of_bars_in_its_colour():
    colours = {"yours": style.ORANGE}
    (axes,) = filling_orders("three two", ORDERS, "drei zwei", SHARES, colours=colours).axes
    bars = [bar for bar in axes.patches if bar.get_height() == pytest.approx(0.24)]
    found = [(to_hex(bar.get_facecolor()), round(bar.get_width(), 2)) for bar in bars]
    blue, orange = style.BLUE, style.ORANGE
    assert found == [(blue, 0.25), (orange, 0.5), (blue, 1.0), (orange, 0.75)]


def test_orders_are_described_with_their_title():
    said = describe_filling_orders("three two", ORDERS, "drei zwei", SHARES, "In order")
    assert said.startswith("In order. Asked: three two. Wanted: drei zwei.")
    assert "From the left: hundert (pass 1) zwei (pass 2); BERT 0.25, yours 0.50 right." in said


@pytest.mark.parametrize(
    ("orders", "wanted", "shares", "complaint"),
    [
        ({}, "drei", {}, "at least one order"),
        (ORDERS, "drei", SHARES, "filling_orders needs texts of one length"),
        ({"at once": ["[MASK] zwei"]}, "drei zwei", {}, "without a gap at the end"),
        (ORDERS, "drei zwei", {"BERT": {"surest first": 1}}, "a share from 0 to 1"),
        (ORDERS, "drei zwei", {"BERT": SHARES["BERT"] | {"surest first": 1.5}}, "from 0 to 1"),
    ],
)
def test_orders_that_cannot_be_drawn_are_refused(orders, wanted, shares, complaint):
    for draw in (filling_orders, describe_filling_orders):
        with pytest.raises(ShapeError, match=complaint):
            draw("three two", orders, wanted, shares)
