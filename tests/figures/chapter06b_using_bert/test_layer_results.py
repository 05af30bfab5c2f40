import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError

SCORES = {"many": [[0.5, 0.8, 0.7], [0.6, 0.9, 0.6]], "few": [0.5, 0.4, 0.6]}


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
