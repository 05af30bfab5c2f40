"""A look laid over a digit, patch by patch, also where patches overlap.

Overlapping patches cannot be coloured whole. Each is drawn as a tile, the middle of its own
square and as wide as the step to the next; an orange frame shows the whole of the one looked at
most.
"""

from dataclasses import dataclass

import torch
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.models.patches import cut_overlapping_patches, patches_a_side

INKED = 0.05  # a patch has ink when this much of it, on the mean, is black


@dataclass(frozen=True)
class PatchGrid:
    """A digit (1, side, side) of ink from 0 to 1, and how it is cut into patches.

    Raises ShapeError when the picture has another form or the patches do not fit.

    >>> PatchGrid(torch.zeros(1, 28, 28), patch_size=7, overlap=3).n_patches
    49
    """

    image: torch.Tensor
    patch_size: int
    overlap: int = 0

    def __post_init__(self):
        shape = tuple(self.image.shape)
        if len(shape) != 3 or shape[0] != 1 or shape[1] != shape[2]:
            raise ShapeError(f"the digit must be (1, side, side), got shape {shape}")
        patches_a_side(self.image.size(-1), self.patch_size, self.overlap)  # or raises

    @property
    def side(self):
        """How many patches stand in a row."""
        return patches_a_side(self.image.size(-1), self.patch_size, self.overlap)

    @property
    def n_patches(self):
        """How many patches there are."""
        return self.side**2

    @property
    def has_ink(self):
        """Which patches hold some of the digit, (N,) bool."""
        picture = self.image[None].float()  # (1, C, height, width)
        patches = cut_overlapping_patches(picture, self.patch_size, self.overlap)[0]
        return patches.mean(dim=-1) > INKED

    @property
    def ink_share(self):
        """The share of the patches that have ink, what an even look gives it."""
        return self.has_ink.float().mean().item()

    @property
    def first_edge(self):
        """Where the first patch begins, in pixels: below 0 when it reaches beyond the picture."""
        step = self.patch_size - self.overlap
        return -((self.side * step + self.overlap - self.image.size(-1)) // 2)

    def shares(self, seen):
        """Return seen (N,) as shares of 1. Raises ShapeError for another length."""
        seen = torch.as_tensor(seen).detach().float()
        if seen.shape != (self.n_patches,):
            raise ShapeError(
                f"seen must be ({self.n_patches},), one weight a patch, got {tuple(seen.shape)}"
            )
        return seen / seen.sum().clamp(min=1e-12)

    def on_ink(self, seen):
        """Return how much of seen (N,) falls on patches with ink, from 0 to 1."""
        return self.shares(seen)[self.has_ink].sum().item()


def draw_look(axes, grid, seen, top):
    """Lay seen (N,), coloured up to `top`, over the outline of the digit of a PatchGrid.

    Returns the picture, for a colour bar.
    """
    shares = grid.shares(seen)
    step = grid.patch_size - grid.overlap
    low = grid.first_edge + (grid.patch_size - step) / 2 - 0.5  # imshow counts from pixel centres
    high = low + grid.side * step
    tiles = shares.view(grid.side, grid.side).numpy()
    look = {"cmap": style.WEIGHTS, "vmin": 0, "vmax": top}
    picture = axes.imshow(tiles, **look, extent=(low, high, high, low))
    least, most = grid.image.min().item(), grid.image.max().item()
    if least < most:
        outline = [(least + most) / 2]
        axes.contour(grid.image[0].numpy(), outline, colors=style.INK, linewidths=1.2)
    row, column = divmod(int(shares.argmax()), grid.side)
    corner = [grid.first_edge + step * place - 0.5 for place in (column, row)]
    size = grid.patch_size
    frame = Rectangle(corner, size, size, fill=False, edgecolor=style.ORANGE, linewidth=2)
    axes.add_patch(frame)
    end = grid.image.size(-1) - 0.5  # tiles may reach beyond the picture
    axes.set(xlim=(-0.5, end), ylim=(end, -0.5))
    style.draw_frame(axes)
    return picture


def add_key(figure, grid):
    """Say below the panels of `draw_look` what a tile and the orange frame are."""
    words = "orange frame: the patch that is looked at most"
    if grid.overlap:
        words = f"a tile: the middle of a patch, patches overlap · {words}, whole"
    figure.supxlabel(words, fontsize=9, color=style.MUTED)
