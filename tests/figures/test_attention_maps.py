import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

ODD = ["a$b$", "<script>", "x" * 60]
WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [0.1, 0.1, 0.8]])


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_small_matrix_shows_its_numbers():
    axes = figures.attention_matrix(WEIGHTS, list("abc")).axes[0]
    assert texts(axes)[:3] == ["0.70", "0.20", "0.10"]
    assert axes.get_ylabel() == "looks (query)"
    assert not texts(figures.attention_matrix(WEIGHTS, list("abc"), numbers=False).axes[0])


def test_a_matrix_can_say_what_its_rows_add_up_to():
    axes = figures.attention_matrix([[0.2, 0.1], [0.3, 0.7]], ["a", "b"], sums=True).axes
    (right,) = (child for child in axes[0].child_axes)
    assert [label.get_text() for label in right.get_yticklabels()] == ["0.30", "1.00"]
    assert axes[1].get_ylabel() == "weight"


def test_tensors_with_a_batch_axis_are_fine():
    tensor = torch.tensor(WEIGHTS)[None, None].requires_grad_()
    image = figures.attention_matrix(tensor, list("abc")).axes[0].images[0]
    assert np.allclose(image.get_array(), WEIGHTS)


def test_lines_below_the_threshold_are_left_out():
    every = figures.attention_lines(WEIGHTS, list("abc"), threshold=0.05).axes[0]
    strong = figures.attention_lines(WEIGHTS, list("abc"), threshold=0.5).axes[0]
    assert (len(every.patches), len(strong.patches)) == (7, 3)


def test_a_focus_leaves_one_rows_lines_and_writes_their_weights():
    axes = figures.attention_lines(WEIGHTS, list("abc"), focus=0).axes[0]
    assert len(axes.patches) == 3
    assert {"0.70", "0.20", "0.10"} <= set(texts(axes))


def test_the_grid_has_one_small_matrix_for_each_head():
    maps = np.tile(WEIGHTS, (2, 4, 1, 1))
    figure = figures.head_grid(maps, chosen=(1, 2))
    framed = [axes for axes in figure.axes if axes.patches]
    assert len(figure.axes) == 9  # eight heads, and the bar of colours
    assert figure.axes[8].get_ylabel() == "weight"
    assert framed == [figure.axes[6]]
    assert len(figures.head_grid(list(maps[:, None])).axes) == 9


@pytest.mark.parametrize("draw", [figures.attention_matrix, figures.attention_lines])
def test_odd_labels_are_drawn_and_a_figure_is_used_again(draw):
    figure = draw(WEIGHTS, ODD, title="first")
    first = style.png(figure)
    again = draw(WEIGHTS.T, ODD, title="second", figure=figure)
    assert again is figure
    assert style.png(figure) != first


@pytest.mark.parametrize("draw", [figures.attention_matrix, figures.attention_lines])
def test_wrong_shapes_are_named(draw):
    with pytest.raises(ShapeError, match=r"must be \(T, S\) and not empty, got shape \(3,\)"):
        draw(WEIGHTS[0], list("abc"))
    with pytest.raises(ShapeError, match="3 x 3, but there are 2 row labels"):
        draw(WEIGHTS, list("ab"))


def test_the_grid_and_the_focus_check_too():
    with pytest.raises(ShapeError, match=r"\(L, H, T, S\)"):
        figures.head_grid(WEIGHTS)
    with pytest.raises(ShapeError, match="focus must be a row from 0 to 2, got 3"):
        figures.attention_lines(WEIGHTS, list("abc"), focus=3)


def test_a_map_can_be_read_aloud():
    assert figures.describe_attention(WEIGHTS, list("abc"), focus=0, top=2) == (
        "a looks at a 0.70, b 0.20."
    )
    assert figures.describe_attention(WEIGHTS, list("abc")).count("looks at") == 3


def test_two_texts_side_by_side():
    panels = [([[1.0, 0.0], [0.4, 0.6]], ["too", "wide"], 1), ([[1.0]], ["it"], 0)]
    left, right = figures.attention_lines_beside(panels, "Two texts").axes
    assert (len(left.patches), len(right.patches)) == (2, 1)
    assert "0.60" in {text.get_text() for text in left.texts}
    named = figures.attention_lines_beside(panels, "T", ["a", "b"], [style.BLUE, style.ORANGE])
    assert [axes.get_title() for axes in named.axes] == ["a", "b"]
    edges = [axes.patches[0].get_edgecolor()[:3] for axes in named.axes]
    assert edges == [to_rgb(style.BLUE), to_rgb(style.ORANGE)]
    with pytest.raises(ShapeError, match="at least one panel"):
        figures.attention_lines_beside([])


def test_maps_side_by_side_are_on_one_scale():
    maps = {"as it is": np.full((3, 3), 1 / 3), "causal": np.eye(3)}
    figure = figures.attention_matrices_beside(maps, list("abc"), "Title")
    *places, bar = figure.axes
    assert bar.get_ylabel() == "weight"
    for axes, weights in zip(places, maps.values(), strict=True):
        np.testing.assert_allclose(axes.images[0].get_array(), weights)
        assert axes.images[0].get_clim() == (0, 1)
        assert not axes.patches
    framed = figures.attention_matrices_beside(maps, list("abc"), "Title", framed=1)
    assert [axes.patches[0].get_y() for axes in framed.axes[:2]] == [0.5, 0.5]
    with pytest.raises(ShapeError, match="row labels"):
        figures.attention_matrices_beside(maps, list("ab"))
