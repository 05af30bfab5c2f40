import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

SCORES = {"many": [[0.5, 0.8, 0.7], [0.6, 0.9, 0.6]], "few": [0.5, 0.4, 0.6]}
SENSES = ["river", "money", "river"]
# "bank" starts as one vector and ends as one a sense.
VECTORS = np.array(
    [[[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0], [1.0, 1.0]]]
)  # (2, 3, 2)


def rings(axes):
    return [line.get_xydata()[0].tolist() for line in axes.lines if line.get_label() == "best"]


def test_the_best_layer_of_the_mean_over_seeds_is_ringed():
    (axes,) = figures.layer_scores(SCORES, references={"words": 0.3}, title="The middle").axes
    assert np.allclose(rings(axes), [[1, 0.85], [2, 0.6]])
    assert axes.get_title(loc="left") == "The middle"
    assert axes.get_xlabel().startswith("layer")
    low, high = axes.get_ylim()
    assert low < 0.3
    assert high > 0.9
    words = figures.describe_layer_scores(SCORES, "F1")
    assert words.startswith("F1 by layer")
    assert "many: 0.550, 0.850, 0.650; best at layer 1." in words
    assert "few: 0.500, 0.400, 0.600; best at layer 2." in words


def test_scores_that_are_no_table_are_refused():
    with pytest.raises(ShapeError, match="at least one series"):
        figures.layer_scores({})
    with pytest.raises(ShapeError, match="scores of 'few'"):
        figures.layer_scores({"few": []})


def test_each_sentence_is_compared_with_its_sense_and_with_the_other():
    same, other = figures.sense_similarity(VECTORS, SENSES)
    np.testing.assert_allclose(same, [[1, 1], [0.5**0.5, 0.5**0.5]])  # money is alone
    np.testing.assert_allclose(other, [[1, 1, 1], [0, 0.5**1.5, 0.5**0.5]])


@pytest.mark.parametrize("senses", [["a", "a", "a"], ["a", "b", "c"], ["a", "b"]])
def test_senses_must_leave_pairs_of_both_kinds(senses):
    with pytest.raises(ShapeError, match=r"as many senses|one sense and one of another"):
        figures.sense_similarity(VECTORS, senses)


def test_a_line_is_the_mean_and_the_area_behind_it_the_middle_half():
    (axes,) = figures.word_by_layer(VECTORS, SENSES, title="Apart").axes
    means = axes.lines
    assert len(means) == 2
    assert all(line.get_xdata().tolist() == [0, 1] for line in means)
    areas = [area.get_paths()[0].vertices for area in axes.collections]
    _, other = figures.sense_similarity(VECTORS, SENSES)
    at_one = areas[1][areas[1][:, 0] == 1, 1]
    np.testing.assert_allclose(
        [at_one.min(), at_one.max()], np.percentile(other[1], (25, 75)), atol=1e-6
    )
    np.testing.assert_allclose(means[0].get_ydata(), [1, 0.5**0.5])
    np.testing.assert_allclose(means[1].get_ydata(), [1, 0.5**1.5])
    assert [text.get_text() for text in axes.texts] == ["same sense", "other sense"]
    words = figures.describe_word_by_layer(VECTORS, SENSES, "bank")
    assert "same sense: 1.00, 0.71. other sense: 1.00, 0.35." in words
    assert style.png(axes.figure)
