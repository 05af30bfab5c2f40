"""How large a patch? A photograph cut apart, and what the sequence costs."""

import ipywidgets
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import FigureExplorer
from tutorial_lib.figures.chapter07_vit.picture_patches import (
    describe_patch_sequence,
    patch_cost,
    patch_sequence,
    patch_sizes,
)

_WIDE = {"description_width": "initial"}


class PatchExplorer(FigureExplorer):
    """A slider for the size of a patch, a choice of pictures, and a switch that shuffles patches.

    pictures: a dict of name -> (C, side, side) from 0 to 1. Only sizes that fill the picture can
    be chosen. Raises ValueError without a picture or for a size that does not fit.

    >>> PatchExplorer({"grey": torch.full((1, 28, 28), 0.5)}, patch_size=7)
    Patch explorer: run this cell
    """

    title = "Patch explorer"

    def __init__(self, pictures, patch_size=16, shuffled=False, seed=0):
        if not pictures:
            raise ValueError("PatchExplorer needs at least one picture, got none")
        self.pictures, self.seed = dict(pictures), seed
        sides = {picture.size(-1) for picture in self.pictures.values()}
        if len(sides) != 1:
            raise ShapeError(f"all pictures must have one side, got {sorted(sides)} pixels")
        sizes = patch_sizes(sides.pop())
        if patch_size not in sizes:
            raise ValueError(f"patch_size must be one of {sizes}, got {patch_size}")
        super().__init__(
            {
                "picture": ipywidgets.Dropdown(
                    options=list(self.pictures), description="Picture", style=_WIDE
                ),
                "patch_size": ipywidgets.SelectionSlider(
                    options=sizes, value=patch_size, description="Side of a patch", style=_WIDE
                ),
                "shuffled": ipywidgets.Checkbox(
                    shuffled, description="Shuffle the patches", indent=False
                ),
            }
        )

    def order(self, patch_size):
        """Which patch stands at each place when they are shuffled, (N,); the same every time."""
        side = next(iter(self.pictures.values())).size(-1)
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randperm(patch_cost(side, patch_size).tokens, generator=generator)

    def draw(self, figure, picture, patch_size, shuffled):
        """Draw `tutorial_lib.figures.patch_sequence` for the controls' values."""
        order = self.order(patch_size) if shuffled else None
        return patch_sequence(self.pictures[picture], patch_size, order, figure=figure)

    def describe(self, picture, patch_size, shuffled):
        """Say the numbers of the picture."""
        order = self.order(patch_size) if shuffled else None
        return describe_patch_sequence(self.pictures[picture], patch_size, order)
