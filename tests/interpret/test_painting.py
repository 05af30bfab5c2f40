import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import (
    highest,
    maps_from_cls,
    paint_over,
    random_with_as_much,
    rollout,
    shared_tiles,
)
from tutorial_lib.models import ViT, ViTConfig


def test_only_the_chosen_tiles_are_painted_over():
    images = torch.rand(2, 1, 28, 28) + 0.1
    chosen = torch.zeros(2, 49).bool()
    chosen[1, 8] = True  # row 1, column 1
    found = paint_over(images, chosen)
    assert torch.equal(found[0], images[0])
    assert (found[1, 0, 4:8, 4:8] == 0).all()
    assert (found == 0).sum() == 16
    with pytest.raises(ShapeError, match="50 tiles"):
        paint_over(images, torch.zeros(2, 50).bool())


def test_the_control_takes_out_as_many_tiles_and_as_much_ink_but_others():
    generator = torch.Generator().manual_seed(0)
    ink = (torch.rand(200, 49, generator=generator) - 0.5).clamp(min=0)  # half of them blank
    for scores in (ink, -ink, torch.rand(200, 49, generator=generator)):
        chosen = highest(scores, 6)
        control = random_with_as_much(ink, chosen, generator)
        assert (control.sum(dim=1) == 6).all()
        gap = ((control.float() - chosen.float()) * ink).sum(dim=1)
        assert gap.mean().abs() < 0.03
    # For tiles at random the control shares no more with them than chance does.
    assert (control & chosen).sum(dim=1).float().mean() < 1.5


def test_four_maps_of_what_cls_looks_at():
    torch.manual_seed(0)
    sizes = {"image_size": 8, "patch_size": 4, "channels": 1, "n_classes": 2, "d_model": 8}
    model = ViT(ViTConfig(**sizes, n_layers=3, n_heads=2)).eval()
    images = torch.rand(2, 1, 8, 8)
    with torch.no_grad(), capture_attention(model) as maps:
        model(images)
    found = maps_from_cls(model, images, lambda of_one: rollout(list(of_one[:, None]))[0])
    assert {name: weights.shape for name, weights in found.items()} == dict.fromkeys(
        ("last layer", "middle layer", "rollout", "rollout, no identity"), (2, 4)
    )
    assert_close(found["last layer"], maps[2].mean(dim=1)[:, 0, 1:])
    assert_close(found["middle layer"], maps[1].mean(dim=1)[:, 0, 1:])
    assert_close(found["rollout"], rollout(list(maps))[:, 0, 1:])
    assert_close(found["rollout, no identity"], rollout(list(maps), identity=False)[:, 0, 1:])


def test_tiles_at_random_are_shared_as_often_as_chance_has_it():
    chosen = highest(torch.rand(300, 49, generator=torch.Generator().manual_seed(0)), 6)
    assert abs(shared_tiles(chosen) - 36 / 49) < 0.03
    assert shared_tiles(chosen[:1].expand(3, -1)) == 6
