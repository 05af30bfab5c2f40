"""Chapter 07: a picture as a sequence of patches."""

import torch
import torch.nn.functional as F
from einops import rearrange

from tutorial_lib.exercises.engine.tasks import Write, case


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


def patchify_reshaped(images, patch_size):
    """This only reshapes, so that each row is a strip of neighbouring numbers in memory: cut the
    height and the width first, then move the axes.
    """
    n_numbers = images.size(1) * patch_size**2
    return images.reshape(len(images), -1, n_numbers)


def patchify_channels_last(images, patch_size):
    """This puts the three numbers of a pixel side by side: channels come first, then rows, then
    columns.
    """
    return cut(images, patch_size, "b (rows columns) (height width c)")


def patchify_by_columns(images, patch_size):
    """This goes down the columns of patches: go row by row."""
    return cut(images, patch_size, "b (columns rows) (c height width)")


def patchify_turned(images, patch_size):
    """This turns each patch on its side: its rows come before its columns."""
    return cut(images, patch_size, "b (rows columns) (c width height)")


def patchify_all_turned(images, patch_size):
    """This exchanges height and width, in the grid and in each patch."""
    return cut(images, patch_size, "b (columns rows) (c width height)")


def patchify_no_permute(images, patch_size):
    """This cuts height and width, and does not move the axes before it flattens them."""
    return cut(images, patch_size, "b (rows height) (c columns width)").reshape(
        len(images), -1, images.size(1) * patch_size**2
    )


def patchify_channels_in_front(images, patch_size):
    """This cuts rightly, but leaves the channels in front of rows and columns of patches when it
    reshapes: move them behind, to the pixels.
    """
    n_numbers = images.size(1) * patch_size**2
    return cut(images, patch_size, "b c rows columns height width").reshape(
        len(images), -1, n_numbers
    )


def patchify_cut_the_wrong_way(images, patch_size):
    """This splits the height into (rows, columns) and the width into (P, P): split each one into
    its patches and P.
    """
    batch, channels, height, width = images.shape
    p = patch_size
    x = images.reshape(batch, channels, height // p, width // p, p, p)
    return x.permute(0, 2, 3, 1, 4, 5).reshape(batch, -1, channels * p * p)


def patchify_patches_first(images, patch_size):
    """This puts the patches before the batch: stack along dim=1."""
    return patchify(images, patch_size).transpose(0, 1)


def patchify_step_of_one(images, patch_size):
    """This begins patch (r, c) at pixel (r, c): it begins at (r · P, c · P)."""
    rows, columns = images.size(2) // patch_size, images.size(3) // patch_size
    pieces = [
        images[:, :, r : r + patch_size, c : c + patch_size].flatten(1)
        for r in range(rows)
        for c in range(columns)
    ]
    return torch.stack(pieces, dim=1)


def patchify_sampled(images, patch_size):
    """This takes every P-th pixel: a patch is made of neighbours."""
    axes = "b c (height rows) (width columns) -> b (rows columns) (c height width)"
    return rearrange(images, axes, height=patch_size, width=patch_size)


def patchify_grid_count(images, patch_size):
    """This takes P for the number of patches a side: it is the number of pixels."""
    axes = "b c (rows height) (columns width) -> b (rows columns) (c height width)"
    return rearrange(images, axes, rows=patch_size, columns=patch_size)


def patchify_unfolded(images, patch_size):
    """This has a patch in each column, as `unfold` gives it: exchange the last two axes."""
    return F.unfold(images, patch_size, stride=patch_size)


def patchify_overlapping(images, patch_size):
    """This moves by one pixel: patches do not overlap, so move by P."""
    return F.unfold(images, patch_size).transpose(1, 2)


def patchify_grid_kept(images, patch_size):
    """This keeps rows and columns of patches as two axes: a sequence has one, N."""
    return cut(images, patch_size, "b rows columns (c height width)")


def patchify_pixels_kept(images, patch_size):
    """This keeps the pixels of a patch as a little picture: make one row of numbers of it."""
    return cut(images, patch_size, "b (rows columns) c height width")


def patchify_channels_apart(images, patch_size):
    """This keeps the channels apart, (B, C, N, P · P): they belong to the patch."""
    return cut(images, patch_size, "b c (rows columns) (height width)")


def patchify_channels_as_patches(images, patch_size):
    """This makes a patch of its own of each channel: they belong to one patch."""
    return cut(images, patch_size, "b (rows columns c) (height width)")


def patchify_grey(images, patch_size):
    """This averages the channels: keep all of them."""
    return patchify(images.mean(dim=1, keepdim=True), patch_size)


def patchify_one_channel(images, patch_size):
    """This takes the first channel only."""
    return patchify(images[:, :1], patch_size)


def patchify_means(images, patch_size):
    """This averages the pixels of each patch: keep them all."""
    return cut(images, patch_size, "b (rows columns) c height width").mean(dim=(3, 4))


def patchify_strips(images, patch_size):
    """This cuts the height only: each patch is P pixels wide, too."""
    return rearrange(images, "b c (rows p) w -> b rows (c p w)", p=patch_size)


def patchify_first_image(images, patch_size):
    """This cuts the first picture only: keep the batch axis."""
    return patchify(images, patch_size)[0]


def patchify_cases():
    """Pictures that are not square, one channel and more, a grid that is not P by P."""
    return [
        case("2 pictures, 3 channels, 4 x 6, P = 2", torch.randn(2, 3, 4, 6), 2),
        case("1 picture, 1 channel, 9 x 6, P = 3", torch.randn(1, 1, 9, 6), 3),
        case("1 picture, 2 channels, 8 x 8, P = 2", torch.randn(1, 2, 8, 8), 2),
    ]


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
    mistakes=(
        patchify_reshaped,
        patchify_channels_last,
        patchify_by_columns,
        patchify_turned,
        patchify_all_turned,
        patchify_no_permute,
        patchify_channels_in_front,
        patchify_cut_the_wrong_way,
        patchify_patches_first,
        patchify_step_of_one,
        patchify_sampled,
        patchify_grid_count,
        patchify_unfolded,
        patchify_overlapping,
        patchify_grid_kept,
        patchify_pixels_kept,
        patchify_channels_apart,
        patchify_channels_as_patches,
        patchify_grey,
        patchify_one_channel,
        patchify_means,
        patchify_strips,
        patchify_first_image,
    ),
    cases=patchify_cases,
    see="7.2 Patches to vectors",
)
