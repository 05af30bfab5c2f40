import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_effects_of_many_sentences_are_rows_of_dots_with_their_mean():
    rows = {"first": [0.3, 0.1, 0.2], "second": [0.0, 0.0, -0.3]}
    axes = figures.effect_spread(rows, "lost", "Title", lit=1, lit_name="ours").axes[0]
    drawn = np.concatenate([dots.get_offsets() for dots in axes.collections])
    for place, (values, line) in enumerate(zip(rows.values(), axes.lines[1:], strict=True)):
        np.testing.assert_allclose(sorted(drawn[drawn[:, 1].round() == place, 0]), sorted(values))
        np.testing.assert_allclose(line.get_xdata(), [np.mean(values)] * 2)
    assert axes.yaxis_inverted()
    assert [text.get_text() for text in axes.texts] == ["ours"]
    assert axes.texts[0].xy[0] == 0.1
    assert "second: mean -0.100, from -0.300 to 0.000" in figures.describe_effect_spread(rows)
    with pytest.raises(ShapeError, match="equally many"):
        figures.effect_spread({"first": [0.3], "second": [0.0, 0.1]}, "lost", "Title")
