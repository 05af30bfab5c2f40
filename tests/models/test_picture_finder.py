"""Two heads on frozen vectors, and the search for pictures that stands on them."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.errors import MissingHeadError, ShapeError
from tutorial_lib.models import BERT, BERTConfig, PictureFinder, PictureFinderConfig, TwoHeads
from tutorial_lib.objectives import contrastive_loss
from tutorial_lib.tokenizers import WordPieceTokenizer

SIZES = {"d_text": 384, "d_image": 5, "d_joint": 4, "n_train": 3, "n_validation": 2, "n_test": 6}


@pytest.fixture(scope="module")
def minilm():
    folder = minilm_folder()
    return BERT.from_pretrained(folder), WordPieceTokenizer.from_pretrained(folder)


def filled(**changes):
    """Return a PictureFinder with random vectors."""
    torch.manual_seed(0)
    finder = PictureFinder(PictureFinderConfig(**SIZES | changes)).eval()
    return finder.fill(torch.randn(11, 384), torch.randn(11, 5))


def test_logits_are_images_times_texts_and_bounded():
    heads = TwoHeads(d_text=6, d_image=5, d_joint=4, d_hidden=7).eval()
    texts, images = torch.randn(3, 6), 100 * torch.randn(2, 5)
    with torch.no_grad():
        heads.log_scale.fill_(30.0)  # held at log(100)
        logits = heads(texts, images)
        expected = 100 * heads.image_vectors(images) @ heads.text_vectors(texts).T
    assert logits.shape == (2, 3)
    assert_close(logits, expected)
    assert_close(heads.image_vectors(images).norm(dim=1), torch.ones(2))
    assert_close(heads.image_vectors(images), heads.image_vectors(images / 50))  # one scale


def test_texts_that_stay_are_only_brought_to_length_1():
    heads = TwoHeads(d_text=6, d_image=5, d_joint=6, texts_stay=True).eval()
    texts = torch.randn(3, 6)
    assert_close(heads.text_vectors(texts), texts / texts.norm(dim=1, keepdim=True))
    assert sum(parameter.numel() for parameter in heads.parameters()) == 5 * 6 + 6 + 1
    with pytest.raises(ShapeError, match="got 4 and 6"):
        TwoHeads(d_text=6, d_image=5, d_joint=4, texts_stay=True)


def test_heads_learn_a_permutation_of_the_axes():
    torch.manual_seed(0)
    images = torch.randn(64, 8)
    texts = images[:, torch.randperm(8)]
    heads = TwoHeads(8, 8, 8)
    optimizer = torch.optim.Adam(heads.parameters(), lr=1e-2)
    for _ in range(150):
        loss = contrastive_loss(heads(texts[:48], images[:48]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = heads.eval()(texts[48:], images[48:]).argmax(dim=1)  # pairs that it has not seen
    assert (found == torch.arange(16)).float().mean() > 0.8  # chance: 1 of 16


def test_it_finds_what_scores_highest_among_one_part(minilm):
    finder = filled().reading_with(*minilm)
    found, scores = finder.find("a red apple", k=4)
    names = finder.two_heads.text_vectors(finder.read("a red apple"))
    everything = (finder.two_heads.image_vectors(finder.stored("test")[1]) @ names[0]).tolist()
    order = sorted(range(6), key=lambda row: -everything[row])
    assert found.tolist() == order[:4]
    assert_close(scores, torch.tensor(everything)[found])
    assert len(finder.find("a red apple", k=99)[0]) == 6
    assert len(finder.find("a red apple", part="validation")[0]) == 2
    assert finder.stored("train")[0].shape == (3, 384)


@pytest.mark.parametrize("text", ["🐸", "سلام", "x" * 4000, "nice " * 3000, "<script>", "?!"])
def test_any_text_finds_something(minilm, text):
    found, scores = filled().reading_with(*minilm).find(text, k=2)
    assert len(found) == 2
    assert scores.isfinite().all()


def test_bad_questions_are_named(minilm):
    finder = filled()
    with pytest.raises(MissingHeadError, match=r"reading_with\(minilm, tokenizer\)"):
        finder.find("apple")
    finder.reading_with(*minilm)
    for nothing in ("", "  \n", None, 3):
        with pytest.raises(ValueError, match="expected a text to look for, a word at least, got"):
            finder.find(nothing)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        finder.find("apple", k=0)
    with pytest.raises(ValueError, match="part must be one of 'train', 'validation', 'test'"):
        finder.find("apple", part="tests")
    with pytest.raises(ShapeError, match=r"texts must have shape \(N, 384\), got \(1, 7\)"):
        finder.two_heads(torch.zeros(1, 7), torch.zeros(1, 5))
    small = BERT(BERTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=2))
    with pytest.raises(ShapeError, match="vectors of 384 numbers, this BERT makes 4"):
        finder.reading_with(small, minilm[1])
    with pytest.raises(ShapeError, match="n_test must be a whole number"):
        PictureFinderConfig(n_test=0)


def test_the_encoder_is_not_stored(minilm, tmp_path):
    finder = filled().reading_with(*minilm)
    finder.to(torch.float16).save(tmp_path / "finder.safetensors")
    assert (tmp_path / "finder.safetensors").stat().st_size < 20_000
    again = PictureFinder.load(tmp_path / "finder.safetensors")
    assert again.config == finder.config
    assert torch.equal(again.pictures.numbers, finder.pictures.numbers)
