"""The page of CLIP is the library's CLIP, and each of its lines matters."""

import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import CLIP, CLIPConfig
from tutorial_lib.objectives import contrastive_loss

IMAGE = {"image_size": 12, "patch_size": 4, "channels": 3, "n_layers": 2}
TEXT = {"vocab_size": 23, "context": 7, "n_layers": 3}


def pair(page, d_image, d_model, n_image_heads=2, n_heads=4):
    """Return the page's CLIP and the library's of the same sizes."""
    image = IMAGE | {"d_model": d_image, "n_heads": n_image_heads}
    text = TEXT | {"d_model": d_model, "n_heads": n_heads}
    config = CLIPConfig(
        **{name: image[name] for name in ("image_size", "patch_size", "channels")},
        **{"d_image": d_image, "n_image_layers": 2, "n_image_heads": n_image_heads},
        **text,
        d_joint=10,
    )
    return page.CLIP(image=image, text=text, d_joint=10), CLIP(config)


@torch.no_grad()
def assert_equal(page):
    model, ours = pair(page, 8, 12)
    same_weights(model, ours)
    draw = torch.Generator().manual_seed(2)
    images = torch.randn(4, 3, 12, 12, generator=draw)
    ids = torch.randint(22, (4, 6), generator=draw)
    ids[torch.arange(4), torch.tensor([5, 2, 1, 4])] = 22  # where each text ends
    logits = model(images, ids)
    assert_close(logits, ours(images, ids), atol=1e-5, rtol=1e-5)
    loss = page.contrastive_loss(logits)
    assert_close(loss, contrastive_loss(logits))
    model.log_scale.fill_(9.0)
    ours.log_scale.fill_(9.0)  # held at log(100)
    assert_close(model(images, ids), ours(images, ids), atol=1e-4, rtol=1e-4)
    assert_same_start(*pair(page, 32, 24))


def test_equal_to_the_library():
    assert_equal(load_page("clip"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n_heads, True)", "n_heads, False)"),
        ("torch.sigmoid(1.702 * hidden)", "torch.sigmoid(hidden)"),
        ("self.attention(self.attention_norm(x))", "self.attention_norm(self.attention(x))"),
        ("(x + self.position_embedding.weight)", "(x)"),
        ("x = self.embedding_norm(x", "x = (x"),
        ("self.image_encoder(images)[:, 0]", "self.image_encoder(images).mean(dim=1)"),
        ("end = ids.argmax(dim=1)", "end = -torch.ones(len(ids), dtype=torch.long)"),
        ("F.normalize(self.text_projection(hidden), dim=-1)", "self.text_projection(hidden)"),
        ("(C p1 p2)", "(p1 p2 C)"),
        (".clamp(max=math.log(100))", ""),
        ("F.cross_entropy(logits.T, own)", "F.cross_entropy(logits, own)"),
        ("else 0.02", "else 0.2"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("clip", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
