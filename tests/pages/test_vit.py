import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import ViT, ViTConfig

SIZES = {"image_size": 6, "patch_size": 2, "channels": 3, "d_model": 12, "n_layers": 2}
SIZES |= {"n_heads": 3, "n_classes": 5}


@torch.no_grad()
def assert_equal(page):
    model, ours = page.ViT(**SIZES, dropout=0.5), ViT(ViTConfig(**SIZES, dropout=0.5))
    same_weights(model, ours)
    images = torch.randn(4, 3, 6, 6, generator=torch.Generator().manual_seed(2))
    assert_close(model(images), ours(images), atol=1e-5, rtol=1e-5)
    sizes = SIZES | {"d_model": 24}
    assert_same_start(page.ViT(**sizes), ViT(ViTConfig(**sizes)))


def test_equal_to_the_library():
    assert_equal(load_page("vit"))


@pytest.mark.parametrize("sizes", [{"patch_size": 4}, {"n_heads": 5}])
def test_sizes_that_do_not_divide_are_refused(sizes):
    with pytest.raises(AssertionError, match=r"whole patches|share the width"):
        load_page("vit").ViT(**(SIZES | sizes))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        ("(C p1 p2)", "(p1 p2 C)"),
        ("(row col)", "(col row)"),
        ("[class_token, x]", "[x, class_token]"),
        ("x = x + self.position_embedding.weight", "x = x"),
        ("x = self.final_norm(x)", "x = x"),
        ("x[:, 0]", "x.mean(dim=1)"),
        ("self.attention(self.attention_norm(x))", "self.attention_norm(self.attention(x))"),
        ("F.gelu(self.hidden(x))", "F.relu(self.hidden(x))"),
        ("std=0.02", "std=0.2"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("vit", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
