"""VisualBERT: equal to transformers' own, with padding of text and of regions."""

import json

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
from tutorial_lib.models import BERT, BERTConfig, VisualBERT, VisualBERTConfig, join_boxes

transformers = pytest.importorskip("transformers")

ODD = {"hidden_size": 21, "num_attention_heads": 3, "num_hidden_layers": 3, "intermediate_size": 17}
ODD |= {"vocab_size": 23, "max_position_embeddings": 11, "visual_embedding_dim": 5}
ODD |= {"layer_norm_eps": 1e-7}
CASES = {
    "bare": ("VisualBertModel", ODD),
    "relu, three segments": ("VisualBertModel", ODD | {"hidden_act": "relu", "type_vocab_size": 3}),
    "pre-training": ("VisualBertForPreTraining", ODD),
    "answers": ("VisualBertForVisualReasoning", ODD | {"num_labels": 4}),
}
SMALL = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2, "d_region": 3}


def saved(folder, case):
    """Write their model of a case; return ours, read from there, and theirs."""
    kind, sizes = CASES[case]
    torch.manual_seed(0)
    config = transformers.VisualBertConfig(**sizes, attn_implementation="eager")
    other = getattr(transformers, kind)(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.4)
    other.save_pretrained(folder)
    return VisualBERT.from_pretrained(folder), other


def trained(**options):
    """Return a small VisualBERT with weights that matter."""
    torch.manual_seed(0)
    model = VisualBERTConfig(**SMALL, **options).build().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_equals_transformers(tmp_path, case):
    ours, other = saved(tmp_path, case)
    torch.manual_seed(1)
    ids, segments, regions = (
        torch.randint(23, (3, 7)),
        torch.randint(2, (3, 7)),
        torch.randn(3, 4, 5),
    )
    text = torch.arange(7) < torch.tensor([[7], [5], [1]])
    seen = torch.arange(4) < torch.tensor([[4], [1], [3]])
    mask = torch.cat([text, seen], dim=1)
    with capture_attention(ours) as maps:
        hidden = ours(ids, regions, segments, mask)
    options = {"token_type_ids": segments, "attention_mask": text.long()}
    options |= {"output_attentions": True, "output_hidden_states": True}
    expected = other(ids, visual_embeds=regions, visual_attention_mask=seen.long(), **options)
    states = ours.hidden_states(ids, regions, segments, mask)
    for found, wanted in zip(states, expected.hidden_states, strict=True):
        assert_close(found, wanted, atol=2e-5, rtol=2e-5)
    for found, wanted in zip(maps, expected.attentions, strict=True):
        assert_close(found, wanted, atol=2e-5, rtol=2e-5)
    heads = {
        "bare": {"pooler_output": ours.pooled},
        "pre-training": {
            "prediction_logits": ours.mlm_logits,
            "seq_relationship_logits": ours.match_logits,
        },
        "answers": {"logits": ours.answer_logits},
    }
    for name, head in heads.get(case, {}).items():
        assert_close(head(hidden), expected[name], atol=2e-5, rtol=2e-5)
    assert not ours.training


def test_gradients_equal_transformers(tmp_path):
    ours, other = saved(tmp_path, "bare")
    ids, regions = torch.randint(2, 23, (2, 7)), torch.randn(2, 4, 5)
    ours(ids, regions).square().sum().backward()
    other(ids, visual_embeds=regions).last_hidden_state.square().sum().backward()
    theirs = other.embeddings
    for found, wanted in (
        (ours.visual_projection.weight, theirs.visual_projection.weight),
        (ours.visual_segment_embedding.weight, theirs.visual_token_type_embeddings.weight),
        (ours.visual_position_embedding.weight, theirs.visual_position_embeddings.weight),
    ):
        assert_close(found.grad, wanted.grad, atol=1e-3, rtol=1e-3)


@torch.no_grad()
def test_padding_is_not_read_and_regions_have_no_order():
    model, ids, regions = trained(), torch.tensor([[1, 5, 2]]), torch.randn(1, 4, 3)
    mask = torch.tensor([[True, True, True, True, False, True, True]])
    changed = regions.clone()
    changed[:, 1] = 9
    real = mask[0]
    expected = model(ids, regions, mask=mask)[:, real]
    assert_close(model(ids, changed, mask=mask)[:, real], expected, atol=0, rtol=0)
    assert_close(model(ids, regions[:, [0, 2, 3]]), expected, atol=1e-6, rtol=1e-5)
    assert not torch.allclose(model(ids, changed)[:, real], expected)
    order = [3, 0, 2, 1]
    found = model(ids, regions[:, order])
    assert_close(found[:, :3], model(ids, regions)[:, :3], atol=1e-5, rtol=1e-5)
    assert_close(found[:, 3:], model(ids, regions)[:, 3:][:, order], atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_without_a_picture_it_is_a_bert():
    model, ids = trained(mlm=True, pooler=True), torch.tensor([[1, 5, 2]])
    sizes = {name: size for name, size in SMALL.items() if name != "d_region"}
    bert = BERT(BERTConfig(**sizes, mlm=True, pooler=True)).eval()
    weights = {name: w for name, w in model.state_dict().items() if not name.startswith("visual_")}
    bert.load_state_dict(weights)
    assert_close(model(ids), bert(ids), atol=0, rtol=0)
    assert_close(model.sentence_vectors(ids), bert.sentence_vectors(ids), atol=0, rtol=0)
    with_picture = model.sentence_vectors(ids, torch.randn(1, 2, 3))
    assert not torch.allclose(with_picture, bert.sentence_vectors(ids))


def test_regions_begin_as_segments_and_positions_of_texts():
    model = VisualBERTConfig(**SMALL).build()
    assert model.visual_segment_embedding.weight.equal(model.segment_embedding.weight)
    assert model.visual_position_embedding.weight.equal(model.position_embedding.weight)
    assert model.visual_projection.weight.std() < 0.05


def test_save_load_and_other_heads(tmp_path):
    model, ids, regions = trained(mlm=True), torch.tensor([[1, 5, 2]]), torch.randn(1, 2, 3)
    model.save(tmp_path / "model.safetensors")
    again = VisualBERT.load(tmp_path / "model.safetensors")
    assert_close(again(ids, regions), model(ids, regions), atol=0, rtol=0)
    asked = again.with_heads(pooler=True, match=True, n_answers=7)
    hidden = asked(ids, regions)
    assert_close(hidden, model(ids, regions), atol=0, rtol=0)
    assert asked.answer_logits(hidden).shape == (1, 7)
    assert asked.match_logits(hidden).shape == (1, 2)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("mlm_logits", r"VisualBERT has no MLM head.*with_heads\(mlm=True\)"),
        ("match_logits", r"VisualBERT has no match head.*with_heads\(match=True\)"),
        ("answer_logits", r"VisualBERT has no head for answers.*with_heads\(n_answers=10\)"),
    ],
)
def test_missing_heads_say_how_to_get_them(head, message):
    with pytest.raises(MissingHeadError, match=message):
        getattr(trained(), head)(torch.zeros(1, 3, 8))


def inputs(**changes):
    """Return arguments that fit, with some exchanged."""
    fitting = {"ids": torch.zeros(2, 3).long(), "regions": torch.zeros(2, 4, 3)}
    return fitting | changes


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"regions": torch.zeros(2, 4, 5)}, ShapeError, r"shape \(B, R, 3\).*\(2, 4, 5\)"),
        ({"regions": torch.zeros(2, 3)}, ShapeError, r"shape \(B, R, 3\).*\(2, 3\)"),
        ({"regions": torch.zeros(2, 4, 3).long()}, ShapeError, "floating point.*int64"),
        ({"regions": [1]}, ShapeError, "regions must be a tensor, got list"),
        ({"regions": torch.zeros(1, 4, 3)}, ShapeError, "2 texts, but the regions of 1 pictures"),
        ({"regions": torch.zeros(2, 7, 3)}, ContextError, "7 regions .* positions for 6"),
        ({"ids": torch.full((2, 3), 9)}, VocabularyError, "between 0 and 8, got 9"),
        ({"mask": torch.ones(2, 3).bool()}, ShapeError, r"of each region .*\(2, 7\), got \(2, 3\)"),
        ({"mask": torch.zeros(2, 7).bool()}, MaskError, "sequence 0 of the batch is all padding"),
    ],
)
def test_bad_input_is_named(changes, error, message):
    with pytest.raises(error, match=message):
        trained()(**inputs(**changes))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"nsp": True, "pooler": True}, ValueError, "VisualBERT has no nsp: match=True"),
        ({"n_classes": 2, "pooler": True}, ValueError, "has no n_classes: give n_answers"),
        ({"match": True}, ValueError, "read the pooler: give pooler=True"),
        ({"n_answers": 3}, ValueError, "read the pooler: give pooler=True"),
        ({"d_region": 0}, ShapeError, "d_region must be a whole number"),
        ({"n_segments": 1}, ShapeError, "n_segments must be at least 2, got 1"),
    ],
)
def test_bad_sizes_are_named(options, error, message):
    with pytest.raises(error, match=message):
        VisualBERTConfig(**SMALL | options)


def test_boxes_stand_behind_the_features():
    features, corners = torch.randn(2, 3, 5), torch.rand(2, 3, 2, 2).sort(dim=2).values
    boxes = corners.flatten(2)  # left, top, right, bottom
    boxes[1, 2] = 0  # padding
    boxes[0, 0] = torch.tensor([0.0, 0.0, 1.0, 1.0])
    joined = join_boxes(features, boxes)
    assert_close(joined[..., :5], features)
    assert_close(joined[..., 5:], boxes)


@pytest.mark.parametrize(
    "box",
    [(-0.1, 0, 0.5, 1), (0, 0, 0.5, 1.1), (0.6, 0, 0.5, 1), (0, 0.7, 1, 0.5), (0, 0, 24, 30),
     (float("nan"), 0, 1, 1)],
)  # fmt: skip
def test_boxes_outside_the_picture_are_refused(box):
    boxes = torch.tensor([0.0, 0.0, 1.0, 1.0]).repeat(2, 3, 1)
    boxes[1, 2] = torch.tensor(box)
    with pytest.raises(ValueError, match=r"box of region 2 of picture 1 is .* from 0 to 1"):
        join_boxes(torch.zeros(2, 3, 5), boxes)


def test_boxes_of_another_shape_are_refused():
    with pytest.raises(ShapeError, match=r"boxes \(B, R, 4\), got \(2, 3, 5\) and \(2, 2, 4\)"):
        join_boxes(torch.zeros(2, 3, 5), torch.zeros(2, 2, 4))


def test_folders_that_do_not_fit_are_refused(tmp_path):
    saved(tmp_path, "pre-training")
    with pytest.raises(DamagedFileError, match="model_type is 'visual_bert', BERT needs"):
        BERT.from_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    cut = {name: tensor for name, tensor in tensors.items() if "visual_projection" not in name}
    save_file(cut, path, {"format": "pt"})
    with pytest.raises(DamagedFileError, match="visual_projection"):
        VisualBERT.from_pretrained(tmp_path)
    config = tmp_path / "config.json"
    raw = json.loads(config.read_text())
    config.write_text(json.dumps(raw | {"bypass_transformer": True}))
    with pytest.raises(DamagedFileError, match="bypass_transformer is True, VisualBERT needs"):
        VisualBERT.from_pretrained(tmp_path)


def test_answers_read_from_a_word_are_refused(tmp_path):
    config = transformers.VisualBertConfig(**ODD)
    transformers.VisualBertForQuestionAnswering(config).save_pretrained(tmp_path)
    with pytest.raises(DamagedFileError, match="reads its answer from a word"):
        VisualBERT.from_pretrained(tmp_path)
