"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import property_checks
import pytest
import torch
import torch.nn.functional as F
from einops import rearrange

from tutorial_lib.exercises.chapter09_beyond_vit.partition import windows as cut
from tutorial_lib.exercises.chapter09_beyond_vit.reverse import put_back as join
from tutorial_lib.exercises.chapter09_beyond_vit.shift_mask import may_look as seen_by


def windows(order="(b r c) (i j) d", axes="b (r i) (c j) d", flipped=()):
    """The windows of maps, with a choice of slips."""

    def answer(x, side):
        return rearrange(x.flip(flipped), f"{axes} -> {order}", i=side, j=side)

    return answer


def windows_torn(x, side):
    columns = F.unfold(x.permute(0, 3, 1, 2), side, stride=side).transpose(1, 2)
    return columns.reshape(-1, side * side, x.size(-1))


def windows_sliding(x, side):
    found = x.unfold(1, side, 1).unfold(2, side, 1)
    return rearrange(found, "b r c d i j -> (b r c) (i j) d")


def windows_in_a_list(x, side):
    return list(windows()(x, side))


def windows_of_squares_only(x, side):
    n = x.size(1) // side
    return rearrange(x, "b (r i) (c j) d -> (b r c) (i j) d", r=n, c=n, i=side)


def put_back(order="(b r c) (i j) d", axes="b (r i) (c j) d", flipped=()):
    """The maps of windows, with a choice of slips."""

    def answer(windows, side, height, width):
        sizes = {"i": side, "j": side, "r": height // side, "c": width // side}
        return rearrange(windows, f"{order} -> {axes}", **sizes).flip(flipped)

    return answer


def put_back_divided_by_rows(windows, side, height, width):
    n = height * width // side**2
    found = torch.zeros(len(windows) // n, height, width, windows.size(-1))
    for number, window in enumerate(windows):
        top, left = (side * place for place in divmod(number % n, height // side))
        if top < height and left < width:
            spot = found[number // n, top : top + side, left : left + side]
            spot[:] = window.view(side, side, -1)[: spot.size(0), : spot.size(1)]
    return found


def put_back_of_squares_only(windows, side, height, width):
    n = height // side
    x = windows.reshape(-1, n, n, side, side, windows.size(-1)).transpose(2, 3)
    return x.reshape(-1, n * side, n * side, windows.size(-1))


def may_look(down=None, across=None, marks=(2, 1), order="(r c) (i j)", kind=torch.bool):
    """Who may look at whom, with a choice of slips."""

    def answer(height, width, side, shift):
        def line(given, size):
            return size - shift if given is None else given(size, side, shift)

        top = torch.arange(height)[:, None] >= line(down, height)
        left = torch.arange(width) >= line(across, width)
        part = marks[0] * top + marks[1] * left
        part = rearrange(part, f"(r i) (c j) -> {order}", i=side, j=side)
        return (part[:, :, None] == part[:, None]).to(kind)

    return answer


def may_look_beside(height, width, side, shift):
    """Neighbours taken literally: one step away."""
    places = torch.cartesian_prod(torch.arange(height), torch.arange(width))
    places = places.view(1, height, width, 2).roll((-shift, -shift), dims=(1, 2))
    places = cut(places, side)
    return ((places[:, :, None] - places[:, None]).abs() <= 1).all(dim=-1)


def may_look_as_before(height, width, side, shift):
    """Those that were in one window without the shift."""
    home = torch.arange(height)[:, None] // side * (width // side) + torch.arange(width) // side
    home = cut(home[None, :, :, None].roll((-shift, -shift), dims=(1, 2)), side)[..., 0]
    return home[:, :, None] == home[:, None]


def may_look_back(height, width, side, shift):
    return seen_by(height, width, side, shift).tril()


def may_look_not_at_itself(height, width, side, shift):
    return seen_by(height, width, side, shift) & ~torch.eye(side**2).bool()


def may_look_in_the_whole_map(height, width, side, shift):
    return torch.ones(height * width, height * width).bool()


def window_means(into=-1, back=(1, 1), seen=seen_by, divide=lambda seen, side: seen.sum(-1, True)):
    """What is seen in shifted windows, with a choice of slips."""

    def answer(x, side, shift):
        height, width, _ = x.shape
        rows = cut(x.roll((into * shift, into * shift), dims=(0, 1))[None], side)
        mask = seen(height, width, side, shift).to(x.dtype)
        found = join(mask @ rows / divide(mask, side), side, height, width)[0]
        return found.roll((back[0] * shift, back[1] * shift), dims=(0, 1))

    return answer


def seen_by_all(height, width, side, shift):
    return torch.ones(height * width // side**2, side**2, side**2)


def first_mask_for_all(height, width, side, shift):
    return seen_by(height, width, side, shift)[:, :1].expand(-1, side**2, -1)


def window_means_around(x, side, shift):
    x = x.permute(2, 0, 1)[None]
    found = F.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False)
    return found[0].permute(1, 2, 0)


def window_means_hidden_as_inf(x, side, shift):
    """-inf in the vectors that are hidden, where it belongs to scores."""
    height, width, _ = x.shape
    rows = cut(x.roll((-shift, -shift), dims=(0, 1))[None], side)
    hidden = ~seen_by(height, width, side, shift)
    rows = rows[:, None].masked_fill(hidden[..., None], -math.inf)  # (N, side², side², D)
    found = join(rows.softmax(-2).mul(rows).mean(-2), side, height, width)[0]
    return found.roll((shift, shift), dims=(0, 1))


def window_means_kept_batch(x, side, shift):
    return window_means()(x, side, shift)[None]


def table_index(signs=(1, 1), base=lambda s: 2 * s - 1, add=(-1, -1), rows=True, kind=torch.long):
    """Places in the table, with a choice of slips; `add` is what comes to side, None for no sum."""

    def answer(side):
        place = torch.arange(side**2)
        steps = []
        for one, sign, more in zip((place // side, place % side), signs, add, strict=True):
            step = sign * (one[:, None] - one)
            steps.append(step if more is None else step + side + more)
        first, second = steps if rows else steps[::-1]
        return (first * base(side) + second).to(kind)

    return answer


def table_index_pairs(side):
    place = torch.arange(side**2)
    steps = [one[:, None] - one + side - 1 for one in (place // side, place % side)]
    return torch.stack(steps, dim=-1)


def table_index_in_four_axes(side):
    step = torch.arange(side)[:, None] - torch.arange(side) + side - 1
    return step[:, None, :, None] * (2 * side - 1) + step[None, :, None, :]


def table_index_of_distance(side):
    place = torch.arange(side**2)
    row, column = place // side, place % side
    return (row[:, None] - row).abs() + (column[:, None] - column).abs()


def table_index_for_seven(side):
    return table_index(base=lambda s: 7)(side)


def merge(order=("00", "10", "01", "11"), fill="end", value=0.0, woven=False, after=lambda y: y):
    """Four neighbours as one, with a choice of slips."""

    def answer(x, weight):
        down, right = x.size(1) % 2, x.size(2) % 2
        pads = {
            "end": (0, 0, 0, right, 0, down),
            "front": (0, 0, right, 0, down, 0),
            "exchanged": (0, 0, 0, down, 0, right),
            "numbers": (0, right, 0, down),
            "none": (0, 0),
        }
        x = F.pad(x, pads[fill], value=value)
        parts = [x[:, int(row) :: 2, int(column) :: 2] for row, column in order]
        joined = torch.stack(parts, dim=-1).flatten(-2) if woven else torch.cat(parts, dim=-1)
        return after(joined @ weight)

    return answer


def merge_mean(x, weight):
    x = F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))
    four = torch.stack([x[:, ::2, ::2], x[:, 1::2, ::2], x[:, ::2, 1::2], x[:, 1::2, 1::2]])
    return four.mean(dim=0) @ weight[: x.size(-1)]


def merge_with_the_first(x, weight):
    """Odd sides go on with the first row and column, as on a ring."""
    x = torch.cat([x, x[:, : x.size(1) % 2]], dim=1)
    x = torch.cat([x, x[:, :, : x.size(2) % 2]], dim=2)
    return merge()(x, weight)


def merge_without_weight(x, weight):
    return merge()(x, torch.eye(4 * x.size(-1)))


def merge_last_column_lost(x, weight):
    return merge()(x[:, :, : x.size(2) // 2 * 2], weight)


def merge_overlapping(x, weight):
    """Four neighbours around every second position: two of them above and to the left."""
    return merge()(x.roll((1, 1), dims=(1, 2)), weight)


GRID = "The windows go down the columns of windows"
INSIDE = "The positions within a window go down its columns"
MIXED = "The images are mixed: all windows of the first come before"
ROWS_APART = "The rows of a window lie apart"
FILLED = "Each window is filled column by column"
COLUMN_BY_COLUMN = "The windows are put in column by column"
FAR_ROWS = "The rows of a window end up far apart"
INNER = "In a window without an edge of the map"
SAME_MARK = "What came from the top and what came from the left get the same mark"
WHOLE_WINDOW = "A position sees its whole window"
NOT_BACK = "The result is not rolled back"
MEANS = "Each sum is divided by side²"
KEY_FIRST = "It takes key minus query: all signs"
FROM_BELOW = "The step of the {} begins below 0"
ORDER = "It takes the neighbours row by row"
ODD_HEIGHT = "An odd height does not get a row of zeros"
ODD_WIDTH = "An odd width does not get a column of zeros"

SETS = {
    "9.1": (
        windows(),
        {
            "down, transposed": (windows("(b c r) (j i) d"), [GRID, INSIDE]),
            "mixed, down": (windows("(c r b) (i j) d"), [MIXED, GRID]),
            "mixed, transposed, rows apart": (
                windows("(r c b) (j i) d", "b (i r) (c j) d"),
                [MIXED, INSIDE, ROWS_APART],
            ),
            "upside down": (
                windows(flipped=(1,)),
                ["The positions within a window must", "The first three windows are those in"],
            ),
            "two axes, down": (
                windows("b (c r) (i j) d"),
                ["Images and windows are two axes", GRID],
            ),
            "maps, transposed": (
                windows("(b r c) j i d"),
                ["Each window is still a little map", INSIDE],
            ),
            "torn": (windows_torn, ["A vector is torn apart"]),
            "sliding": (windows_sliding, ["From (2, 6, 10, 2) with side = 2 it makes (90, 4, 2)"]),
            "a list": (windows_in_a_list, ["It returns a list of tensors"]),
            "squares only": (windows_of_squares_only, ["It works on square maps only"]),
        },
    ),
    "9.2": (
        put_back(),
        {
            "down, transposed": (put_back("(b c r) (j i) d"), [COLUMN_BY_COLUMN, FILLED]),
            "transposed, rows apart": (
                put_back("(b r c) (j i) d", "b (i r) (c j) d"),
                [FILLED, FAR_ROWS],
            ),
            "mixed, down": (put_back("(c r b) (i j) d"), [MIXED, COLUMN_BY_COLUMN]),
            "numbers first, down": (
                put_back("(b c r) (i j) d", "b d (r i) (c j)"),
                ["The D numbers come before height and width", COLUMN_BY_COLUMN],
            ),
            "one axis": (put_back(axes="b (r i c j) d"), ["All positions are in one axis"]),
            "upside down": (put_back(flipped=(1,)), ["Each window is a square again, but"]),
            "divided by the rows": (put_back_divided_by_rows, ["Some windows are lost, or there"]),
            "squares only": (put_back_of_squares_only, ["It works for square maps only"]),
        },
    ),
    "9.3": (
        may_look(),
        {
            "front, one axis": (
                may_look(down=lambda n, side, shift: shift, across=lambda n, side, shift: n),
                ["Rows: the first `shift` rows", "Columns: left and right are not kept apart"],
            ),
            "early in the rows": (
                may_look(down=lambda n, side, shift: n - shift - (shift > 0)),
                ["Rows: the line is drawn one too early"],
            ),
            "rest of the window, same mark": (
                may_look(across=lambda n, side, shift: n - (side - shift) % side, marks=(1, 1)),
                ["Columns: the last side - shift columns", SAME_MARK],
            ),
            "same mark, down": (
                may_look(marks=(1, 1), order="(c r) (i j)"),
                [SAME_MARK, "The windows come column by column"],
            ),
            "ones and zeros": (may_look(kind=torch.float32), ["It returns numbers"]),
            "ones and zeros, same mark": (
                may_look(kind=torch.int64, marks=(1, 1)),
                ["It returns numbers", SAME_MARK],
            ),
            "one step away": (may_look_beside, [INNER]),
            "as before the shift": (may_look_as_before, [INNER]),
            "back only": (
                may_look_back,
                ["Where i may look at j", INNER, "Without a shift all may look"],
            ),
            "not at itself": (
                may_look_not_at_itself,
                ["A position must be able to look at itself", INNER, "Without a shift all"],
            ),
            "the whole map": (may_look_in_the_whole_map, ["It has an entry for each pair"]),
        },
    ),
    "9.4": (
        window_means(),
        {
            "whole window, not back": (
                window_means(back=(0, 0), seen=seen_by_all),
                [NOT_BACK, WHOLE_WINDOW],
            ),
            "not back, by side²": (
                window_means(back=(0, 0), divide=lambda seen, side: side**2),
                [NOT_BACK, MEANS],
            ),
            "back in its rows only": (window_means(back=(1, 0)), ["The result is rolled back in"]),
            "other way, whole window": (
                window_means(into=1, back=(-1, -1), seen=seen_by_all),
                ["The map is rolled by shift first", WHOLE_WINDOW],
            ),
            "the first mask for all": (window_means(seen=first_mask_for_all), ["With 6 x 12"]),
            "the eight around": (window_means_around, ["With 6 x 12 positions"]),
            "-inf in vectors": (window_means_hidden_as_inf, ["Some positions get nan"]),
            "kept batch": (window_means_kept_batch, ["There is an axis of length 1 in front"]),
        },
    ),
    "9.5": (
        table_index(),
        {
            "key first, below 0": (
                table_index(signs=(-1, -1), add=(None, None)),
                [KEY_FIRST, FROM_BELOW.format("rows"), FROM_BELOW.format("columns")],
            ),
            "columns below 0": (table_index(add=(-1, None)), [FROM_BELOW.format("columns")]),
            "columns from 1": (table_index(add=(-1, 0)), ["The step of the columns begins at 1"]),
            "key first in the columns": (
                table_index(signs=(1, -1)),
                ["It takes key minus query for the columns"],
            ),
            "key first, exchanged": (
                table_index(signs=(-1, -1), rows=False),
                [KEY_FIRST, "It exchanges rows and columns"],
            ),
            "key first, 2 side": (
                table_index(signs=(-1, -1), base=lambda s: 2 * s),
                [KEY_FIRST, "From one step of the rows to the next it counts 2 · side numbers"],
            ),
            "side²": (
                table_index(base=lambda s: s * s),
                ["From one step of the rows to the next it counts side² numbers"],
            ),
            "decimal": (table_index(kind=torch.float32), ["It must return whole numbers"]),
            "pairs": (table_index_pairs, ["It returns both steps"]),
            "four axes": (table_index_in_four_axes, ["Rows and columns of the window are two"]),
            "how far": (
                table_index_of_distance,
                ["Steps there and back share a number"],
            ),
            "always 7": (table_index_for_seven, ["It is right for side = 4, but not for other"]),
        },
    ),
    "9.6": (
        merge(),
        {
            "row by row, in front": (
                merge(order=("00", "01", "10", "11"), fill="front"),
                [ORDER, "The row of zeros is in front", "The column of zeros is in front"],
            ),
            "anti-clockwise": (
                merge(order=("00", "10", "11", "01")),
                ["It takes the neighbours around, first down"],
            ),
            "odd order": (
                merge(order=("00", "11", "01", "10")),
                ["The four vectors must come in the order"],
            ),
            "ones": (merge(value=1.0), [ODD_HEIGHT, ODD_WIDTH]),
            "woven, ones": (
                merge(woven=True, value=1.0),
                ["The four vectors are woven into each other", ODD_HEIGHT, ODD_WIDTH],
            ),
            "as on a ring": (merge_with_the_first, [ODD_HEIGHT, ODD_WIDTH]),
            "exchanged": (merge(fill="exchanged"), ["It fails where only one side is odd"]),
            "the numbers filled": (merge(fill="numbers"), ["It fails where a side is odd"]),
            "not filled": (merge(fill="none"), ["It fails where a side is odd"]),
            "last column lost": (merge_last_column_lost, ["The last column of an odd width"]),
            "norm after": (
                merge(after=lambda y: F.layer_norm(y, y.shape[-1:])),
                ["The result must be a product with the weight and"],
            ),
            "activated": (merge(after=torch.relu), ["The result must be a product"]),
            "a quarter": (merge(after=lambda y: y / 4), ["The result is 0.25 times"]),
            "mean": (merge_mean, ["The numbers of the four vectors must stand side by side"]),
            "no weight": (merge_without_weight, ["It joins the four vectors, and does not"]),
            "overlapping": (merge_overlapping, ["The first vector is made of the positions"]),
        },
    ),
}

WRONG = {id: answers for id, (_, answers) in SETS.items()}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    property_checks.assert_right(id, SETS[id][0])
