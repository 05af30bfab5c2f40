"""Chapter 08b's own figures: maps with one scale, and what is new in a T5."""

import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_all_maps_share_one_scale_and_one_bar():
    figure = figures.added_beside({"a": torch.eye(3), "b": -4 * torch.eye(3)}, "Added")
    left, right, bar = figure.axes
    assert left.images[0].get_clim() == right.images[0].get_clim() == (-4, 4)
    assert [left.get_title(), right.get_title(), bar.get_ylim()] == ["a", "b", (-4, 4)]
    for maps in ({}, {"a": torch.ones(2, 3)}):
        with pytest.raises(ShapeError, match="square"):
            figures.added_beside(maps)


def test_rows_stand_apart():
    plain = figures.heat_map(torch.eye(2), "ab", "cd", "x").axes[0]
    apart = figures.heat_map(torch.eye(2), "ab", "cd", "x", apart=1).axes[0]
    assert not plain.lines
    assert list(apart.lines[0].get_ydata()) == [0.5, 0.5]
