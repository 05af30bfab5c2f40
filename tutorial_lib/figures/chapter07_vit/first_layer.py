"""What the first layer of a ViT reads, a row of vectors, and the filters that made them."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.models.patches import cut_patches


@style.styled
def token_row(image, patch_size, vectors, title=None, figure=None):
    """The patches of a picture in one row after [CLS], and below each the vector of its token.

    image (1, side, side) of ink from 0 to 1; vectors (N + 1, D), that of [CLS] first. Returns the
    figure. Raises ShapeError when there is not one vector for each patch and [CLS].

    >>> import torch
    >>> token_row(torch.rand(1, 4, 4), 2, torch.randn(5, 8)).get_suptitle()
    'A picture as the encoder reads it: 5 tokens, a vector of 8 numbers each'
    """
    patches = cut_patches(image[None], patch_size)[0].view(-1, patch_size, patch_size)
    if len(vectors) != len(patches) + 1:
        raise ShapeError(
            f"expected {len(patches) + 1} vectors, [CLS] and {len(patches)} patches, got "
            f"{len(vectors)}"
        )
    values = vectors.detach().numpy()
    figure = style.blank(figure, 9.5, 3.6)
    above, below = figure.subplots(2, 1, height_ratios=(1, 3))
    for number, patch in enumerate(patches, 1):
        place = (number - 0.44, number + 0.44, 0, 1)
        above.imshow((1 - patch).numpy(), cmap="gray", vmin=0, vmax=1, extent=place, zorder=1)
        frame = {"fill": False, "edgecolor": style.GRID, "zorder": 2}
        above.add_patch(Rectangle((number - 0.44, 0), 0.88, 1, **frame))
    above.text(0, 0.5, "[CLS]", ha="center", va="center", fontsize=10)
    above.set(xlim=(-0.5, len(patches) + 0.5), ylim=(-0.05, 1.05), aspect="auto")
    above.axis("off")
    top = np.abs(values).max()
    look = {"cmap": style.SIGNED, "vmin": -top, "vmax": top, "aspect": "auto"}
    picture = below.imshow(values.T, interpolation="nearest", **look)
    for border in range(len(patches)):
        below.axvline(border + 0.5, color=style.CARD, linewidth=3)
    below.spines[:].set_visible(False)
    below.tick_params(length=0)
    below.set(xticks=range(len(values)), yticks=[], xlabel="position")
    below.set_ylabel(f"{values.shape[1]} numbers")
    bar = figure.colorbar(picture, ax=[above, below], fraction=0.02, pad=0.01)
    bar.outline.set_visible(False)
    said = (
        f"A picture as the encoder reads it: {len(values)} tokens, a vector of "
        f"{values.shape[1]} numbers each"
    )
    style.headline(figure, title or said)
    return figure
