import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

BOOK = {"Ada": 3, "Leo": 0, "Kim": 8}


def test_each_name_asked_for_has_one_colour_in_question_line_and_answer():
    texts = figures.phone_book_task(BOOK, ["Kim", "Ada"], "Title").axes[0].texts
    coloured = [(text.get_text(), to_hex(text.get_color())) for text in texts]
    for name, number, colour in (("Kim", "8", style.BLUE), ("Ada", "3", style.ORANGE)):
        assert coloured.count((name, to_hex(colour))) == 2
        assert coloured.count((number, to_hex(colour))) == 2
    assert ("Leo", to_hex(style.INK)) in coloured
    assert [text.get_text() for text in texts][-2:] == ["8", "3"]


def test_a_name_that_is_not_in_the_book_is_refused():
    with pytest.raises(ShapeError, match="no line for Joy"):
        figures.phone_book_task(BOOK, ["Joy", "Ada"], "Title")
