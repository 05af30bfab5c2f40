import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import spread_apart
from tutorial_lib.figures.style import BLUE, ORANGE, png


def texts(axes):
    return [text.get_text() for text in axes.texts]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(0.01, 0.3))
def test_spread_apart_leaves_gaps_and_keeps_the_order(wanted, gap):
    placed = spread_apart(wanted, gap)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(placed[order]) >= gap - 1e-9).all()


def test_spread_apart_leaves_alone_what_does_not_collide():
    np.testing.assert_allclose(spread_apart([0.9, 0.1, 0.5], 0.2), [0.9, 0.1, 0.5])


def test_line_chart_names_each_line_at_its_end():
    series = {"a": ([1, 2], [1.0, 2.0]), "b": ([1, 2], [1.0, float("nan")])}
    figure = figures.line_chart(series, "x", "y", "title", references={"chance": 0.5})
    (axes,) = figure.axes
    assert texts(axes) == ["chance", "a", "b"]
    assert [line.get_ydata()[0] for line in axes.lines[:2]] == [1, 1]


def test_line_chart_marks_the_measured_places_on_a_log_axis():
    figure = figures.line_chart(
        {"a": ([4, 64], [1, 2])},
        "x",
        "y",
        "t",
        log_x=True,
        log_y=True,
        bands={"a": ([1, 1], [2, 3])},
    )
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["4", "64"]


def test_a_log_axis_upwards_has_plain_numbers():
    figure = figures.line_chart({"a": ([1, 2], [0.01, 10])}, "x", "y", "t", log_y=True)
    png(figure)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert {"0.01", "0.1", "1", "10"} <= set(labels)


@pytest.mark.parametrize(
    ("heights", "some"),
    [
        ([3, 2000], {"10", "100", "1,000"}),
        ([0.03, 0.9], {"0.05", "0.1", "0.5"}),  # few powers of ten are inside
        ([1.5, 2.4], {"1.6", "2"}),  # none is
    ],
)
def test_a_log_axis_upwards_has_numbers_for_any_range(heights, some):
    figure = figures.line_chart({"a": ([1, 2], heights)}, "x", "y", "t", log_y=True)
    png(figure)
    (axes,) = figure.axes
    labels = {label.get_text() for label in axes.get_yticklabels()}
    assert some <= labels
    assert not any("$" in label for label in labels)
    assert not any(label.get_text() for label in axes.get_yticklabels(minor=True))


def test_crowded_places_on_a_log_axis_have_no_label_of_their_own():
    places = [1000, 1024, 1130, 2000, 7400, 8100, 8192]
    figure = figures.line_chart({"a": (places, range(7))}, "x", "y", "t", log_x=True)
    png(figure)
    labels = figure.axes[0].get_xticklabels()
    assert [label.get_text() for label in labels] == ["1,000", "2,000", "8,192"]
    ends = [label.get_window_extent() for label in labels]
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(ends))


@pytest.mark.parametrize("log_y", [False, True])
def test_names_at_the_ends_stay_inside_the_figure(log_y):
    series = {f"run {i}": ([0, 5000], [9.0, 2.0 + i / 100]) for i in range(5)}
    figure = figures.line_chart(series, "x", "y", "t", log_y=log_y)
    png(figure)
    (axes,) = figure.axes
    width, height = figure.canvas.get_width_height()
    assert axes.get_window_extent().width > width / 2
    for name in axes.texts:
        box = name.get_window_extent()
        assert [box.x0, box.y0] == pytest.approx([max(box.x0, 0), max(box.y0, 0)])
        assert [box.x1, box.y1] == pytest.approx([min(box.x1, width), min(box.y1, height)])


def test_line_chart_says_what_does_not_fit():
    with pytest.raises(ShapeError, match="'a' has 2 x values but 3 y values"):
        figures.line_chart({"a": ([1, 2], [1, 2, 3])}, "x", "y", "t")
    with pytest.raises(ShapeError, match="at least one series"):
        figures.line_chart({}, "x", "y", "t")


def test_bar_chart_writes_the_numbers():
    figure = figures.bar_chart({"a": 1234, "b": -2}, "n", "t", spans={"b": (-3, -1)}, lit=["b"])
    assert texts(figure.axes[0]) == ["1.23e+03", "-2"]
    with pytest.raises(ShapeError, match="at least one bar"):
        figures.bar_chart({}, "n", "t")


def test_bars_may_have_colours():
    axes = figures.bar_chart({"a": 1, "b": 2, "c": 3}, "n", "t", lit="c", colours={"b": "k"}).axes
    fills = [to_hex(bar.get_facecolor()) for bar in axes[0].patches]
    assert fills == [BLUE, "#000000", ORANGE]


def test_a_figure_is_drawn_again_in_place():
    first = figures.bar_chart({"a": 1}, "n", "t")
    assert figures.bar_chart({"a": 1, "b": 2}, "n", "t", figure=first) is first
    assert len(first.axes) == 1


def test_a_reference_is_named_where_no_curve_begins_or_where_it_is_asked_for():
    def side(begin, **options):
        series = {"loss": ([1, 2, 3], [begin, 1.0, 0.0])}
        figure = figures.line_chart(series, "x", "y", "", references={"floor": 2.0}, **options)
        (name,) = (text for text in figure.axes[0].texts if text.get_text() == "floor")
        return name.get_ha()

    assert side(4.0) == "left"
    assert side(2.1) == "right"
    assert side(4.0, named_right=["floor"]) == "right"


def test_what_is_gained_stands_on_the_line_between_two_dots():
    ends = [{"mean": m, "lowest": m - 0.1, "highest": m + 0.1} for m in (0.5, 0.92, 0.06, 0.54)]
    found = {"all heads": ends[:2], "16 others": ends[2:]}
    (axes,) = figures.gains(found, "As much", names=("none", "four"), lit=["16 others"]).axes
    assert [t.get_text() for t in axes.texts][::3] == ["+0.42", "+0.48"]
    assert [label.get_color() == ORANGE for label in axes.get_yticklabels()] == [False, True]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["none", "four"]
    with pytest.raises(ShapeError, match="at least one row"):
        figures.gains({})


def test_two_dots_that_nearly_meet_share_one_number():
    (axes,) = figures.gains({"a table": (0.289, 0.284)}, "No gain", form="{:.3f}").axes
    assert [text.get_text() for text in axes.texts] == ["0.289 → 0.284"]


def test_what_is_lost_has_a_minus_sign():
    (axes,) = figures.gains({"found": (0.5, 0.2)}, "Less").axes
    assert [text.get_text() for text in axes.texts] == ["−0.30", "0.50", "0.20"]
