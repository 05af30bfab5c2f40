import pytest
import torch

from tutorial_lib.exercises.chapter07_vit.interpolation import interpolate_positions
from tutorial_lib.models import ViT, ViTConfig
from tutorial_lib.recipes import load_result, summarise
from tutorial_lib.recipes.larger_digits import SETTINGS, for_larger_pictures


@pytest.mark.parametrize("positions", ["interpolated", "new"])
def test_only_the_positions_of_the_patches_change(positions):
    torch.manual_seed(0)
    sizes = {"image_size": 8, "patch_size": 2, "channels": 1, "n_classes": 3}
    small = ViT(ViTConfig(**sizes, d_model=8, n_layers=1, n_heads=2)).eval()
    large = for_larger_pictures(small, 12, positions)
    before, after = small.state_dict(), large.state_dict()
    old, new = (state.pop("position_embedding.weight") for state in (before, after))
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert not large.training
    assert torch.equal(old[0], new[0])  # [CLS]
    expected = interpolate_positions(old, (4, 4), (6, 6))
    assert torch.allclose(new, expected, atol=1e-6) == (positions == "interpolated")
    with torch.no_grad():  # a copy: training it leaves the small one as it was
        large.classifier.weight.add_(1)
    assert torch.equal(small.classifier.weight, before["classifier.weight"])


def test_what_the_table_shows():
    found = summarise(load_result("larger-digits")["rows"], ["positions", "step"], "accuracy")
    for step in (0, SETTINGS["fine_tuning"]["steps"]):
        assert found["interpolated", step]["lowest"] > found["new", step]["highest"]
    assert found["interpolated", 0]["mean"] > 1.7 * found["new", 0]["mean"]
