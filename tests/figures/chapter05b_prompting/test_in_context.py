import itertools

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, ORANGE

ROWS = [
    {"seed": seed, "examples": k, "accuracy": k / 4 + 0.1 * seed, "ceiling": 1 - 0.5**k}
    for seed in (0, 1)
    for k in (0, 1, 2)
]
HEADS = [
    {"layer": 0, "head": 0, "ending": 0.05, "without": 0.97},
    {"layer": 1, "head": 1, "ending": 0.6, "without": 0.4},
    {"layer": 2, "head": 0, "ending": 0.3, "without": 0.88},
]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_mean_of_the_seeds_and_their_band():
    figure = figures.examples_curve(ROWS, "More examples, more right")
    (axes,) = figure.axes
    model, told = axes.lines
    assert texts(figure) == ["the model", "ceiling: all they reveal"]
    assert model.get_ydata().tolist() == pytest.approx([0.05, 0.3, 0.55])
    assert told.get_ydata().tolist() == pytest.approx([0, 0.5, 0.75])
    assert told.get_linewidth() > 2 * model.get_linewidth()
    assert told.get_zorder() < model.get_zorder()
    band = axes.collections[0].get_paths()[0].vertices
    assert {round(y, 2) for x, y in band if x == 2} == {0.5, 0.6}
    assert axes.get_title(loc="left") == "More examples, more right"


def test_the_curve_in_words():
    assert figures.describe_examples_curve(ROWS) == (
        "Share of right answers after 0, 1, 2 examples. The model: 0.05, 0.30, 0.55. "
        "Ceiling: all they reveal: 0.00, 0.50, 0.75."
    )


def test_the_steps_of_a_training():
    rows = [{"step": step, "accuracy": step / 100, "ending": 0.2} for step in (50, 100)]
    figure = figures.examples_learned(rows)
    assert texts(figure) == ["right answers", "a head's attention on the endings"]
    assert figure.axes[0].get_xlabel() == "training step"


def test_heads_that_cost_something_have_their_names():
    figure = figures.silenced_heads(HEADS, whole=0.97)
    assert texts(figure) == ["layer 1, head 1", "all heads"]
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [dot.get_color() for dot in dots] == [BLUE, ORANGE, BLUE]
    assert [(dot.get_xdata()[0], dot.get_ydata()[0]) for dot in dots][1] == (0.6, 0.4)
    assert texts(figures.silenced_heads(HEADS[1:], named=0.01)) == ["layer 1, head 1"]


def test_names_of_like_heads_do_not_meet():
    rows = [{"layer": 0, "head": h, "ending": 0.01 * h, "without": 0.3} for h in range(4)]
    rows.append({"layer": 1, "head": 0, "ending": 0.98, "without": 0.3})
    names = figures.silenced_heads(rows, whole=1.0).axes[0].texts[:5]
    heights = sorted(text.get_position()[1] for text in names[:4])
    assert min(b - a for a, b in itertools.pairwise(heights)) > 0.06
    assert {text.get_ha() for text in names[:4]} == {"left"}
    assert names[4].get_ha() == "right"  # it would leave the picture
    assert names[4].get_position() == pytest.approx((0.96, 0.3))


def test_the_heads_in_words():
    assert figures.describe_silenced_heads(HEADS, 0.97) == (
        "With all heads 0.97 right; silent one by one, layer 1, head 1 leaves 0.40; "
        "the others 0.88 to 0.97."
    )


def test_outcomes_fill_a_whole_bar_and_name_the_head_that_is_lit():
    found = {"head 0": {"right": 1, "wrong ending": 3}, "head 1": {"right": 4, "wrong ending": 0}}
    (axes,) = figures.outcomes_by_head(found, lit="head 1").axes
    assert [bar.get_width() for bar in axes.patches] == [0.25, 1.0, 0.75, 0.0]
    assert [bar.get_x() for bar in axes.patches] == [0, 0, 0.25, 1.0]
    assert [label.get_color() == ORANGE for label in axes.get_yticklabels()] == [False, True]
    with pytest.raises(ShapeError, match="at least one head"):
        figures.outcomes_by_head({})


def test_nothing_to_draw_is_named():
    with pytest.raises(ShapeError, match="no rows with accuracy or ceiling"):
        figures.examples_curve([])
    with pytest.raises(ShapeError, match="no rows with accuracy or ceiling"):
        figures.examples_curve([{"examples": 1, "other columns": 2}])
    with pytest.raises(ShapeError, match="no heads"):
        figures.silenced_heads([])
    with pytest.raises(ShapeError, match="one model, got those of 2 seeds"):
        figures.silenced_heads([HEADS[0] | {"seed": seed} for seed in (0, 1)])
