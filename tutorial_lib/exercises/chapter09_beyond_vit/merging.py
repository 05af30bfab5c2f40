"""Chapter 09: four neighbours become one, and the map shrinks."""

import torch
import torch.nn.functional as F
from einops import rearrange

from tutorial_lib.exercises.engine.properties import alike, composed, factor, properties
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def merge(x, weight):
    """Return the smaller map (B, ⌈height / 2⌉, ⌈width / 2⌉, 2 D) of x (B, height, width, D).

    The vectors of 2 x 2 neighbours, side by side, times weight (4 D, 2 D): top left, bottom left,
    top right, bottom right. An odd side gets a row or a column of zeros at its end.
    """
    x = F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))
    left, right = x[:, :, 0::2], x[:, :, 1::2]
    four = [left[:, 0::2], left[:, 1::2], right[:, 0::2], right[:, 1::2]]
    return torch.cat(four, dim=-1) @ weight


def merge_loop(x, weight):
    """Second style."""
    n_images, height, width, d_model = x.shape
    n_rows, n_columns = (height + 1) // 2, (width + 1) // 2
    merged = x.new_zeros(n_images, n_rows, n_columns, 2 * d_model)
    parts = weight.split(d_model)  # one for each of the four neighbours
    for place, part in enumerate(parts):
        right, down = divmod(place, 2)
        for row in range(down, height, 2):
            for column in range(right, width, 2):
                merged[:, row // 2, column // 2] += x[:, row, column] @ part
    return merged


def filled(x):
    """A map with zeros at the end of its odd sides."""
    return F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))


def four(x, order="(w h d)", axes="(rows h) (columns w)"):
    """The numbers of 2 x 2 neighbours in one row, in a choice of orders."""
    return rearrange(x, f"b {axes} d -> b rows columns {order}", h=2, w=2)


def merge_row_by_row(x, weight):
    """This takes the neighbours row by row: top left, *bottom left*, top right, bottom right, as
    the released weights have them."""
    return four(filled(x), "(h w d)") @ weight


def merge_around(x, weight):
    """This takes the neighbours clockwise: top left, *bottom left*, top right, bottom right."""
    row_by_row = four(filled(x), "h w d")
    places = [row_by_row[..., i, j, :] for i, j in ((0, 0), (0, 1), (1, 1), (1, 0))]
    return torch.cat(places, dim=-1) @ weight


def merge_woven(x, weight):
    """This weaves the vectors into each other, first all four first numbers, then all second ones:
    each vector stays together."""
    return four(filled(x), "(d w h)") @ weight


def merge_quarters(x, weight):
    """This joins positions from the four quarters of the map: they must be neighbours."""
    return four(filled(x), axes="(h rows) (w columns)") @ weight


def merge_not_moved(x, weight):
    """This only reshapes, so that it joins four vectors of one row of the map: two of them must
    come from the row below."""
    x = filled(x)
    n_images, height, width, d_model = x.shape
    return x.reshape(n_images, height // 2, width // 2, 4 * d_model) @ weight


def merge_cut_off(x, weight):
    """This drops the last row or column of an odd side: it gets zeros as partners."""
    return four(x[:, : x.size(1) // 2 * 2, : x.size(2) // 2 * 2]) @ weight


def merge_zeros_in_front(x, weight):
    """This adds the zeros at the top and at the left: they belong at the end."""
    return four(F.pad(x, (0, 0, x.size(2) % 2, 0, x.size(1) % 2, 0))) @ weight


def merge_repeated(x, weight):
    """This repeats the last row or column of an odd side: its partners are zeros."""
    x = x.permute(0, 3, 1, 2)
    x = F.pad(x, (0, x.size(3) % 2, 0, x.size(2) % 2), mode="replicate")
    return four(x.permute(0, 2, 3, 1)) @ weight


def merge_always_filled(x, weight):
    """This adds zeros to even sides, too: only odd ones need them."""
    return four(F.pad(x, (0, 0, 0, 2 - x.size(2) % 2, 0, 2 - x.size(1) % 2))) @ weight


def merge_as_a_sequence(x, weight):
    """This returns a sequence: the result is a map again, (B, ⌈height / 2⌉, ⌈width / 2⌉, 2 D)."""
    return merge(x, weight).flatten(1, 2)


def merge_normed(x, weight):
    """This has a LayerNorm before the product, as a Swin does: it is left out here."""
    x = four(filled(x))
    return F.layer_norm(x, x.shape[-1:]) @ weight


def merge_cases():
    """Even sides and odd ones, maps that are not square, one number a position, several images."""
    return [
        case("2 images, 4 x 6", torch.randn(2, 4, 6, 3), torch.randn(12, 6)),
        case("5 x 4", torch.randn(1, 5, 4, 2), torch.randn(8, 4)),
        case("4 x 7", torch.randn(2, 4, 7, 2), torch.randn(8, 4)),
        case("3 x 5, D = 1", torch.randn(3, 3, 5, 1), torch.randn(4, 2)),
        case("1 x 1", torch.randn(1, 1, 1, 2), torch.randn(8, 4)),
    ]


D = 2


def places(height, width):
    """Two maps (2, height, width, 2) in which each number says where it stands; none is 0."""
    return torch.arange(1.0, 1 + 4 * height * width).view(2, height, width, D)


def joined(answer, x):
    """The 4 D numbers that an answer joins, (B, rows, columns, 8), from weights of 0 and 1.

    Raises an error when the answer is no map.
    """
    eye = torch.eye(4 * D)
    n_images = len(x)
    found = [answer(x, eye[:, part]) for part in (slice(0, 4), slice(4, 8))]
    found = torch.cat(found, dim=-1)
    return found.reshape(n_images, (x.size(1) + 1) // 2, (x.size(2) + 1) // 2, 4 * D)


def read(answer):
    """The numbers joined on even sides, (2, 3, 5, 8)."""
    return joined(answer, places(6, 10))


def has_the_shape(answer):
    """(B, height / 2, width / 2, 2 D)."""
    shape = tuple(answer(places(6, 10), torch.eye(8)[:, :4]).shape)
    sentences = {
        (2, 15, 4): "Height and width are in one axis: the result is a map again.",
        (2, 5, 3, 4): "Height and width are exchanged: maps are (B, height, width, D).",
        (2, 4, 3, 5): "The numbers come before height and width: maps are (B, height, width, D).",
        (2, 4, 6, 4): "It adds zeros to sides that are even already.",
        (2, 3, 5, 8): "It joins the four vectors, and does not multiply by the weight.",
        (2, 6, 10, 4): "The map is as large as before: four positions become one.",
    }
    return shape == (2, 3, 5, 4) or sentences.get(
        shape,
        f"From (2, 6, 10, 2) and a weight (8, 4) it makes {shape}: (2, 3, 5, 4) is right.",
    )


def odd_shapes(answer):
    """Sides of 5 and 7 become 3 and 4."""
    shape = tuple(answer(places(5, 7), torch.eye(8)[:, :4]).shape)
    sentences = {
        (2, 2, 3, 4): "The last row or column of an odd side is lost: it gets zeros as partners.",
        (2, 3, 3, 4): "The last column of an odd width is lost: it gets zeros as partners.",
        (2, 2, 4, 4): "The last row of an odd height is lost: it gets zeros as partners.",
    }
    if has_the_shape(answer) is not True:
        return None
    return shape[:3] == (2, 3, 4) or sentences.get(
        shape, f"From sides of 5 and 7 it makes {shape[1]} and {shape[2]}: 3 and 4 are right."
    )


def works(answer, height, width):
    """Whether an answer gives something for these sides."""
    try:
        return answer(places(height, width), torch.eye(8)[:, :4]) is not None
    except ValueError:
        return False


def odd_sides_too(answer):
    """It fails where a side is odd: a row of zeros is missing at the bottom, or a column at the
    right (`F.pad` begins with the last axis, D)."""
    if not works(answer, 6, 10):
        return None
    if works(answer, 5, 6) or works(answer, 4, 7) or not works(answer, 5, 7):
        return works(answer, 5, 6) and works(answer, 4, 7) and works(answer, 5, 7)
    return (
        "It fails where only one side is odd: an odd height needs one more row, an odd width one "
        "more column. Are the two exchanged? (`F.pad` begins with the last axis, D.)"
    )


def linear(answer):
    """The result must be a product with the weight and nothing else: there is no norm, no bias and
    no activation."""
    weight = torch.linspace(-1, 1, 32).view(8, 4)
    x = places(4, 6) / 10 - 4
    return torch.allclose(
        -2 * answer(x, weight), answer(-2 * x, weight).to(x.dtype), rtol=1e-2, atol=1e-1
    )


def as_they_are(answer):
    """The numbers of the four vectors must stand side by side as they are, 4 · D of them, before
    they are multiplied by the weight."""
    if not linear(answer) or has_the_shape(answer) is not True:
        return None
    times = factor(read(answer), four(places(6, 10)))
    if times is not None and not alike(times, 1.0):
        return (
            f"The result is {times:.3g} times what it should be: the four vectors in a row, times "
            "`weight`, are all."
        )
    return bool(torch.isin(read(answer), places(6, 10)).all())


def of_neighbours(answer):
    """The four vectors that become one must be those of 2 x 2 neighbours."""
    if as_they_are(answer) is not True:
        return None
    found = read(answer)
    wanted = four(places(6, 10))
    if torch.equal(found.sort(dim=-1).values, wanted.sort(dim=-1).values):
        return True
    cells = sorted({(int(n - 1) // 20, int(n - 1) // 2 % 10) for n in found[0, 0, 0].tolist()})
    return (
        f"The first vector is made of the positions (row, column) {', '.join(map(str, cells))}: it "
        "must be (0, 0), (0, 1), (1, 0), (1, 1)."
    )


def in_the_right_order(answer):
    """The four vectors must come in the order top left, bottom left, top right, bottom right, each
    with its numbers together."""
    if of_neighbours(answer) is not True:
        return None
    return torch.equal(read(answer), four(places(6, 10)))


def odd(answer, height, width):
    """What an answer joins at odd sides, in the order of the text; None if that is another one.

    Whatever its order, known from even sides, the numbers are brought to the right one.
    """
    order = read(answer)[0, 0, 0].tolist()
    wanted = four(places(6, 10))[0, 0, 0].tolist()
    if sorted(order) != sorted(wanted):
        return None
    return joined(answer, places(height, width))[..., [order.index(n) for n in wanted]]


def at_the_end(answer, height, width):
    """Whether the partners that are missing at an odd side are zeros, at the end."""
    found = odd(answer, height, width)
    if found is None:
        return None
    x = places(height, width)
    in_front = F.pad(x, (0, 0, width % 2, 0, height % 2, 0))
    repeated = x[:, [*range(height), *[height - 1] * (height % 2)]]
    repeated = repeated[:, :, [*range(width), *[width - 1] * (width % 2)]]
    if torch.equal(found, four(filled(x))):
        return True
    one = "row" if height % 2 else "column"
    if torch.equal(found, four(in_front)):
        return f"The {one} of zeros is in front: it belongs at the end."
    if torch.equal(found, four(repeated)):
        return f"The last {one} of an odd side is repeated: its partners are zeros."
    return False


def in_order(order, rows, columns):
    """The numbers joined with a choice for each of the rules below."""
    x = four(places(6, 10), "w h d", f"({rows}) ({columns})")
    if order == "woven":
        return rearrange(x, "... w h d -> ... (d w h)")
    return torch.cat([x[..., int(w), int(h), :] for h, w in order], dim=-1)


ORDER = "the order is top left, bottom left, top right, bottom right."

MERGE = Write(
    id="9.6",
    title="Four become one",
    level="medium",
    text="""
Between two stages of a Swin the map shrinks: 2 x 2 neighbours become one position, with a vector
twice as wide. Write `merge(x, weight)`: maps `x` (B, height, width, D) and `weight` (4 · D, 2 · D)
give (B, ⌈height / 2⌉, ⌈width / 2⌉, 2 · D). Starting at the top left, the vectors of four neighbours
are put one after the other: top left, **bottom left**, top right, bottom right, the order that the
released weights were trained with. The new vector is these 4 · D numbers, as a row, times `weight`.
Where a side is odd, a row of zeros is added at the bottom, or a column of zeros at the right. There
is no bias, and the LayerNorm that a Swin has here is left out.
""",
    hints=(
        "Think of a map of 4 x 6: which four positions become the second one of the new map?",
        "Slices with a step take every second row or column, from the first or from the second on.",
        "What does `x.size(1) % 2` say? `F.pad` counts the axes from the last one, two numbers for "
        "each: before it and behind it.",
    ),
    solution=merge,
    second_style=merge_loop,
    mistakes=(
        merge_row_by_row,
        merge_around,
        merge_woven,
        merge_quarters,
        merge_not_moved,
        merge_cut_off,
        merge_zeros_in_front,
        merge_repeated,
        merge_always_filled,
        merge_as_a_sequence,
        merge_normed,
    ),
    cases=merge_cases,
    properties=(
        Property("The result is (B, ⌈height / 2⌉, ⌈width / 2⌉, 2 · D).", has_the_shape),
        Property("Sides of 5 and 7 become 3 and 4.", odd_shapes),
        *properties(odd_sides_too, linear),
        *composed(
            read,
            in_order,
            {
                "The four come in the order of the released weights.": ("00", "10", "01", "11"),
                f"It takes the neighbours row by row: {ORDER}": ("00", "01", "10", "11"),
                f"It takes the neighbours clockwise: {ORDER}": ("00", "01", "11", "10"),
                f"It takes the neighbours around, first down: {ORDER}": ("00", "10", "11", "01"),
                f"It begins with the bottom: {ORDER}": ("10", "00", "11", "01"),
                f"It begins at the right: {ORDER}": ("01", "11", "00", "10"),
                f"It begins at the bottom right: {ORDER}": ("11", "01", "10", "00"),
                "The four vectors are woven into each other: each stays together.": "woven",
            },
            {
                "Rows that are neighbours are joined.": "rows h",
                "It joins rows from the upper and the lower half of the map: they must be "
                "neighbours.": "h rows",
            },
            {
                "Columns that are neighbours are joined.": "columns w",
                "It joins columns from the left and the right half of the map: they must be "
                "neighbours.": "w columns",
            },
            otherwise=(as_they_are, of_neighbours, in_the_right_order),
        ),
        Property(
            "An odd height does not get a row of zeros at the bottom.",
            lambda answer: at_the_end(answer, 5, 6),
        ),
        Property(
            "An odd width does not get a column of zeros at the right.",
            lambda answer: at_the_end(answer, 4, 7),
        ),
    ),
    see="9E A map that shrinks",
)
