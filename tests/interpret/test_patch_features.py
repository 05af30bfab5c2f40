import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import (
    SeenPicture,
    class_attention,
    patch_similarity,
    principal_colours,
    see_picture,
)
from tutorial_lib.models import DINOv2, DINOv2Config
from tutorial_lib.models.dinov2 import normalised


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def tiny():
    torch.manual_seed(0)
    sizes = {"image_size": 6, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    return DINOv2(DINOv2Config(**sizes, layer_scale=1.0)).eval()


@torch.no_grad()
def test_what_is_seen_is_what_the_model_gives():
    model, image = tiny(), random(3, 4, 10).sigmoid()
    with capture_attention(model) as maps:
        hidden = model(normalised(image)[None])
    seen = see_picture(model, image, "noise")
    assert repr(seen) == "SeenPicture('noise', 2 x 5 patches, 2 heads)"
    assert_close(seen.patches.flatten(0, 1), hidden[0, 1:])
    assert_close(seen.attention[1, 1, 4], maps[1][0, 1, 0, 10])
    assert torch.equal(seen.image, image)


def test_similarity_within_and_across():
    one, two = random(4, 8), random(6, 8, seed=1)
    within, across = patch_similarity(one), patch_similarity(one, two)
    assert_close(within.diagonal(), torch.ones(4))
    assert_close(within, within.T)
    assert across.shape == (4, 6)
    wanted = torch.cosine_similarity(one[2], two[5], dim=0)
    assert_close(across[2, 5], wanted)
    assert_close(patch_similarity(7 * one, two), across)
    with pytest.raises(ShapeError, match=r"got \(4, 8\) and \(6, 7\)"):
        patch_similarity(one, two[:, :7])


def test_colours_find_the_directions_that_differ_most():
    spread = torch.tensor([0.1, 5.0, 0.2, 3.0, 1.0])
    pictures = [random(20, 30, 5) * spread, random(10, 25, 5, seed=1) * spread]
    colours = principal_colours(*pictures)
    assert [tuple(c.shape) for c in colours] == [(20, 30, 3), (10, 25, 3)]
    for channel, direction in enumerate((1, 3, 4)):
        both = [colours[1][..., channel].flatten(), pictures[1][..., direction].flatten()]
        assert torch.corrcoef(torch.stack(both))[0, 1] > 0.95
    assert min(c.min() for c in colours) == 0
    assert max(c.max() for c in colours) == 1


def test_colours_do_not_depend_on_chance_nor_on_the_order_of_patches():
    picture = random(6, 7, 9)
    (colours,) = principal_colours(picture)
    (turned,) = principal_colours(picture.flip(0))
    assert_close(turned.flip(0), colours, atol=1e-5, rtol=0)
    alone, beside = principal_colours(picture, picture)
    assert_close(alone, beside)


def test_patches_that_are_all_alike_are_grey():
    (colours,) = principal_colours(torch.ones(2, 3, 4))
    assert_close(colours, torch.full((2, 3, 3), 0.5))


@pytest.mark.parametrize("pictures", [(), (torch.ones(2, 3, 2),), (torch.ones(6, 4),),
                                      (torch.ones(2, 3, 4), torch.ones(2, 3, 5))])  # fmt: skip
def test_pictures_without_colours(pictures):
    with pytest.raises(ShapeError, match="of one width from 3 on"):
        principal_colours(*pictures)


def test_attention_of_another_grid():
    with pytest.raises(ShapeError, match=r"\[CLS\] and 2 x 2 patches, got \(1, 2, 7, 7\)"):
        class_attention(torch.ones(1, 2, 7, 7), 2, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"image": torch.zeros(1, 4, 6)}, r"image must be \(3, height, width\), got \(1, 4, 6\)"),
        ({"patches": torch.zeros(6, 8)}, r"patches must be \(rows, columns, D\), got \(6, 8\)"),
        ({"attention": torch.zeros(2, 3, 2)}, r"attention must be \(H, 2, 3\), .* got \(2, 3, 2\)"),
        ({"attention": torch.zeros(0, 2, 3)}, r"got \(0, 2, 3\)"),
        ({"patches": torch.full((2, 3, 8), torch.nan)}, "patches must hold finite numbers"),
    ],
)
def test_what_does_not_belong_together(change, message):
    parts = {"image": torch.zeros(3, 4, 6), "patches": torch.zeros(2, 3, 8)}
    parts |= {"attention": torch.zeros(2, 2, 3)}
    with pytest.raises(ShapeError, match=message):
        SeenPicture("odd", **(parts | change))
