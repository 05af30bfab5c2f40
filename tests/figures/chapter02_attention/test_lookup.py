import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError

BOOKS = [("animal", "alive", "furry"), ("street", "a place", "long")]


def test_each_book_has_two_arrows_as_wide_as_its_weight():
    axes = figures.ask_match_hand_over("it", "alive?", BOOKS, [0.75, 0.25]).axes[0]
    said = {text.get_text() for text in axes.texts}
    assert {"it asks", "animal", "street", "75%", "25%", "it receives"} <= said
    widths = [p.get_linewidth() for p in axes.patches if type(p).__name__ == "FancyArrowPatch"]
    assert widths == [5.3, 5.3, 2.3, 2.3]


def test_books_without_a_weight_are_refused():
    with pytest.raises(ShapeError, match="2 books need as many weights, got 1"):
        figures.ask_match_hand_over("it", "alive?", BOOKS, [1.0])
