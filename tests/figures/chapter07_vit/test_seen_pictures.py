import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter07_vit.seen_pictures import MODES, similarity_maps
from tutorial_lib.figures.style import ORANGE
from tutorial_lib.interpret import SeenPicture, patch_similarity


def seen(name, rows, columns, seed=0):
    generator = torch.Generator().manual_seed(seed)
    attention = torch.full((2, rows, columns), 0.001)
    attention[1, 1, 2] = 0.5
    return SeenPicture(
        name,
        torch.rand(3, 14 * rows, 14 * columns, generator=generator),
        torch.randn(rows, columns, 6, generator=generator),
        attention,
    )


PAIR = [seen("one", 3, 4), seen("two", 2, 7, seed=1)]


def test_similarity_maps_are_rows_of_the_similarity():
    within, across = similarity_maps(PAIR, 1, 1, 3)
    patches = [picture.patches.flatten(0, 1) for picture in PAIR]
    assert np.allclose(within.ravel(), patch_similarity(patches[1], patches[0])[10])
    assert np.allclose(across.ravel(), patch_similarity(patches[1])[10])
    assert across[1, 3] == pytest.approx(1)


def test_the_title_names_the_best_match_and_the_patch_is_orange():
    figure = figures.seen_pictures(PAIR, picture=0, row=2, column=1)
    alike = similarity_maps(PAIR, 0, 2, 1)[1]
    row, column = np.unravel_index(alike.argmax(), alike.shape)
    wanted = f"row {row}, column {column} of two, cosine {alike.max():.2f}"
    assert figure.get_suptitle() == f"Most like row 2, column 1 of one: {wanted}"
    assert wanted in figures.describe_seen_pictures(PAIR, picture=0, row=2, column=1)
    pixel = figure.axes[0].images[0].get_array()[2 * 14 + 7, 14 + 7]
    assert np.abs(pixel - to_rgb(ORANGE)).max() < 0.1
    assert [axes.get_title(loc="center") for axes in figure.axes] == ["one", "two"]


def test_attention_is_strongest_where_it_is():
    figure = figures.seen_pictures(PAIR, MODES[2], head=1)
    picture = figure.axes[1].images[0].get_array()
    assert np.abs(picture[14 + 7, 2 * 14 + 7] - to_rgb(ORANGE)).max() < 0.1
    assert "0.500 at row 1, column 2 of two" in figures.describe_seen_pictures(
        PAIR, MODES[2], head=1
    )


def test_components_are_one_colour_a_patch():
    figure = figures.seen_pictures(PAIR, MODES[1])
    assert [axes.images[0].get_array().shape for axes in figure.axes] == [(3, 4, 3), (2, 7, 3)]
    assert "principal components" in figures.describe_seen_pictures(PAIR, MODES[1])


def test_a_figure_is_used_again():
    figure = figures.seen_pictures(PAIR)
    assert figures.seen_pictures(PAIR, MODES[1], figure=figure) is figure
    assert len(figure.axes) == 2


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"row": 3}, "one has 3 x 4 patches, got row 3, column 0"),
        ({"column": -1}, "got row 0, column -1"),
        ({"mode": MODES[2], "head": 2}, "head must lie between 0 and 1, got 2"),
        ({"mode": "colours"}, "mode must be one of 'similar patches', .* got 'colours'"),
    ],
)
def test_states_that_are_refused(state, message):
    with pytest.raises((ShapeError, ValueError), match=message):
        figures.seen_pictures(PAIR, **state)
    with pytest.raises(ShapeError, match="expected two pictures, got 1"):
        figures.seen_pictures(PAIR[:1])
