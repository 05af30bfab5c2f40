import pytest
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter07_vit.patch_looks import PatchGrid, add_key, draw_look
from tutorial_lib.models.patches import cut_overlapping_patches


def one_patch(place, n_patches=49):
    return torch.eye(n_patches)[place]


def pixels_of(place, side, patch_size, overlap):
    """The columns and rows that a patch reads, found by cutting numbered pixels."""
    numbers = torch.arange(1.0, side**2 + 1).view(1, 1, side, side)
    read = cut_overlapping_patches(numbers, patch_size, overlap)[0, place].long()
    read = read[read > 0] - 1
    return read % side, read // side


@pytest.mark.parametrize(("patch_size", "overlap"), [(7, 3), (7, 0), (4, 1)])
def test_the_frame_stands_round_the_pixels_that_the_patch_reads(patch_size, overlap):
    grid = PatchGrid(torch.rand(1, 28, 28), patch_size, overlap)
    place = grid.side + 2  # second row, third column: nowhere at the edge
    axes = Figure().subplots()
    picture = draw_look(axes, grid, one_patch(place, grid.n_patches), top=1)
    (frame,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
    columns, rows = pixels_of(place, 28, patch_size, overlap)
    assert frame.get_x() == columns.min() - 0.5
    assert frame.get_y() == rows.min() - 0.5
    assert frame.get_width() == columns.max() - columns.min() + 1
    left, right, bottom, top = picture.get_extent()
    step = patch_size - overlap
    assert right - left == bottom - top == grid.side * step
    assert axes.get_xlim() == (-0.5, 27.5)
    assert axes.get_ylim() == (27.5, -0.5)
    # The tile of the patch lies in the middle of its frame.
    assert left + 2.5 * step == pytest.approx(frame.get_x() + patch_size / 2)
    assert top + 1.5 * step == pytest.approx(frame.get_y() + patch_size / 2)


def test_colours_are_shares_row_by_row():
    axes = Figure().subplots()
    seen = torch.arange(1.0, 17)
    picture = draw_look(axes, PatchGrid(torch.zeros(1, 28, 28), 7), seen, top=0.5)
    torch.testing.assert_close(
        torch.tensor(picture.get_array().data), (seen / seen.sum()).view(4, 4)
    )
    assert picture.norm.vmax == 0.5


def test_ink_and_what_falls_on_it():
    image = torch.zeros(1, 8, 8)
    image[0, :4, :4] = 1
    grid = PatchGrid(image, 4)
    assert grid.has_ink.tolist() == [True, False, False, False]
    assert grid.ink_share == 0.25
    assert grid.on_ink([3, 1, 0, 0]) == pytest.approx(0.75)
    assert PatchGrid(0.04 * image, 4).ink_share == 0  # a smear is no ink


@pytest.mark.parametrize("value", [0.0, 0.2, 1.0])
def test_an_even_picture_has_no_outline(value, recwarn):
    axes = Figure().subplots()
    draw_look(axes, PatchGrid(torch.full((1, 28, 28), value), 7), torch.ones(16), top=1)
    assert not axes.collections
    assert not recwarn.list


def test_a_faint_digit_has_its_outline():
    axes = Figure().subplots()
    faint = torch.zeros(1, 28, 28)
    faint[0, 10:20, 10:20] = 0.2
    draw_look(axes, PatchGrid(faint, 7), torch.ones(16), top=1)
    (path,) = axes.collections[0].get_paths()
    left, top = path.vertices.min(axis=0)
    assert (left, top) == pytest.approx((9.5, 9.5))
    assert path.vertices.max(axis=0) == pytest.approx((19.5, 19.5))


def test_the_key_speaks_of_tiles_only_where_patches_overlap():
    for overlap, said in ((3, True), (0, False)):
        figure = Figure()
        add_key(figure, PatchGrid(torch.zeros(1, 28, 28), 7, overlap))
        assert ("patches overlap" in figure.get_supxlabel()) == said
        assert "orange frame" in figure.get_supxlabel()


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match=r"\(1, side, side\), got shape \(3, 8, 8\)"):
        PatchGrid(torch.zeros(3, 8, 8), 4)
    with pytest.raises(ShapeError, match=r"got shape \(1, 8, 4\)"):
        PatchGrid(torch.zeros(1, 8, 4), 4)
    with pytest.raises(ShapeError, match="patches of 5 do not fill"):
        PatchGrid(torch.zeros(1, 8, 8), 5)
    with pytest.raises(ShapeError, match=r"\(4,\), one weight a patch, got \(5,\)"):
        PatchGrid(torch.zeros(1, 8, 8), 4).shares(torch.ones(5))
