"""Chapter 07: a picture as a sequence of patches."""

import itertools

import torch
from einops import rearrange

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def patchify(images, patch_size):
    """Return the patches of images (B, C, height, width) as rows of numbers, (B, N, C · P · P).

    Patches come row by row, from the left in each; the numbers of a patch by channel, then by
    row, then by column. P divides height and width.
    """
    batch, channels, height, width = images.shape
    p = patch_size
    x = images.reshape(batch, channels, height // p, p, width // p, p)
    x = x.permute(0, 2, 4, 1, 3, 5)  # (B, rows, columns, C, P, P)
    return x.reshape(batch, -1, channels * p * p)


def patchify_loop(images, patch_size):
    """Second style."""
    rows, columns = images.size(2) // patch_size, images.size(3) // patch_size
    patches = []
    for row in range(rows):
        for column in range(columns):
            y, x = row * patch_size, column * patch_size
            patches.append(images[:, :, y : y + patch_size, x : x + patch_size].flatten(1))
    return torch.stack(patches, dim=1)


AXES = "b c (rows height) (columns width) -> "


def cut(images, patch_size, order):
    """Patches in another order of axes."""
    return rearrange(images, AXES + order, height=patch_size, width=patch_size)


def patchify_cases():
    """Pictures that are not square, one channel and more, a grid that is not P by P."""
    return [
        case("2 pictures, 3 channels, 4 x 6, P = 2", torch.randn(2, 3, 4, 6), 2),
        case("1 picture, 1 channel, 9 x 6, P = 3", torch.randn(1, 1, 9, 6), 3),
        case("1 picture, 2 channels, 8 x 8, P = 2", torch.randn(1, 2, 8, 8), 2),
    ]


P, GRID = 2, (4, 5)
# Two pictures alike, in which each pixel has a number of its own, below 256 for short floats.
PIXELS = torch.arange(240.0).view(1, 3, 8, 10).expand(2, 3, 8, 10)


def patches_of(answer):
    """Where each number comes from: (N, C · P · P, 3), the three being channel, row, column.

    Raises an error for an output that cannot be read as patches.
    """
    found = answer(PIXELS, P)
    if found.shape[:2] == (20, 2):
        found = found.transpose(0, 1)
    if found.shape == (2, 12, 20):
        found = found.mT
    found = found.reshape(2, 20, 12)[1].long()
    return torch.stack([found // 80, found // 10 % 8, found % 10], dim=-1)


def has_the_shape(answer):
    """(B, N, C · P · P)."""
    shape = tuple(answer(PIXELS, P).shape)
    sentences = {
        (20, 2, 12): "The patches come before the pictures: stack them along dim=1.",
        (2, 12, 20): "There is a patch in each column, as `unfold` gives it: exchange the last two "
        "axes.",
        (2, 4, 5, 12): "Rows and columns of patches are two axes: a sequence has one, N.",
        (2, 20, 3, 2, 2): "A patch is a little picture: make one row of numbers of it.",
        (2, 3, 20, 4): "The channels are apart: they belong to the patch.",
        (2, 60, 4): "Each channel has patches of its own: the channels belong to one patch.",
        (2, 20, 4): "A patch has one number for each place: keep all channels.",
        (2, 20, 3): "A patch has one number for each channel: keep all of its pixels.",
        (20, 12): "There is one picture: keep the batch axis.",
    }
    return shape == (2, 20, 12) or sentences.get(
        shape, f"From (2, 3, 8, 10) with P = 2 it makes {shape}: (2, 20, 12) is right."
    )


def holds_a_square(answer):
    """A row of numbers holds P by P neighbours of all channels."""
    first = patches_of(answer)[0]
    square = set(
        itertools.product(
            range(3), *(range(x // P * P, x // P * P + P) for x in first[0, 1:].tolist())
        )
    )
    if {*map(tuple, first.tolist())} == square:
        return True
    of_exchanged = patches_of(
        lambda images, p: patchify(images.reshape(*images.shape[:2], 10, 8), p)
    )
    if {*map(tuple, first.tolist())} == {*map(tuple, of_exchanged[0].tolist())}:
        return (
            "Height and width are exchanged: images are (B, C, height, width), so there are "
            "height / P rows of patches and width / P columns. It shows only where the two differ."
        )
    _, rows, columns = (sorted(set(axis.tolist())) for axis in first.T)
    return (
        f"With P = 2 the first patch holds pixels of rows {rows} and columns {columns} of a "
        "picture, not all of them in 3 channels: cut height and width into pieces of P, and move "
        "the axes before you flatten them."
    )


def patches_in_order(answer):
    """Row by row, from the left."""
    if holds_a_square(answer) is not True:
        return None
    corners = patches_of(answer).amin(dim=1)[:, 1:] // P
    cells = [*map(tuple, corners.tolist())]
    if cells == [(r, c) for c in range(GRID[1]) for r in range(GRID[0])]:
        return "It goes down the columns of patches: go row by row."
    return cells == [*itertools.product(*map(range, GRID))] or (
        f"The first patches are those in (row, column) {cells[0]}, {cells[1]}, {cells[2]}: go row "
        "by row, from the left to the right in each."
    )


def numbers_in_order(answer):
    """By channel, then by row, then by column."""
    if holds_a_square(answer) is not True:
        return None
    found = patches_of(answer)[0].tolist()
    names = ("channel", "row", "column")
    for order in itertools.permutations(range(3)):
        if found == sorted(found, key=lambda pixel: [pixel[axis] for axis in order]):
            return order == (0, 1, 2) or (
                "The numbers of a patch come by {}, then by {}, then by {}: channel, row, column "
                "is the order.".format(*(names[axis] for axis in order))
            )
    return False


PATCHIFY = Write(
    id="7.2",
    title="Cut a picture into patches",
    level="easy",
    text="""
Write `patchify(images, patch_size)`: images (B, C, height, width) become patches (B, N, C · P · P),
one row of numbers each. Patches come **row by row**, from the left to the right in each row. The
numbers of a patch come by channel, then by row, then by column. P divides height and width, which
may differ.
""",
    hints=(
        "A loop over rows and columns of patches and a slice will do: "
        "`images[:, :, y : y + P, x : x + P]`.",
        "`.flatten(1)` of such a slice (B, C, P, P) has the numbers in the right order.",
        "Without a loop: reshape to (B, C, rows, P, columns, P), `permute` so that rows and "
        "columns come before C, and reshape again.",
    ),
    solution=patchify,
    second_style=patchify_loop,
    mistakes=(),
    cases=patchify_cases,
    properties=(
        Property("The patches are (B, N, C · P · P).", has_the_shape),
        Property("A patch is a square of P by P pixels, in all channels.", holds_a_square),
        Property("The patches come row by row, from the left.", patches_in_order),
        Property(
            "The numbers of a patch come by channel, then by row, then by column.",
            numbers_in_order,
        ),
    ),
    see="7C Build a ViT",
)
