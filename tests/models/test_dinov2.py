import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import DamagedFileError, MissingDataError, ShapeError
from tutorial_lib.interpret import Uniform, Zero, intervene, rollout, trace
from tutorial_lib.models import DINOv2, DINOv2Config, count_parameters
from tutorial_lib.models.dinov2 import normalised

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
    "thin": {"hidden_size": 6, "num_attention_heads": 3, "mlp_ratio": 3},
}
# Rows and columns of patches: as trained on where patches are 3 pixels wide, more, fewer, not
# square, and as many as trained on in another form (25 = 1 x 25).
GRIDS = ((5, 5), (7, 7), (2, 2), (3, 8), (6, 1), (1, 25))


def theirs(**sizes):
    torch.manual_seed(0)
    options = {"image_size": 15, "patch_size": 3, "num_hidden_layers": 2}
    config = transformers.Dinov2Config(**(options | {"layer_norm_eps": 1e-7} | sizes))
    config._attn_implementation = "eager"
    model = transformers.Dinov2Model(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


def pictures(rows=5, columns=5, patch=3, channels=3):
    torch.manual_seed(1)
    return 0.5 * torch.randn(2, channels, rows * patch, columns * patch)


def tiny(**changes):
    torch.manual_seed(0)
    sizes = {"image_size": 6, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = DINOv2(DINOv2Config(**(sizes | changes))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@torch.no_grad()
def test_equals_transformers_at_every_size_of_picture(tmp_path, sizes):
    other = theirs(**sizes)
    other.save_pretrained(tmp_path)
    ours = DINOv2.from_pretrained(tmp_path)
    assert not ours.training
    assert not torch.allclose(ours.blocks[0].attention_scale.weight, torch.tensor(1.0))
    for rows, columns in GRIDS:
        images = pictures(rows, columns, sizes.get("patch_size", 3), sizes.get("num_channels", 3))
        with capture_attention(ours) as maps:
            last = ours(images)
        wanted = other(images, output_hidden_states=True, output_attentions=True)
        assert_close(last, wanted.last_hidden_state, atol=1e-5, rtol=1e-5)
        states = ours.hidden_states(images)
        for state, their in zip(states[:-1], wanted.hidden_states[:-1], strict=True):
            assert_close(state, their, atol=1e-5, rtol=1e-5)
        assert torch.equal(states[-1], last)
        for weights, their in zip(maps, wanted.attentions, strict=True):
            assert_close(weights, their, atol=1e-5, rtol=1e-5)
        cls, patches = ours.features(images)
        assert_close(cls, wanted.pooler_output, atol=1e-5, rtol=1e-5)
        assert patches.shape[1:3] == (rows, columns)
        assert torch.equal(patches[:, rows - 1, columns - 1], last[:, -1])


def test_gradients_equal_transformers(tmp_path):
    other = theirs(hidden_size=6, num_attention_heads=2)
    other.save_pretrained(tmp_path)
    ours = DINOv2.from_pretrained(tmp_path)
    images = pictures(4, 6)
    ours(images).pow(3).sum().backward()
    other(images).last_hidden_state.pow(3).sum().backward()
    wanted = other.embeddings.position_embeddings.grad[0]
    assert_close(ours.position_embedding.weight.grad, wanted, atol=1e-3, rtol=1e-3)
    wanted = other.encoder.layer[1].layer_scale2.lambda1.grad
    assert_close(ours.blocks[1].feed_forward_scale.weight.grad, wanted, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "dinov2_with_registers"}, "registers', DINOv2 needs 'dinov2'"),
        ({"use_swiglu_ffn": True}, "use_swiglu_ffn is True, DINOv2 needs False"),
        ({"qkv_bias": False}, "qkv_bias is False, DINOv2 needs True"),
        ({"hidden_act": "silu"}, "hidden_act is 'silu', known are gelu"),
        ({"image_size": [15, 15]}, r"image_size must be a whole number .* got \[15, 15\]"),
        ({"patch_size": 4}, "patches of 4 do not fill a side of 15"),
        ({"image_size": 18}, r"position_embeddings is \(26, 6\), the model needs \(37, 6\)"),
        ({"mlp_ratio": 3}, r"fc1.weight is \(24, 6\), the model needs \(18, 6\)"),
        ({"mlp_ratio": 2.5}, "d_ff must be a whole number of at least 1, got 15.0"),
        ({"layerscale_value": "much"}, "layer_scale must be a number, got 'much'"),
        ({"num_hidden_layers": 1}, r"surplus \(18\): encoder.layer.1.attention"),
        ({"num_hidden_layers": 10**12}, "1,000,000,000,000 layers, but"),
    ],
)
def test_configs_that_are_refused(tmp_path, change, message):
    theirs(hidden_size=6, num_attention_heads=2).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises((DamagedFileError, ShapeError), match=message):
        DINOv2.from_pretrained(tmp_path)


def test_only_the_mask_token_may_be_left_over(tmp_path):
    theirs(hidden_size=6, num_attention_heads=2).save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    assert "embeddings.mask_token" in tensors
    save_file(tensors | {"classifier.bias": torch.zeros(3)}, path)
    with pytest.raises(DamagedFileError, match=r"surplus \(1\): classifier.bias"):
        DINOv2.from_pretrained(tmp_path)
    del tensors["encoder.layer.0.layer_scale1.lambda1"]
    save_file(tensors, path)
    with pytest.raises(DamagedFileError, match=r"missing \(1\): encoder.layer.0.layer_scale1"):
        DINOv2.from_pretrained(tmp_path)


def test_a_folder_with_nothing_to_read(tmp_path):
    with pytest.raises(MissingDataError, match=r"neither config.json nor one .onnx file, but 0"):
        DINOv2.from_pretrained(tmp_path)


# --- behaviour ------------------------------------------------------------------------------


@torch.no_grad()
def test_saved_and_loaded_it_is_the_same(tmp_path):
    model, images = tiny(), pictures(2, 4, patch=2)
    model.save(tmp_path / "model.safetensors")
    assert torch.equal(DINOv2.load(tmp_path / "model.safetensors")(images), model(images))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(1, 3, 6, 7), "patches of 2 do not fill a side of 7"),
        (torch.zeros(1, 1, 6, 6), r"shape \(B, 3, height, width\), got \(1, 1, 6, 6\)"),
        (torch.zeros(3, 6, 6), r"of shape \(B, C, height, width\), got torch.float32 \(3, 6, 6\)"),
        (torch.zeros(1, 3, 0, 6), "patches of 2 .* cannot be cut from a side of 0"),
        (torch.zeros(1, 3, 6, 6, dtype=torch.long), "images must be floating point"),
        (torch.zeros(1, 3, 6, 6, dtype=torch.float64), "images must be torch.float32 like"),
        ([[1.0]], "images must be a tensor, got list"),
    ],
)
def test_images_that_are_refused(images, message):
    with pytest.raises(ShapeError, match=message):
        tiny()(images)


def test_a_new_model_passes_its_input_nearly_through():
    model = DINOv2(DINOv2Config(image_size=6, patch_size=2, d_model=8, n_layers=2, n_heads=2))
    first, *_, last = model.hidden_states(pictures(3, 3, patch=2))
    assert_close(model.final_norm(first), last, atol=1e-2, rtol=0)
    assert not torch.equal(model.final_norm(first), last)


@torch.no_grad()
def test_it_can_be_looked_into():
    model, images = tiny(), pictures(2, 4, patch=2)
    plain = model(images)
    story = trace(model, images)
    assert torch.equal(story["output"].tensor, plain)
    found = story["layer 1 attention sum"]
    assert found.formula == "layer 0 feed forward sum + layer 1 attention scale"
    parts = [story[name].tensor for name in found.formula.split(" + ")]
    assert_close(found.tensor, sum(parts))
    with capture_attention(model) as maps:
        model(images)
    assert_close(rollout(maps).sum(-1), torch.ones(2, 9))
    for change in (Zero(layer=1, head=0), Uniform(layer=0, head=1)):
        with intervene(model, change):
            assert not torch.allclose(model(images), plain)
    assert torch.equal(model(images), plain)


def test_published_sizes():
    assert count_parameters(DINOv2Config.small()) == 22_056_192
    assert count_parameters(DINOv2Config.base()) == 86_579_712
    assert count_parameters(DINOv2Config.large()) == 304_367_616


def test_normalised():
    images = torch.rand(2, 3, 4, 5)
    found = normalised(images)
    assert_close(found[:, 1], (images[:, 1] - 0.456) / 0.224)
    with pytest.raises(ShapeError, match=r"shape \(..., 3, height, width\), got .* \(1, 4, 5\)"):
        normalised(torch.rand(1, 4, 5))
    with pytest.raises(ShapeError, match=r"floating point"):
        normalised(torch.zeros(3, 4, 5, dtype=torch.uint8))
