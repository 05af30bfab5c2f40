import numpy as np

from tutorial_lib import figures

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
