"""The page of Swin is the library's Swin, and each of its lines matters."""

import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import Swin, SwinConfig

SIZES = {"patch_size": 2, "channels": 3, "d_model": 8, "depths": (2, 3), "n_heads": (2, 4)}
SIZES |= {"window": 4, "n_classes": 5}


@torch.no_grad()
def assert_equal(page):
    model, ours = page.Swin(**SIZES), Swin(SwinConfig(**SIZES, image_size=32))
    same_weights(model, ours)
    draw = torch.Generator().manual_seed(2)
    for sides in ((48, 32), (16, 16)):  # in the second one window covers the smaller map
        images = torch.randn(2, 3, *sides, generator=draw)
        assert_close(model(images), ours(images), atol=1e-5, rtol=1e-5)
    sizes = SIZES | {"d_model": 16}
    assert_same_start(page.Swin(**sizes), Swin(SwinConfig(**sizes, image_size=32)))


def test_equal_to_the_library():
    assert_equal(load_page("swin"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1)) + bias", " / math.sqrt(q.size(-1))"),
        ("row[None] - row[:, None]", "row[:, None] - row[None]"),
        ("wrapped[:, :, width - shift :] += 2", "wrapped[:, :, width - shift :] += 1"),
        ("return x.roll((shift, shift), dims=(1, 2))", "return x"),
        ("B (r h) (c w) D -> (B r c) (h w) D", "B (r h) (c w) D -> (B r c) (w h) D"),
        ("(B r c) (h w) D -> B (r h) (c w) D", "(B c r) (h w) D -> B (r h) (c w) D"),
        ("B r c (w h D)", "B r c (h w D)"),
        ("window // 2 if layer % 2 else 0", "0"),
        ("if min(height, width) > self.W else 0", ""),
        ("self.windows(self.windows_norm(x))", "self.windows_norm(self.windows(x))"),
        ("self.embedding_norm(self.patch_embedding", "(self.patch_embedding"),
        (".mean(dim=(1, 2))", ".amax(dim=(1, 2))"),
        ("std=0.02", "std=0.2"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("swin", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
