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


def test_the_two_means_and_the_marked_sentence():
    (axes,) = figures.word_by_layer(VECTORS, SENSES, title="Apart").axes
    assert all(line.get_xdata().tolist() == [0, 1] for line in axes.lines)
    one, two = (line.get_ydata() for line in axes.lines)
    np.testing.assert_allclose(one, [1, 0.5**0.5])
    np.testing.assert_allclose(two, [1, 0.5**1.5])
    assert [text.get_text() for text in axes.texts] == ["same sense", "other sense"]
    words = figures.describe_word_by_layer(VECTORS, SENSES, "bank")
    assert "same sense: 1.00, 0.71. other sense: 1.00, 0.35." in words
    assert style.png(axes.figure)


def test_a_marked_sentence_is_named_at_its_own_line():
    vectors = [[[3, 0], [3, 1], [0, 3], [1, 3]], [[3, 0], [3, 2], [0, 3], [1, 3]]]
    (axes,) = figures.word_by_layer(vectors, ["a", "a", "b", "b"], marked={2: "this one"}).axes
    same, _ = figures.sense_similarity(vectors, ["a", "a", "b", "b"])
    (thin,) = [line for line in axes.lines if line.get_linewidth() == 1]
    np.testing.assert_allclose(thin.get_ydata(), same[:, 2])
    (label,) = [text for text in axes.texts if text.get_text() == "this one"]
    assert label.xy == (1, same[1, 2])
    with pytest.raises(ShapeError, match="alone with its sense"):
        figures.word_by_layer(vectors, ["a", "b", "b", "b"], marked={2: "no"})
