"""Chapter 09: a map cut into windows."""

import torch
from einops import rearrange

from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def windows(x, side):
    """Return the windows of a batch of maps x (B, height, width, D) as rows, (B · N, side², D).

    Windows go row by row, so do the positions within each; the images come one after another.
    side divides height and width.
    """
    n_images, height, width, d_model = x.shape
    x = x.reshape(n_images, height // side, side, width // side, side, d_model)
    x = x.transpose(2, 3)  # (B, rows of windows, windows in a row, side, side, D)
    return x.reshape(-1, side * side, d_model)


def windows_loop(x, side):
    """Second style."""
    found = []
    for image in x:
        for strip in image.split(side, dim=0):
            found += [window.flatten(0, 1) for window in strip.split(side, dim=1)]
    return torch.stack(found)


def cut(x, side, order, axes="b (rows h) (columns w) d"):
    """Windows with the axes in another order."""
    return rearrange(x, f"{axes} -> {order}", h=side, w=side)


def windows_as_strips(x, side):
    """This only reshapes, so that a window is a piece of a row of the map: a square has parts of
    several rows, so axes must change places before they are joined."""
    return x.reshape(-1, side * side, x.size(-1))


def windows_down_the_columns(x, side):
    """This takes the windows column by column: they come row by row, from the left to the right in
    each row."""
    return cut(x, side, "(b columns rows) (h w) d")


def windows_transposed(x, side):
    """This takes the positions within a window column by column: they come row by row, too."""
    return cut(x, side, "(b rows columns) (w h) d")


def windows_apart(x, side):
    """This takes positions that lie far apart into one window: when you split height in two, the
    first part counts the windows and the second one the positions in a window."""
    return cut(x, side, "(b rows columns) (h w) d", "b (h rows) (w columns) d")


def windows_images_mixed(x, side):
    """This takes the first window of every image, then the second of every image: all windows of
    one image come before those of the next."""
    return cut(x, side, "(rows columns b) (h w) d")


def windows_sides_exchanged(x, side):
    """This exchanges height and width: x is (B, height, width, D). On a square map nobody would
    see it."""
    n_images, height, width, d_model = x.shape
    x = x.reshape(n_images, width // side, side, height // side, side, d_model)
    return x.transpose(2, 3).reshape(-1, side * side, d_model)


def windows_by_image(x, side):
    """This keeps images and windows in two axes: attention is to see a window as a sequence of its
    own, so both go into the first axis, (B · N, side², D)."""
    return cut(x, side, "b (rows columns) (h w) d")


def windows_as_maps(x, side):
    """This leaves each window a little map, side by side: a sequence has one axis of positions,
    (B · N, side², D)."""
    return cut(x, side, "(b rows columns) h w d")


def windows_numbers_first(x, side):
    """This puts the D numbers before the positions: a window is (side², D), one vector a row."""
    return cut(x, side, "(b rows columns) d (h w)")


def windows_so_many(x, side):
    """This makes `side` windows along each side of the map: side is how many *positions* lie along
    a side of a window."""
    order = "b (rows h) (columns w) d -> (b rows columns) (h w) d"
    return rearrange(x, order, rows=side, columns=side)


def windows_first_image(x, side):
    """This cuts the first image only: x is a batch."""
    return cut(x[:1], side, "(b rows columns) (h w) d")


def windows_cases():
    """Maps that are not square, one image and several, one number a position and more."""
    return [
        case("2 images, 4 x 6, side 2", torch.randn(2, 4, 6, 3), 2),
        case("1 image, 9 x 6, side 3", torch.randn(1, 9, 6, 1), 3),
        case("3 images, 6 x 12, side 3", torch.randn(3, 6, 12, 2), 3),
        case("1 image of one window", torch.randn(1, 2, 2, 2), 2),
        case("side 1", torch.randn(2, 2, 3, 2), 1),
    ]


HEIGHT, WIDTH, SIDE = 6, 10, 2
# Two images, in which each number says where it stands; below 256, for short floats.
PLACES = torch.arange(240.0).view(2, HEIGHT, WIDTH, 2)


def read(answer):
    """What an answer makes of PLACES, as (30, 4, 2), whatever its axes.

    Raises an error for another number of them.
    """
    found = answer(PLACES, SIDE)
    if found.shape == (30, 2, 4):
        found = found.mT
    if found.shape == (4, 30, 2):
        found = found.transpose(0, 1)
    return found.reshape(30, 4, 2)


def one_tensor(answer):
    """It returns a list of tensors: make one of them, (B · N, side², D)."""
    return not isinstance(answer(PLACES, SIDE), list)


def has_the_shape(answer):
    """(B · N, side², D)."""
    shape = tuple(answer(PLACES, SIDE).shape)
    sentences = {
        (2, 15, 4, 2): "Images and windows are two axes: put them into one.",
        (15, 2, 4, 2): "Windows and images are two axes: put them into one, the images first.",
        (2, 3, 5, 4, 2): "Images, rows of windows and windows in a row are three axes: put them "
        "into one.",
        (2, 3, 5, 2, 2, 2): "It splits height and width, and joins nothing: three axes are left at "
        "the end.",
        (2, 3, 2, 5, 2, 2): "It splits height and width, and joins nothing: three axes are left at "
        "the end.",
        (2, 15, 2, 2, 2): "Images and windows are two axes, and so are the rows and columns of a "
        "window: join each pair.",
        (30, 2, 2, 2): "Each window is still a little map: put its positions into one axis.",
        (30, 2, 4): "The D numbers come before the positions: exchange the last two axes.",
        (4, 30, 2): "The positions come before the windows: exchange the first two axes.",
        (30, 8): "All numbers of a window are in one row: positions and numbers are two axes.",
        (2, 60, 2): "The windows are joined to one long row: each is a sequence of its own.",
        (8, 15, 2): "It makes `side` windows along each side of the map: side counts the positions "
        "along a side of a window.",
        (15, 4, 2): "There is only one image in it: x is a batch.",
    }
    return shape == (30, 4, 2) or sentences.get(
        shape, f"From (2, 6, 10, 2) with side = 2 it makes {shape}: (30, 4, 2) is right."
    )


def whatever_the_sides(answer):
    """It works on square maps only: height and width may differ."""
    square = PLACES[:, :, :HEIGHT]
    if not torch.equal(answer(square, SIDE), windows(square, SIDE)):
        return None
    try:
        return read(answer) is not None  # what comes of it is judged elsewhere
    except (ValueError, RuntimeError):
        return False


def vectors_stay_whole(answer):
    """A vector is torn apart: the D numbers of a position stay together, in their order."""
    found = read(answer)
    return bool(((found[..., 0] % 2 == 0) & (found[..., 1] == found[..., 0] + 1)).all())


def cells(answer):
    """Image, row and column of each position, (30, 4, 3)."""
    found = read(answer)[..., 0].long()
    return torch.stack([found // 120, found // 20 % HEIGHT, found // 2 % WIDTH], dim=-1)


def of_one_image(answer):
    """A window holds positions of more than one image."""
    if not vectors_stay_whole(answer):
        return None
    images = cells(answer)[..., 0]
    return bool((images == images[:, :1]).all())


def are_squares(answer):
    """A window must be a square of neighbours."""
    if not of_one_image(answer):
        return None
    found = cells(answer)
    squares = found[..., 1:] // SIDE
    if (squares == squares[:, :1]).all() and all(
        len(set(map(tuple, w.tolist()))) == 4 for w in found
    ):
        return True
    exchanged = windows_sides_exchanged(PLACES, SIDE)
    if {*map(frozenset, read(answer)[..., 0].tolist())} == {
        *map(frozenset, exchanged[..., 0].tolist())
    }:
        return (
            "Height and width are exchanged: x is (B, height, width, D), so there are height / "
            "side rows of windows. It shows only where the two differ."
        )
    first = ", ".join(f"({r}, {c})" for _, r, c in found[0].tolist())
    return (
        f"With side = 2 the first window holds the positions (row, column) {first}: a window is a "
        "square of 2 by 2 neighbours."
    )


def positions_in_order(answer):
    """The positions within a window must come row by row, from the left to the right."""
    if are_squares(answer) is not True:
        return None
    inside = cells(answer)[..., 1:] % SIDE
    return bool((inside == torch.cartesian_prod(*[torch.arange(SIDE)] * 2)).all())


def windows_in_order(answer):
    """The windows must come row by row, those of one image after those of the other."""
    if are_squares(answer) is not True:
        return None
    corners = cells(answer).amin(dim=1)
    names = [f"({r // SIDE}, {c // SIDE})" for _, r, c in corners[:3].tolist()]
    wanted = cells(windows).amin(dim=1)
    return torch.equal(corners, wanted) or (
        f"The first three windows are those in (row, column) {', '.join(names)} of the windows: go "
        "row by row, from the left to the right in each, and finish one image before the next."
    )


def in_order(images, grid, inside, down, across):
    """The windows of PLACES with a choice for each of the rules below."""
    first = f"b {grid}" if images else f"{grid} b"
    return cut(PLACES, SIDE, f"({first}) ({inside}) d", f"b ({down}) ({across}) d")


WINDOWS = Write(
    id="9.1",
    title="Cut a map into windows",
    level="easy",
    text="""
In a ViT every position looks at all others. In a Swin it looks at those in its **window**, a square
of `side` by `side` positions, so attention must get each window as a sequence of its own. Write
`windows(x, side)`: maps `x` (B, height, width, D) become (B · N, side², D), where N is the number
of windows in one image. The windows of an image come **row by row**, from the left to the right in
each row; so do the positions within a window. All windows of the first image come before those of
the second. `side` divides height and width, which may differ.
""",
    hints=(
        "Take one image of 4 x 6 and side 2: how many windows are in a row, how many rows of "
        "windows are there, and which positions does the second window hold?",
        "Three loops and a slice do it: images, rows of windows, windows in a row. Each slice is "
        "(side, side, D).",
        "Without a loop: split height into rows of windows and rows within one, width likewise. "
        "Which of the six axes must stand side by side before you join them?",
    ),
    solution=windows,
    second_style=windows_loop,
    mistakes=(
        windows_as_strips,
        windows_down_the_columns,
        windows_transposed,
        windows_apart,
        windows_images_mixed,
        windows_sides_exchanged,
        windows_by_image,
        windows_as_maps,
        windows_numbers_first,
        windows_so_many,
        windows_first_image,
    ),
    cases=windows_cases,
    properties=(
        *properties(one_tensor),
        Property("The windows are (B · N, side², D).", has_the_shape),
        *properties(whatever_the_sides),
        *composed(
            read,
            in_order,
            {
                "The images come one after another.": True,
                "The images are mixed: all windows of the first come before those of the "
                "second.": False,
            },
            {
                "The windows of an image come row by row.": "rows columns",
                "The windows go down the columns of windows: they come row by row.": "columns rows",
            },
            {
                "The positions of a window come row by row.": "h w",
                "The positions within a window go down its columns: they come row by row.": "w h",
            },
            {
                "The rows of a window are neighbours.": "rows h",
                "The rows of a window lie apart in the map: a window is a square of "
                "neighbours.": "h rows",
            },
            {
                "The columns of a window are neighbours.": "columns w",
                "The columns of a window lie apart in the map: a window is a square of "
                "neighbours.": "w columns",
            },
            otherwise=(
                vectors_stay_whole,
                of_one_image,
                are_squares,
                positions_in_order,
                windows_in_order,
            ),
        ),
    ),
    see="9B Windows",
)
