"""Chapter 09: windows that become a map again, and a picture that comes out scrambled."""

import torch
from einops import rearrange

from tutorial_lib.exercises.chapter09_beyond_vit.partition import HEIGHT, PLACES, SIDE, WIDTH
from tutorial_lib.exercises.chapter09_beyond_vit.partition import windows as cut
from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def put_back(windows, side, height, width):
    """Return the maps (B, height, width, D) whose windows are (B · N, side², D), in 9.1's order.

    Windows come row by row, so do the positions within each; the images come one after another.
    """
    x = windows.reshape(-1, height // side, width // side, side, side, windows.size(-1))
    x = x.transpose(2, 3)
    return x.reshape(-1, height, width, windows.size(-1))


def put_back_loop(windows, side, height, width):
    """Second style."""
    n_columns = width // side
    n_windows = height // side * n_columns
    maps = windows.new_zeros(len(windows) // n_windows, height, width, windows.size(-1))
    for number, window in enumerate(windows):
        image, place = divmod(number, n_windows)
        row, column = divmod(place, n_columns)
        for position, vector in enumerate(window):
            y, x = divmod(position, side)
            maps[image, row * side + y, column * side + x] = vector
    return maps


def join(windows, side, height, width, order, axes="b (rows h) (columns w) d"):
    """Maps with the axes in another order."""
    lengths = {"h": side, "w": side, "rows": height // side, "columns": width // side}
    return rearrange(windows, f"{order} -> {axes}", **lengths)


def put_back_down_the_columns(windows, side, height, width):
    """This puts the windows in column by column: they come row by row."""
    n_rows, n_columns = height // side, width // side
    x = windows.reshape(-1, n_columns, n_rows, side, side, windows.size(-1))
    x = x.permute(0, 2, 3, 1, 4, 5)
    return x.reshape(-1, height, width, windows.size(-1))


def put_back_transposed(windows, side, height, width):
    """This fills each window column by column: its positions come row by row."""
    return join(windows, side, height, width, "(b rows columns) (w h) d")


def put_back_rows_exchanged(windows, side, height, width):
    """This exchanges the rows of windows with the rows within a window: the axis of the former
    must come first."""
    x = windows.reshape(-1, height // side, width // side, side, side, windows.size(-1))
    x = x.permute(0, 3, 1, 2, 4, 5)
    return x.reshape(-1, height, width, windows.size(-1))


def put_back_not_moved(windows, side, height, width):
    """This joins the axes where they stand: a row of the map has parts of several windows, so an
    axis must move first."""
    return windows.reshape(-1, height, width, windows.size(-1))


def put_back_columns_exchanged(windows, side, height, width):
    """This exchanges the columns of windows with the columns within a window: the axis of the
    former must come first."""
    axes = "b (rows h) (w columns) d"
    return join(windows, side, height, width, "(b rows columns) (h w) d", axes)


def put_back_both_exchanged(windows, side, height, width):
    """This exchanges windows and positions, in both directions: the axis that counts windows must
    come before the one that counts positions in a window."""
    axes = "b (h rows) (w columns) d"
    return join(windows, side, height, width, "(b rows columns) (h w) d", axes)


def put_back_sides_exchanged(windows, side, height, width):
    """This takes width for height: there are height / side rows of windows. On a square map nobody
    would see it."""
    return put_back(windows, side, width, height)


def put_back_grid_exchanged(windows, side, height, width):
    """This exchanges the numbers of rows and columns of windows: height / side rows, width / side
    windows in each. On a square map nobody would see it."""
    return put_back(windows, side, width, height).reshape(-1, height, width, windows.size(-1))


def put_back_images_mixed(windows, side, height, width):
    """This takes the first windows for the first window of each image: all windows of one image
    come before those of the next."""
    return join(windows, side, height, width, "(rows columns b) (h w) d")


def put_back_first_image(windows, side, height, width):
    """This gives back the first image only: B is the number of windows, divided by those of one
    image."""
    return put_back(windows, side, height, width)[:1]


def put_back_no_batch(windows, side, height, width):
    """This loses the axis of the images: the maps are (B, height, width, D), even for B = 1."""
    found = put_back(windows, side, height, width)
    return found[0] if len(found) == 1 else found.flatten(0, 1)


def put_back_cases():
    """The windows of maps that are not square, one image and several."""
    return [
        case("2 images, 4 x 6, side 2", cut(torch.randn(2, 4, 6, 3), 2), 2, 4, 6),
        case("1 image, 9 x 6, side 3", cut(torch.randn(1, 9, 6, 1), 3), 3, 9, 6),
        case("3 images, 6 x 12, side 3", cut(torch.randn(3, 6, 12, 2), 3), 3, 6, 12),
        case("1 image of one window", cut(torch.randn(1, 2, 2, 2), 2), 2, 2, 2),
    ]


def scrambled(put_back, picture, side):
    """Return what becomes of a picture (height, width, 3) that is cut and put back, of this shape.

    side must divide height and width.
    """
    height, width, _ = picture.shape
    return put_back(cut(picture[None], side), side, height, width)[0]


def read(answer):
    """What an answer makes of the windows of PLACES, as (2, 6, 10, 2), whatever its axes.

    Raises an error for another number of them.
    """
    found = answer(cut(PLACES, SIDE), SIDE, HEIGHT, WIDTH)
    if found.shape == (2, 2, HEIGHT, WIDTH):
        found = found.permute(0, 2, 3, 1)
    return found.reshape(PLACES.shape)


def has_the_shape(answer):
    """(B, height, width, D)."""
    shape = tuple(answer(cut(PLACES, SIDE), SIDE, HEIGHT, WIDTH).shape)
    sentences = {
        (2, 10, 6, 2): "Height and width are exchanged: the maps are (B, height, width, D).",
        (2, 2, 6, 10): "The D numbers come before height and width: the maps are (B, height, "
        "width, D).",
        (6, 10, 2): "There is only one image in it, and its axis is gone: the maps are (B, height, "
        "width, D).",
        (1, 6, 10, 2): "There is only one image in it: B is the number of windows, divided by "
        "those of one image.",
        (12, 10, 2): "The images lie one below the other: they have an axis of their own, the "
        "first.",
        (2, 60, 2): "All positions are in one axis: height and width are two.",
        (2, 3, 2, 5, 2, 2): "Rows of windows and rows within one are still two axes, and so are "
        "the columns: join each pair.",
        (2, 3, 5, 2, 2, 2): "It splits the axes and joins nothing: the maps are (B, height, width, "
        "D).",
    }
    return shape == (2, 6, 10, 2) or sentences.get(
        shape, f"With height = 6, width = 10 and B = 2 it makes {shape}: (2, 6, 10, 2) is right."
    )


def whatever_the_sides(answer):
    """It works for square maps only: height and width may differ."""
    square = PLACES[:, :, :HEIGHT]
    if not torch.equal(answer(cut(square, SIDE), SIDE, HEIGHT, HEIGHT), square):
        return None
    try:
        return read(answer) is not None  # what comes of it is judged elsewhere
    except (ValueError, RuntimeError):
        return False


def vectors_stay_whole(answer):
    """A vector is torn apart: the D numbers of a position stay together, in their order."""
    if not nothing_lost(answer):
        return None
    found = read(answer)
    return bool(((found[..., 0] % 2 == 0) & (found[..., 1] == found[..., 0] + 1)).all())


def nothing_lost(answer):
    """Some windows are lost, or there twice."""
    return torch.equal(read(answer).flatten().sort().values, PLACES.flatten())


def images_apart(answer):
    """The images are mixed: each map is made of windows of one image."""
    if not vectors_stay_whole(answer):
        return None
    images = read(answer) // 120
    return bool((images[0] == 0).all() and (images[1] == 1).all())


def squares_together(answer):
    """A window must be a square of neighbours in the map again."""
    if not vectors_stay_whole(answer):
        return None
    if torch.equal(read(answer), read(put_back_grid_exchanged)):
        return (
            "The numbers of rows and columns of windows are exchanged: there are height / side "
            "rows, with width / side windows each. It shows only where the two differ."
        )
    window = PLACES[..., 0].long()  # the number of the window from which each position comes
    window = window // 120 * 15 + window // 40 % 3 * 5 + window // 4 % 5
    came = window.flatten()[read(answer)[..., 0].long().flatten() // 2].view(2, HEIGHT, WIDTH)
    squares = cut(came[..., None], SIDE)[..., 0]
    return bool((squares == squares[:, :1]).all())


def in_place(answer):
    """Each window is a square again, but windows or positions do not come row by row."""
    if squares_together(answer) is not True or not images_apart(answer):
        return None
    return torch.equal(read(answer), PLACES)


def in_order(images, grid, inside, down, across):
    """The maps of PLACES' windows with a choice for each of the rules below."""
    first = f"b {grid}" if images else f"{grid} b"
    axes = f"b ({down}) ({across}) d"
    return join(cut(PLACES, SIDE), SIDE, HEIGHT, WIDTH, f"({first}) ({inside}) d", axes)


PUT_BACK = Symptom(
    id="9.2",
    title="Put together again",
    level="medium",
    text="""
The picture on the left was cut into windows of 4 by 4 pixels and put together again, by code with
one of these mistakes: the result is on the right. Choose the letter, then repair
`put_back(windows, side, height, width)`. It undoes exercise 9.1: windows (B · N, side², D) become
maps (B, height, width, D). The windows of an image come row by row, so do the positions within a
window, and all windows of one image come before those of the next. B is not given.
""",
    hints=(
        "Is a window of 4 by 4 pixels still a square somewhere? If not, where is its first row?",
        "Which rows of the picture on the left make up the first few rows on the right?",
        "Write the six axes down after the first `reshape`: image, row of windows, ... In which "
        "order must they stand so that two neighbours join to the height, and two to the width?",
    ),
    solution=put_back,
    second_style=put_back_loop,
    mistakes=(
        put_back_down_the_columns,
        put_back_transposed,
        put_back_rows_exchanged,
        put_back_not_moved,
        put_back_columns_exchanged,
        put_back_both_exchanged,
        put_back_sides_exchanged,
        put_back_grid_exchanged,
        put_back_images_mixed,
        put_back_first_image,
        put_back_no_batch,
    ),
    shown=put_back_rows_exchanged,
    looks=(
        "All squares of 4 by 4 pixels would be whole, but most of them in another place, as in a "
        "jigsaw that was put together wrong.",
        "From afar the picture would look right: each square of 4 by 4 pixels would be in its "
        "place, mirrored along its own diagonal.",
        "There are four flat copies of the picture, one below the other: the first is made of the "
        "first rows of all windows, the next one of their second rows, and so on.",
        "Each square of 4 by 4 pixels would be drawn out to a line of 16 pixels: what is above "
        "would stay above, but all shapes would be torn sideways.",
    ),
    cases=put_back_cases,
    properties=(
        Property("The maps are (B, height, width, D).", has_the_shape),
        *properties(whatever_the_sides),
        *composed(
            read,
            in_order,
            {
                "The windows of one image come before those of the next.": True,
                "The images are mixed: all windows of the first come before those of the "
                "second.": False,
            },
            {
                "The windows come row by row.": "rows columns",
                "The windows are put in column by column: they come row by row.": "columns rows",
            },
            {
                "The positions within a window come row by row.": "h w",
                "Each window is filled column by column: its positions come row by row.": "w h",
            },
            {
                "Rows of windows come before rows within one.": "rows h",
                "The rows of a window end up far apart: the axis of the rows of windows must come "
                "before that of the rows within one.": "h rows",
            },
            {
                "Columns of windows come before columns within one.": "columns w",
                "The columns of a window end up far apart: the axis of the columns of windows must "
                "come before that of the columns within one.": "w columns",
            },
            otherwise=(
                nothing_lost,
                vectors_stay_whole,
                images_apart,
                squares_together,
                in_place,
            ),
        ),
    ),
    see="9B Windows",
)
