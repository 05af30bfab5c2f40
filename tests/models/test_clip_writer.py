"""A VideoBERT with eyes that paints: its words and frames, and what it refuses."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models import ClipWriter, ClipWriterConfig, VideoBERT

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "bee", "moves", "up"]
SIZES = {"d_model": 8, "n_layers": 2, "n_heads": 2, "d_features": 6, "n_things": 5}


@pytest.fixture(scope="module")
def writer():
    torch.manual_seed(0)
    writer = ClipWriterConfig.of(WORDS, 10, **SIZES).build().eval()
    writer.centres.copy_(torch.randn(10, 9))
    writer.looks.copy_(torch.randint(256, (10, 3, 32, 32)))
    return writer


def test_it_reads_as_a_video_bert(writer):
    ids = writer.encode(["a bee moves up", "a bee"])
    assert ids.shape == (2, 12)
    assert ids[1].tolist() == [1, 4, 5, 2, *[0] * 8]
    row = writer.join(ids, torch.tensor([[0, 9], [3, 3]]))
    plain = VideoBERT(writer.config)
    plain.load_state_dict({k: v for k, v in writer.state_dict().items() if k in plain.state_dict()})
    assert_close(writer(*row), plain.eval()(*row))


def test_a_frame_has_the_token_of_the_nearest_centre_and_looks_like_it(writer):
    clips = torch.rand(2, 8, 3, 32, 32)
    tokens = writer.tokens_of(clips)
    with torch.no_grad():
        far = torch.cdist(writer.eyes(clips[1, 2:3]), writer.centres)
    assert tokens[1, 2] == far.argmin()
    painted = writer.paint(tokens)
    assert painted.shape == clips.shape
    assert_close(painted[1, 2] * 255, writer.looks[tokens[1, 2]].float())


def test_it_is_saved_with_its_words_centres_and_looks(writer, tmp_path):
    writer.save(tmp_path / "writer.safetensors")
    again = ClipWriter.load(tmp_path / "writer.safetensors")
    clips = torch.rand(1, 2, 3, 32, 32)
    assert again.words == WORDS
    assert_close(again.paint(again.tokens_of(clips)), writer.paint(writer.tokens_of(clips)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda w: w.encode(["a cow"]), VocabularyError, "does not know 'cow', only: a bee moves"),
        (lambda w: w.encode([]), VocabularyError, "at least one text"),
        (lambda w: w.encode(["a bee " * 6]), VocabularyError, "may have 10 words, got 12"),
        (lambda w: w.tokens_of(torch.rand(1, 8, 3, 32, 31)), ShapeError, "got .*3, 32, 31"),
        (lambda w: w.paint(torch.tensor([[10]])), VocabularyError, "tokens"),
        (lambda w: ClipWriterConfig.of(["a"], 10, **SIZES), VocabularyError, "must begin with"),
        (lambda w: ClipWriterConfig(words="[PAD] [CLS] [SEP] [MASK]"), VocabularyError, "room for"),
    ],
)  # fmt: skip
def test_bad_input_is_named(writer, call, error, message):
    with pytest.raises(error, match=message):
        call(writer)
