"""Hidden patches of pictures, what a ViT fills in, and the colours that were there."""

import torch
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.models.patches import cut_patches, join_patches
from tutorial_lib.objectives import mean_colours

HIDDEN = {"facecolor": "#f4f0fa", "edgecolor": "#8a63c4", "hatch": "////", "linewidth": 0.6}
FRAME = "#8a63c4"
RIGHT = {"markersize": 6.5, "markerfacecolor": "#fffffe", "markeredgecolor": "#20242f"}
STAGES = ("the picture", "what it gets", "what it fills in", "the true colours")


def class_colours(classes, bits=3):
    """Return colour classes (...) as red, green, blue from 0 to 1: (..., 3).

    The inverse of `mean_colours`; the highest level is drawn as 1, so that white stays white.

    >>> class_colours(torch.tensor([511, 448]))
    tensor([[1., 1., 1.],
            [1., 0., 0.]])
    """
    levels = 2**bits
    worth = levels ** torch.tensor([2, 1, 0], device=classes.device)
    return (classes[..., None] // worth % levels) / (levels - 1)


@style.styled
def filled_emoji(images, hidden, guesses, patch_size, bits=3, title=None, figure=None):
    """Pictures in four stages: whole, half hidden, filled with guessed colours, with the true ones.

    images (N, 3, height, width) from 0 to 1; hidden (N, patches) bool; guesses (N, patches)
    colour classes of `bits` bits a channel as `mean_colours` counts them, used where hidden.
    Hidden patches are hatched, right guesses have a dot. Returns the figure. Raises ShapeError
    when these do not fit or nothing is hidden.

    >>> image, hidden = torch.ones(1, 3, 4, 4), torch.tensor([[True, False, True, False]])
    >>> figure = filled_emoji(image, hidden, torch.full((1, 4), 511), patch_size=2)
    >>> figure.get_suptitle()
    '2 of 2 hidden patches right'
    """
    truth = _truth(images, hidden, guesses, patch_size, bits)
    stages = (
        images,
        images,  # the hatch comes on top
        _painted(images, hidden, class_colours(guesses, bits), patch_size),
        _painted(images, hidden, class_colours(truth, bits), patch_size),
    )
    right = (guesses == truth) & hidden
    figure = style.blank(figure, 1.2 + 1.45 * max(len(images), 4), 7.0)
    grid = figure.subplots(len(stages), len(images), squeeze=False)
    for line, name, pictures in zip(grid, STAGES, stages, strict=True):
        for axes, picture in zip(line, pictures, strict=True):
            axes.imshow(picture.permute(1, 2, 0).clamp(0, 1).numpy(), interpolation="nearest")
            style.draw_frame(axes)
        line[0].set_ylabel(name, fontsize=12)
    for axes, covered in zip(grid[1], hidden, strict=True):
        for number in covered.nonzero().flatten().tolist():
            x, y = _corner(number, images, patch_size)
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), patch_size, patch_size, **HIDDEN))
    for axes, good, of in zip(grid[2], right, hidden.sum(1), strict=True):
        for number in good.nonzero().flatten().tolist():
            x, y = _corner(number, images, patch_size)
            axes.plot(x - 0.5 + patch_size / 2, y - 0.5 + patch_size / 2, "o", **RIGHT)
        axes.set_xlabel(f"{good.sum()} of {of} right (dots)", fontsize=11)
    style.headline(figure, title or _said(truth, hidden, right, bits))
    return figure


def describe_filled_emoji(images, hidden, guesses, patch_size, bits=3):
    """Say in words what `filled_emoji` shows."""
    truth = _truth(images, hidden, guesses, patch_size, bits)
    right = (guesses == truth) & hidden
    each = ", ".join(
        f"{good} of {of}" for good, of in zip(right.sum(1), hidden.sum(1), strict=True)
    )
    many = "1 picture" if len(images) == 1 else f"{len(images)} pictures"
    return (
        f"{many} in four stages: whole, with patches hidden, with the colours that the model "
        f"fills in (one of {8**bits} each), with the true mean colours. "
        f"{_said(truth, hidden, right, bits)}. Right in each picture: {each}."
    )


def _truth(images, hidden, guesses, patch_size, bits):
    """The true colour classes, (N, patches)."""
    if images.dim() != 4 or images.size(1) != 3:
        raise ShapeError(f"images must be (N, 3, height, width), got {tuple(images.shape)}")
    truth = mean_colours(images, patch_size, bits)
    for name, given in (("hidden", hidden), ("guesses", guesses)):
        if given.shape != truth.shape:
            raise ShapeError(
                f"{name} must have one entry a patch, {tuple(truth.shape)}, got "
                f"{tuple(given.shape)}"
            )
    if hidden.dtype != torch.bool or not hidden.any():
        raise ShapeError(f"hidden must be bool with a True in it, got {hidden.dtype}")
    return truth


def _corner(number, images, patch_size):
    """Return where a patch begins: (x, y) in pixels."""
    row, column = divmod(number, images.size(-1) // patch_size)
    return column * patch_size, row * patch_size


def _painted(images, hidden, colours, patch_size):
    """The images with each hidden patch painted in its colour (N, patches, 3)."""
    patches = cut_patches(images, patch_size)  # (N, patches, 3 · P · P)
    flat = colours.float().repeat_interleave(patch_size**2, dim=-1)  # by channel, as the patches
    rows, columns = (side // patch_size for side in images.shape[2:])
    return join_patches(torch.where(hidden[..., None], flat, patches), 3, rows, columns)


def _said(truth, hidden, right, bits):
    text = f"{int(right.sum())} of {int(hidden.sum())} hidden patches right"
    commonest = truth[hidden].mode().values
    other = hidden & (truth != commonest)
    if not other.any():
        return text
    common = "white" if commonest == 8**bits - 1 else "the commonest colour"
    return f"{text}, {int(right[other].sum())} of the {int(other.sum())} not {common}"
