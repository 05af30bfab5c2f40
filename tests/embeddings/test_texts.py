import pytest
import torch

from tutorial_lib.embeddings import text_vectors
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
