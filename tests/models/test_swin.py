"""Swin and Swin v2: equal to transformers' own, and windows that are what they claim to be."""

import itertools

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.attention import MultiHeadAttention, capture_attention
from tutorial_lib.errors import DamagedFileError, MissingHeadError, ShapeError
from tutorial_lib.models import Swin, SwinConfig, SwinV2, SwinV2Config, ViT
from tutorial_lib.models.windows import (
    PatchMerging,
    ShiftedWindows,
    pad_to_multiple,
    shifted_window_mask,
    window_partition,
    window_reverse,
)
from tutorial_lib.positions import ContinuousGrid, RelativeGrid

transformers = pytest.importorskip("transformers")

# their sizes, and height and width of a picture that no window divides
SIZES = {
    "fits": (
        {"image_size": 32, "patch_size": 2, "embed_dim": 12, "depths": [2, 3], "window_size": 4}
        | {"num_heads": [2, 3]},
        (32, 32),
    ),
    "one window is the second map": (
        {"image_size": 32, "patch_size": 2, "embed_dim": 12, "depths": [2, 2], "window_size": 4}
        | {"num_heads": [2, 3]},
        (16, 16),
    ),
    "odd sides": (
        {"image_size": 30, "patch_size": 4, "embed_dim": 8, "depths": [1, 2, 2], "window_size": 1}
        | {"num_heads": [1, 2, 4], "mlp_ratio": 2.5},
        (41, 35),
    ),
    "padded windows": (
        {"image_size": 48, "patch_size": 3, "embed_dim": 8, "depths": [2, 2], "window_size": 5}
        | {"num_heads": [1, 2], "num_channels": 1, "hidden_act": "relu"},
        (61, 45),
    ),
}
KINDS = {"v1": (Swin, "SwinConfig", "SwinForImageClassification")}
KINDS |= {"v2": (SwinV2, "Swinv2Config", "Swinv2ForImageClassification")}
CASES = list(itertools.product(KINDS, SIZES))
SMALL = {"image_size": 16, "patch_size": 2, "d_model": 8, "window": 2, "n_classes": 3}
SMALL |= {"depths": (2, 2), "n_heads": (1, 2)}


def saved(folder, kind, sizes, **more):
    """Write their model; return ours, read from there, and theirs."""
    ours, config, name = KINDS[kind]
    torch.manual_seed(0)
    other = getattr(transformers, name)(getattr(transformers, config)(**sizes, **more)).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.3)
    other.save_pretrained(folder)
    return ours.from_pretrained(folder), other


def trained(model):
    """Return the model with weights that matter."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model.eval()


@pytest.mark.parametrize(("kind", "case"), CASES)
@torch.no_grad()
def test_equals_transformers(tmp_path, kind, case):
    sizes, sides = SIZES[case]
    ours, other = saved(tmp_path, kind, sizes, num_labels=5)
    images = torch.randn(2, sizes.get("num_channels", 3), *sides)
    expected = other(images, output_hidden_states=True)
    assert_close(ours(images), expected.logits, atol=2e-5, rtol=2e-5)
    maps = ours.features(images)
    assert [len(map_) for map_ in maps] == [2] * len(sizes["depths"])
    *merged, last = expected.reshaped_hidden_states[1:]  # after merging, but for the last
    for map_, stage, wanted in zip(maps, ours.stages, merged, strict=False):
        smaller = stage.merging(map_.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        assert_close(smaller, wanted, atol=2e-5, rtol=2e-5)
    assert_close(maps[-1], last, atol=2e-5, rtol=2e-5)
    assert not ours.training


@torch.no_grad()
def test_a_network_that_learned_from_other_windows_equals_theirs(tmp_path):
    sizes, sides = SIZES["padded windows"]
    ours, other = saved(tmp_path, "v2", sizes, num_labels=2, pretrained_window_sizes=[3, 4])
    images = torch.randn(1, 1, *sides)
    assert_close(ours(images), other(images).logits, atol=2e-5, rtol=2e-5)


@pytest.mark.parametrize("shift", [0, 1, 2])
@torch.no_grad()
def test_rolled_windows_are_attention_to_all_under_a_mask(shift):
    """Brute force: no windows, no roll, one matrix over the map, a mask that is found by hand."""
    torch.manual_seed(0)
    window, height, width = 3, 6, 9
    attention, positions = MultiHeadAttention(8, 2), RelativeGrid(2, window, window)
    positions.weight.data.normal_()
    layer = ShiftedWindows(attention, positions, window, shift)
    x = torch.randn(2, height, width, 8)

    cells = list(itertools.product(range(height), range(width)))
    mask = torch.zeros(len(cells), len(cells), dtype=torch.bool)
    bias = torch.zeros(2, len(cells), len(cells))
    for (i, (r, c)), (j, (s, d)) in itertools.product(enumerate(cells), repeat=2):
        same_rows = (r - shift) // window == (s - shift) // window
        mask[i, j] = same_rows and (c - shift) // window == (d - shift) // window
        if mask[i, j]:
            bias[:, i, j] = positions.weight[:, s - r + window - 1, d - c + window - 1]
    expected = attention(x.flatten(1, 2), mask=mask, bias=bias).unflatten(1, (height, width))
    assert_close(layer(x), expected, atol=1e-6, rtol=1e-5)


@torch.no_grad()
def test_every_layer_of_a_swin_is_attention_to_all_under_a_mask():
    """Three stages, maps that windows do not fill, weights that matter: brute force again."""
    sizes = {"image_size": 40, "window": 3, "depths": (2, 3, 2), "n_heads": (1, 2, 2)}
    model = trained(Swin(SwinConfig(**SMALL | sizes)))
    layers = [m for m in model.modules() if isinstance(m, ShiftedWindows)]
    differences = []

    def compare(layer, inputs, output):
        (x,) = inputs
        height, width = x.shape[1:3]
        x, side = pad_to_multiple(x, layer.window), layer.window
        rows, columns = x.shape[1:3]
        row, column = (
            torch.arange(rows * columns) // columns,
            torch.arange(rows * columns) % columns,
        )
        shift = layer.shift if min(height, width) > side else 0
        window_of = (row - shift) // side * 1000 + (column - shift) // side
        steps = [(i - i[:, None]).clamp(1 - side, side - 1) + side - 1 for i in (row, column)]
        bias = layer.positions.weight[:, steps[0], steps[1]]
        mask = window_of[:, None] == window_of
        found = layer.attention(x.flatten(1, 2), mask=mask, bias=bias)
        found = found.unflatten(1, (rows, columns))[:, :height, :width]
        differences.append((found - output).abs().max().item())

    for layer in layers:
        layer.register_forward_hook(compare)
    model(torch.randn(1, 3, 40, 36))
    assert len(differences) == 7
    assert max(differences) < 1e-5


def test_the_parts_that_a_roll_brings_together_stay_apart():
    mask = shifted_window_mask(6, 6, window=3, shift=1)
    assert mask.shape == (4, 9, 9)
    assert mask[0].all()  # the first window was not cut
    assert mask[3].sum(dim=1).tolist() == [4, 4, 2, 4, 4, 2, 2, 2, 1]  # 2 x 2, 2, 2 and 1
    assert shifted_window_mask(6, 6, 3, 0).all()


def test_windows_go_row_by_row_and_must_fill_the_map():
    x = torch.arange(24).view(1, 4, 6, 1)
    assert window_partition(x, 2)[3, :, 0].tolist() == [12, 13, 18, 19]
    with pytest.raises(ShapeError, match=r"windows of 4 do not fill x .* got"):
        window_partition(x, 4)
    with pytest.raises(ShapeError, match="shifted by 0 to 2, not 3"):
        ShiftedWindows(MultiHeadAttention(8, 2), RelativeGrid(2, 3, 3), 3, 3)
    with pytest.raises(ShapeError, match="shifted by 0 to 1, not 3"):
        shifted_window_mask(4, 4, 2, 3)
    with pytest.raises(ShapeError, match=r"of maps 5 x 4 must be .* got \(4, 4, 3\)"):
        window_reverse(torch.zeros(4, 4, 3), 2, 5, 4)
    with pytest.raises(ShapeError, match="windows of 0 do not fill"):
        window_partition(x, 0)


@torch.no_grad()
def test_a_position_is_reached_window_by_window():
    """With shifts a change spreads to the neighbouring windows, without them it never leaves."""
    images = torch.randn(1, 3, 16, 16)
    changed = images.clone()
    changed[..., 4:6, 4:6] += 1  # one patch: row 2, column 2 of 8
    reached = {}
    for shifted in (True, False):
        model = trained(Swin(SwinConfig(**SMALL | {"depths": (2,), "n_heads": (2,)})))
        if not shifted:
            model.stages[0].blocks[1].windows.shift = 0
        difference = (model.features(images)[0] - model.features(changed)[0]).abs().amax(1)[0]
        reached[shifted] = {tuple(cell) for cell in (difference > 1e-6).nonzero().tolist()}
    assert reached[False] == set(itertools.product((2, 3), (2, 3)))
    assert reached[True] == set(itertools.product(range(1, 5), range(1, 5)))


@torch.no_grad()
def test_one_window_over_the_whole_map_is_not_shifted():
    layer = ShiftedWindows(MultiHeadAttention(8, 2), RelativeGrid(2, 4, 4), 4, 2)
    with capture_attention(layer) as maps:
        layer(torch.randn(1, 4, 4, 8))
    assert (maps[0] > 0).all()


def test_merging_halves_the_map_and_pads_odd_sides():
    merging = PatchMerging(4)
    assert merging(torch.zeros(2, 7, 4, 4)).shape == (2, 4, 2, 8)
    assert sum(p.numel() for p in merging.parameters()) == 16 * 8 + 2 * 16


@torch.no_grad()
def test_scores_of_swin_v2_are_bounded_however_long_the_vectors():
    model = trained(SwinV2(SwinV2Config(**SMALL)))
    attention = model.stages[0].blocks[0].windows.attention
    attention.qkv.weight *= 1e4
    attention.log_scale.fill_(50.0)  # held at log(100)
    q, k, _ = attention.project(torch.randn(1, 5, 8))
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    assert 10 < scores.abs().max() <= 100.001


def test_the_continuous_grid_knows_the_sign_of_a_step():
    torch.manual_seed(0)
    grid = ContinuousGrid(n_heads=1, side=3)
    bias = grid()[0]
    assert 0 < bias.min() < bias.max() < 16
    assert_close(bias[0, 1], bias[3, 4])  # the same step elsewhere
    assert not torch.allclose(bias[0, 1], bias[1, 0])
    torch.manual_seed(0)
    assert_close(ContinuousGrid(1, 3, n_trained=3)()[0], bias)  # None: trained with these
    with pytest.raises(ShapeError, match="a window of 2 or more, got 1"):
        ContinuousGrid(1, 3, n_trained=1)


@pytest.mark.parametrize("kind", [Swin, SwinV2])
@torch.no_grad()
def test_windows_can_grow_without_training(kind):
    model = trained(kind(kind.config_class(**SMALL | {"window": 4, "image_size": 32})))
    images = torch.randn(1, 3, 32, 32)
    same, larger = model.with_window(4), model.with_window(8)
    assert_close(same(images), model(images))
    assert larger.config.windows == (8, 8)
    assert larger(images).shape == (1, 3)
    assert model.with_window(8, image_size=64).config.windows == (8, 8)
    assert model.with_window(40, image_size=64).config.windows == (32, 16)  # the maps are no larger
    for name, weight in model.state_dict().items():
        if "positions.weight" not in name:  # the table alone has another size
            assert_close(larger.state_dict()[name], weight)
    if kind is SwinV2:  # the same network: a step of 2 means what it meant
        before = model.stages[0].blocks[0].windows.positions()
        after = larger.stages[0].blocks[0].windows.positions()
        assert_close(after[:, 0, 2], before[:, 0, 2])


def test_a_stage_of_single_positions_can_grow_too():
    model = SwinV2(SwinV2Config(**SMALL | {"image_size": 4}))
    assert model.config.windows == (2, 1)
    assert model.with_window(4, image_size=16)(torch.zeros(1, 3, 16, 16)).shape == (1, 3)


@pytest.mark.parametrize("kind", [Swin, SwinV2])
def test_save_and_load(kind, tmp_path):
    model = trained(kind(kind.config_class(**SMALL)))
    model.save(tmp_path / "swin.safetensors")
    again = kind.load(tmp_path / "swin.safetensors")
    assert again.config == model.config
    images = torch.randn(1, 3, 16, 16)
    assert_close(again(images), model(images), atol=0, rtol=0)
    bare = model.with_heads(n_classes=None)
    with pytest.raises(MissingHeadError, match="no classifier"):
        bare(images)
    assert [map_.shape[1] for map_ in bare.features(images)] == [8, 16]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"depths": (2,)}, ShapeError, "one entry a stage"),
        ({"depths": (2, 0)}, ShapeError, "each of depths must be a whole number"),
        ({"n_heads": (1, 3)}, ShapeError, "3 heads do not divide d_model 16"),
        ({"image_size": 2}, ShapeError, "no position left for stage 2"),
        ({"window": 0}, ShapeError, "window must be a whole number"),
        ({"d_ff_ratio": 0}, ValueError, "d_ff_ratio must be a number above 0"),
        ({"dropout": 1.0}, ValueError, "dropout"),
        ({"activation": "tanh"}, ValueError, "activation"),
    ],
)
def test_bad_sizes_are_named(change, error, message):
    with pytest.raises(error, match=message):
        SwinConfig(**SMALL | change)


def test_other_bad_sizes_are_named():
    with pytest.raises(ShapeError, match="trained_windows must have one entry a stage"):
        SwinV2Config(**SMALL, trained_windows=(4,))
    with pytest.raises(ValueError, match="published are tiny, small, base, large, got 'huge'"):
        SwinConfig.published("huge")


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([[1.0]], "images must be a tensor, got list"),
        (torch.zeros(3, 16, 16), r"shape \(B, 3, height, width\), got \(3, 16, 16\)"),
        (torch.zeros(1, 1, 16, 16), r"shape \(B, 3, height, width\), got \(1, 1, 16, 16\)"),
        (torch.zeros(1, 3, 0, 16), r"got \(1, 3, 0, 16\)"),
        (torch.zeros(1, 3, 16, 16, dtype=torch.float64), "must be torch.float32"),
    ],
)
def test_bad_pictures_are_named(images, message):
    with pytest.raises(ShapeError, match=message):
        Swin(SwinConfig(**SMALL))(images)


def test_folders_that_do_not_fit_are_refused(tmp_path):
    sizes, _ = SIZES["fits"]
    saved(tmp_path, "v1", sizes)
    for other in (SwinV2, ViT):
        with pytest.raises(DamagedFileError, match="model_type is 'swin'"):
            other.from_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    name = next(name for name in tensors if "relative_position_bias_table" in name)
    save_file(tensors | {name: torch.zeros(25, 2)}, path, {"format": "pt"})
    with pytest.raises(DamagedFileError, match="relative_position_bias_table"):
        Swin.from_pretrained(tmp_path)
