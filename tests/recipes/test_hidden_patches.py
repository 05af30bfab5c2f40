import torch

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models import ViT, ViTConfig
from tutorial_lib.recipes import load_result, summarise
from tutorial_lib.recipes.hidden_patches import SMOKE, HiddenPatchBatches, patches_right, pretrain
from tutorial_lib.training import set_seed


def test_pretraining_needs_no_labels_and_changes_the_body():
    digits = load_mnist().train.select(slice(100))
    about = SMOKE | {"pre-training": {"steps": 3, "lr": 3e-3}}
    one = pretrain(digits, about, seed=0, progress=False)
    shuffled = type(digits)(digits.images, digits.labels.flip(0))
    other = pretrain(shuffled, about, seed=0, progress=False)
    for ours, theirs in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    again = one.with_heads(n_classes=10, n_patch_classes=None)
    assert torch.equal(again.blocks[0].attention.qkv.weight, one.blocks[0].attention.qkv.weight)


def test_batches_hide_half_the_patches_and_start_from_the_seed():
    images = load_mnist().train.images[:60]
    batches = HiddenPatchBatches(images, SMOKE | {"seed": 0})
    first, second = (batch for batch, _ in zip(batches, range(2), strict=False))
    assert [len(batch.images) for batch in (first, second)] == [50, 10]
    assert first.chosen.double().mean() == torch.tensor(24 / 49, dtype=torch.float64)
    again = next(iter(batches))
    assert torch.equal(first.images, again.images)
    assert torch.equal(first.chosen, again.chosen)


def test_patches_right_counts_what_a_known_answer_gets_right():
    set_seed(0)
    sizes = {"image_size": 8, "patch_size": 4, "channels": 1, "d_model": 4, "n_layers": 1}
    model = ViT(ViTConfig(**sizes, n_heads=1, n_classes=None, n_patch_classes=8)).eval()
    torch.nn.init.zeros_(model.patch_head.weight)
    with torch.no_grad():
        model.patch_head.bias.copy_(torch.eye(8)[7])
    images = torch.zeros(20, 1, 8, 8)
    images[:5] = 1  # a quarter is white and always named right
    found = patches_right(model, images)
    assert found["hidden_patch_accuracy"] == 0.25
    assert found["most_frequent_colour"] == 0.75
    assert found["accuracy_elsewhere"] == 1.0


def test_what_the_table_shows():
    table = load_result("hidden-patches")
    for row in table["pretraining"]:
        assert row["hidden_patch_accuracy"] > row["most_frequent_colour"] + 0.03
        assert row["accuracy_elsewhere"] > 1 / 8  # a guess among eight greys
    # This little pre-training is worth next to nothing: the gap is within the spread of the seeds.
    found = summarise(table["rows"], ["start", "n_labels"], "accuracy")
    for n_labels in table["settings"]["n_labels"]:
        gap = found["hidden patches", n_labels]["mean"] - found["random", n_labels]["mean"]
        assert abs(gap) < 0.03
