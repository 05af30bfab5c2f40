import json
from dataclasses import asdict, replace

import pytest
import torch
from torch import nn

from tutorial_lib.errors import DamagedFileError, ShapeError
from tutorial_lib.files import load_metadata, load_tensors, save_tensors
from tutorial_lib.models import (
    BERT,
    GPT,
    BERTConfig,
    GPTConfig,
    ModernGPTConfig,
    RoundedVectors,
    Transformer,
    TransformerConfig,
    ViT,
    ViTConfig,
)
from tutorial_lib.models.blocks import FeedForward

SIZES = {"d_model": 8, "n_layers": 1, "n_heads": 2}
CONFIGS = [
    BERTConfig(vocab_size=9, context=6, **SIZES),
    GPTConfig(vocab_size=9, context=6, **SIZES),
    ModernGPTConfig(vocab_size=9, context=6, **SIZES),
    TransformerConfig(source_vocab_size=9, context=6, **SIZES),
    ViTConfig(image_size=4, patch_size=2, **SIZES),
]
NAMES = [type(config).__name__ for config in CONFIGS]


def bert():
    torch.manual_seed(0)
    return BERT(replace(CONFIGS[0], pooler=True, n_labels=3)).eval()


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_with_heads_changes_heads_and_dropout_only(config):
    model = config.build()
    assert model.with_heads(dropout=0.5).config == replace(config, dropout=0.5)
    for change in ({"n_heads": 4}, {"eps": 1.0}, {"d_model": 16}, {"eps": 1.0, "dropout": 0.1}):
        with pytest.raises(ValueError, match=f"{next(iter(change))} would change more than the"):
            model.with_heads(**change)
    with pytest.raises(ValueError, match="colour would change more"):
        model.with_heads(colour="red")


def test_the_refusal_lists_what_may_change():
    with pytest.raises(ValueError, match=(
        "activation, eps would change more than the heads of a ViT; with_heads takes "
        "n_classes, n_patch_classes, pooler, dropout"
    )):  # fmt: skip
        ViT(CONFIGS[-1]).with_heads(activation="relu", n_classes=2, eps=1.0)
    with pytest.raises(ValueError, match=r"of a GPT; with_heads takes dropout$"):
        GPT(CONFIGS[1]).with_heads(n_classes=2)


def test_what_was_frozen_stays_frozen_and_a_new_head_learns():
    model = bert()
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.embedding_norm.bias.requires_grad = True
    tuned = model.with_heads(n_classes=2, n_labels=5)
    learning = {name for name, p in tuned.named_parameters() if p.requires_grad}
    assert learning == {
        "embedding_norm.bias", "sequence_head.weight", "sequence_head.bias", "token_head.weight",
        "token_head.bias",
    }  # fmt: skip
    assert all(p.requires_grad for p in bert().with_heads(n_classes=2).parameters())


def test_layers_exchanged_by_hand_are_not_lost_in_silence():
    for layer in (nn.Linear(8, 5), nn.Identity()):
        model = bert()
        model.blocks[0].feed_forward.hidden = layer
        with pytest.raises(ValueError, match=r"are others: blocks\.0\.feed_forward\.hidden\.bias"):
            model.with_heads(n_classes=2)


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"eps": 0}, "eps must be a number above 0, got 0"),
        ({"eps": float("nan")}, "eps must be a number above 0, got nan"),
        ({"eps": "small"}, "eps must be a number above 0, got 'small'"),
        ({"dropout": "x"}, "dropout must lie between 0 and 1, got 'x'"),
        ({"dropout": None}, "dropout must lie between 0 and 1, got None"),
        ({"activation": "silu"}, "activation must be one of '.*, got 'silu'"),
        ({"activation": ["relu"]}, r"activation must be one of '.*, got \['relu'\]"),
    ],
)
def test_a_config_is_checked_when_it_is_made(config, change, message):
    with pytest.raises(ValueError, match=message):
        replace(config, **change)


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_the_feed_forward_width_follows_d_model_unless_it_is_given(config):
    for change, width in (({}, 32), ({"d_model": 16}, 64), ({"d_model": 16, "d_ff": 24}, 24)):
        layers = [module for module in replace(config, **change).build().modules()
                  if isinstance(module, FeedForward)]  # fmt: skip
        assert {layer.hidden.out_features for layer in layers} == {width}


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
@pytest.mark.parametrize(
    "change",
    [
        {"n_layers": 10**9},
        {"d_model": 10**9 - 10**9 % 8},
        {"d_ff": 10**12},
        {"d_ff": 10**30},
        {"n_layers": 10**30},
    ],
    ids=str,
)
def test_sizes_are_compared_before_anything_large_is_built(tmp_path, config, change):
    model, path = config.build(), tmp_path / "model.safetensors"
    about = {"model": type(model).__name__, "config": json.dumps(asdict(config) | change)}
    save_tensors(path, model.state_dict(), about)
    with pytest.raises(DamagedFileError, match=r"do not fit|not hold a"):
        type(model).load(path)  # a billion layers would not end, and no memory holds such a width


@pytest.mark.parametrize("change", [{"width": 10**12}, {"width": -1}, {"n_vectors": "3"}, {"k": 1}])
def test_sizes_taken_one_by_one_are_compared_first_too(tmp_path, change):
    path = tmp_path / "model.safetensors"
    RoundedVectors.of(torch.eye(3)).save(path)
    about = load_metadata(path)
    about["config"] = json.dumps(json.loads(about["config"]) | change)
    save_tensors(path, load_tensors(path), about)
    with pytest.raises(DamagedFileError, match=r"do not fit|not hold a RoundedVectors"):
        RoundedVectors.load(path)


def test_a_file_of_a_later_schema_is_refused_and_one_without_is_read(tmp_path):
    path = tmp_path / "model.safetensors"
    bert().save(path)
    about, tensors = load_metadata(path), load_tensors(path)
    assert about["schema"] == "1"
    save_tensors(path, tensors, about | {"schema": "2"})
    with pytest.raises(DamagedFileError, match="has schema 2, this version of the course reads 1"):
        BERT.load(path)
    del about["schema"]
    save_tensors(path, tensors, about)
    assert BERT.load(path).config == bert().config


def test_what_is_compared_first_holds_no_numbers(tmp_path, monkeypatch):
    devices = []
    monkeypatch.setattr(
        "tutorial_lib.models.base.check_fit",
        lambda outline, *_: devices.extend(weight.device.type for weight in outline.parameters()),
    )
    bert().save(tmp_path / "model.safetensors")
    BERT.load(tmp_path / "model.safetensors")
    assert set(devices) == {"meta"}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            '{"d_model": 9, "n_heads": 3, "n_layers": 1}',
            "not hold a Transformer .* must be even, got 9",
        ),
        ('{"dropout": "x"}', "not hold a Transformer that can be built .dropout must lie"),
        ("[1]", "does not say what sizes it has"),
        ("{", "does not say what sizes it has"),
        ("[" * 100_000, "does not say what sizes it has"),
        ('{"n_layers": 1000000000}', "can be built .1,000,000,000 layers, but 1 tensors"),
        ('{"n_layers": 1, "n_decoder_layers": 1000000000}', "1,000,000,000 layers"),
        ('{"n_layers": 1, "d_model": 10000000, "n_heads": 1}', "weights do not fit Transformer"),
        ('{"n_layers": 1, "context": 1000000000000}', "weights do not fit Transformer|be built"),
        ('{"n_layers": "6"}', "not hold a Transformer that can be built"),
    ],
)
def test_a_saved_model_whose_sizes_are_damaged(tmp_path, config, message):
    path = tmp_path / "model.safetensors"
    save_tensors(path, {"a": torch.ones(1)}, {"model": "Transformer", "config": config})
    with pytest.raises(DamagedFileError, match=message):
        Transformer.load(path)


def test_what_is_no_tensor_is_named():
    ids = torch.tensor([[1, 2, 3]])
    for model in (bert(), GPT(CONFIGS[1])):
        with pytest.raises(ShapeError, match=r"ids must be a tensor, got list; torch\.tensor\("):
            model([[1, 2, 3]])
        with pytest.raises(ShapeError, match="mask must be a tensor, got list"):
            model(ids, mask=[[True, True, True]])
    with pytest.raises(ShapeError, match="target must be a tensor, got list"):
        Transformer(CONFIGS[3])(ids, [[1]])
    with pytest.raises(ShapeError, match="images must be a tensor, got list"):
        ViT(CONFIGS[-1])([[0.0]])
