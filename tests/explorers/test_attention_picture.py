import numpy as np
import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import load_mnist
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.explorers.attention_picture import PictureBackend, patch_labels
from tutorial_lib.explorers.packing import as_picture
from tutorial_lib.interpret import Uniform, Zero, intervene
from tutorial_lib.models import DINOv2, DINOv2Config, ViT, ViTConfig
from tutorial_lib.models.dinov2 import normalised
from tutorial_lib.recipes import load_checkpoint

SIZES = {"image_size": 6, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 4}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    made = ViT(ViTConfig(**SIZES, n_classes=3))
    with torch.no_grad():
        for weight in made.parameters():
            weight += 0.5 * torch.randn_like(weight)
    return made.eval()


@pytest.fixture(scope="module")
def images():
    return torch.rand(4, 3, 6, 6, generator=torch.Generator().manual_seed(0))


@torch.no_grad()
def test_the_maps_and_the_picture_are_the_models(model, images):
    explorer = AttentionExplorer.from_pictures(model, images, number=2)
    with capture_attention(model) as maps:
        model(images[2:3])
    (panel,) = explorer.panels
    shown = np.frombuffer(panel["data"], np.float16).reshape(panel["shape"])
    assert_close(torch.tensor(shown).float(), torch.cat(list(maps)), atol=1e-3, rtol=0)
    assert panel["rows"]["labels"] == ["[CLS]", *patch_labels(3, 3, class_token=False)]
    pixels = np.frombuffer(panel["picture"]["data"], np.uint8).reshape(6, 6, 3) / 255
    assert_close(torch.tensor(pixels).float().permute(2, 0, 1), images[2], atol=3e-3, rtol=0)
    assert (panel["picture"]["rows"], panel["picture"]["columns"]) == (3, 3)
    explorer.text = "0"
    assert explorer.panels[0]["picture"]["data"] != panel["picture"]["data"]
    ink = AttentionExplorer.from_pictures(model, images, number=2, ink=True)
    inverted = np.frombuffer(ink.panels[0]["picture"]["data"], np.uint8).reshape(6, 6, 3) / 255
    np.testing.assert_allclose(inverted, 1 - pixels, atol=3e-3)


@pytest.mark.parametrize(("how", "change"), [("zero", Zero(1, 2)), ("uniform", Uniform(1, 2))])
@torch.no_grad()
def test_a_broken_head_changes_the_probabilities(model, images, how, change):
    explorer = AttentionExplorer.from_pictures(model, images, names=["cat", "dog", "cow"])
    assert explorer.outputs == []
    explorer.broken = {"how": how, "layer": 1, "head": 2}
    before = model(images[:1])[0].softmax(-1)
    with intervene(model, change):
        after = model(images[:1])[0].softmax(-1)
    assert [row["label"] for row in explorer.outputs] == ["cat", "dog", "cow"]
    assert [row["before"] for row in explorer.outputs] == pytest.approx(before.tolist())
    assert [row["after"] for row in explorer.outputs] == pytest.approx(after.tolist())
    assert not torch.allclose(before, after)
    assert torch.equal(model(images[:1])[0].softmax(-1), before)


def test_a_head_is_patched_from_another_picture(model, images):
    explorer = AttentionExplorer.from_pictures(model, images, number=1)
    explorer.broken = {"how": "patch", "layer": 0, "head": 0}
    assert explorer.notes == ["Nothing is patched: type the number of the picture to patch from."]
    explorer.other = "3"
    assert explorer.notes == []
    assert any(row["before"] != row["after"] for row in explorer.outputs)
    explorer.other = "1"  # the head's own output changes nothing
    assert [r["before"] for r in explorer.outputs] == pytest.approx(
        [r["after"] for r in explorer.outputs]
    )


@pytest.mark.parametrize("typed", ["4", "-1", "two", "1.5", "²", "9" * 4000, "<script>"])
def test_a_number_that_no_picture_has_is_named_and_the_last_one_stays(model, images, typed):
    explorer = AttentionExplorer.from_pictures(model, images)
    before = explorer.panels
    explorer.text = typed
    (note,) = [note for note in explorer.notes if note.startswith("Not run")]
    assert "expected the number of a picture, 0 to 3, got" in note
    assert explorer.panels == before
    explorer.text = "3"
    assert explorer.notes == []


def test_plain_arrays_with_a_picture(images):
    weights = torch.rand(1, 2, 9, 9).softmax(-1)
    picture = as_picture(images[0, :1], 3, 3)
    explorer = AttentionExplorer(weights, patch_labels(3, 3, False), picture=picture)
    assert explorer.panels[0]["picture"]["height"] == 6
    assert not explorer.has_model
    with pytest.raises(ShapeError, match="3 x 3 patches needs as many tokens, maps are 4 x 4"):
        AttentionExplorer(torch.rand(1, 1, 4, 4).softmax(-1), list("abcd"), picture=picture)
    with pytest.raises(ShapeError, match=r"\(1 or 3, height, width\), got shape \(2, 6, 6\)"):
        as_picture(torch.zeros(2, 6, 6), 3, 3)


def test_pictures_and_names_must_fit(model, images):
    with pytest.raises(ShapeError, match="at least one picture"):
        PictureBackend(model, images[:0])
    with pytest.raises(ShapeError, match="3 classes need as many names, got 1"):
        PictureBackend(model, images, ["cat"])
    with pytest.raises(ValueError, match="0 to 3, got '9'"):
        AttentionExplorer.from_pictures(model, images, number=9)


def test_patches_that_overlap_and_a_model_without_cls():
    digits = load_mnist().test.images[:2]
    explorer = AttentionExplorer.from_pictures(load_checkpoint("mnist-vit"), digits)
    assert explorer.panels[0]["shape"] == [3, 4, 50, 50]
    torch.manual_seed(0)
    mean = ViT(ViTConfig(**SIZES, n_classes=3, pooling="mean")).eval()
    explorer = AttentionExplorer.from_pictures(mean, torch.rand(1, 3, 6, 6))
    assert explorer.panels[0]["rows"]["labels"][0] == "row 0, column 0"


@pytest.fixture(scope="module")
def dino():
    torch.manual_seed(0)
    sizes = {"image_size": 6, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    return DINOv2(DINOv2Config(**sizes, layer_scale=0.7)).eval()


def test_a_model_without_classes_shows_how_far_its_vectors_move(dino):
    images = torch.rand(2, 3, 4, 10)  # wider than high, and not as large as it learned on
    explorer = AttentionExplorer.from_pictures(dino, images, other=1)
    assert explorer.panels[0]["shape"] == [2, 2, 11, 11]
    assert explorer.panels[0]["rows"]["labels"][-1] == "row 1, column 4"
    explorer.broken = {"how": "zero", "layer": 1, "head": 0}
    with torch.no_grad():
        before = dino(normalised(images[:1]))[0]
        with intervene(dino, Zero(1, 0)):
            after = dino(normalised(images[:1]))[0]
    cosines = torch.cosine_similarity(before, after, dim=-1)
    found = [output["after"] for output in explorer.outputs]
    expected = [cosines[0].item(), cosines[1:].mean().item(), cosines[1:].min().item()]
    assert found == pytest.approx(expected, abs=1e-5)
    assert max(found) < 1
    explorer.broken = {"how": "patch", "layer": 0, "head": 1}
    assert explorer.notes == []
