import json
from contextlib import suppress

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.models import BERT, GPT, ViT

transformers = pytest.importorskip("transformers")

SMALL = {"hidden_size": 6, "num_attention_heads": 2, "num_hidden_layers": 2}
FAMILIES = {
    "BERT": (BERT, "Bert", "BertModel", SMALL | {"vocab_size": 23, "max_position_embeddings": 11}),
    "ViT": (ViT, "ViT", "ViTModel", SMALL | {"image_size": 6, "patch_size": 3}),
    "GPT-2": (GPT, "GPT2", "GPT2LMHeadModel", {"vocab_size": 23, "n_positions": 11, "n_embd": 6,
                                               "n_layer": 2, "n_head": 2}),
    "GPT-1": (GPT, "OpenAIGPT", "OpenAIGPTLMHeadModel", {"vocab_size": 23, "n_positions": 11,
                                                         "n_embd": 6, "n_layer": 2, "n_head": 2}),
}  # fmt: skip
# What a file need not say: transformers then takes its family's default.
UNSAID = (
    "hidden_act", "activation_function", "afn", "layer_norm_eps", "layer_norm_epsilon",
    "hidden_dropout_prob", "resid_pdrop", "type_vocab_size", "num_channels", "n_inner",
)  # fmt: skip


def saved(family, folder):
    """Write a model of a family with the defaults of transformers; return ours and theirs."""
    ours, name, kind, sizes = FAMILIES[family]
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**sizes)
    other = getattr(transformers, kind)(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.4)
    other.save_pretrained(folder)
    return ours, other


def change_config(folder, drop=(), **changes):
    path = folder / "config.json"
    raw = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in raw.items() if name not in drop}))


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_what_a_file_does_not_say_is_the_default_of_its_family(tmp_path, family):
    ours, other = saved(family, tmp_path)
    said = ours.from_pretrained(tmp_path).config
    change_config(tmp_path, drop=UNSAID)
    model = ours.from_pretrained(tmp_path)
    assert model.config == said
    torch.manual_seed(1)
    if family == "ViT":
        images = torch.randn(2, 3, 6, 6)
        found, wanted = model.hidden_states(images)[-1], other(images).last_hidden_state
    else:
        ids = torch.randint(23, (2, 11))
        found, wanted = model(ids), other(ids)[0]
    assert_close(found, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("wrong", ["x", -1, None, [0.1]])
def test_numbers_that_cannot_be_are_damage_that_names_the_folder(tmp_path, family, wrong):
    ours, _ = saved(family, tmp_path)
    gpt = family.startswith("GPT")
    for option, field in (
        ("resid_pdrop" if gpt else "hidden_dropout_prob", "dropout must lie between 0 and 1"),
        ("layer_norm_epsilon" if gpt else "layer_norm_eps", "eps must be a number above 0"),
    ):
        text = (tmp_path / "config.json").read_text()
        change_config(tmp_path, **{option: wrong})
        with pytest.raises(DamagedFileError) as caught:
            ours.from_pretrained(tmp_path)
        assert f"{field}, got {wrong!r}" in str(caught.value)
        assert str(tmp_path) in str(caught.value)
        (tmp_path / "config.json").write_text(text)


@pytest.mark.parametrize("family", FAMILIES)
def test_whatever_a_config_says_it_is_read_or_is_damage(tmp_path, family):
    ours, _ = saved(family, tmp_path)
    path = tmp_path / "config.json"
    raw = json.loads(path.read_text())
    for option in raw:
        for wrong in ("x", ["x"], None, -1):
            path.write_text(json.dumps(raw | {option: wrong}))
            with suppress(DamagedFileError):
                ours.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("family", "extra", "message"),
    [
        # A BERT's classifier reads the pooler, which this file does not hold.
        ("BERT", {"classifier.weight": torch.zeros(2, 6), "classifier.bias": torch.zeros(2)},
         "does not hold a BERT that can be built.* read the pooler"),
        ("BERT", {"classifier.bias": torch.tensor(1.0), "classifier.weight": torch.zeros(1, 6)},
         r"classifier\.bias is \(\), the model needs \(1,\)"),
        ("ViT", {"classifier.bias": torch.tensor(1.0), "classifier.weight": torch.zeros(1, 6)},
         r"classifier\.bias is \(\), the model needs \(1,\)"),
        ("ViT", {"classifier.bias": torch.zeros(0)}, "n_classes must be a whole number .* got 0"),
        ("GPT-2", {"transformer.ln_f.bias": torch.zeros(6, dtype=torch.int32)},
         r"no floating point \(1\): ln_f\.bias is torch\.int32"),
    ],
)  # fmt: skip
def test_tensors_that_cannot_be_are_damage(tmp_path, family, extra, message):
    ours, _ = saved(family, tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path) | extra
    if "pooler" not in message:
        save_file(tensors, path)
    else:
        save_file({n: t for n, t in tensors.items() if not n.startswith("pooler")}, path)
    with pytest.raises(DamagedFileError, match=message):
        ours.from_pretrained(tmp_path)
