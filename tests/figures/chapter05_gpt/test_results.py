import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_times_are_two_lines_over_the_length():
    rows = [(64, 5.0, 2.1), (16, 3.0, 2.0), (256, 12.0, 2.4)]
    figure = figures.cache_times(rows, "The cache keeps it flat")
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["no cache", "cache"]
    assert axes.lines[0].get_xdata().tolist() == [16, 64, 256]
    assert axes.lines[0].get_ydata().tolist() == [3, 5, 12]
    assert axes.lines[1].get_ydata().tolist() == [2.0, 2.1, 2.4]
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylabel() == "milliseconds per token"
    words = figures.describe_cache_times(rows)
    assert words.endswith("after 16, 3 and 2 ms; after 256 tokens, 12 and 2.4 ms.")


def test_one_row_is_enough_and_others_forms_are_refused():
    assert "after 4 tokens, 2 and 1 ms" in figures.describe_cache_times([(4, 2.0, 1.0)])
    with pytest.raises(ShapeError, match="got 2 numbers"):
        figures.cache_times([(1, 2.0)])
    with pytest.raises(ShapeError, match="rows must be a filled array"):
        figures.cache_times([])


def test_copies_are_histograms_on_one_axis():
    lengths = {"samples": [10, 12, 12, 30], "held-out": np.array([9, 11, 40])}
    figure = figures.copied_lengths(lengths, title="No more than he himself")
    shares = [sum(bar.get_height() for bar in axes.patches) for axes in figure.axes]
    np.testing.assert_allclose(shares, 100)
    titles = [axes.texts[0].get_text() for axes in figure.axes]
    assert titles == ["samples: median 12", "held-out: median 11"]
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    assert figure.axes[0].get_title(loc="left") == "No more than he himself"
    assert "(characters)" in figure.axes[-1].get_xlabel()
    words = figures.describe_copied_lengths(lengths, "words")
    assert "in words. samples: median 12, from 10 to 30 (4 texts); held-out: median 11" in words


def test_equal_lengths_can_be_drawn():
    figure = figures.copied_lengths({"samples": [7, 7]})
    assert [bar.get_height() for bar in figure.axes[0].patches if bar.get_height()] == [100]


def test_nothing_to_draw_is_named():
    with pytest.raises(ShapeError, match="at least one row"):
        figures.copied_lengths({})
    with pytest.raises(ShapeError, match="lengths of 'samples' must be a filled array"):
        figures.copied_lengths({"samples": []})
