"""A picture as a sequence: patches cut out, flattened and projected (Dosovitskiy et al. 2020)."""

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

from tutorial_lib.errors import ShapeError


def cut_patches(images, patch_size):
    """Return the patches of images (B, C, height, width) as rows of numbers: (B, N, C · P · P).

    Patches go row by row, the numbers of each by channel, then row, then column.
    Raises ShapeError when images have another form or the patches do not fill them.

    >>> cut_patches(torch.arange(16.0).view(1, 1, 4, 4), 2)[0, 1]
    tensor([2., 3., 6., 7.])
    """
    check_cut(images, patch_size)
    return rearrange(
        images,
        "batch channels (rows height) (columns width) -> "
        "batch (rows columns) (channels height width)",
        height=patch_size,
        width=patch_size,
    )


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
    """One vector a patch, a linear map of its pixels, after room for [CLS].

    images (B, C, height, width) -> (B, T, D), where T is N patches, and one more in front with
    class_token. overlap: pixels that neighbouring patches share. The map is a convolution with the
    stride of the patches, written out.

    >>> PatchEmbedding(patch_size=2, channels=3, d_model=8)(torch.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 5, 8])
    """

    def __init__(
        self, patch_size, channels, d_model, overlap=0, class_token=True, linear_bias=True
    ):
        super().__init__()
        self.patch_size = patch_size
        self.overlap = overlap
        self.projection = nn.Linear(channels * patch_size**2, d_model, bias=linear_bias)
        self.class_token = nn.Parameter(torch.zeros(d_model)) if class_token else None

    def forward(self, images, *, source=None):
        """Return (B, T, D).

        source (B, N): the patch whose vector each position gets, its own by default. Raises
        ShapeError when it does not have one entry a patch.
        """
        return self.after_class_token(exchanged(self.project(images), source))  # (B, T, D)

    def project(self, images):
        """Return the vectors of the patches alone, (B, N, D)."""
        if self.overlap:
            patches = cut_overlapping_patches(images, self.patch_size, self.overlap)
        else:
            patches = cut_patches(images, self.patch_size)
        return self.projection(patches)

    def after_class_token(self, x):
        """Return (B, T, D): the vector of [CLS], where there is one, and after it x (B, N, D)."""
        if self.class_token is None:
            return x
        return torch.cat([self.class_token.expand(len(x), 1, -1), x], dim=1)  # (B, 1 + N, D)


class MaskablePatchEmbedding(PatchEmbedding):
    """A PatchEmbedding that can hide patches behind one learned vector (Dosovitskiy et al., B.1.2).

    >>> layer = MaskablePatchEmbedding(patch_size=2, channels=3, d_model=8)
    >>> x = layer(torch.zeros(1, 3, 4, 4), masked=torch.tensor([[True, False, False, False]]))
    >>> torch.equal(x[0, 1], layer.mask)
    True
    """

    def __init__(self, patch_size, channels, d_model, overlap=0, class_token=True):
        super().__init__(patch_size, channels, d_model, overlap, class_token)
        self.mask = nn.Parameter(torch.randn(d_model) * 0.02)

    def forward(self, images, *, masked=None, source=None):
        """Return (B, T, D).

        masked (B, N) bool: patches replaced by the mask vector; source (B, N): the patch whose
        vector each position gets, its own by default.
        Raises ShapeError when these do not have one entry a patch.
        """
        x = exchanged(self.project(images), source)  # (B, N, D)
        if masked is not None:
            check_one_a_patch("masked", masked, x)
            x = torch.where(masked[..., None], self.mask, x)
        return self.after_class_token(x)


def exchanged(x, source):
    """Return the vectors x (B, N, D) of patches with that of patch source[b, n] at position n."""
    if source is None:
        return x
    check_one_a_patch("source", source, x)
    return x.gather(1, source[..., None].expand_as(x))


def check_one_a_patch(name, given, x):
    """Raise ShapeError unless `given` has one entry for each vector of x (B, N, D)."""
    if given.shape != x.shape[:2]:
        raise ShapeError(
            f"{name} must have one entry a patch, {tuple(x.shape[:2])}, got {tuple(given.shape)}"
        )


def cut_overlapping_patches(images, patch_size, overlap):
    """Return patches that share `overlap` pixels with their neighbours, as `cut_patches` does.

    Those that reach beyond the picture see zeros there.

    >>> cut_overlapping_patches(torch.arange(9.0).view(1, 1, 3, 3), 2, overlap=1)[0, 1]
    tensor([1., 2., 4., 5.])
    """
    check_cut(images, patch_size, overlap)
    stride = patch_size - overlap
    margins = []
    for side in (images.size(3), images.size(2)):  # F.pad counts from the last axis
        margin = patches_a_side(side, patch_size, overlap) * stride + overlap - side
        margins += [margin // 2, margin - margin // 2]
    columns = F.unfold(F.pad(images, margins), patch_size, stride=stride)  # (B, C · P · P, N)
    return columns.transpose(1, 2)  # (B, N, C · P · P)


def patches_a_side(image_size, patch_size, overlap=0):
    """Return how many patches fit along a side; overlapping ones are filled up with a margin.

    Raises ShapeError as `check_side` does.

    >>> patches_a_side(224, 16), patches_a_side(28, 7, overlap=3)
    (14, 7)
    """
    check_side(image_size, patch_size, overlap)
    return -(-(image_size - overlap) // (patch_size - overlap))  # rounded up


def check_side(image_size, patch_size, overlap=0):
    """Raise ShapeError unless patches fill a side, or overlap by less than a patch."""
    if not 0 <= overlap < patch_size <= image_size:
        raise ShapeError(
            f"patches of {patch_size} with an overlap of {overlap} cannot be cut from a side of "
            f"{image_size} pixels"
        )
    if not overlap and image_size % patch_size:
        raise ShapeError(f"patches of {patch_size} do not fill a side of {image_size} pixels")


def check_cut(images, patch_size, overlap=0):
    """Raise ShapeError unless images are pictures, (B, C, height, width), that can be cut so."""
    if images.dim() != 4 or not images.is_floating_point():
        raise ShapeError(
            "images must be floating point of shape (B, C, height, width), got "
            f"{images.dtype} {tuple(images.shape)}"
        )
    for side in (images.size(3), images.size(2)):
        check_side(side, patch_size, overlap)
