"""A VisualBERT with eyes: its words and regions, and what it refuses."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models import SceneReader, SceneReaderConfig, VisualBERT

WORDS = ["a", "above", "cat", "dog"]


@pytest.fixture(scope="module")
def reader():
    torch.manual_seed(0)
    sizes = {"d_model": 8, "n_layers": 2, "n_heads": 2, "d_features": 6, "n_objects": 5}
    return SceneReaderConfig.of(WORDS, ["yes", "no", "two"], **sizes).build().eval()


def inputs():
    boxes = torch.tensor([[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0]]).expand(2, 2, 4)
    return torch.rand(2, 2, 3, 32, 32), boxes


@torch.no_grad()
def test_texts_and_scenes_become_a_visual_berts_inputs(reader):
    ids = reader.encode(["a cat above a dog", "a dog"])
    assert ids.tolist() == [[1, 4, 6, 5, 4, 7, 2], [1, 4, 7, 2, 0, 0, 0]]
    assert [reader.words[token_id] for token_id in ids[1, :4]] == ["[CLS]", "a", "dog", "[SEP]"]
    crops, boxes = inputs()
    regions = reader.see(crops, boxes)
    assert_close(regions[..., :6], reader.eyes(crops.flatten(0, 1)).view(2, 2, 6))
    assert_close(regions[..., 6:], boxes)
    plain = VisualBERT(reader.config)
    weights = {name: w for name, w in reader.state_dict().items() if not name.startswith("eyes.")}
    plain.load_state_dict(weights)
    mask = torch.cat([ids != 0, torch.ones(2, 2, dtype=torch.bool)], dim=1)
    assert_close(reader(ids, regions, mask=mask), plain.eval()(ids, regions, mask=mask))
    hidden = reader(ids, regions, mask=mask)
    assert reader.answer_logits(hidden).shape == (2, 3)
    assert reader.eyes.object_logits(crops[0]).shape == (2, 5)


def test_it_is_saved_with_its_words_and_eyes(reader, tmp_path):
    reader.save(tmp_path / "reader.safetensors")
    again = SceneReader.load(tmp_path / "reader.safetensors")
    crops, boxes = inputs()
    assert again.words == ["[PAD]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    assert again.answers == ["yes", "no", "two"]
    assert_close(again.see(crops, boxes), reader.see(crops, boxes), atol=0, rtol=0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.encode(["a cow"]), VocabularyError, "knows 8 words, 'cow' is not among them"),
        (lambda r: r.encode(["a dog", " "]), VocabularyError, "a text needs at least one word"),
        (lambda r: r.encode([]), VocabularyError, "encode needs at least one text"),
        (lambda r: r.see(inputs()[0][..., 1:], inputs()[1]), ShapeError, "got .*3, 32, 31"),
        (lambda r: r.see(inputs()[0], 30 * inputs()[1]), ValueError, "from 0 to 1"),
        (lambda r: SceneReaderConfig(words="a cat"), VocabularyError, r"begin with \[PAD\]"),
        (lambda r: SceneReaderConfig(d_features=0), ShapeError, "d_features must be a whole"),
    ],
)  # fmt: skip
def test_bad_input_is_named(reader, call, error, message):
    with pytest.raises(error, match=message):
        call(reader)
