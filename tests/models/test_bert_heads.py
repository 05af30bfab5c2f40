import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.errors import DamagedFileError, MaskError, MissingHeadError, ShapeError
from tutorial_lib.models import BERT, BERTConfig, count_parameters
from tutorial_lib.models.bert_heads import mean_pool

transformers = pytest.importorskip("transformers")

SIZES = {
    "small": {"hidden_size": 6, "num_attention_heads": 2, "num_hidden_layers": 1},
    "one head": {"hidden_size": 5, "num_attention_heads": 1, "num_hidden_layers": 3},
    "many heads": {"hidden_size": 21, "num_attention_heads": 7},
    "tanh": {"hidden_size": 6, "num_attention_heads": 3, "hidden_act": "gelu_new"},
}


def theirs(kind, **sizes):
    torch.manual_seed(0)
    options = {"vocab_size": 23, "max_position_embeddings": 11, "intermediate_size": 17}
    options |= {"num_hidden_layers": 2, "layer_norm_eps": 1e-7, "num_labels": 4, **sizes}
    model = getattr(transformers, kind)(transformers.BertConfig(**options)).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


def both(kind, folder, **sizes):
    """Return our model and theirs, our hidden states, their output, and the mask."""
    other = theirs(kind, **sizes)
    other.save_pretrained(folder)
    ours = BERT.from_pretrained(folder)
    torch.manual_seed(1)
    ids, segments = torch.randint(23, (3, 11)), torch.randint(2, (3, 11))
    mask = torch.arange(11) < torch.tensor([[11], [1], [5]])
    with torch.no_grad():
        hidden = ours(ids, segments, mask)
        expected = other(ids, token_type_ids=segments, attention_mask=mask.long())
    return ours, hidden, expected, mask


def close(ours, wanted):
    assert_close(ours, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_masked_tokens_equal_transformers(tmp_path, sizes):
    ours, hidden, expected, mask = both("BertForMaskedLM", tmp_path, **sizes)
    close(ours.mlm_logits(hidden), expected.logits)
    close(ours.mlm_logits(hidden[mask]), expected.logits[mask])  # at some places only
    with pytest.raises(MissingHeadError, match="no NSP head: its file held none, or nsp was not"):
        ours.nsp_logits(hidden)
    with pytest.raises(MissingHeadError, match=r"no pooler: .* with_heads\(pooler=True\)"):
        ours.pooled(hidden)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_pre_training_equals_transformers(tmp_path, sizes):
    ours, hidden, expected, _ = both("BertForPreTraining", tmp_path, **sizes)
    close(ours.mlm_logits(hidden), expected.prediction_logits)
    close(ours.nsp_logits(hidden), expected.seq_relationship_logits)


def test_next_sentence_alone_equals_transformers(tmp_path):
    ours, hidden, expected, _ = both("BertForNextSentencePrediction", tmp_path, **SIZES["small"])
    close(ours.nsp_logits(hidden), expected.logits)
    with pytest.raises(MissingHeadError, match=r"no MLM head: .* with_heads\(mlm=True\)"):
        ours.mlm_logits(hidden)


def test_tasks_equal_transformers(tmp_path):
    sizes = SIZES["many heads"]
    ours, hidden, expected, _ = both("BertForSequenceClassification", tmp_path / "a", **sizes)
    close(ours.sequence_logits(hidden), expected.logits)
    assert ours.config.n_classes == 4
    ours, hidden, expected, _ = both("BertForTokenClassification", tmp_path / "b", **sizes)
    close(ours.token_logits(hidden), expected.logits)
    assert (ours.config.n_labels, ours.config.n_classes) == (4, None)
    ours, hidden, expected, mask = both(
        "BertForQuestionAnswering", tmp_path / "c", **(sizes | {"num_labels": 2})
    )
    start, end = ours.span_logits(hidden)
    close(start, expected.start_logits)
    close(end, expected.end_logits)
    start, end = ours.span_logits(hidden, mask)
    assert start[~mask].isneginf().all()
    close(end[mask], expected.end_logits[mask])


def test_tied_copies_may_stand_in_the_file_and_must_agree(tmp_path):
    other = theirs("BertForMaskedLM", **SIZES["small"])
    other.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    table = tensors["bert.embeddings.word_embeddings.weight"]
    copies = {"cls.predictions.decoder.weight": table.clone()}
    copies["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"].clone()
    save_file(tensors | copies, path)
    assert BERT.from_pretrained(tmp_path).config.mlm
    copies["cls.predictions.decoder.weight"] += 1
    save_file(tensors | copies, path)
    with pytest.raises(DamagedFileError, match=r"decoder\.weight differs from embeddings\.word"):
        BERT.from_pretrained(tmp_path)
    del tensors["cls.predictions.transform.LayerNorm.bias"]
    save_file(tensors, path)
    with pytest.raises(DamagedFileError, match=r"missing \(1\): cls\.predictions\.transform\.Lay"):
        BERT.from_pretrained(tmp_path)


# --- behaviour ------------------------------------------------------------------------------


def tiny(**changes):
    torch.manual_seed(0)
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
    return BERT(BERTConfig(**(sizes | changes))).eval()


IDS = torch.tensor([[1, 5, 2], [1, 2, 0]])
MASK = IDS != 0


@torch.no_grad()
def test_pooling_by_mean_leaves_the_padding_out():
    model = tiny(n_classes=3, pooling="mean")
    whole = model.sequence_logits(model(IDS, mask=MASK), MASK)
    assert whole.shape == (2, 3)
    alone = IDS[1:, :2]
    assert_close(whole[1:], model.sequence_logits(model(alone)), atol=1e-6, rtol=1e-5)
    with pytest.raises(MaskError, match="sequence 0 of the batch is all padding"):
        model.sequence_logits(model(IDS), IDS > 8)


def test_mean_pool_takes_a_mask_of_its_own_shape_only():
    hidden = torch.randn(2, 3, 4)
    for shape in ((2, 1), (1, 3), (2, 4), (3,)):
        with pytest.raises(ShapeError, match=r"mask must have the shape of the tokens, \(2, 3\), "):
            mean_pool(hidden, torch.ones(shape, dtype=torch.bool))
    with pytest.raises(ShapeError, match=r"must be torch\.bool.*got torch\.int64"):
        mean_pool(hidden, torch.ones(2, 3, dtype=torch.long))


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("pooled", r"no pooler: .*with_heads\(pooler=True\)"),
        ("mlm_logits", r"no MLM head: .*with_heads\(mlm=True\)"),
        ("nsp_logits", r"no NSP head: .*with_heads\(nsp=True\)|no pooler"),
        ("sequence_logits", r"no head for whole texts: .*with_heads\(n_classes=2\)"),
        ("token_logits", r"no head for tokens: .*with_heads\(n_labels=3\)"),
        ("span_logits", r"no head for spans: .*with_heads\(span=True\)"),
    ],
)
def test_absent_heads_are_named(method, message):
    model = tiny()
    with pytest.raises(MissingHeadError, match=f"this BERT has {message}"):
        getattr(model, method)(model(IDS))


def test_a_new_head_on_trained_layers():
    model = tiny(pooler=True, mlm=True)
    tuned = model.with_heads(mlm=False, n_classes=2)
    assert torch.equal(tuned(IDS), model(IDS))
    assert torch.equal(tuned.pooler.weight, model.pooler.weight)
    assert tuned.mlm_head is None
    assert tuned.sequence_logits(tuned(IDS)).shape == (2, 2)
    assert tuned.with_heads(n_labels=5).token_logits(model(IDS)).shape == (2, 3, 5)
    with pytest.raises(ValueError, match="vocab_size would change more than the heads"):
        model.with_heads(vocab_size=10)


def test_a_new_head_on_minilm():
    model = BERT.from_pretrained(minilm_folder())
    assert (model.config.pooler, model.config.mlm, model.config.n_classes) == (True, False, None)
    tuned = model.with_heads(n_classes=2)
    ids = torch.tensor([[101, 2023, 102]])
    assert torch.equal(tuned(ids), model(ids))
    assert tuned.sequence_logits(tuned(ids)).shape == (1, 2)


def test_the_token_vectors_read_the_masked_tokens_off():
    model = tiny(mlm=True)
    model.mlm_logits(model(IDS)).square().sum().backward()
    assert (model.token_embedding.weight.grad.abs().sum(dim=1) > 0).all()  # also of unseen ids


def test_parameters_with_the_heads_of_pre_training():
    """The published 110 and 340 million."""
    base, large = (make(mlm=True, nsp=True) for make in (BERTConfig.base, BERTConfig.large))
    assert count_parameters(base) == 110_106_428
    assert count_parameters(large) == 336_226_108


def test_save_and_load(tmp_path):
    model = tiny(pooler=True, mlm=True, nsp=True, n_labels=3, span=True)
    model.save(tmp_path / "bert.safetensors")
    again = BERT.load(tmp_path / "bert.safetensors")
    assert again.config == model.config
    hidden = model(IDS)
    assert torch.equal(again.mlm_logits(again(IDS)), model.mlm_logits(hidden))
    assert torch.equal(again.nsp_logits(hidden), model.nsp_logits(hidden))


def test_bad_choices_are_named():
    with pytest.raises(ValueError, match="read the pooler: give pooler=True"):
        BERTConfig(nsp=True)
    with pytest.raises(ValueError, match="read the pooler: give pooler=True"):
        BERTConfig(n_classes=2)
    with pytest.raises(ValueError, match="pooling must be one of 'cls', 'mean', got 'max'"):
        BERTConfig(pooling="max")
    with pytest.raises(ShapeError, match="n_labels must be a whole number of at least 1, got 0"):
        BERTConfig(n_labels=0)
    model = tiny(span=True)
    with pytest.raises(ShapeError, match=r"mask must be torch\.bool of shape \(2, 3\), got"):
        model.span_logits(model(IDS), MASK.long())
