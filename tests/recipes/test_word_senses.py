import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.datasets import minilm_folder
from tutorial_lib.errors import ShapeError
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.recipes.word_senses import EXAMPLES, occurrences, of_other_words
from tutorial_lib.tokenizers import WordPieceTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TOKENIZER = WordPieceTokenizer([*SPECIAL, "the", "bank", "of", "a", "river"])


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
    with pytest.raises(ShapeError, match=r"one of the tokens of each sentence, got .*a river"):
        occurrences(model, TOKENIZER, "bank", ["the bank", "a river"])
    with pytest.raises(ShapeError, match="got none"):
        occurrences(model, TOKENIZER, "bank", [])


def test_minilm_tells_the_senses_of_three_of_the_words_apart():
    """What chapter 06 says: of *bank*, *match* and *spring*, and not of *bat*."""
    model = BERT.from_pretrained(minilm_folder())
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    apart = {}
    for word, sentences in EXAMPLES.items():
        senses = [sense for sense, texts in sentences.items() for _ in texts]
        uses = [text for texts in sentences.values() for text in texts]
        assert {tokenizer.encode(use).tokens.index(word) for use in uses} == {2}
        vectors = occurrences(model, tokenizer, word, uses)
        own, other = figures.sense_similarity(vectors, senses)  # (L + 1, N) each
        torch.testing.assert_close(own[0], other[0], atol=1e-5, rtol=0)
        apart[word] = (own[4].mean() - other[4].mean(), (own[4] > other[4]).sum())
    assert min(apart[word][0] for word in ("bank", "match", "spring")) > 0.01
    assert min(apart[word][1] for word in ("bank", "match", "spring")) >= 7
    assert apart["bat"][0] < 0


def test_each_bank_is_closer_to_its_own_sense_and_both_part_from_the_first_layer_on():
    model = BERT.from_pretrained(minilm_folder())
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    uses = [text for texts in EXAMPLES["bank"].values() for text in texts]
    senses = [sense for sense, texts in EXAMPLES["bank"].items() for _ in texts]
    vectors = occurrences(model, tokenizer, "bank", uses)
    own, other = figures.sense_similarity(vectors, senses)
    assert (own[1:].mean(1) > other[1:].mean(1) + 0.01).all()
    assert (own[4] > other[4] + 0.01).all()


def test_two_words_are_far_less_alike_than_two_senses_of_one():
    model = BERT.from_pretrained(minilm_folder())
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    uses = {word: [use for of in both.values() for use in of] for word, both in EXAMPLES.items()}
    found = {word: occurrences(model, tokenizer, word, of) for word, of in uses.items()}
    for word, vectors in found.items():
        others = of_other_words(model, tokenizer, word)
        assert others.shape == (7, 24, 384)
        expected = torch.cat([found[other] for other in found if other != word], dim=1)
        torch.testing.assert_close(others, expected)
        alike = figures.other_word_similarity(vectors, others).mean(1)  # (L + 1)
        assert alike.max() < 0.4
        senses = [sense for sense, texts in EXAMPLES[word].items() for _ in texts]
        assert (figures.sense_similarity(vectors, senses)[1].mean(1) > alike + 0.55).all()
    assert of_other_words(model, tokenizer, "plant").shape == (7, 32, 384)
