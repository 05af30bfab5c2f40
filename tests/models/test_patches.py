import pytest
import torch
import torch.nn.functional as F
from einops import rearrange
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError
from tutorial_lib.models.patches import (
    MaskablePatchEmbedding,
    PatchEmbedding,
    cut_overlapping_patches,
    cut_patches,
    join_patches,
    patches_a_side,
)


@pytest.fixture
def images():
    torch.manual_seed(0)
    return torch.randn(2, 3, 6, 9)


def test_patches_go_row_by_row(images):
    expected = rearrange(images, "b c (h p) (w q) -> b (h w) (c p q)", p=3, q=3)
    patches = cut_patches(images, 3)
    assert torch.equal(patches, expected)
    assert torch.equal(join_patches(patches, channels=3, n_rows=2, n_columns=3), images)


def test_projection_is_a_convolution_with_the_stride_of_the_patches(images):
    layer = PatchEmbedding(patch_size=3, channels=3, d_model=5, class_token=False)
    filters = layer.projection.weight.view(5, 3, 3, 3)
    convolved = F.conv2d(images, filters, layer.projection.bias, stride=3)
    assert_close(layer(images), convolved.flatten(2).transpose(1, 2))


@pytest.mark.parametrize(("patch_size", "overlap", "side"), [(3, 1, 4), (4, 3, 6), (7, 3, 7)])
def test_overlapping_patches_are_a_convolution_too(patch_size, overlap, side):
    pixels = 28 if patch_size == 7 else 9
    assert patches_a_side(pixels, patch_size, overlap) == side
    images = torch.randn(2, 1, pixels, pixels)
    layer = PatchEmbedding(patch_size, channels=1, d_model=5, overlap=overlap, class_token=False)
    stride = patch_size - overlap
    margin = side * stride + overlap - pixels
    padded = F.pad(images, [margin // 2, margin - margin // 2] * 2)
    filters = layer.projection.weight.view(5, 1, patch_size, patch_size)
    convolved = F.conv2d(padded, filters, layer.projection.bias, stride=stride)
    assert convolved.shape[2:] == (side, side)
    assert_close(layer(images), convolved.flatten(2).transpose(1, 2))


def test_hidden_and_moved_patches(images):
    layer = MaskablePatchEmbedding(patch_size=3, channels=3, d_model=5)
    plain = layer(images)
    hidden = torch.zeros(2, 6, dtype=torch.bool)
    hidden[0, 2] = True
    source = torch.arange(6).repeat(2, 1)
    source[1, 3] = 5
    changed = layer(images, masked=hidden, source=source)
    assert torch.equal(changed[0, 1 + 2], layer.mask)
    assert torch.equal(changed[1, 1 + 3], plain[1, 1 + 5])
    same = torch.ones(2, 7, dtype=torch.bool)
    same[0, 3] = same[1, 4] = False
    assert torch.equal(changed[same], plain[same])
    assert torch.equal(plain[:, 0], layer.class_token.expand(2, 5))
    with pytest.raises(
        ShapeError, match=r"masked must have one entry a patch, \(2, 6\), got \(2, 7"
    ):
        layer(images, masked=same)


def test_what_cannot_be_cut_is_named(images):
    with pytest.raises(ShapeError, match="patches of 4 do not fill a side of 9 pixels"):
        cut_patches(images, 4)
    with pytest.raises(ShapeError, match="patches of 7 with an overlap of 7 cannot be cut"):
        patches_a_side(28, 7, overlap=7)
    with pytest.raises(ShapeError, match="cannot be cut from a side of 6 pixels"):
        cut_overlapping_patches(images, 8, overlap=1)
    with pytest.raises(ShapeError, match=r"floating point of shape .* got torch\.uint8 \(2, 3, 6"):
        cut_patches(images.to(torch.uint8), 3)
    with pytest.raises(ShapeError, match=r"got torch\.float32 \(3, 6, 9\)"):
        cut_patches(images[0], 3)
