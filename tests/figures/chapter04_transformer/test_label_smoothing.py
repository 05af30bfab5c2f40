from functools import partial

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.training import warmup_inverse_root


def test_smoothing_shares_a_part_among_all_tokens():
    figure = figures.smoothed_targets(["a", "b", "c", "d"], target=2, smoothing=0.1, title="Soft")
    sharp, smooth = ([bar.get_height() for bar in axes.patches] for axes in figure.axes)
    assert sharp == [0, 0, 1, 0]
    assert smooth == pytest.approx([0.025, 0.025, 0.925, 0.025])
    assert sum(smooth) == pytest.approx(1)
    assert "V = 4" in figure.axes[1].get_title(loc="left")


def test_no_smoothing_leaves_the_target_alone():
    figure = figures.smoothed_targets(["a", "b"], target=0, smoothing=0.0)
    assert [text.get_text() for text in figure.axes[1].texts] == ["1", "0"]


def test_what_cannot_be_smoothed_is_named():
    with pytest.raises(ShapeError, match="target must be from 0 to 1, got 2"):
        figures.smoothed_targets(["a", "b"], target=2)
    with pytest.raises(ValueError, match="smoothing must be at least 0 and below 1, got 1"):
        figures.smoothed_targets(["a", "b"], target=0, smoothing=1.0)


def test_rates_rise_until_the_end_of_the_warm_up():
    schedules = {"D = 512": partial(warmup_inverse_root, d_model=512)}
    figure = figures.learning_rates(schedules, 8000, "Up, then down", marks={"warm-up ends": 4000})
    (axes,) = figure.axes
    steps, rates = axes.lines[0].get_data()
    assert steps[0] == 1
    assert abs(steps[rates.argmax()] - 4000) < 21
    assert {"D = 512", "warm-up ends"} == {text.get_text() for text in axes.texts}
    with pytest.raises(ShapeError, match="at least one step, got 0"):
        figures.learning_rates(schedules, 0)
    with pytest.raises(ShapeError, match="at least one series"):
        figures.learning_rates({}, 10)
