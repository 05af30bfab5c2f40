"""A picture as a sequence: patches cut out, flattened and projected (Dosovitskiy et al. 2020)."""

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

from tutorial_lib.errors import ShapeError


def patches_a_side(image_size, patch_size, overlap=0):
    """Return how many patches fit along a side; overlapping ones are filled up with a margin.

    Raises ShapeError when patches without overlap do not fill the side, or the overlap is not
    smaller than a patch.

    >>> patches_a_side(224, 16), patches_a_side(28, 7, overlap=3)
    (14, 7)
    """
    if not 0 <= overlap < patch_size <= image_size:
        raise ShapeError(
            f"patches of {patch_size} with an overlap of {overlap} cannot be cut from a side of "
            f"{image_size} pixels"
        )
    stride = patch_size - overlap
    if not overlap and image_size % patch_size:
        raise ShapeError(f"patches of {patch_size} do not fill a side of {image_size} pixels")
    return -(-(image_size - overlap) // stride)  # rounded up


def cut_patches(images, patch_size, overlap=0):
    """Return the patches of images (B, C, height, width) as rows of numbers: (B, N, C · P · P).

    Patches go row by row, the numbers of each by channel, then row, then column. Overlapping
    ones that reach beyond the picture see zeros there.
    Raises ShapeError when images have another form or the patches do not fit.

    >>> cut_patches(torch.arange(16.0).view(1, 1, 4, 4), 2)[0, 1]
    tensor([2., 3., 6., 7.])
    """
    if images.dim() != 4 or not images.is_floating_point():
        raise ShapeError(
            "images must be floating point of shape (B, C, height, width), got "
            f"{images.dtype} {tuple(images.shape)}"
        )
    stride = patch_size - overlap
    margins = []
    for side in (images.size(3), images.size(2)):  # F.pad counts from the last axis
        margin = patches_a_side(side, patch_size, overlap) * stride + overlap - side
        margins += [margin // 2, margin - margin // 2]
    columns = F.unfold(F.pad(images, margins), patch_size, stride=stride)  # (B, C·P·P, N)
    return columns.transpose(1, 2)  # (B, N, C·P·P)


def join_patches(patches, channels, n_rows, n_columns):
    """Return the images (B, C, height, width) of patches (B, N, C · P · P) without overlap.

    >>> images = torch.randn(2, 3, 4, 6)
    >>> torch.equal(join_patches(cut_patches(images, 2), 3, 2, 3), images)
    True
    """
    return rearrange(
        patches,
        "batch (rows columns) (channels height width) -> "
        "batch channels (rows height) (columns width)",
        rows=n_rows,
        columns=n_columns,
        channels=channels,
        height=round((patches.size(-1) / channels) ** 0.5),
    )


class PatchEmbedding(nn.Module):
    """One vector a patch, a linear map of its pixels, with room for [CLS] and for a mask.

    images (B, C, height, width) -> (B, T, D), where T is N patches, and one more in front with
    class_token. The map is a convolution with the stride of the patches, written out.
    maskable adds the vector that stands for a hidden patch.

    >>> PatchEmbedding(patch_size=2, channels=3, d_model=8)(torch.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 5, 8])
    """

    def __init__(self, patch_size, channels, d_model, overlap=0, class_token=True, maskable=False):
        super().__init__()
        self.patch_size = patch_size
        self.overlap = overlap
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.class_token = nn.Parameter(torch.zeros(d_model)) if class_token else None
        self.mask = nn.Parameter(torch.randn(d_model) * 0.02) if maskable else None

    def forward(self, images, hidden=None, source=None):
        """Return (B, T, D).

        hidden (B, N) bool: patches replaced by the mask vector; source (B, N): which patch's
        vector stands at each place, its own by default.
        Raises ShapeError when these do not have one entry a patch.
        """
        x = self.projection(cut_patches(images, self.patch_size, self.overlap))  # (B, N, D)
        for name, given in (("hidden", hidden), ("source", source)):
            if given is not None and given.shape != x.shape[:2]:
                raise ShapeError(
                    f"{name} must have one entry a patch, {tuple(x.shape[:2])}, got "
                    f"{tuple(given.shape)}"
                )
        if source is not None:
            x = x.gather(1, source[..., None].expand_as(x))
        if hidden is not None:
            x = torch.where(hidden[..., None], self.mask, x)
        if self.class_token is not None:
            x = torch.cat([self.class_token.expand(len(x), 1, -1), x], dim=1)  # (B, 1 + N, D)
        return x
