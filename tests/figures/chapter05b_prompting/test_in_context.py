import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError

ROWS = [
    {"seed": seed, "examples": k, "accuracy": k / 4 + 0.1 * seed, "ceiling": 1 - 0.5**k}
    for seed in (0, 1)
    for k in (0, 1, 2)
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


def test_nothing_to_draw_is_named():
    with pytest.raises(ShapeError, match="no rows with accuracy or ceiling"):
        figures.examples_curve([])
    with pytest.raises(ShapeError, match="no rows with accuracy or ceiling"):
        figures.examples_curve([{"examples": 1, "other columns": 2}])
