import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError

WEIGHTS = np.array([[0.1, 0.7, 0.2], [0.0, 0.6, 0.3]])
EFFECTS = np.array([[0.0, 0.01, -0.02], [0.005, 0.2, 0.0]])


def test_a_dot_for_each_head_and_names_for_some():
    named = [(0, 1), (1, 1)]
    figure = figures.map_against_effect(WEIGHTS, EFFECTS, "map", "effect", "Title", named)
    axes = figure.axes[0]
    dots = axes.collections[0].get_offsets()
    np.testing.assert_allclose(dots, np.stack([WEIGHTS.ravel(), EFFECTS.ravel()], axis=1))
    assert {text.get_text() for text in axes.texts} == {"L0H1", "L1H1"}


def test_the_alt_text_holds_the_named_heads_and_the_range_of_the_others():
    said = figures.describe_map_against_effect(WEIGHTS, EFFECTS, [(1, 1)])
    assert "6 dots" in said
    assert "L1H1: weight 0.60, effect 0.200" in said
    assert "between -0.020 and 0.010" in said


def test_what_is_left_has_a_dot_for_each_head_but_those_without_a_value():
    second = EFFECTS.copy()
    second[1, 1] = np.nan
    panels = {"one head": EFFECTS, "and L1H1": second}
    figure = figures.what_is_left(panels, 0.1, "turn", "Title", [(0, 1), (1, 1)])
    left, right = figure.axes
    names = [{text.get_text() for text in axes.texts} for axes in (left, right)]
    assert names == [{"L0H1", "L1H1"}, {"L0H1", "all heads at work"}]
    heights = np.concatenate([dots.get_offsets()[:, 1] for dots in left.collections])
    np.testing.assert_allclose(np.sort(heights), np.sort(EFFECTS.ravel()))
    layers = np.concatenate([dots.get_offsets()[:, 0] for dots in left.collections]).round()
    assert sorted(layers) == [0, 0, 0, 1, 1, 1]
    said = figures.describe_what_is_left(panels, 0.1, [(0, 1), (1, 1)])
    assert "one head: L0H1 0.01, L1H1 0.20; the 4 others from -0.02 to 0.01." in said
    assert "and L1H1: L0H1 0.01; the 4 others" in said


def test_panels_of_two_shapes_are_refused():
    with pytest.raises(ShapeError, match="one shape"):
        figures.what_is_left({"a": EFFECTS, "b": EFFECTS[:1]}, 0.1, "turn", "Title")


def test_effects_of_many_sentences_are_rows_of_dots_with_their_mean():
    rows = {"first": [0.3, 0.1, 0.2], "second": [0.0, 0.0, -0.3]}
    axes = figures.effect_spread(rows, "lost", "Title", lit=1).axes[0]
    drawn = np.concatenate([dots.get_offsets() for dots in axes.collections])
    for place, (values, line) in enumerate(zip(rows.values(), axes.lines[1:], strict=True)):
        np.testing.assert_allclose(sorted(drawn[drawn[:, 1].round() == place, 0]), sorted(values))
        np.testing.assert_allclose(line.get_xdata(), [np.mean(values)] * 2)
    assert axes.yaxis_inverted()
    assert "second: mean -0.100, from -0.300 to 0.000" in figures.describe_effect_spread(rows)
    with pytest.raises(ShapeError, match="equally many"):
        figures.effect_spread({"first": [0.3], "second": [0.0, 0.1]}, "lost", "Title")
