import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.recipes.word_senses import occurrences
from tutorial_lib.tokenizers import WordPieceTokenizer

TOKENIZER = WordPieceTokenizer("[PAD] [UNK] [CLS] [SEP] [MASK] the bank of a river".split())


def test_the_vectors_are_those_at_the_word_and_start_alike_at_one_position():
    sizes = {"context": 9, "d_model": 4, "n_layers": 2, "n_heads": 1}
    model = BERT(BERTConfig(vocab_size=10, **sizes)).eval()
    sentences = ["the bank of a river", "a bank", "river bank of the bank"]
    vectors = occurrences(model, TOKENIZER, "bank", sentences)  # (L + 1, N, D)
    assert vectors.shape == (3, 3, 4)
    ids = torch.tensor([TOKENIZER.encode(sentences[2]).ids])
    with torch.no_grad():
        states = model.hidden_states(ids)
    torch.testing.assert_close(vectors[:, 2], torch.stack([state[0, 2] for state in states]))
    torch.testing.assert_close(vectors[0, 0], vectors[0, 1])  # the same word and position
    assert not torch.equal(vectors[1, 0], vectors[1, 1])  # other words around it
    with pytest.raises(ShapeError, match="one token of each sentence, got .*a river"):
        occurrences(model, TOKENIZER, "bank", ["the bank", "a river"])
