"""Chapter 07: positions for a larger picture."""

import functools
import itertools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


OLD, NEW = (5, 3), (2, 7)  # rows become fewer, columns more


def shares(answer):
    """How much each old vector counts in each new one: (1 + 14, 1 + 15), cells alone if need be."""
    return answer(torch.eye(16), OLD, NEW)


def cells_of(answer):
    """The shares of the old cells in the new ones, (14, 15), wherever [CLS] stands."""
    found = shares(answer).reshape(-1, 16)
    if len(found) == 15:
        found = found[:-1] if cls_is_last(answer) else found[1:]
    if len(found) != 14:
        raise ValueError("another number of cells")
    return found[:, 1:]


def cls_is_last(answer):
    """[CLS] stands behind the cells."""
    return bool(shares(answer)[-1, 0] > 0.99)


def has_the_shape(answer):
    """(1 + R' · C', D)."""
    shape = tuple(shares(answer).shape)
    sentences = {
        (14, 16): "It loses the vector of [CLS]: it stays, in front.",
        (2, 7, 16): "It returns the cells alone, as a grid: [CLS] comes first, and the cells in "
        "one row.",
        (16, 16): "It returns as many vectors as there were: the cells are to be interpolated.",
    }
    return shape == (15, 16) or sentences.get(shape, False)


def cls_stays_in_front(answer):
    """The first vector is the old first one."""
    first = shares(answer)[0]
    if shares(answer).shape != (15, 16) or first[0] > 0.99:
        return None if first[0] <= 0.99 else True
    if cls_is_last(answer):
        return "It puts [CLS] behind the cells: it comes first."
    if first[-1] > 0.99:
        return "It takes the last vector for [CLS]: it is the first one of the table."
    return False


def cls_is_no_cell(answer):
    """[CLS] has no share in a cell."""
    found = shares(answer)
    if found.shape != (15, 16) or not numbers_stay_apart(answer):
        return None
    cells = found[:-1] if cls_is_last(answer) else found[1:]
    return bool((cells[:, 0].abs() < 1e-4).all())


def numbers_stay_apart(answer):
    """Number i of a new vector is made of numbers i."""
    table = torch.randn(16, 4, generator=torch.Generator().manual_seed(7))
    order = [2, 0, 3, 1]
    return torch.allclose(
        answer(table[:, order], OLD, NEW), answer(table, OLD, NEW)[:, order], atol=1e-4
    )


READINGS = {
    "": lambda cells: cells.T.view(1, -1, *OLD),
    "It reads the old grid as C rows and R columns.": (
        lambda cells: cells.T.view(1, -1, *OLD[::-1])
    ),
    "It turns the grid on its side, then stretches it: D comes first, then rows, then columns.": (
        lambda cells: cells.T.view(1, -1, *OLD).mT
    ),
}
STRETCHES = {
    "": {"mode": "bilinear"},
    "It lays the corner cells on each other, `align_corners=True`: the default lays the pictures' "
    "edges on each other, so that a cell is an area and not a point.": {
        "mode": "bilinear",
        "align_corners": True,
    },
    "It copies the nearest cell, the default `mode`: “bilinear” mixes the four around.": {
        "mode": "nearest"
    },
    "It is bicubic: bilinear is asked for.": {"mode": "bicubic"},
    "It is bicubic, and lays the corners on each other: plain bilinear is asked for.": {
        "mode": "bicubic",
        "align_corners": True,
    },
    "It smooths before it shrinks, `antialias=True`: the default does not.": {
        "mode": "bilinear",
        "antialias": True,
    },
    'It averages areas, `mode="area"`: bilinear is asked for.': {"mode": "area"},
}
WRITINGS = {
    "": lambda size, stretch: stretch(size),
    "It makes C' rows and R' columns of the new grid.": lambda size, stretch: stretch(size[::-1]),
    "It writes the new cells column by column: they come row by row.": (
        lambda size, stretch: stretch(size).mT
    ),
}


def slips(answer):
    """The sentences of reading, stretching and writing that together explain the cells.

    Raises ValueError when none do.
    """
    cells = cells_of(answer)
    ways = itertools.product(READINGS, STRETCHES, WRITINGS)
    for way in sorted(ways, key=lambda way: sum(map(bool, way))):
        grid = READINGS[way[0]](torch.eye(15))
        stretch = functools.partial(F.interpolate, grid, **STRETCHES[way[1]])
        made = WRITINGS[way[2]](NEW, stretch).flatten(2)[0].T
        if torch.allclose(made, cells, atol=1e-4):
            return way
    raise ValueError("no such cells")


def cells_add_up(answer):
    """Each new cell is a mean of old ones."""
    if cls_is_no_cell(answer) is False or not numbers_stay_apart(answer):
        return None
    return torch.allclose(cells_of(answer).sum(dim=1), torch.ones(14), atol=1e-3)


def neighbours_below_count(answer):
    """A new cell is made of four old ones, on two rows."""
    try:
        slips(answer)
    except ValueError:
        return None if cls_is_no_cell(answer) is False or not cells_add_up(answer) else False
    return True


INTERPOLATE_POSITIONS = Write(
    id="7.8",
    title="A larger picture",
    level="hard",
    text="""
A ViT has learned a position for each cell of its grid. A larger picture has more patches of the
same size, so their positions are **interpolated** between the learned ones. Write
`interpolate_positions(table, old_grid, new_grid)`: table (1 + R · C, D) holds the vector of [CLS],
then those of the cells, row by row. `old_grid` is (R, C), `new_grid` (R', C'). [CLS] keeps its
vector and stays first. Interpolate the cells as `F.interpolate(..., mode="bilinear")` does by
default, and return (1 + R' · C', D).
""",
    hints=(
        "First take [CLS] off, at the end put it back: it has no spot in the picture.",
        "`F.interpolate` wants (batch, D, rows, columns), so D must come before rows and columns: "
        "`cells.T.reshape(1, D, R, C)`.",
        "Back again: `flatten(2)` makes (1, D, R' · C'), and D has to come last.",
    ),
    solution=interpolate_positions,
    second_style=interpolate_positions_by_hand,
    mistakes=(),
    cases=interpolate_positions_cases,
    properties=(
        Property("The vectors are (1 + R' · C', D).", has_the_shape),
        Property(
            "In front is another vector than that of [CLS]: it keeps its vector and its place.",
            cls_stays_in_front,
        ),
        Property(
            "The vector of [CLS] is mixed into the cells: leave it out of the grid.", cls_is_no_cell
        ),
        Property(
            "The numbers of a vector are mixed with others: move D in front of rows and columns "
            "for `F.interpolate`, and behind them again.",
            numbers_stay_apart,
        ),
        Property("The shares of the old cells in a new one must add up to 1.", cells_add_up),
        Property("The old grid is read wrongly.", lambda answer: slips(answer)[0] or True),
        Property("It is not bilinear.", lambda answer: slips(answer)[1] or True),
        Property("The new grid is written wrongly.", lambda answer: slips(answer)[2] or True),
        Property(
            "A new cell is not made of the four old ones around it, the row below too: stretch the "
            "cells as a grid, and not as one row.",
            neighbours_below_count,
        ),
    ),
    see="7E Where am I in the picture",
)
