import math

import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.positions_products import mean_by_step
from tutorial_lib.figures.style import png
from tutorial_lib.positions import sinusoidal, sinusoidal_grid


@pytest.mark.parametrize(("n", "d"), [(1, 2), (20, 128), (128, 512)])
def test_the_table_is_the_one_of_the_library(n, d):
    np.testing.assert_allclose(figures.position_table(n, d), sinusoidal(n, d), atol=1e-6)


@pytest.mark.parametrize("d", [0, 3, -2])
def test_an_odd_width_is_refused(d):
    with pytest.raises(ShapeError, match=f"even width and a position, got 4 x {d}"):
        figures.position_table(4, d)


def test_wavelengths_run_from_2_pi_to_just_under_10000_times_as_much():
    turns = figures.wavelengths(512) / (2 * math.pi)
    assert turns[0] == pytest.approx(1)
    assert round(turns[-1]) == 9647
    np.testing.assert_allclose(turns[1:] / turns[:-1], 10_000 ** (1 / 256))


@pytest.mark.parametrize(
    ("d", "n", "expected"), [(128, 20, 26), (512, 20, 104), (128, 3, 0), (4, 128, 2)]
)
def test_moving_columns_are_those_that_complete_half_a_wave(d, n, expected):
    assert figures.moving_columns(d, n) == expected
    half_waves = np.repeat(figures.wavelengths(d), 2) / 2
    assert (half_waves <= n).sum() == expected


@pytest.mark.parametrize("n", [1, 2, 13, 128])
def test_binary_digits_add_up_to_the_position(n):
    digits = figures.binary_digits(n)
    np.testing.assert_array_equal(digits @ 2 ** np.arange(digits.shape[1]), np.arange(n))


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"d_model": 4, "n_positions": 2, "position": 1, "column": 3},
        {"d_model": 512, "n_positions": 128, "base": 10, "position": 0},
        {"d_model": 16, "n_positions": 20, "base": 1_000_000, "column": 15},
    ],
)
def test_sinusoid_map_draws_and_describes_every_state(state):
    figure = figures.sinusoid_map(**state, title="A finding")
    assert png(figure).startswith(b"\x89PNG")
    assert figure.get_suptitle() == "A finding"
    words = figures.describe_sinusoids(**state)
    assert ("binary." in words) == ("position" in state)
    assert ("The wave of column" in words) == ("column" in state)


def test_sinusoid_map_names_a_place_outside():
    with pytest.raises(ShapeError, match="position 32 is not shown: there are 32"):
        figures.sinusoid_map(position=32)
    with pytest.raises(ShapeError, match="column -1 is not shown: there are 128"):
        figures.sinusoid_map(column=-1)


def test_products_depend_on_the_offset_only():
    figure = figures.position_products(32, 16, rows=(2, 9))
    first, second = figure.axes[1].lines[:2]
    ways = [dict(zip(*line.get_data(), strict=True)) for line in (first, second)]
    for offset in set(ways[0]) & set(ways[1]):
        assert ways[0][offset] == pytest.approx(ways[1][offset])
    with pytest.raises(ShapeError, match=r"positions below 16, got \(16,\)"):
        figures.position_products(32, 16, rows=(16,))


def test_the_turns_of_a_shift_are_those_of_the_vectors():
    words = figures.describe_rotation(16, (2, 9), 3)
    assert "From position 2 to 5 and from 9 to 12" in words
    table = figures.position_table(13, 16)
    for pair, turn in enumerate([171.9, 54.4, 17.2, 5.4, 1.7]):
        assert f"pair {pair} turns by {turn}°" in words
        for start in (2, 9):
            a, b = (table[at, 2 * pair : 2 * pair + 2] for at in (start, start + 3))
            assert math.degrees(math.acos(a @ b)) == pytest.approx(turn, abs=0.06)
    assert png(figures.shift_rotation()).startswith(b"\x89PNG")
    assert len(figures.shift_rotation(4, (1,), 2).axes) == 2


def test_a_cell_is_most_like_itself():
    grid = {"1-D": sinusoidal(24, 16), "2-D": torch.nn.Parameter(sinusoidal_grid(4, 6, 16))}
    figure = figures.grid_similarity(grid, 4, 6, cells=[(1, 2)])
    for axes in figure.axes[:2]:
        alike = axes.images[0].get_array()
        assert alike[1, 2] == pytest.approx(1) == alike.max()
    with pytest.raises(ShapeError, match=r"'1-D' must hold 25 vectors, got shape \(24, 16\)"):
        figures.grid_similarity(grid, 5, 5)
    with pytest.raises(ShapeError, match="cells must lie in a grid of 4 x 6"):
        figures.grid_similarity(grid, 4, 6, cells=[(4, 0)])


def test_the_mean_of_each_step_is_that_of_its_pairs():
    cells = np.arange(12.0)  # 3 rows of 4
    found = mean_by_step(cells[:, None] * 100 + cells, 3, 4)  # 100 here + there
    assert found.shape == (3, 5)
    rows, columns = np.meshgrid(range(3), range(4), indexing="ij")
    for row, column in ((0, 0), (1, -2), (-1, 1), (0, 2)):
        there = [
            100 * (r * 4 + c) + (r + row) * 4 + c + column
            for r, c in zip(rows.ravel(), columns.ravel(), strict=True)
            if 0 <= r + row < 3 and 0 <= c + column < 4
        ]
        assert found[1 + row, 2 + column] == pytest.approx(np.mean(there))


def test_steps_have_a_map_a_table_and_the_ring_is_step_0():
    waves = sinusoidal(12, 8)
    figure = figures.step_similarity({"1-D": waves, "again": waves}, 3, 4)
    maps = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title(loc="left") for axes in maps] == ["1-D", "again"]
    assert maps[0].images[0].get_array()[1, 2] == pytest.approx(1)
    assert maps[0].patches[0].get_xy() == (-0.5, -0.5)  # the middle is framed, not coloured
