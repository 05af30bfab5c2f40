import pytest

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter06_bert.filling import describe_filling_up, filling_up

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
