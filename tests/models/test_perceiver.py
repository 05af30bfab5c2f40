"""Perceiver and Perceiver IO: equal to transformers' own, and what latents must not depend on."""

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MaskError,
    MissingHeadError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.models import BERT, Perceiver, PerceiverConfig
from tutorial_lib.positions import fourier_features, grid_positions, pixel_waves

transformers = pytest.importorskip("transformers")

ODD = {"d_latents": 12, "d_model": 16, "vocab_size": 23, "max_position_embeddings": 17}
SIZES = {
    "rounds": ODD
    | {"num_latents": 5, "num_blocks": 3, "num_self_attends_per_block": 2}
    | {"num_self_attention_heads": 3, "num_cross_attention_heads": 2}
    | {"self_attention_widening_factor": 2, "cross_attention_widening_factor": 3},
    "narrow": ODD
    | {"num_latents": 7, "num_self_attends_per_block": 2, "qk_channels": 6, "v_channels": 12}
    | {"num_self_attention_heads": 2, "num_cross_attention_heads": 3, "hidden_act": "relu"},
    "compared as latents": ODD
    | {"num_latents": 3, "num_self_attends_per_block": 1, "num_self_attention_heads": 4}
    | {"num_cross_attention_heads": 4, "cross_attention_shape_for_attention": "q"},
}
SMALL = {"d_input": 6, "n_latents": 4, "d_latent": 8, "n_layers": 2, "n_heads": 2}
BYTES = SMALL | {"vocab_size": 11, "context": 9, "d_query": 6}


def saved(folder, sizes):
    """Write their model; return ours, read from there, and theirs."""
    torch.manual_seed(0)
    other = transformers.PerceiverForMaskedLM(transformers.PerceiverConfig(**sizes)).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.3)
    other.save_pretrained(folder)
    return Perceiver.from_pretrained(folder), other


def trained(**sizes):
    """Return a Perceiver with weights that matter."""
    torch.manual_seed(0)
    model = Perceiver(PerceiverConfig(**sizes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


@pytest.mark.parametrize("case", SIZES)
@torch.no_grad()
def test_equals_transformers(tmp_path, case):
    ours, other = saved(tmp_path, SIZES[case])
    ids, mask = torch.randint(0, 23, (3, 11)), torch.arange(11) < torch.tensor([[11], [1], [6]])
    expected = other(ids, attention_mask=mask.long(), output_attentions=True)
    with capture_attention(ours) as maps:
        found = ours(ids, mask=mask)
    assert_close(found, expected.logits[:, :11], atol=2e-5, rtol=2e-5)
    assert_close(maps.cross[0], expected.cross_attentions[0], atol=1e-5, rtol=1e-5)
    asked = ours(ids, queries=ours.queries(17), mask=mask)  # all positions, as theirs always does
    assert_close(asked, expected.logits, atol=2e-5, rtol=2e-5)
    assert not ours.training


@torch.no_grad()
def test_inputs_have_no_order_and_padding_is_not_read():
    model = trained(**SMALL, n_classes=3)
    x, order = torch.randn(2, 20, 6), torch.randperm(20)
    assert_close(model(x[:, order]), model(x), atol=1e-5, rtol=1e-5)
    mask = torch.arange(20) < torch.tensor([[20], [7]])
    changed = torch.where(mask[..., None], x, 99.0)
    assert_close(model(changed, mask=mask), model(x, mask=mask), atol=0, rtol=0)
    assert not torch.allclose(model(changed), model(x))


@torch.no_grad()
def test_answers_do_not_depend_on_what_else_is_asked():
    model = trained(**SMALL, d_query=5, d_output=2)
    x, queries = torch.randn(2, 20, 6), torch.randn(2, 9, 5)
    together = model(x, queries)
    assert together.shape == (2, 9, 2)
    alone = torch.cat([model(x, queries[:, at : at + 1]) for at in range(9)], dim=1)
    assert_close(together, alone, atol=1e-5, rtol=1e-5)
    assert_close(model(x, queries[0])[0], together[0])  # (O, Q): the same for all
    assert model.encode(x).shape == (2, 4, 8)


@torch.no_grad()
def test_rounds_share_their_layers():
    once, thrice = trained(**SMALL), trained(**SMALL, n_rounds=3)
    assert sum(p.numel() for p in once.parameters()) == sum(p.numel() for p in thrice.parameters())
    x = torch.randn(1, 5, 6)
    latents = once(x)
    for _ in range(2):
        for block in once.blocks:
            latents = block(latents)
    assert_close(thrice(x), latents)


def test_gradients_reach_every_parameter():
    model = Perceiver(PerceiverConfig(**BYTES))
    model(torch.randint(0, 11, (2, 9))).square().sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == []


def test_fourier_features():
    places = grid_positions(2, 4)
    assert places.tolist()[:2] == [[-0.5, -0.75], [-0.5, -0.25]]
    assert_close(grid_positions(4, 8).view(2, 2, 4, 2, 2).mean(dim=(1, 3)).view(8, 2), places)
    features = fourier_features(places, n_bands=3, finest=8)
    assert features.shape == (8, 2 + 2 * 2 * 3)
    assert_close(features[:, :2], places)
    # per axis: sines of all bands, then cosines; the bands turn 1/2, 5/4 and 2 times
    angles = torch.pi * places[:, :1] * torch.tensor([1.0, 2.5, 4.0])
    assert_close(features[:, 2:8], torch.cat([angles.sin(), angles.cos()], dim=-1))
    with pytest.raises(ShapeError, match="at least one band"):
        fourier_features(places, 0, 8)
    with pytest.raises(ValueError, match="finest must be at least 2"):
        fourier_features(places, 3, 1)
    assert_close(pixel_waves(2, 4, n_bands=3, finest=2), fourier_features(places, 3, 2))
    with pytest.raises(ValueError, match=r"at most 2 \(the Nyquist limit\), got 4"):
        pixel_waves(2, 4, n_bands=3, finest=4)


def test_save_and_load(tmp_path):
    model = trained(**BYTES)
    model.save(tmp_path / "perceiver.safetensors")
    ids = torch.tensor([[1, 2, 3]])
    again = Perceiver.load(tmp_path / "perceiver.safetensors")
    assert_close(again(ids), model(ids), atol=0, rtol=0)
    assert again(ids).shape == (1, 3, 11)
    assert again(torch.randn(1, 5, 6)).shape == (1, 5, 11)  # vectors, asked for as many bytes


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_latents": 0}, ShapeError, "n_latents must be a whole number"),
        ({"n_heads": 3}, ShapeError, "3 heads do not divide d_model 8"),
        ({"d_qk": 5}, ShapeError, "2 heads do not divide d_qk 5 and d_value 8"),
        ({"n_read_heads": 4}, ShapeError, "4 heads do not divide d_qk 6"),
        ({"d_output": 2}, ValueError, "needs d_query"),
        ({"vocab_size": 5}, ValueError, "reads ids needs context, and d_query as wide as d_input"),
    ],
)
def test_bad_sizes_are_named(change, error, message):
    with pytest.raises(error, match=message):
        PerceiverConfig(**SMALL | change).build()


@pytest.mark.parametrize(
    ("inputs", "options", "error", "message"),
    [
        ([1], {}, ShapeError, "inputs must be a tensor, got list"),
        (torch.zeros(2, 3, 5), {}, ShapeError, r"shape \(B, M, 6\), got torch.float32 \(2, 3, 5\)"),
        (torch.tensor([[11]]), {}, VocabularyError, "between 0 and 10, got 11"),
        (torch.zeros(1, 10).long(), {}, ContextError, "10 tokens long, .* holds 9"),
        (
            torch.zeros(2, 3).long(),
            {"mask": torch.ones(2, 4).bool()},
            ShapeError,
            "mask must have the shape of the inputs",
        ),
        (
            torch.zeros(2, 3).long(),
            {"mask": torch.zeros(2, 3).bool()},
            MaskError,
            "sequence 0 of the batch is all padding",
        ),
        (
            torch.zeros(2, 3).long(),
            {"queries": torch.zeros(4, 5)},
            ShapeError,
            r"queries must be torch.float32, not empty, of shape \(B, O, 6\) or \(O, 6\)",
        ),
        (torch.zeros(0, 3, 6), {}, ShapeError, r"not empty, .* got torch.float32 \(0, 3, 6\)"),
        (torch.zeros(2, 3, 6).double(), {}, ShapeError, "must be torch.float32"),
        (torch.zeros(2, 3, 6), {"queries": torch.zeros(0, 6)}, ShapeError, r"got .* \(0, 6\)"),
        (
            torch.zeros(2, 3, 6),
            {"queries": torch.zeros(3, 1, 6)},
            ShapeError,
            "those of one input or of all 2, got 3",
        ),
    ],
)
def test_bad_input_is_named(inputs, options, error, message):
    with pytest.raises(error, match=message):
        trained(**BYTES)(inputs, **options)


def test_who_cannot_be_asked_says_so():
    model = trained(**SMALL)
    with pytest.raises(MissingHeadError, match=r"no queries: .* with_heads\(d_query=32\) adds"):
        model(torch.zeros(1, 3, 6), queries=torch.zeros(1, 4))
    asked = model.with_heads(d_query=4, d_output=2)(torch.zeros(1, 3, 6), torch.zeros(5, 4))
    assert asked.shape == (1, 5, 2)


def test_folders_that_do_not_fit_are_refused(tmp_path):
    saved(tmp_path, SIZES["rounds"])
    with pytest.raises(DamagedFileError, match="model_type is 'perceiver'"):
        BERT.from_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    del tensors["perceiver.embeddings.latents"]
    save_file(tensors, path, {"format": "pt"})
    with pytest.raises(DamagedFileError, match="latents"):
        Perceiver.from_pretrained(tmp_path)
