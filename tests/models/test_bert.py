import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import minilm_folder
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MaskError,
    MissingDataError,
    MissingHeadError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.models import BERT, BERTConfig, count_parameters
from tutorial_lib.tokenizers import WordPieceTokenizer

transformers = pytest.importorskip("transformers")

# Odd on purpose: nothing that could hide a swapped axis.
SIZES = {
    "small": {"hidden_size": 6, "num_attention_heads": 2, "num_hidden_layers": 1},
    "one head": {"hidden_size": 5, "num_attention_heads": 1, "num_hidden_layers": 3},
    "many heads": {"hidden_size": 21, "num_attention_heads": 7, "num_hidden_layers": 12},
    "three segments": {"hidden_size": 10, "num_attention_heads": 5, "type_vocab_size": 3},
    "relu": {"hidden_size": 6, "num_attention_heads": 3, "hidden_act": "relu"},
    "tanh": {"hidden_size": 6, "num_attention_heads": 3, "hidden_act": "gelu_new"},
}


def theirs(kind="BertModel", seed=0, **sizes):
    torch.manual_seed(seed)
    options = {"vocab_size": 23, "max_position_embeddings": 11, "intermediate_size": 17}
    options |= {"num_hidden_layers": 2, "layer_norm_eps": 1e-7, **sizes}
    config = transformers.BertConfig(**options)
    config._attn_implementation = "eager"
    model = getattr(transformers, kind)(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


def batch(vocab_size=23, length=11, n_segments=2):
    torch.manual_seed(1)
    ids = torch.randint(vocab_size, (3, length))
    segments = torch.randint(n_segments, (3, length))
    mask = torch.arange(length) < torch.tensor([[length], [1], [length // 2]])
    return ids, segments, mask


def assert_equal(ours, other, ids, segments, mask):
    with torch.no_grad(), capture_attention(ours) as maps:
        states = ours.hidden_states(ids, segments, mask)
    with torch.no_grad():
        expected = other(
            ids,
            token_type_ids=segments,
            attention_mask=mask.long(),
            output_hidden_states=True,
            output_attentions=True,
        )
    assert len(states) == len(expected.hidden_states)
    assert len(maps) == len(expected.attentions)
    for state, wanted in zip(states, expected.hidden_states, strict=True):
        assert_close(state, wanted, atol=1e-5, rtol=1e-5)
    for weights, wanted in zip(maps, expected.attentions, strict=True):
        assert_close(weights, wanted, atol=1e-5, rtol=1e-5)
    return expected


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equals_transformers(tmp_path, sizes):
    other = theirs(**sizes)
    other.save_pretrained(tmp_path)
    ours = BERT.from_pretrained(tmp_path)
    inputs = batch(n_segments=sizes.get("type_vocab_size", 2))
    expected = assert_equal(ours, other, *inputs)
    with torch.no_grad():
        assert_close(ours.pooled(ours(*inputs)), expected.pooler_output, atol=1e-5, rtol=1e-5)
    assert not ours.training


def test_equals_transformers_from_shards(tmp_path):
    other = theirs(hidden_size=12, num_attention_heads=3)
    other.save_pretrained(tmp_path, max_shard_size="2KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    assert_equal(BERT.from_pretrained(tmp_path), other, *batch())


@pytest.mark.parametrize("kind", ["BertForMaskedLM", "BertForPreTraining"])
def test_encoder_of_a_pre_training_model(tmp_path, kind):
    other = theirs(kind, hidden_size=6, num_attention_heads=2)
    other.save_pretrained(tmp_path)
    ours = BERT.from_pretrained(tmp_path)
    assert_equal(ours, other.bert, *batch())
    if kind == "BertForMaskedLM":  # its file holds no pooler, so the model has none
        with pytest.raises(MissingHeadError, match="this BERT has no pooler"):
            ours.pooled(ours(batch()[0]))


def test_old_spellings_and_buffers(tmp_path):
    other = theirs(hidden_size=6, num_attention_heads=2)
    other.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    old = {
        "bert."
        + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in load_file(path).items()
    }
    old["bert.embeddings.position_ids"] = torch.arange(11)[None]
    save_file(old, path)
    assert_equal(BERT.from_pretrained(tmp_path), other, *batch())


def test_gradients_equal_transformers(tmp_path):
    other = theirs(hidden_size=6, num_attention_heads=2)
    other.save_pretrained(tmp_path)
    ours = BERT.from_pretrained(tmp_path)
    ids, segments, mask = batch()
    ours(ids, segments, mask)[mask].square().sum().backward()
    hidden = other(ids, token_type_ids=segments, attention_mask=mask.long()).last_hidden_state
    hidden[mask].square().sum().backward()
    embeddings = other.embeddings.word_embeddings.weight.grad.clone()
    embeddings[0] = ours.token_embedding.weight.grad[0]  # they never train the padding's row
    assert_close(ours.token_embedding.weight.grad, embeddings, atol=1e-3, rtol=1e-3)


# --- MiniLM ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minilm():
    return BERT.from_pretrained(minilm_folder())


def test_minilm_equals_transformers(minilm):
    other = transformers.BertModel.from_pretrained(minilm_folder(), attn_implementation="eager")
    inputs = batch(30_522, length=40)
    assert_equal(minilm, other.eval(), *inputs)
    assert count_parameters(minilm) == 22_713_216


def test_minilm_gives_the_published_cosines(minilm):
    tokenizer = WordPieceTokenizer.from_vocab(minilm_folder() / "vocab.txt")
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    encoded = [torch.tensor(tokenizer.encode(text).ids) for text in texts]
    ids = nn.utils.rnn.pad_sequence(encoded, batch_first=True, padding_value=tokenizer.pad_id)
    mask = ids != tokenizer.pad_id
    with torch.no_grad():
        vectors = minilm.sentence_vectors(ids, mask=mask)
    assert_close(vectors.norm(dim=1), torch.ones(3))
    cosines = (vectors @ vectors.T)[torch.triu(torch.ones(3, 3), 1).bool()]
    assert_close(cosines, torch.tensor([0.6660, 0.1046, 0.1411]), atol=5e-5, rtol=0)


def test_minilm_on_the_animal_and_the_street(minilm):
    tokenizer = WordPieceTokenizer.from_vocab(minilm_folder() / "vocab.txt")
    found = {}
    for last in ("tired", "wide"):
        text = f"The animal didn't cross the street because it was too {last}."
        tokens = tokenizer.encode(text).tokens
        with capture_attention(minilm) as maps, torch.no_grad():
            minilm(torch.tensor([tokenizer.encode(text).ids]))
        row = maps[3][0, 1, tokens.index("it")]
        found[last] = [round(row[tokens.index(word)].item(), 2) for word in ("animal", "street")]
    assert found == {"tired": [0.68, 0.05], "wide": [0.28, 0.12]}


def test_loading_draws_no_random_numbers(folder):
    torch.manual_seed(0)
    expected = torch.randn(3)
    torch.manual_seed(0)
    BERT.from_pretrained(folder)
    assert torch.equal(torch.randn(3), expected)


# --- behaviour ------------------------------------------------------------------------------


def tiny(**changes):
    torch.manual_seed(0)
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
    return BERT(BERTConfig(**(sizes | changes))).eval()


def test_padding_changes_nothing_for_real_tokens():
    model = tiny()
    ids = torch.tensor([[1, 5, 2]])
    padded = torch.tensor([[1, 5, 2, 0, 7]])
    mask = torch.tensor([[True, True, True, False, False]])
    assert_close(model(padded, mask=mask)[:, :3], model(ids), atol=1e-6, rtol=1e-5)
    vectors = model.sentence_vectors(padded, mask=mask)
    assert_close(vectors, model.sentence_vectors(ids), atol=1e-6, rtol=1e-5)
    assert not torch.allclose(model(padded)[:, :3], model(ids), atol=1e-4)


def test_an_absent_pooler_is_not_built():
    assert tiny().pooler is None
    assert tiny(pooler=True).pooled(torch.zeros(2, 3, 8)).shape == (2, 8)


def test_published_sizes():
    assert count_parameters(BERTConfig.base()) == 109_482_240
    assert count_parameters(BERTConfig.large()) == 335_141_888
    with pytest.raises(TypeError, match="expected a model or its config, got int"):
        count_parameters(7)


def test_bad_input_is_named():
    model = tiny()
    ids = torch.tensor([[1, 2, 3]])
    with pytest.raises(VocabularyError, match="ids must lie between 0 and 8, got 9"):
        model(torch.tensor([[1, 9]]))
    with pytest.raises(VocabularyError, match="ids must lie between 0 and 8, got -1"):
        model(torch.tensor([[1, -1]]))
    with pytest.raises(VocabularyError, match="segments must lie between 0 and 1, got 2"):
        model(ids, segments=ids.clamp(max=2))
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        model(torch.zeros(1, 7, dtype=torch.long))
    with pytest.raises(ShapeError, match=r"ids must be torch\.long.*got torch\.float32 \(1, 3\)"):
        model(ids.float())
    with pytest.raises(ShapeError, match=r"ids must be torch\.long.*\(3,\)"):
        model(ids[0])
    with pytest.raises(ShapeError, match="at least one token"):
        model(ids[:, :0])
    with pytest.raises(ShapeError, match=r"segments must have the shape of ids, \(1, 3\)"):
        model(ids, segments=torch.zeros(1, 2, dtype=torch.long))
    with pytest.raises(ShapeError, match=r"mask must have the shape of ids, \(1, 3\), got \(1, 1"):
        model(ids, mask=torch.ones(1, 1, 1, 3, dtype=torch.bool))
    with pytest.raises(ShapeError, match=r"must be torch\.bool.*got torch\.int64"):
        model(ids, mask=torch.ones_like(ids))
    with pytest.raises(MaskError, match="sequence 1 of the batch is all padding"):
        model(ids.expand(2, 3), mask=torch.tensor([[True] * 3, [False] * 3]))


def test_bad_sizes_are_named():
    with pytest.raises(ShapeError, match="5 heads do not divide d_model 8"):
        BERTConfig(d_model=8, n_heads=5)
    with pytest.raises(ShapeError, match="n_layers must be a whole number of at least 1, got 0"):
        BERTConfig(n_layers=0)
    with pytest.raises(ValueError, match="dropout must lie between 0 and 1"):
        BERTConfig(dropout=1.0)


@pytest.fixture
def folder(tmp_path):
    theirs(hidden_size=6, num_attention_heads=2).save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "roberta"}, "model_type is 'roberta', BERT needs 'bert'"),
        ({"position_embedding_type": "relative_key"}, "'relative_key', BERT needs 'absolute'"),
        ({"is_decoder": True}, "is_decoder is True"),
        ({"hidden_act": "silu"}, "hidden_act is 'silu', known are gelu, gelu_new"),
        ({"hidden_size": None}, "d_model must be a whole number of at least 1, got None"),
        ({"hidden_size": 7}, "2 heads do not divide d_model 7"),
        ({"vocab_size": 24}, r"word_embeddings.weight is \(23, 6\), the model needs \(24, 6\)"),
        ({"num_hidden_layers": 1}, r"surplus \(16\): encoder.layer.1.attention"),
        ({"num_hidden_layers": 3}, r"missing \(16\): encoder.layer.2.attention"),
    ],
)
def test_configs_that_are_refused(folder, change, message):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises((DamagedFileError, ShapeError), match=message):
        BERT.from_pretrained(folder)


def test_damaged_and_missing_files(folder):
    config = folder / "config.json"
    text = config.read_text()
    config.write_text(text.replace("hidden_size", "hidden_sighs"))
    with pytest.raises(DamagedFileError, match="does not say 'hidden_size'"):
        BERT.from_pretrained(folder)
    wanted = "must hold an object"
    for damaged, says in {text[:40]: "is not usable JSON", "[]": wanted, "3": wanted}.items():
        config.write_text(damaged)
        with pytest.raises(DamagedFileError, match=says):
            BERT.from_pretrained(folder)
    config.unlink()
    with pytest.raises(MissingDataError, match=r"holds no config\.json"):
        BERT.from_pretrained(folder)
    config.write_text(text)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(DamagedFileError, match="truncated"):
        BERT.from_pretrained(folder)
