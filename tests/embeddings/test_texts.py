import pytest
import torch

from tutorial_lib.embeddings import RoundedVectors, text_vectors
from tutorial_lib.errors import ShapeError
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXTS = [("the cat sat on the mat " * n).strip() for n in (3, 1, 2)] + ["dog", ""]
TOKENIZER = WordPieceTokenizer.train("the cat sat on the mat and the dog " * 3, 60)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    sizes = {"context": 64, "d_model": 16, "n_layers": 2, "n_heads": 2}
    return BERT(BERTConfig(vocab_size=TOKENIZER.vocab_size, **sizes)).eval()


def test_vectors_keep_the_order_and_know_nothing_of_the_padding(model):
    together = text_vectors(model, TOKENIZER, TEXTS, batch_size=2)
    for text, vector in zip(TEXTS, together, strict=True):
        ids = torch.tensor([TOKENIZER.encode(text).ids])
        with torch.no_grad():
            mean = model(ids)[0].mean(0)
        torch.testing.assert_close(vector, mean / mean.norm())
    assert not together.requires_grad


def test_there_must_be_a_text(model):
    with pytest.raises(ValueError, match="at least one text"):
        text_vectors(model, TOKENIZER, [])


@pytest.fixture
def vectors():
    generator = torch.Generator().manual_seed(0)
    return torch.nn.functional.normalize(torch.randn(200, 48, generator=generator), dim=-1)


def test_rounding_moves_nothing_by_more_than_half_a_step(vectors):
    table = RoundedVectors.of(vectors)
    assert table.numbers.dtype == torch.int8
    assert table.numbers.abs().max() == 127
    error = (table.vectors(torch.arange(200)) - vectors).abs().max()
    assert error <= 0.501 * table.scale
    assert len(table) == 200


def test_the_nearest_is_found_in_order(vectors):
    table = RoundedVectors.of(vectors)
    cosines, rows = table.nearest(vectors[7], n=5)
    exact = vectors @ vectors[7]
    assert rows[0] == 7
    torch.testing.assert_close(cosines, exact[rows], atol=2e-2, rtol=0)
    assert (cosines.diff() <= 0).all()
    assert len(table.nearest(vectors[7], n=999)[1]) == 200


def test_it_is_stored_and_loaded_as_a_module(vectors):
    table = RoundedVectors.of(vectors, places=torch.arange(200) * 3)
    again = RoundedVectors(200, 48)
    again.load_state_dict(table.float().state_dict())
    assert again.numbers.dtype == torch.int8
    assert torch.equal(again.numbers, table.numbers)
    assert torch.equal(again.places, torch.arange(200, dtype=torch.int32) * 3)
    assert torch.equal(again.cosines(vectors[0]), table.cosines(vectors[0]))


def test_shapes_are_checked(vectors):
    with pytest.raises(ShapeError, match="with N places"):
        RoundedVectors.of(vectors, places=[1, 2])
    with pytest.raises(ShapeError, match="with N places"):
        RoundedVectors.of(vectors[0])
    with pytest.raises(ShapeError, match=r"query must be \(48,\)"):
        RoundedVectors.of(vectors).cosines(vectors)
