"""XLM against transformers' own, from odd sizes, with padding, languages and positions."""

import json

import pytest
import torch
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
from tutorial_lib.models import XLM, BERTConfig, XLMConfig

transformers = pytest.importorskip("transformers")

ODD = {"vocab_size": 23, "emb_dim": 21, "n_heads": 3, "n_layers": 3, "max_position_embeddings": 11}
ODD |= {"n_langs": 4, "layer_norm_eps": 1e-7, "lang2id": {"sw": 0, "de": 2, "ur": 3, "en": 1}}
CASES = {
    "four languages": ODD,
    "relu, ids without names": ODD | {"gelu_activation": False, "lang2id": None},
    "one language": ODD | {"n_langs": 1},
    "never told": ODD | {"use_lang_emb": False},
    "sinusoids": ODD | {"emb_dim": 18, "sinusoidal_embeddings": True},
}


def saved(folder, sizes, kind="XLMWithLMHeadModel"):
    """Write their model of these sizes; return ours, read from there, and theirs."""
    torch.manual_seed(0)
    other = getattr(transformers, kind)(transformers.XLMConfig(**sizes)).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.4)
    other.save_pretrained(folder)
    return XLM.from_pretrained(folder), other


def inputs():
    """Return ids, languages, mask and positions of three sequences."""
    torch.manual_seed(1)
    ids, languages = torch.randint(3, 23, (3, 11)), torch.randint(4, (3, 11))
    mask = torch.arange(11) < torch.tensor([[11], [1], [5]])
    positions = torch.arange(11).repeat(3, 1)
    positions[0, 4:] -= 4
    positions[2, 2:] -= 2
    return ids, languages, mask, positions


@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_equals_transformers(tmp_path, case):
    ours, other = saved(tmp_path, CASES[case])
    assert not ours.training
    ids, languages, mask, positions = inputs()
    known = languages % ours.config.n_languages
    for ours_in, theirs_in in (
        ({"mask": mask}, {}),
        ({"languages": known, "mask": mask}, {"langs": languages}),
        ({"mask": mask, "positions": positions}, {"position_ids": positions}),
        (
            {"languages": known, "mask": mask, "positions": positions},
            {"langs": languages, "position_ids": positions},
        ),
    ):
        with capture_attention(ours) as maps:
            hidden = ours(ids, **ours_in)
        expected = other(
            ids,
            attention_mask=mask.long(),
            output_hidden_states=True,
            output_attentions=True,
            **theirs_in,
        )
        states = ours.hidden_states(ids, **ours_in)
        for found, wanted in zip(states, expected.hidden_states, strict=True):
            assert_close(found, wanted, atol=2e-5, rtol=2e-5)
        for found, wanted in zip(maps, expected.attentions, strict=True):
            assert_close(found, wanted, atol=2e-5, rtol=2e-5)
        assert_close(ours.mlm_logits(hidden), expected.logits, atol=2e-5, rtol=2e-5)


@torch.no_grad()
def test_a_bare_body(tmp_path):
    ours, other = saved(tmp_path, ODD, "XLMModel")
    ids, languages, mask, _ = inputs()
    expected = other(ids, langs=languages, attention_mask=mask.long())[0]
    assert_close(ours(ids, languages, mask), expected, atol=2e-5, rtol=2e-5)
    with pytest.raises(MissingHeadError, match="this XLM has no MLM head"):
        ours.mlm_logits(ours(ids))


def test_the_names_of_languages(tmp_path):
    ours, _ = saved(tmp_path, ODD)
    assert ours.config.names == ["sw", "en", "de", "ur"]
    ids = torch.tensor([[5, 6, 7]])
    assert_close(ours(ids, "de"), ours(ids, torch.full((1, 3), 2)))
    assert_close(ours(ids, "de"), ours(ids, 2))
    assert not torch.allclose(ours(ids, "sw"), ours(ids, "de"))
    assert not torch.allclose(ours(ids), ours(ids, "de"))


def test_an_older_file_spells_the_vocabulary_n_words(tmp_path):
    expected = saved(tmp_path, ODD)[0].config
    path = tmp_path / "config.json"
    raw = json.loads(path.read_text())
    raw["n_words"] = raw.pop("vocab_size")
    for name in ("layer_norm_eps", "dropout", "gelu_activation", "use_lang_emb"):
        raw.pop(name)
    path.write_text(json.dumps(raw))
    assert XLM.from_pretrained(tmp_path).config == XLMConfig(
        **{**vars(expected), "eps": 1e-12, "dropout": 0.1}
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"asm": True}, "asm is True, XLM needs False"),
        ({"causal": True}, "causal is True, XLM needs False"),
        ({"model_type": "bert"}, "model_type is 'bert', XLM needs 'xlm'"),
        ({"n_langs": 5}, r"lang_embeddings.weight is \(4, 21\)"),
    ],
)
def test_files_that_are_refused(tmp_path, change, message):
    saved(tmp_path, ODD)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DamagedFileError, match=message):
        XLM.from_pretrained(tmp_path)


TINY = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
IDS = torch.tensor([[5, 6, 7], [8, 4, 3]])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"languages": 2}, VocabularyError, "languages must lie between 0 and 1, got 2"),
        ({"languages": -1}, VocabularyError, "languages must lie between 0 and 1, got -1"),
        (
            {"languages": "fr"},
            VocabularyError,
            "the language 'fr' has no name here: known are en, de",
        ),
        ({"languages": True}, ShapeError, "languages must be a tensor, got bool"),
        ({"languages": ["en", "de"]}, ShapeError, "languages must be a tensor, got list"),
        (
            {"languages": torch.zeros(2, 2, dtype=torch.long)},
            ShapeError,
            r"languages must have the shape of ids, \(2, 3\), got \(2, 2\)",
        ),
        (
            {"positions": torch.arange(3)},
            ShapeError,
            r"positions must have the shape of ids, \(2, 3\), got \(3,\)",
        ),
        ({"positions": torch.full((2, 3), 6)}, VocabularyError, "positions .* between 0 and 5"),
        ({"positions": torch.ones(2, 3)}, ShapeError, "positions must be torch.long"),
        ({"mask": torch.ones(2, 2, dtype=torch.bool)}, ShapeError, "mask must have the shape of"),
        ({"mask": torch.zeros(2, 3, dtype=torch.bool)}, MaskError, "padding"),
    ],
)  # fmt: skip
def test_bad_input_is_named(given, error, message):
    model = XLMConfig(**TINY, language_names="en de").build()
    with pytest.raises(error, match=message):
        model(IDS, **given)


def test_too_long_and_languages_without_names():
    model = XLMConfig(**TINY).build()
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        model(torch.zeros(1, 7, dtype=torch.long))
    with pytest.raises(VocabularyError, match="'de' has no name here: this XLM knows ids alone"):
        model(IDS, "de")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooler": True}, "XLM has no pooler"),
        ({"n_languages": 0}, "n_languages must be a whole number of at least 1, got 0"),
        ({"language_names": "en"}, "should name 2 different languages, got 1: 'en'"),
        ({"language_names": "en en"}, "should name 2 different languages"),
        ({"language_names": ["en", "de"]}, "language_names are one text"),
    ],
)
def test_configs_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        XLMConfig(**TINY | options)


def test_padding_and_what_lies_there_changes_nothing():
    torch.manual_seed(0)
    model = XLMConfig(**TINY, mlm=True).build().eval()
    mask = torch.tensor([[True, True, False]])
    found = model(torch.tensor([[5, 6, 1]]), 1, mask)
    assert not found[:, 2].any()
    assert_close(found[:, :2], model(torch.tensor([[5, 6]]), 1), atol=1e-6, rtol=1e-5)


def test_positions_that_restart_make_two_sentences_alike():
    torch.manual_seed(0)
    model = XLMConfig(**TINY).build().eval()
    ids, languages = torch.tensor([[5, 6, 5, 6]]), torch.tensor([[0, 0, 1, 1]])
    restarted = model(ids, torch.zeros_like(ids), positions=torch.tensor([[0, 1, 0, 1]]))
    assert_close(restarted[:, :2], restarted[:, 2:])  # nothing tells them apart
    told = model(ids, languages, positions=torch.tensor([[0, 1, 0, 1]]))
    assert not torch.allclose(told[:, :2], told[:, 2:])


def test_it_is_a_bert_without_its_language():
    torch.manual_seed(0)
    model = XLMConfig(**TINY | {"n_languages": 1}).build().eval()
    bert = BERTConfig(**TINY, n_segments=1).build().eval()
    bert.load_state_dict(model.state_dict() | {"segment_embedding.weight": torch.zeros(1, 8)})
    assert model.language_embedding is None
    assert_close(model(IDS, 0), bert(IDS))


def test_it_can_be_saved_and_get_another_head(tmp_path):
    torch.manual_seed(0)
    model = XLMConfig(**TINY, mlm=True, language_names="en de").build().eval()
    model.save(tmp_path / "model.safetensors")
    again = XLM.load(tmp_path / "model.safetensors")
    assert again.config == model.config
    assert_close(again.mlm_logits(again(IDS, "de")), model.mlm_logits(model(IDS, "de")))
    tagger = model.with_heads(n_labels=3, n_classes=2, mlm=False)
    assert tagger.token_logits(tagger(IDS, "de")).shape == (2, 3, 3)
    assert tagger.sequence_logits(tagger(IDS, "de")).shape == (2, 2)
