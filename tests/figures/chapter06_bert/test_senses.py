import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

SENSES = ["river", "money", "river"]
# "bank" starts as one vector and ends as one a sense.
VECTORS = np.array(
    [[[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0], [1.0, 1.0]]]
)  # (2, 3, 2)


def test_each_sentence_is_compared_with_its_sense_and_with_the_other():
    same, other = figures.sense_similarity(VECTORS, SENSES)
    np.testing.assert_allclose(same, [[1, 1], [0.5**0.5, 0.5**0.5]])  # money is alone
    np.testing.assert_allclose(other, [[1, 1, 1], [0, 0.5**1.5, 0.5**0.5]])


@pytest.mark.parametrize("senses", [["a", "a", "a"], ["a", "b", "c"], ["a", "b"]])
def test_senses_must_leave_pairs_of_both_kinds(senses):
    with pytest.raises(ShapeError, match=r"as many senses|one sense and one of another"):
        figures.sense_similarity(VECTORS, senses)


def test_one_line_is_the_mean_of_its_own_sense_and_one_of_the_other():
    (axes,) = figures.word_by_layer(VECTORS, SENSES, title="Apart").axes
    assert all(line.get_xdata().tolist() == [0, 1] for line in axes.lines)
    one, two = (line.get_ydata() for line in axes.lines)
    np.testing.assert_allclose(one, [1, 0.5**0.5])
    np.testing.assert_allclose(two, [1, 0.5**1.5])
    assert [text.get_text() for text in axes.texts] == ["same sense", "other sense"]
    words = figures.describe_word_by_layer(VECTORS, SENSES, "bank")
    assert "same sense: 1.00, 0.71. other sense: 1.00, 0.35." in words
    assert style.png(axes.figure)
