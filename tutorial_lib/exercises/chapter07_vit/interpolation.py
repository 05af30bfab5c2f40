"""Chapter 07: positions for a larger picture."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def interpolate_positions(table, old_grid, new_grid):
    """Return the position vectors (1 + R' · C', D) for a grid of R' rows and C' columns.

    table (1 + R · C, D) holds the vector of [CLS], then those of the cells, row by row; old_grid
    is (R, C), new_grid (R', C'). [CLS] keeps its vector. The others are interpolated bilinearly,
    as `F.interpolate(..., mode="bilinear")` does it by default.
    """
    cls, cells = table[:1], table[1:]
    grid = cells.T.reshape(1, -1, *old_grid)  # (1, D, R, C)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear")  # (1, D, R', C')
    return torch.cat([cls, grid.flatten(2)[0].T])


def interpolate_positions_by_hand(table, old_grid, new_grid):
    """Second style."""

    def shares(old, new):
        # The middle of new cell i lies at this place of the old grid, no further than its ends.
        places = ((torch.arange(new) + 0.5) * old / new - 0.5).clamp(0, old - 1)
        distance = (places[:, None] - torch.arange(old)).abs()
        return (1 - distance).clamp(min=0).to(table.dtype)  # (new, old)

    grid = table[1:].view(*old_grid, -1)
    across = [shares(old, new) for old, new in zip(old_grid, new_grid, strict=True)]
    cells = torch.einsum("ir,jc,rcd->ijd", *across, grid)
    return torch.cat([table[:1], cells.flatten(0, 1)])


def stretched(cells, old_grid, new_grid, mode="bilinear", **changes):
    """Cells (R · C, D) stretched to another grid, with the slips that can be made."""
    grid = cells.T.reshape(1, -1, *old_grid)
    return F.interpolate(grid, size=tuple(new_grid), mode=mode, **changes).flatten(2)[0].T


def interpolate_positions_corners(table, old_grid, new_grid):
    """This lays the corner cells on each other, `align_corners=True`: the default lays the
    pictures' edges on each other, so that a cell is an area and not a point.
    """
    cells = stretched(table[1:], old_grid, new_grid, align_corners=True)
    return torch.cat([table[:1], cells])


def interpolate_positions_nearest(table, old_grid, new_grid):
    """This copies the nearest cell, the default `mode`: “bilinear” mixes the four around."""
    return torch.cat([table[:1], stretched(table[1:], old_grid, new_grid, mode="nearest")])


def interpolate_positions_bicubic(table, old_grid, new_grid):
    """This is bicubic: bilinear is asked for."""
    return torch.cat([table[:1], stretched(table[1:], old_grid, new_grid, mode="bicubic")])


def interpolate_positions_smoothed(table, old_grid, new_grid):
    """This smooths before it shrinks, `antialias=True`: the default does not."""
    return torch.cat([table[:1], stretched(table[1:], old_grid, new_grid, antialias=True)])


def interpolate_positions_cls_lost(table, old_grid, new_grid):
    """This loses the vector of [CLS]: it stays, in front."""
    return stretched(table[1:], old_grid, new_grid)


def interpolate_positions_cls_last(table, old_grid, new_grid):
    """This puts [CLS] behind the cells: it comes first."""
    return torch.cat([stretched(table[1:], old_grid, new_grid), table[:1]])


def interpolate_positions_cls_as_cell(table, old_grid, new_grid):
    """This takes [CLS] for the first cell, and all cells are one place late: leave it out of the
    grid.
    """
    return torch.cat([table[:1], stretched(table[:-1], old_grid, new_grid)])


def interpolate_positions_cls_at_end(table, old_grid, new_grid):
    """This takes the last vector for [CLS]: it is the first one of the table."""
    return torch.cat([table[-1:], stretched(table[:-1], old_grid, new_grid)])


def interpolate_positions_zero_cls(table, old_grid, new_grid):
    """This gives [CLS] zeros: it keeps its vector."""
    cells = stretched(table[1:], old_grid, new_grid)
    return torch.cat([torch.zeros_like(table[:1]), cells])


def interpolate_positions_in_a_row(table, old_grid, new_grid):
    """This interpolates along the sequence, as if the cells stood in one row: the cell below is a
    neighbour too.
    """
    n = new_grid[0] * new_grid[1]
    cells = F.interpolate(table[1:].T[None], size=n, mode="linear")[0].T
    return torch.cat([table[:1], cells])


def interpolate_positions_all_in_a_row(table, old_grid, new_grid):
    """This interpolates the whole table as one row, [CLS] included: [CLS] is apart, and the cells
    form a grid.
    """
    n = 1 + new_grid[0] * new_grid[1]
    return F.interpolate(table.T[None], size=n, mode="linear")[0].T


def interpolate_positions_not_moved(table, old_grid, new_grid):
    """This reshapes (R · C, D) to (D, R, C) without moving the axis D first: the numbers of
    different vectors are mixed.
    """
    grid = table[1:].reshape(1, -1, *old_grid)
    cells = F.interpolate(grid, size=tuple(new_grid), mode="bilinear").flatten(2)[0].T
    return torch.cat([table[:1], cells])


def interpolate_positions_not_moved_back(table, old_grid, new_grid):
    """This reshapes the result (D, R', C') to (R' · C', D) without moving the axis D last."""
    grid = table[1:].T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear")
    return torch.cat([table[:1], grid.reshape(-1, table.size(1))])


def interpolate_positions_rows_for_columns(table, old_grid, new_grid):
    """This reads the old grid as C rows and R columns."""
    return torch.cat([table[:1], stretched(table[1:], old_grid[::-1], new_grid)])


def interpolate_positions_new_turned(table, old_grid, new_grid):
    """This makes C' rows and R' columns of the new grid."""
    return torch.cat([table[:1], stretched(table[1:], old_grid, new_grid[::-1])])


def interpolate_positions_both_turned(table, old_grid, new_grid):
    """This exchanges rows and columns in both grids."""
    return torch.cat([table[:1], stretched(table[1:], old_grid[::-1], new_grid[::-1])])


def interpolate_positions_lying(table, old_grid, new_grid):
    """This turns the grid on its side before it stretches it: D comes first, then rows, then
    columns.
    """
    grid = table[1:].view(*old_grid, -1).permute(2, 1, 0)[None]  # (1, D, C, R)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear")
    return torch.cat([table[:1], grid.flatten(2)[0].T])


def interpolate_positions_area(table, old_grid, new_grid):
    """This averages areas, `mode="area"`: bilinear is asked for."""
    return torch.cat([table[:1], stretched(table[1:], old_grid, new_grid, mode="area")])


def interpolate_positions_by_columns(table, old_grid, new_grid):
    """This writes the new cells column by column: they come row by row."""
    cells = stretched(table[1:], old_grid, new_grid).view(*new_grid, -1)
    return torch.cat([table[:1], cells.transpose(0, 1).flatten(0, 1)])


def interpolate_positions_repeated(table, old_grid, new_grid):
    """This repeats the cells until there are enough, or cuts them: stretch the grid."""
    n = new_grid[0] * new_grid[1]
    return torch.cat([table[:1], table[1:].repeat(n, 1)[:n]])


def interpolate_positions_as_grid(table, old_grid, new_grid):
    """This returns the cells alone, as a grid: [CLS] comes first, and the cells in one row."""
    return stretched(table[1:], old_grid, new_grid).view(*new_grid, -1)


def interpolate_positions_ignored(table, old_grid, new_grid):
    """This returns the table as it is."""
    return table


def interpolate_positions_cases():
    """Grids that grow, that shrink, that grow in one direction only, and a square one."""

    def table(rows, columns, width):
        return torch.randn(1 + rows * columns, width)

    return [
        case("2 x 3 to 4 x 5", table(2, 3, 4), (2, 3), (4, 5)),
        case("5 x 4 to 2 x 3", table(5, 4, 3), (5, 4), (2, 3)),
        case("3 x 2 to 3 x 6", table(3, 2, 2), (3, 2), (3, 6)),
        case("2 x 2 to 3 x 3", table(2, 2, 3), (2, 2), (3, 3)),
    ]


INTERPOLATE_POSITIONS = Write(
    id="7.5",
    title="A larger picture",
    level="hard",
    text="""
A ViT has learned a position for each cell of its grid. A larger picture has more patches of the
same size, so their positions are **interpolated** between the learned ones. Write
`interpolate_positions(table, old_grid, new_grid)`: table (1 + R · C, D) holds the vector of [CLS],
then those of the cells, row by row; `old_grid` is (R, C), `new_grid` (R', C'). [CLS] keeps its
vector and its place. Interpolate the cells as `F.interpolate(..., mode="bilinear")` does it by
default, and return (1 + R' · C', D).
""",
    hints=(
        "First take [CLS] off, at the end put it back: it stands nowhere in the picture.",
        "`F.interpolate` wants (batch, D, rows, columns), so D must come before rows and columns: "
        "`cells.T.reshape(1, D, R, C)`.",
        "Back again: `flatten(2)` makes (1, D, R' · C'), and D has to come last.",
    ),
    solution=interpolate_positions,
    second_style=interpolate_positions_by_hand,
    mistakes=(
        interpolate_positions_corners,
        interpolate_positions_nearest,
        interpolate_positions_bicubic,
        interpolate_positions_smoothed,
        interpolate_positions_cls_lost,
        interpolate_positions_cls_last,
        interpolate_positions_cls_as_cell,
        interpolate_positions_cls_at_end,
        interpolate_positions_zero_cls,
        interpolate_positions_in_a_row,
        interpolate_positions_all_in_a_row,
        interpolate_positions_not_moved,
        interpolate_positions_not_moved_back,
        interpolate_positions_rows_for_columns,
        interpolate_positions_new_turned,
        interpolate_positions_lying,
        interpolate_positions_area,
        interpolate_positions_both_turned,
        interpolate_positions_by_columns,
        interpolate_positions_repeated,
        interpolate_positions_as_grid,
        interpolate_positions_ignored,
    ),
    cases=interpolate_positions_cases,
    see="7.3 Where am I in the picture",
)
