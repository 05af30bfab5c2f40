"""Chapter 09: ask a Perceiver IO for any part of a picture, at any size."""

import torch

from tutorial_lib.exercises.engine.properties import alike, composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def zoom(ask, top, left, width, side, most):
    """Return the picture (side, side) of a square, asking for at most `most` positions at a time.

    ask(positions (O, 2)) gives values (O, 1); the square's upper left corner is (top, left).
    """
    middles = (torch.arange(side) + 0.5) * width / side  # (side,)
    positions = torch.cartesian_prod(top + middles, left + middles)  # (side², 2), row by row
    values = [ask(some) for some in positions.split(most)]
    return torch.cat(values).view(side, side)


def zoom_one_by_one(ask, top, left, width, side, most):
    """Second style."""
    pixel = width / side
    picture = torch.zeros(side, side)
    for row in range(side):
        for first in range(0, side, most):
            columns = range(first, min(first + most, side))
            down = top + pixel / 2 + row * pixel
            places = [[down, left + (2 * column + 1) * pixel / 2] for column in columns]
            picture[row, columns.start : columns.stop] = ask(torch.tensor(places))[:, 0]
    return picture


def drawn(ask, down, right, most):
    """The picture of the rows `down` and columns `right`, in portions of `most`."""
    positions = torch.cartesian_prod(down, right)
    values = torch.cat([ask(some) for some in positions.split(most)])
    return values.view(len(down), len(right))


def middles_of(start, width, side):
    """The middles of `side` pixels (side,)."""
    return start + (torch.arange(side) + 0.5) * width / side


def zoom_to_the_edges(ask, top, left, width, side, most):
    """This puts the outer pixels’ middles on the edges of the square, as `linspace` from edge to
    edge does: the outer middles lie half a pixel inside.
    """
    steps = width * torch.linspace(0, 1, side)
    return drawn(ask, top + steps, left + steps, most)


def zoom_at_corners(ask, top, left, width, side, most):
    """This asks at the upper left corner of each pixel: its middle is half a pixel further down,
    and further to the right.
    """
    steps = torch.arange(side) * width / side
    return drawn(ask, top + steps, left + steps, most)


def zoom_half_a_step(ask, top, left, width, side, most):
    """This adds 0.5 to the position: half a *pixel* is 0.5 · width / side."""
    steps = torch.arange(side) * width / side + 0.5
    return drawn(ask, top + steps, left + steps, most)


def zoom_on_its_side(ask, top, left, width, side, most):
    """The picture is on its side: a position is (down, right), and rows go from top to bottom."""
    down, right = middles_of(top, width, side), middles_of(left, width, side)
    return drawn(ask, down, right, most).T


def zoom_whole_picture(ask, top, left, width, side, most):
    """This always shows the whole picture: `top`, `left` and `width` say which part of it."""
    middles = middles_of(-1, 2, side)
    return drawn(ask, middles, middles, most)


def zoom_round_the_middle(ask, top, left, width, side, most):
    """This takes (top, left) for the middle of the square: it is the upper left corner."""
    down = middles_of(top - width / 2, width, side)
    return drawn(ask, down, middles_of(left - width / 2, width, side), most)


def zoom_up_to_width(ask, top, left, width, side, most):
    """This takes `width` for where the square ends: it ends `width` further on, at top + width and
    left + width.
    """
    down, right = middles_of(top, width - top, side), middles_of(left, width - left, side)
    return drawn(ask, down, right, most)


def zoom_both_ways(ask, top, left, width, side, most):
    """This makes the square twice as wide: `width` is the whole way from edge to edge."""
    down, right = middles_of(top, 2 * width, side), middles_of(left, 2 * width, side)
    return drawn(ask, down, right, most)


def zoom_same_start(ask, top, left, width, side, most):
    """Columns begin at `top`, as the rows do: they begin at `left`."""
    middles = middles_of(top, width, side)
    return drawn(ask, middles, middles, most)


def zoom_from_below(ask, top, left, width, side, most):
    """The picture is upside down: row 0 is the top one."""
    down = middles_of(top, width, side).flip(0)
    return drawn(ask, down, middles_of(left, width, side), most)


def zoom_full_portions(ask, top, left, width, side, most):
    """The last portion is lost when it is not a full one: what remains has to be asked for, too."""
    rows, columns = middles_of(top, width, side), middles_of(left, width, side)
    positions, values = torch.cartesian_prod(rows, columns), torch.zeros(side * side, 1)
    for first in range(0, side * side - most + 1, most):
        values[first : first + most] = ask(positions[first : first + most])
    return values.view(side, side)


def zoom_in_one_column(ask, top, left, width, side, most):
    """This returns a column of values: the picture is (side, side)."""
    return zoom(ask, top, left, width, side, most).view(-1, 1)


class Asked:
    """A Perceiver IO as a function of positions (O, 2), which notes how many it is asked for.

    value(down, right) is what it answers. Raises ValueError for another shape, and for more than
    `limit` positions at a time; None: no limit.
    """

    def __init__(self, value, limit=None):
        self.value = value
        self.limit = limit
        self.portions = []

    def __call__(self, positions):
        """Return the values (O, 1)."""
        shape = tuple(positions.shape)
        if len(shape) != 2 or shape[1] != 2:
            raise ValueError(f"positions are (O, 2), not {shape}")
        if self.limit is not None and len(positions) > self.limit:
            raise ValueError(f"{len(positions)} positions at a time, and {self.limit} at most")
        self.portions.append(len(positions))
        return self.value(*positions.unbind(-1))[:, None]


def surface(down, right):
    """A value for each position, with no two directions alike."""
    return torch.sin(3 * down + 1) + right**2 + 0.5 * right + down * right


def zoom_cases():
    """The whole and parts of it; portions that fit, that do not, and shorter than a row."""
    return [
        case("a part, all at once", -0.5, 0.2, 0.6, 4, 16),
        case("the whole picture", -1, -1, 2, 5, 100),
        case("a part, 4 at a time", -0.75, -0.1, 0.5, 3, 4),
        case("portions shorter than a row", 0.1, -0.9, 0.8, 6, 5),
        case("one at a time", -0.2, 0.4, 0.3, 3, 1),
        case("a single pixel", 0.3, -0.6, 0.4, 1, 8),
    ]


PART, SIDE, PORTION = (-0.7, 0.15, 0.6), 5, 7  # 25 positions: three portions, and 4 are left


def down_alone(down, right):
    """How far down a position is."""
    return down


def right_alone(down, right):
    """How far to the right it is."""
    return right


def where(answer):
    """How far down and right each pixel was asked for, (2, side, side), in one portion."""
    maps = [answer(*PART, SIDE, SIDE**2, value) for value in (down_alone, right_alone)]
    return torch.stack([found.reshape(SIDE, SIDE) for found in maps])


def where_by(steps, square, turn):
    """The same, for steps (side,) from 0 to 1, a square and a way to turn the picture."""
    top, left, height, width = square(*PART)
    grid = torch.meshgrid(top + height * steps, left + width * steps, indexing="ij")
    return turn(torch.stack(grid))


def has_the_shape(answer):
    """(side, side)."""
    shape = tuple(answer(*PART, SIDE, SIDE**2).shape)
    sentences = {
        (SIDE**2, 1): "It returns one long column: the picture is (side, side).",
        (SIDE**2,): "It returns one long row: the picture is (side, side).",
        (SIDE, SIDE, 1): "It returns (side, side, 1): each answer is one value, so drop that axis.",
        (1, SIDE, SIDE): "It returns (1, side, side): the picture is (side, side).",
    }
    return shape == (SIDE, SIDE) or sentences.get(shape, False)


PIXELS = torch.arange(SIDE)
PLACES = composed(
    where,
    where_by,
    {
        "Each pixel is asked for in its middle.": (PIXELS + 0.5) / SIDE,
        "It asks at the corner of each pixel: its middle is half a pixel further.": PIXELS / SIDE,
        "It asks at the lower right corner of each pixel: its middle is half a pixel before.": (
            (PIXELS + 1) / SIDE
        ),
        "The outer pixels are asked for on the edges of the square: their middles lie half a pixel "
        "inside.": PIXELS / (SIDE - 1),
        "A pixel is as wide as width / side: there are `side` of them.": (
            (PIXELS + 0.5) / (SIDE - 1)
        ),
        "There is one pixel too many between edge and edge: a pixel is as wide as width / side.": (
            (PIXELS + 0.5) / (SIDE + 1)
        ),
        "It goes one and a half pixels inside: the middle of the first one lies half a pixel "
        "inside.": (PIXELS + 1.5) / SIDE,
        "It goes a whole pixel inside: the middle of the first one lies half a pixel inside.": (
            (PIXELS + 1) / (SIDE + 1)
        ),
    },
    {
        "The square begins at top and left, and is as wide as it is high.": (
            lambda top, left, width: (top, left, width, width)
        ),
        "It shows the whole picture: `top`, `left` and `width` say which part.": (
            lambda top, left, width: (-1, -1, 2, 2)
        ),
        "It takes (top, left) for the middle of the square: that is its upper left corner.": (
            lambda top, left, width: (top - width / 2, left - width / 2, width, width)
        ),
        "It takes `width` for where the square ends: it ends `width` further on.": (
            lambda top, left, width: (top, left, width - top, width - left)
        ),
        "The square is twice as wide: `width` is the whole way from edge to edge.": (
            lambda top, left, width: (top, left, 2 * width, 2 * width)
        ),
        "The square is half as wide: `width` is in the units of the positions.": (
            lambda top, left, width: (top, left, width / 2, width / 2)
        ),
        "The square goes on to the edge of the picture: it is `width` wide.": (
            lambda top, left, width: (top, left, 1 - top, 1 - left)
        ),
        "It takes (top, left) for the lower right corner: that is the upper left one.": (
            lambda top, left, width: (top - width, left - width, width, width)
        ),
        "It asks for positions from 0 to 1: they go from -1 to 1.": (
            lambda top, left, width: ((top + 1) / 2, (left + 1) / 2, width / 2, width / 2)
        ),
        "The square is 2 wide, as the whole picture is: it is `width` wide.": (
            lambda top, left, width: (top, left, 2, 2)
        ),
        "The square does not begin at top and left: it begins at (-1, -1).": (
            lambda top, left, width: (-1, -1, width, width)
        ),
        "The square begins at (0, 0): add top and left.": (
            lambda top, left, width: (0, 0, width, width)
        ),
        "Columns begin at `top`: they begin at `left`.": (
            lambda top, left, width: (top, top, width, width)
        ),
        "Rows begin at `left`: they begin at `top`.": (
            lambda top, left, width: (left, left, width, width)
        ),
        "It exchanges `top` and `left`: the first says where rows begin.": (
            lambda top, left, width: (left, top, width, width)
        ),
    },
    {
        "A row of the picture is a row of the square.": lambda maps: maps,
        "The picture is on its side: rows go down, columns to the right.": lambda maps: maps.mT,
        "It asks with (right, down): how far down comes first.": lambda maps: maps.flip(0),
        "The picture is upside down: row 0 is the top one.": lambda maps: maps.flip(1),
        "Left and right are exchanged: column 0 is the left one.": lambda maps: maps.flip(2),
        "Every column is asked for in the same place as the first.": (
            lambda maps: maps[..., :1].expand_as(maps)
        ),
        "Every row is asked for in the same place as the first.": (
            lambda maps: maps[:, :1].expand_as(maps)
        ),
    },
)


def positions_fit(answer):
    """Where each pixel was asked for."""
    steps = (PIXELS + 0.5) / SIDE
    right = where_by(steps, lambda top, left, width: (top, left, width, width), lambda maps: maps)
    named = any(isinstance(entry.holds(answer), str) for entry in PLACES)
    found = where(answer)
    if named or alike(found, right):
        return None if named else True
    row, column = (~torch.isclose(found, right, atol=1e-3).all(dim=0)).nonzero()[0].tolist()
    asked, middle = (
        "({:.3g}, {:.3g})".format(*maps[:, row, column].tolist()) for maps in (found, right)
    )
    top, left, width = PART
    return (
        f"In zoom(ask, {top}, {left}, {width}, {SIDE}, {SIDE**2}) the pixel in row {row}, column "
        f"{column} gets the value of (down, right) = {asked}: its middle is {middle}."
    )


def never_too_many(answer):
    """At most as many positions at a time as may be."""
    for most in (PORTION, 2):
        portions = answer(*PART, SIDE, most, None).tolist()
        if max(portions) > most and len(portions) == most:
            return "It makes `most` portions: each *portion* may have up to `most` positions."
        if max(portions) > most:
            names = {SIDE**2: "all positions at once", SIDE: "a whole row at a time"}
            asked = names.get(max(portions), f"{max(portions)} positions at a time")
            return f"It asks for {asked}, where `most` is {most}."
    return True


def each_pixel_once(answer):
    """As many positions as pixels."""
    asked, pixels = int(answer(*PART, SIDE, PORTION, None).sum()), SIDE**2
    if asked == pixels - pixels % PORTION:
        return (
            f"Of {pixels} positions it asks for {asked}, {PORTION} at a time: the rest has to be "
            "asked for, too."
        )
    answer(*PART, SIDE, PORTION)  # nothing to say when that fails
    return asked == pixels or f"It asks for {asked} positions, and the picture has {pixels}."


def portions_change_nothing(answer):
    """In several portions it is the same picture as in one."""
    whole = answer(*PART, SIDE, SIDE**2)
    return all(alike(answer(*PART, SIDE, most), whole) for most in (PORTION, 3))


def run_zoom(answer, top, left, width, side, most, value=surface):
    """The picture; without a value how many positions each portion had, up to an error."""
    asked = Asked(value or surface, most if value else None)
    try:
        found = answer(asked, top, left, width, side, most)
    except Exception:  # an answer that loses values may fail after it has asked for all
        if value or not asked.portions:
            raise
    return found if value else asked.portions


def asked_more_often(answer):
    """Remark on an answer that asks in more portions than it takes."""
    n_portions, enough = len(run_zoom(answer, *PART, SIDE, PORTION, None)), -(-(SIDE**2) // PORTION)
    if n_portions <= enough:
        return ""
    return (
        f"For {SIDE**2} positions, {PORTION} at a time, it asks {n_portions} times: {enough} would "
        "do, and each takes about as long."
    )


ZOOM = Write(
    id="9.11",
    title="Zoom in",
    level="medium",
    text="""
A Perceiver IO has read a picture, and it can be asked what is at **any** position, also between the
pixels that it has read. A position is (down, right): (-1, -1) is the upper left corner of the
picture, (1, 1) the lower right one. `ask(positions)` takes a tensor (O, 2) and returns values
(O, 1), each of which depends on its own position alone. It makes the queries itself, but it raises
an error when there are more than `most` positions at a time.

Write `zoom(ask, top, left, width, side, most)`. It returns a picture (side, side) of the square
whose upper left corner is at (top, left) and whose edges are `width` long, so that
`zoom(ask, -1, -1, 2, side, most)` shows everything. The square is divided into side × side equal
pixels; ask for the **middle** of each one, and for each one once.
""",
    hints=(
        "One axis first: the square is `width` long and has `side` pixels. How long is a pixel? "
        "Where is the middle of the first one, of the second, and so on?",
        "All pairs of a row and a column, row by row, are side² positions. `torch.cartesian_prod` "
        "makes pairs, and so does a loop.",
        "No answer depends on the others: cut the positions into portions, wherever you like, put "
        "the values together in the same order, and cut rows at the very end.",
    ),
    solution=zoom,
    second_style=zoom_one_by_one,
    mistakes=(
        zoom_to_the_edges,
        zoom_at_corners,
        zoom_half_a_step,
        zoom_on_its_side,
        zoom_whole_picture,
        zoom_round_the_middle,
        zoom_up_to_width,
        zoom_both_ways,
        zoom_same_start,
        zoom_from_below,
        zoom_full_portions,
        zoom_in_one_column,
    ),
    cases=zoom_cases,
    run=run_zoom,
    properties=(
        Property("The picture must be (side, side).", has_the_shape),
        *PLACES,
        Property("It does not ask for the middles of the pixels, row by row.", positions_fit),
        Property("It asks for more than `most` positions at a time.", never_too_many),
        Property("It must ask for each pixel once.", each_pixel_once),
        Property("In several portions it is another picture than in one.", portions_change_nothing),
    ),
    remarks=(asked_more_often,),
)
