"""CLIP: equal to transformers' own, with both of its ends of a text, and bounded in its scale."""

import json
import math

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MaskError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.models import CLIP, CLIPConfig, ViT, count_parameters
from tutorial_lib.objectives import contrastive_loss, recall_at

transformers = pytest.importorskip("transformers")

IMAGE = {"hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 3, "image_size": 12}
IMAGE |= {"num_attention_heads": 3, "patch_size": 4, "hidden_act": "quick_gelu"}
TEXT = {"vocab_size": 31, "hidden_size": 10, "intermediate_size": 14, "num_hidden_layers": 2}
TEXT |= {"num_attention_heads": 5, "max_position_embeddings": 9, "hidden_act": "quick_gelu"}
SMALL = {"image_size": 8, "patch_size": 4, "d_image": 8, "n_image_layers": 1, "n_image_heads": 2}
SMALL |= {"vocab_size": 20, "context": 6, "d_model": 4, "n_layers": 2, "n_heads": 2, "d_joint": 6}
SMALL |= {"end_id": 19}


def saved(folder, eos_token_id, image=None, text=None):
    """Write their model; return ours, read from there, and theirs."""
    torch.manual_seed(0)
    config = transformers.CLIPConfig(
        vision_config=IMAGE | (image or {}),
        text_config=TEXT | {"eos_token_id": eos_token_id} | (text or {}),
        projection_dim=7,
    )
    other = transformers.CLIPModel(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.3)
    other.save_pretrained(folder)
    return CLIP.from_pretrained(folder), other


def trained(**changes):
    """Return a small CLIP with weights that matter."""
    torch.manual_seed(0)
    model = CLIP(CLIPConfig(**SMALL | changes))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model.eval()


@pytest.mark.parametrize("eos_token_id", [2, 17])
@torch.no_grad()
def test_equals_transformers(tmp_path, eos_token_id):
    """With the token of the highest id as the end (2), and with an end token of its own (17)."""
    ours, other = saved(tmp_path, eos_token_id)
    assert ours.config.end_id == (None if eos_token_id == 2 else 17)
    images = torch.randn(4, 3, 12, 12)
    ids = torch.randint(0, 31, (3, 8))
    ids[0, 5] = ids[1, 2] = ids[1, 4] = ids[2, 7] = 17  # the second text holds two: the first ends
    ids[:, 6] = 30  # the highest comes behind an end, and before another
    mask = torch.ones(3, 8, dtype=torch.bool)
    mask[0, 7:] = False
    for given in (None, mask):
        expected = other(input_ids=ids, pixel_values=images, attention_mask=given)
        close = {"atol": 2e-5, "rtol": 2e-5}
        assert_close(ours(images, ids, given), expected.logits_per_image, **close)
        assert_close(ours.image_vectors(images), expected.image_embeds, **close)
        assert_close(ours.text_vectors(ids, given), expected.text_embeds, **close)
        hidden = expected.text_model_output.last_hidden_state
        real = slice(None) if given is None else given
        assert_close(ours.text_encoder(ids, given)[real], hidden[real], **close)
    square = ours(images[:3], ids)
    theirs = other(input_ids=ids, pixel_values=images[:3], return_loss=True).loss
    assert_close(contrastive_loss(square), theirs, atol=2e-5, rtol=2e-5)
    assert not ours.training


@torch.no_grad()
def test_another_activation_and_norm(tmp_path):
    other_parts = {"hidden_act": "gelu", "layer_norm_eps": 1e-3}
    ours, other = saved(tmp_path, 17, other_parts | {"num_channels": 1}, other_parts)
    images, ids = torch.randn(2, 1, 12, 12), torch.tensor([[4, 17], [17, 3]])
    expected = other(input_ids=ids, pixel_values=images).logits_per_image
    assert_close(ours(images, ids), expected, atol=2e-5, rtol=2e-5)


def test_published_sizes_are_counted():
    """151,277,313 is what the published files of B/32 hold, the scale among them."""
    assert count_parameters(CLIPConfig.published("B/32")) == 151_277_313
    assert CLIPConfig.published("L/14").n_patches == 256
    with pytest.raises(ValueError, match="size must be one of 'B/32', 'B/16', 'L/14', got 'H/14'"):
        CLIPConfig.published("H/14")


@torch.no_grad()
def test_vectors_have_length_1_and_logits_are_their_cosines():
    model = trained()
    images, ids = torch.randn(3, 3, 8, 8), torch.tensor([[1, 2, 19], [3, 19, 0]])
    of_images, of_texts = model.image_vectors(images), model.text_vectors(ids)
    assert_close(of_images.norm(dim=1), torch.ones(3))
    assert_close(of_texts.norm(dim=1), torch.ones(2))
    model.log_scale.fill_(math.log(7))
    assert_close(model(images, ids), 7 * of_images @ of_texts.T)


@torch.no_grad()
def test_what_stands_behind_the_end_does_not_count():
    model = trained()
    short = torch.tensor([[5, 6, 19]])
    padded = torch.tensor([[5, 6, 19, 7, 19]])
    mask = torch.tensor([[True, True, True, False, False]])
    for vectors in (model.text_vectors(padded), model.text_vectors(padded, mask)):
        assert_close(vectors, model.text_vectors(short))
    changed = torch.tensor([[5, 9, 19]])
    assert not torch.allclose(model.text_vectors(changed), model.text_vectors(short))


def test_the_scale_is_held_at_100_and_can_come_back():
    model = trained().train()
    images, ids = torch.randn(2, 3, 8, 8), torch.tensor([[1, 19], [2, 19]])
    model.log_scale.data.fill_(20.0)
    assert model(images, ids).abs().max() <= 100.001
    contrastive_loss(model(images, ids).flip(0)).backward()  # as wrong as can be: scale less
    assert model.log_scale.item() == pytest.approx(math.log(100))
    assert model.log_scale.grad != 0
    assert trained().scale() < 100


@torch.no_grad()
def test_its_maps_can_be_captured():
    model = trained()
    with capture_attention(model.text_encoder) as maps:
        model.text_vectors(torch.tensor([[1, 2, 19]]))
    assert maps[0].shape == (1, 2, 3, 3)
    assert not maps[1].triu(1).any()  # no token sees a later one
    with capture_attention(model.image_encoder) as maps:
        model.image_vectors(torch.randn(1, 3, 8, 8))
    assert maps[0].shape == (1, 2, 5, 5)


def test_save_and_load(tmp_path):
    model = trained()
    model.save(tmp_path / "clip.safetensors")
    again = CLIP.load(tmp_path / "clip.safetensors")
    assert again.config == model.config
    images, ids = torch.randn(1, 3, 8, 8), torch.tensor([[1, 19]])
    assert_close(again(images, ids), model(images, ids), atol=0, rtol=0)


def test_the_loss_looks_both_ways():
    logits = torch.tensor([[3.0, 0.0], [3.0, 0.0]])  # each picture says text 0
    rows = (math.log(1 + math.exp(-3)) + math.log(1 + math.exp(3))) / 2
    assert contrastive_loss(logits).item() == pytest.approx((rows + math.log(2)) / 2)
    assert contrastive_loss(logits.T).item() == pytest.approx(contrastive_loss(logits).item())


def test_recall_counts_ties_against():
    scores = torch.tensor([[5.0, 1.0, 0.0], [4.0, 4.0, 1.0], [3.0, 2.0, 1.0]])
    assert recall_at(scores, 1) == pytest.approx(1 / 3)
    assert recall_at(scores, 2) == pytest.approx(2 / 3)
    assert recall_at(scores.T, 1) == pytest.approx(2 / 3)  # its last column ties
    assert recall_at(scores, 3) == 1
    assert recall_at(torch.zeros(4, 4), 3) == 0
    with pytest.raises(ValueError, match="k must be from 1 to 3, got 4"):
        recall_at(scores, 4)


@pytest.mark.parametrize(
    ("logits", "message"),
    [
        (torch.zeros(1, 1), "a batch of at least 2 pairs, got 1"),
        (torch.zeros(2, 3), r"must be \(N, N\), images x texts; got \(2, 3\)"),
        (torch.zeros(0, 0), r"got \(0, 0\)"),
    ],
)
def test_a_loss_without_a_choice_is_refused(logits, message):
    with pytest.raises(ShapeError, match=message):
        contrastive_loss(logits)


@pytest.mark.parametrize(
    ("ids", "mask", "error", "message"),
    [
        ([[]], None, ShapeError, "at least one token each"),
        ([[1, 2, 3]], None, VocabularyError, "text 0 has no end token: .* the id 19 once"),
        ([[1, 20]], None, VocabularyError, "ids must lie between 0 and 19, got 20"),
        ([[1, 2, 3, 4, 5, 6, 19]], None, ContextError, "7"),
        ([[19, 19]], [[False, False]], MaskError, "is all padding"),
        ([[0, 19]], [[False, True]], MaskError, "begins with padding"),
        ([[1, 19]], [[True, False]], VocabularyError, "text 0 has no end token"),
        ([[1, 19]], [[True]], ShapeError, "one entry for each token read"),
    ],
)
def test_bad_texts_are_named(ids, mask, error, message):
    mask = None if mask is None else torch.tensor(mask)
    with pytest.raises(error, match=message):
        trained().text_vectors(torch.tensor(ids, dtype=torch.long), mask)


def test_bad_pictures_are_named():
    model = trained()
    with pytest.raises(ShapeError, match=r"shape \(B, 3, 8, 8\), got \(1, 3, 8, 16\)"):
        model.image_vectors(torch.zeros(1, 3, 8, 16))
    with pytest.raises(ShapeError, match=r"must be torch\.float32"):
        model.image_vectors(torch.zeros(1, 3, 8, 8, dtype=torch.float64))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_heads": 3}, ShapeError, "3 heads do not divide d_model 4"),
        ({"n_image_heads": 3}, ShapeError, "3 heads do not divide d_model 8"),
        ({"d_joint": 0}, ShapeError, "d_joint must be a whole number"),
        ({"patch_size": 3}, ShapeError, "8"),
        ({"end_id": 20}, ValueError, "end_id must be from 0 to 19, got 20"),
        ({"activation": "tanh"}, ValueError, "activation"),
    ],
)
def test_bad_sizes_are_named(change, error, message):
    with pytest.raises(error, match=message):
        CLIPConfig(**SMALL | change)


def test_folders_that_do_not_fit_are_refused(tmp_path):
    saved(tmp_path, 17)
    with pytest.raises(DamagedFileError, match="model_type is 'clip'"):
        ViT.from_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    missing = {name: tensor for name, tensor in tensors.items() if name != "logit_scale"}
    for wrong in (tensors | {"more": torch.zeros(1)}, missing):
        save_file(wrong, path, {"format": "pt"})
        with pytest.raises(DamagedFileError, match=r"more|logit_scale"):
            CLIP.from_pretrained(tmp_path)
    position_ids = {"text_model.embeddings.position_ids": torch.arange(9)[None]}
    save_file(tensors | position_ids, path, {"format": "pt"})  # as older files have it
    CLIP.from_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    config["text_config"]["hidden_act"] = "gelu"
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(DamagedFileError, match="'quick_gelu' for pictures and 'gelu' for texts"):
        CLIP.from_pretrained(tmp_path)
