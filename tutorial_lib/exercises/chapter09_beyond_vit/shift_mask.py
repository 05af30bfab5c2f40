"""Chapter 09: who may look at whom in the windows of a map that was rolled."""

import itertools

import torch
from einops import rearrange

from tutorial_lib.exercises.chapter09_beyond_vit.partition import windows
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def may_look(height, width, side, shift):
    """Return who may look at whom in the windows of a rolled map, (N, side², side²), True = may.

    The map (height, width) was rolled by -shift along both axes. Entry [n, i, j] belongs to
    position i of window n, which looks at its position j.
    """
    from_the_top = torch.arange(height) >= height - shift  # the roll has brought it to the bottom
    from_the_left = torch.arange(width) >= width - shift
    part = 2 * from_the_top[:, None] + 1 * from_the_left  # 0 to 3
    parts = windows(part[None, :, :, None], side)[..., 0]  # (N, side²)
    return parts[:, :, None] == parts[:, None, :]


def may_look_by_steps(height, width, side, shift):
    """Second style."""
    found = []
    for top, left in itertools.product(range(0, height, side), range(0, width, side)):
        inside = [(top + y, left + x) for y in range(side) for x in range(side)]
        came = [((y + shift) % height, (x + shift) % width) for y, x in inside]
        steps = [(a - c, b - d) for a, b in came for c, d in came]
        wanted = [(a - c, b - d) for a, b in inside for c, d in inside]
        pairs = [step == other for step, other in zip(steps, wanted, strict=True)]
        found.append(torch.tensor(pairs).view(side**2, side**2))
    return torch.stack(found)


def wrapped(size, shift):
    """True for the rows (or columns) that the roll brings in at the other edge."""
    return torch.arange(size) >= size - shift


def alike(marks, side, order="(rows columns) (h w)"):
    """For each window which marks (height, width) of its positions are the same."""
    marks = rearrange(marks, f"(rows h) (columns w) -> {order}", h=side, w=side)
    return marks[:, :, None] == marks[:, None, :]


def may_look_all(height, width, side, shift):
    """This lets everybody look at everybody in their window: after the roll, opposite edges of the
    map meet in some windows."""
    return torch.ones(height * width // side**2, side**2, side**2).bool()


def may_look_rows_only(height, width, side, shift):
    """This keeps top and bottom apart, but not left and right: the columns are rolled, too."""
    return alike(wrapped(height, shift)[:, None].expand(height, width), side)


def may_look_columns_only(height, width, side, shift):
    """This keeps left and right apart, but not top and bottom: the rows are rolled, too."""
    return alike(wrapped(width, shift).expand(height, width), side)


def may_look_inverted(height, width, side, shift):
    """This is the wrong way round: True means that a position *may* look."""
    return ~may_look(height, width, side, shift)


def may_look_at_the_front(height, width, side, shift):
    """This takes the first rows and columns of the rolled map for those that came from the other
    edge: a roll by -shift takes from the front and puts at the end."""
    top, left = torch.arange(height) < shift, torch.arange(width) < shift
    return alike(2 * top[:, None] + 1 * left, side)


def may_look_rest_of_the_window(height, width, side, shift):
    """This takes the last side - shift rows and columns for those that came from the other edge:
    it is shift of them. With a shift of half a side nobody would see it."""
    kept = (side - shift) % side
    return alike(2 * wrapped(height, kept)[:, None] + 1 * wrapped(width, kept), side)


def may_look_one_more(height, width, side, shift):
    """This draws the line one row and one column too early: the last `shift` rows and columns came
    from the other edge, no more."""
    more = shift + (shift > 0)
    return alike(2 * wrapped(height, more)[:, None] + 1 * wrapped(width, more), side)


def may_look_corners_alike(height, width, side, shift):
    """This gives the same mark to what came from the top and to what came from the left, as their
    sum: in the last window the two meet, and they must not."""
    return alike(1 * wrapped(height, shift)[:, None] + 1 * wrapped(width, shift), side)


def may_look_any_wrap(height, width, side, shift):
    """This makes two parts only, what stayed and what came from another edge: what came from the
    top, from the left and from both are three parts in the last window."""
    return alike(wrapped(height, shift)[:, None] | wrapped(width, shift), side)


def may_look_one_axis_is_enough(height, width, side, shift):
    """This asks for rows *or* columns that stayed together: rows and columns must both."""
    rows = may_look_rows_only(height, width, side, shift)
    return rows | may_look_columns_only(height, width, side, shift)


def may_look_added(height, width, side, shift):
    """This returns what is added to the scores, 0 and a number far below: True and False are asked
    for, True = may look."""
    return torch.zeros(()).masked_fill(~may_look(height, width, side, shift), -100.0)


def may_look_down_the_columns(height, width, side, shift):
    """This takes windows and positions column by column: both come row by row."""
    part = 2 * wrapped(height, shift)[:, None] + 1 * wrapped(width, shift)
    return alike(part, side, "(columns rows) (w h)")


def steps_before_and_in(height, width, side, shift):
    """The steps between the positions of a window, before the roll and now, (N, T, T, 2) each."""
    now = torch.cartesian_prod(torch.arange(height), torch.arange(width))
    now = now.view(1, height, width, 2)
    found = []
    for came in (now.roll((-shift, -shift), dims=(1, 2)), now):
        inside = windows(came, side)  # (N, side², 2)
        found.append(inside[:, :, None] - inside[:, None])
    return found


def may_look_without_direction(height, width, side, shift):
    """This compares how far, and not in which direction: where one window is as wide as the map, a
    roll can put a position as far to the left as it was to the right.
    """
    came, now = steps_before_and_in(height, width, side, shift)
    return (came.abs() == now.abs()).all(dim=-1)


def may_look_less_than_a_side(height, width, side, shift):
    """This asks for less than a side between the two in the map: where one window is as wide as the
    map, that is so for all. The step must be the one that it is in the window.
    """
    came, _ = steps_before_and_in(height, width, side, shift)
    return (came.abs() < side).all(dim=-1)


def may_look_not_rolled(height, width, side, shift):
    """This asks in which shifted windows the positions of a map lie that was *not* rolled: roll it
    first, and then cut it.
    """
    at = torch.cartesian_prod(torch.arange(height), torch.arange(width)).view(1, height, width, 2)
    window = (windows(at, side) - shift) // side  # of each position, (N, side², 2)
    return (window[:, :, None] == window[:, None]).all(dim=-1)


def may_look_cases():
    """Shifts of a half and of less and more, maps that are not square, one window alone."""
    return [
        case("4 x 6, side 2, shift 1", 4, 6, 2, 1),
        case("6 x 9, side 3, shift 1", 6, 9, 3, 1),
        case("9 x 6, side 3, shift 2", 9, 6, 3, 2),
        case("8 x 4, side 4, shift 1", 8, 4, 4, 1),
        case("one window, shift 2", 4, 4, 4, 2),
        case("no shift", 4, 6, 2, 0),
    ]


HEIGHT, WIDTH, SIDE, SHIFT = 8, 12, 4, 1
N, T = 6, 16


def read(answer):
    """The mask (6, 16, 16) of 2 rows of 3 windows, as a tensor of 0 and 1.

    What is added to scores counts as True where it is 0. Raises an error for another size.
    """
    found = answer(HEIGHT, WIDTH, SIDE, SHIFT)
    if found.dtype is not torch.bool:
        found = found == found.max() if (found < 0).any() else found != 0
    return found.reshape(N, T, T).long()


def has_the_shape(answer):
    """(N, side², side²)."""
    shape = tuple(answer(HEIGHT, WIDTH, SIDE, SHIFT).shape)
    sentences = {
        (96, 96): "It has an entry for each pair of positions of the whole map: ask within each "
        "window only.",
        (6, 16): "It says something of each position: an entry belongs to a pair of them, "
        "(N, side², side²).",
        (8, 12): "It says something of each position: an entry belongs to a pair of them, "
        "(N, side², side²).",
        (1, 6, 16, 16): "There is an axis of length 1 in front: (N, side², side²).",
        (6, 1, 16, 16): "There is an axis of length 1 in it: (N, side², side²).",
        (2, 3, 16, 16): "Rows of windows and windows in a row are two axes: put them into one, N.",
        (6, 4, 4, 4, 4): "Rows and columns of a window are two axes: put its positions into one.",
        (16, 16): "There is one mask for all windows: only some windows have parts from opposite "
        "edges.",
    }
    return shape == (N, T, T) or sentences.get(
        shape, f"For 8 x 12 positions and side = 4 it has the shape {shape}: (6, 16, 16) is right."
    )


def is_bool(answer):
    """True and False."""
    found = answer(HEIGHT, WIDTH, SIDE, SHIFT)
    if found.dtype is torch.bool:
        return True
    if (found < 0).any():
        return "It returns what is added to the scores: True and False are asked for."
    return "It returns numbers: True and False are asked for (`.bool()`, or a comparison)."


def at_itself(answer):
    """A position must be able to look at itself."""
    return bool(read(answer).diagonal(dim1=1, dim2=2).all())


def both_or_none(answer):
    """Where i may look at j, j must be able to look at i: it is the same step back."""
    return torch.equal(read(answer), read(answer).mT)


def inner_windows_are_whole(answer):
    """In a window without an edge of the map all positions may look at each other."""
    return at_itself(answer) and bool(read(answer)[:2].all())


def edges_apart(answer):
    """In some window the wrong positions may look at each other."""
    if not inner_windows_are_whole(answer):
        return None
    found, wanted = read(answer), read(may_look)
    if torch.equal(found, wanted):
        return True
    window, i, j = (found != wanted).nonzero()[0].tolist()
    came = torch.cartesian_prod(torch.arange(HEIGHT), torch.arange(WIDTH)).view(1, HEIGHT, WIDTH, 2)
    came = windows(came.roll((-SHIFT, -SHIFT), dims=(1, 2)), SIDE)[window]
    here, there = (tuple(came[place].tolist()) for place in (i, j))
    may, must = ("may", "must not") if found[window, i, j] else ("may not", "must")
    return (
        f"With 8 x 12 positions, side 4 and shift 1, position {i} of window {window} {may} look at "
        f"position {j}, but it {must}: before the roll the two were in (row, column) {here} and "
        f"{there} of the map."
    )


def without_a_shift(answer):
    """Without a shift all may look at all in their window."""
    found = answer(4, 6, 2, 0)
    return bool((found == answer(HEIGHT, WIDTH, SIDE, SHIFT)[0, 0, 0]).all())


# Where a line is drawn: the first row (or column) of the rolled map that counts as the other part.
LINES = {
    "": lambda size: size - SHIFT,
    "the first `shift` {0} are taken for those that came from the other edge: the roll takes from "
    "the front and puts at the end.": lambda size: SHIFT,
    "the last side - shift {0} are taken for those that came from the other edge: it is shift of "
    "them.": lambda size: size - SIDE + SHIFT,
    "the line is drawn one too early: the last `shift` {0} came from the other edge.": (
        lambda size: size - SHIFT - 1
    ),
    "{1} are not kept apart: {0} are rolled, too.": lambda size: size,
}


def lines(one, edges):
    """The sentences of LINES for the rows or for the columns."""
    first, *others = LINES.items()
    right = f"The last `shift` {one} came from the other edge."
    said = {f"{one.capitalize()}: {text.format(one, edges)}": line for text, line in others}
    return {right: first[1]} | said


def with_lines(down, across, marks, grid, inside, sense):
    """The mask with a choice for each of the rules below."""
    top = (torch.arange(HEIGHT) >= down(HEIGHT))[:, None].expand(-1, WIDTH)
    left = (torch.arange(WIDTH) >= across(WIDTH)).expand(HEIGHT, -1)
    order = f"({grid}) ({inside})"
    found = torch.stack([alike(part, SIDE, order) for part in marks(top, left)])
    return (found.any(dim=0) == sense).long()


MAY_LOOK = Write(
    id="9.3",
    title="Who may look after the shift",
    level="hard",
    text="""
In every second layer of a Swin the windows lie `shift` positions further down and to the right. For
that the map is rolled, `x.roll((-shift, -shift), dims=(0, 1))`: what leaves at the top comes in at
the bottom, what leaves at the left comes in at the right. Then it is cut into windows as in 9.1. In
some of them positions meet that come from opposite edges of the map.

Write `may_look(height, width, side, shift)`: a tensor of True and False (N, side², side²), in which
[n, i, j] says whether position i of window n may look at its position j. It may if the roll has
left the two as they were: in the map before the roll, j was as many rows and as many columns away
from i as it is in the window, and in the same direction. Windows come row by row, and so do the
positions within each. `side` divides `height` and `width`; `shift` is at least 0 and less than
`side`.
""",
    hints=(
        "Take 4 x 4 positions, side 2 and shift 1. Write down which row of the map each row of the "
        "rolled map was. Between which two is there a jump, and which windows hold both?",
        "Rows and columns can be thought of apart: i may look at j if no jump lies between their "
        "rows and none between their columns.",
        "Give each position of the rolled map a number for the part that it belongs to, cut these "
        "numbers into windows, and compare all pairs. How many parts has the last window?",
    ),
    solution=may_look,
    second_style=may_look_by_steps,
    mistakes=(
        may_look_all,
        may_look_rows_only,
        may_look_columns_only,
        may_look_inverted,
        may_look_at_the_front,
        may_look_rest_of_the_window,
        may_look_one_more,
        may_look_corners_alike,
        may_look_any_wrap,
        may_look_one_axis_is_enough,
        may_look_added,
        may_look_down_the_columns,
        may_look_without_direction,
        may_look_less_than_a_side,
        may_look_not_rolled,
    ),
    cases=may_look_cases,
    properties=(
        Property("The mask is (N, side², side²).", has_the_shape),
        Property("It must hold True and False.", is_bool),
        *composed(
            read,
            with_lines,
            lines("rows", "top and bottom"),
            lines("columns", "left and right"),
            {
                "What came from the top, from the left and from both are parts of their own.": (
                    lambda top, left: [2 * top + left]
                ),
                "What came from the top and what came from the left get the same mark: in the last "
                "window they meet.": lambda top, left: [1 * top + left],
                "What came from the top, from the left and from both count as one part: they are "
                "three.": lambda top, left: [top | left],
                "It is enough that the rows stayed together, or the columns: both must.": (
                    lambda top, left: [top, left]
                ),
            },
            {
                "The windows come row by row.": "rows columns",
                "The windows come column by column: they come row by row.": "columns rows",
            },
            {
                "The positions within a window come row by row.": "h w",
                "The positions within a window come column by column: they come row by row.": "w h",
            },
            {
                "True means that a position may look.": True,
                "It is the wrong way round: True means that a position *may* look.": False,
            },
            otherwise=(at_itself, both_or_none, inner_windows_are_whole, edges_apart),
        ),
        Property("Without a shift all may look at all in their window.", without_a_shift),
    ),
    see="9C Windows that shift",
)
