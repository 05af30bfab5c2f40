import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import DamagedFileError, MissingHeadError, ShapeError, VocabularyError
from tutorial_lib.interpret import Uniform, Zero, intervene, trace
from tutorial_lib.models import ViT, ViTConfig, count_parameters
from tutorial_lib.models.vit import POSITIONS

transformers = pytest.importorskip("transformers")

# Odd on purpose: nothing that could hide a swapped axis.
SIZES = {
    "small": {"hidden_size": 6, "num_attention_heads": 2, "num_hidden_layers": 1},
    "one head": {"hidden_size": 5, "num_attention_heads": 1, "num_hidden_layers": 3},
    "many heads": {"hidden_size": 21, "num_attention_heads": 7, "num_hidden_layers": 12},
    "grey": {"hidden_size": 10, "num_attention_heads": 5, "num_channels": 1},
    "large patches": {"hidden_size": 6, "num_attention_heads": 3, "patch_size": 5},
    "one patch": {"hidden_size": 6, "num_attention_heads": 3, "patch_size": 15},
    "relu": {"hidden_size": 6, "num_attention_heads": 3, "hidden_act": "relu"},
}


def theirs(kind="ViTForImageClassification", **sizes):
    torch.manual_seed(0)
    options = {"image_size": 15, "patch_size": 3, "intermediate_size": 17, "num_labels": 7}
    options |= {"num_hidden_layers": 2, "layer_norm_eps": 1e-7, **sizes}
    config = transformers.ViTConfig(**options)
    config._attn_implementation = "eager"
    model = getattr(transformers, kind)(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


def pictures(channels=3, side=15):
    torch.manual_seed(1)
    return torch.randn(3, channels, side, side)


@torch.no_grad()
def assert_equal(ours, other, images):
    with capture_attention(ours) as maps:
        states = ours.hidden_states(images)
    expected = other(images, output_hidden_states=True, output_attentions=True)
    for state, wanted in zip(states[:-1], expected.hidden_states[:-1], strict=True):
        assert_close(state, wanted, atol=1e-5, rtol=1e-5)
    for weights, wanted in zip(maps, expected.attentions, strict=True):
        assert_close(weights, wanted, atol=1e-5, rtol=1e-5)
    return states[-1], expected


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_classifier_equals_transformers(tmp_path, sizes):
    other = theirs(**sizes)
    other.save_pretrained(tmp_path)
    ours = ViT.from_pretrained(tmp_path)
    images = pictures(sizes.get("num_channels", 3))
    last, expected = assert_equal(ours, other, images)
    wanted = other.vit(images).last_hidden_state
    assert_close(last, wanted, atol=1e-5, rtol=1e-5)
    assert_close(ours(images), expected.logits, atol=1e-5, rtol=1e-5)
    assert ours.config.n_classes == 7
    assert not ours.training


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_model_equals_transformers(tmp_path, sizes):
    other = theirs("ViTModel", **sizes)
    other.save_pretrained(tmp_path, max_shard_size="2KB")
    ours = ViT.from_pretrained(tmp_path)
    last, expected = assert_equal(ours, other, pictures(sizes.get("num_channels", 3)))
    assert_close(last, expected.last_hidden_state, atol=1e-5, rtol=1e-5)
    assert_close(ours.pooled(last), expected.pooler_output, atol=1e-5, rtol=1e-5)


def test_gradients_equal_transformers(tmp_path):
    other = theirs(hidden_size=6, num_attention_heads=2)
    other.save_pretrained(tmp_path)
    ours = ViT.from_pretrained(tmp_path)
    images = pictures()
    ours(images).square().sum().backward()
    other(images).logits.square().sum().backward()
    embeddings = other.vit.embeddings
    mine = ours.patch_embedding.projection.weight.grad
    wanted = embeddings.patch_embeddings.projection.weight.grad.flatten(1)
    assert_close(mine, wanted, atol=1e-3, rtol=1e-3)
    wanted = embeddings.position_embeddings.grad[0]
    assert_close(ours.position_embedding.weight.grad, wanted, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "deit"}, "model_type is 'deit', ViT needs 'vit'"),
        ({"qkv_bias": False}, "qkv_bias is False, ViT needs True"),
        ({"hidden_act": "silu"}, "hidden_act is 'silu', known are gelu"),
        ({"image_size": [15, 15]}, r"image_size must be a whole number .* got \[15, 15\]"),
        ({"patch_size": 4}, "patches of 4 do not fill a side of 15"),
        ({"image_size": 18}, r"position_embeddings is \(26, 6\), the model needs \(37, 6\)"),
        ({"num_channels": 1}, r"projection.weight is \(6, 27\), the model needs \(6, 9\)"),
        ({"num_hidden_layers": 1}, r"surplus \(16\): encoder.layer.1.attention"),
    ],
)
def test_configs_that_are_refused(tmp_path, change, message):
    theirs(hidden_size=6, num_attention_heads=2).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises((DamagedFileError, ShapeError), match=message):
        ViT.from_pretrained(tmp_path)


def test_damaged_files(tmp_path):
    theirs(hidden_size=6, num_attention_heads=2).save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"vit.embeddings.cls_token": torch.zeros(2, 1, 6)}, path)
    with pytest.raises(DamagedFileError, match=r"cls_token must have the axes 1 1 width, got \(2"):
        ViT.from_pretrained(tmp_path)
    del tensors["classifier.weight"]
    save_file(tensors, path)
    with pytest.raises(DamagedFileError, match=r"missing \(1\): classifier.weight"):
        ViT.from_pretrained(tmp_path)


# --- behaviour ------------------------------------------------------------------------------


def tiny(**changes):
    torch.manual_seed(0)
    sizes = {"image_size": 6, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = ViT(ViTConfig(**(sizes | {"n_classes": 5} | changes))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


def shuffled(images):
    """Swap the patch at the top left with the one in the middle."""
    changed = images.clone()
    changed[..., :2, :2], changed[..., 2:4, 2:4] = images[..., 2:4, 2:4], images[..., :2, :2]
    return changed


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("positions", POSITIONS)
@torch.no_grad()
def test_only_positions_tell_where_a_patch_is(positions, pooling):
    model = tiny(positions=positions, pooling=pooling)
    images = pictures(side=6)
    with capture_attention(model) as maps:
        logits = model(images)
    assert logits.shape == (3, 5)
    length = 10 if pooling == "cls" else 9
    assert maps[1].shape == (3, 2, length, length)
    same = torch.allclose(model(shuffled(images)), logits, atol=1e-5)
    assert same == (positions == "none")


@torch.no_grad()
def test_patches_change_places_in_a_model_that_cannot_hide_them():
    model, images = tiny(positions="none"), pictures(side=6)
    order = torch.tensor([8, 7, 6, 5, 4, 3, 2, 1, 0]).repeat(3, 1)
    plain, moved = model.hidden_states(images)[0], model.hidden_states(images, source=order)[0]
    assert_close(moved[:, 1:], plain[:, 1:].flip(1))
    assert_close(moved[:, 0], plain[:, 0])


def test_relative_positions_see_steps_and_not_places():
    model = tiny(positions="relative", n_layers=1, pooling="mean")
    images = torch.zeros(1, 3, 6, 6)
    images[..., 2:4, 2:4] = 1.0
    scores = trace(model, images)["layer 0 scores"].tensor[0]
    base = trace(tiny(positions="none", n_layers=1, pooling="mean"), images)
    assert not torch.allclose(scores, base["layer 0 scores"].tensor[0])
    assert_close(scores[:, 0, 1], scores[:, 1, 2])  # one step right between two dark patches


def test_published_sizes():
    assert count_parameters(ViTConfig.base()) == 86_567_656
    assert count_parameters(ViTConfig.large()) == 304_326_632
    assert count_parameters(ViTConfig.large(patch_size=32)) == 306_535_400
    assert count_parameters(ViTConfig.huge()) == 632_045_800


@torch.no_grad()
def test_hidden_patches():
    model = tiny(n_patch_classes=8)
    images = pictures(side=6)
    hidden = torch.zeros(3, 9, dtype=torch.bool)
    hidden[:, 4] = True
    logits = model.masked_patch_logits(images, hidden)
    assert logits.shape == (3, 9, 8)
    changed = images.clone()
    changed[..., 2:4, 2:4] = 3.0  # what is hidden cannot be seen
    assert_close(model.masked_patch_logits(changed, hidden), logits)
    changed[..., :2, :2] = 3.0
    assert not torch.allclose(model.masked_patch_logits(changed, hidden), logits)
    source = torch.arange(9).repeat(3, 1)
    assert_close(model.masked_patch_logits(images, hidden, source), logits)
    source[:, 0] = 8
    assert not torch.allclose(model.masked_patch_logits(images, hidden, source), logits)
    nothing = torch.zeros_like(hidden)
    for pooling, n_extra in (("cls", 1), ("mean", 0)):  # [CLS] is no patch
        model = tiny(n_patch_classes=8, pooling=pooling)
        wanted = model.patch_head(model.hidden_states(images)[-1][:, n_extra:])
        assert_close(model.masked_patch_logits(images, nothing), wanted)
    with pytest.raises(ShapeError, match=r"source must have one entry a patch, \(3, 9\)"):
        model.masked_patch_logits(images, hidden, source[:, :4])


@torch.no_grad()
def test_attention_is_seen_traced_and_broken():
    model = tiny()
    images = pictures(side=6)
    expected = model(images)
    story = trace(model, images)
    assert torch.equal(story["output"].tensor, expected)
    assert (story["images"].axes, story["output"].axes) == ("B channel row column", "B classes")
    assert story["embedding sum"].formula == "patch embedding + position embedding"
    assert_close(story["embedding sum"].tensor, model.embed(images))
    for record in story.values():
        assert len(record.axes.split()) == record.tensor.dim()
    with intervene(model, Zero(layer=1, head=0)):
        assert not torch.allclose(model(images), expected)
    with intervene(model, Uniform(layer=0, head=1)), capture_attention(model) as maps:
        model(images)
    assert_close(maps.encoder[0][:, 1], torch.full((3, 10, 10), 0.1))
    assert torch.equal(model(images), expected)


def test_heads_come_and_go():
    model = tiny(n_patch_classes=8)
    images = pictures(side=6)
    with pytest.raises(MissingHeadError, match="this ViT has no pooler"):
        model.pooled(torch.zeros(1, 10, 8))
    bare = model.with_heads(n_classes=None, n_patch_classes=None)
    with pytest.raises(MissingHeadError, match=r"no classifier: .*with_heads\(n_classes=2\)"):
        bare(images)
    with pytest.raises(MissingHeadError, match="no head for hidden patches"):
        bare.masked_patch_logits(images, torch.zeros(3, 9, dtype=torch.bool))
    new = bare.with_heads(n_classes=2)
    assert new(images).shape == (3, 2)
    assert_close(new.hidden_states(images)[-1], model.hidden_states(images)[-1])
    new.blocks[0].attention.qkv.weight.data.zero_()  # a copy, not the same weights
    assert model.blocks[0].attention.qkv.weight.any()
    assert torch.equal(model.with_heads(dropout=0.5)(images), model(images))
    with pytest.raises(ValueError, match="d_model would change more than the heads"):
        model.with_heads(d_model=16)
    with pytest.raises(ValueError, match="positions would change more than the heads"):
        model.with_heads(positions="none")


def test_save_and_load(tmp_path):
    model = tiny(positions="relative", n_patch_classes=8, overlap=1, image_size=7)
    model.save(tmp_path / "vit.safetensors")
    again = ViT.load(tmp_path / "vit.safetensors")
    images = pictures(side=7)
    assert torch.equal(again(images), model(images))


def test_bad_input_is_named():
    model = tiny()
    with pytest.raises(ShapeError, match=r"shape \(B, 3, 6, 6\), got \(3, 3, 8, 8\)"):
        model(pictures(side=8))
    with pytest.raises(ShapeError, match=r"shape \(B, 3, 6, 6\), got \(3, 1, 6, 6\)"):
        model(pictures(channels=1, side=6))
    with pytest.raises(ShapeError, match=r"shape \(B, 3, 6, 6\), got \(3, 6, 6\)"):
        model(pictures(side=6)[0])
    with pytest.raises(ShapeError, match=r"images must be floating point .* torch\.uint8"):
        model(pictures(side=6).to(torch.uint8))
    with pytest.raises(ShapeError, match=(
        r"images must be torch\.float32 like the weights of the model, got torch\.float64"
    )):  # fmt: skip
        model(pictures(side=6).double())
    assert model.double()(pictures(side=6).double()).dtype == torch.float64


def test_what_hides_patches_is_checked():
    model = tiny(n_patch_classes=8)
    images, hidden = pictures(side=6), torch.zeros(3, 9, dtype=torch.bool)
    with pytest.raises(ShapeError, match=r"masked must be torch\.bool, .* got torch\.int64"):
        model.masked_patch_logits(images, hidden.long())
    with pytest.raises(ShapeError, match="masked must be a tensor, got list"):
        model.masked_patch_logits(images, hidden.tolist())
    source = torch.arange(9).repeat(3, 1)
    for wrong, said in ((9, 9), (-1, -1)):
        source[2, 4] = wrong
        with pytest.raises(VocabularyError, match=f"source must lie between 0 and 8, got {said}"):
            model.masked_patch_logits(images, hidden, source)
    with pytest.raises(ShapeError, match=r"source must be torch\.long.* got torch\.float32"):
        model.masked_patch_logits(images, hidden, source.float())
    with pytest.raises(MissingHeadError, match="no head for hidden patches"):
        tiny().hidden_states(images, hidden)


def test_low_precision_may_read_pictures_of_another_type():
    images = pictures(side=6)
    with torch.autocast("cpu", torch.bfloat16):
        assert tiny()(images.bfloat16()).shape == (3, 5)


def test_bad_sizes_are_named():
    with pytest.raises(ShapeError, match="5 heads do not divide d_model 768"):
        ViTConfig(n_heads=5)
    with pytest.raises(ShapeError, match="patches of 15 do not fill a side of 224 pixels"):
        ViTConfig(patch_size=15)
    with pytest.raises(ShapeError, match="n_classes must be a whole number of at least 1, got 0"):
        ViTConfig(n_classes=0)
    with pytest.raises(ValueError, match="pooling must be one of 'cls', 'mean', got 'max'"):
        ViTConfig(pooling="max")
    with pytest.raises(ValueError, match="positions must be one of 'none', 'sinusoidal'"):
        ViTConfig(positions="rotary")
    with pytest.raises(ValueError, match="the pooler reads"):
        ViTConfig(pooling="mean", pooler=True)
