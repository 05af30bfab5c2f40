import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.datasets.play_names import label
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import piece_labels
from tutorial_lib.recipes.frozen_speeches import (
    at_layer,
    each_layer,
    read_speeches,
    tags_of,
)
from tutorial_lib.tokenizers import WordPieceTokenizer

WORDS = ["my", "lord", "good", ",", "a", "##i", "##o"]
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])
TEXTS = ["good Aio, my lord", "my Ai", "Aioo", "my good lord, my good lord, good Aio Aii"]
SPEECHES = [label(text, {"aio", "ai", "aioo", "aii"}) for text in TEXTS]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    sizes = {"context": 32, "d_model": 8, "n_layers": 2, "n_heads": 2}
    bert = BERT(BERTConfig(vocab_size=len(TOKENIZER.vocab), **sizes)).eval()
    bert.tokenizer = TOKENIZER
    return bert


@pytest.fixture(scope="module")
def rows(model):
    return read_speeches(model, SPEECHES, piece_labels, batch_size=3)


def test_a_speech_has_the_vectors_of_all_layers_whatever_it_is_read_with(model, rows):
    assert [row.speech for row in rows] == SPEECHES
    for row, text in zip(rows, TEXTS, strict=True):
        ids = torch.tensor([TOKENIZER.encode(text).ids])
        alone = torch.stack(model.hidden_states(ids))[:, 0]
        assert_close(row.vectors, alone, atol=1e-5, rtol=1e-5)
        assert len(row.labels) == ids.size(1)
        assert not row.vectors.requires_grad
        for layer, of_layer in enumerate(each_layer(rows)):
            assert len(of_layer) == len(rows)
            assert of_layer[0].vectors.equal(at_layer(rows, layer)[0].vectors)
    assert len(each_layer(rows)) == 3


def test_half_precision_says_nearly_the_same_in_half_of_the_memory(model, rows):
    halves = read_speeches(model, SPEECHES, piece_labels, dtype=torch.float16)
    torch.manual_seed(0)
    head = torch.nn.Linear(8, 3)
    for row, half in zip(at_layer(rows, 1), at_layer(halves, 1), strict=True):
        assert half.vectors.dtype == torch.float16
        assert_close(half.vectors.float(), row.vectors, atol=1e-2, rtol=1e-2)
        assert len(tags_of(head, half)) == len(row.speech.words)


def test_a_name_of_several_pieces_has_a_label_for_each_word(rows):
    assert rows[0].labels.tolist() == [-100, 0, 1, -100, -100, 0, 0, 0, -100]
    assert rows[3].labels.tolist()[-7:] == [1, -100, -100, 2, -100, -100, -100]


def test_the_labels_are_those_of_the_function_that_is_given(model):
    (row,) = read_speeches(
        model, [label("good Aio", {"aio"})], lambda tags, pieces: [7, *map(len, pieces)]
    )
    assert row.labels.tolist() == [7, 1, 3]


def test_the_tags_of_a_speech_are_one_a_word_whatever_it_is_read_with(model, rows):
    torch.manual_seed(0)
    head = torch.nn.Linear(8, 3)
    for row in at_layer(rows, 2):
        said = tags_of(head, row)
        assert len(said) == len(row.speech.words)
        (alone,) = at_layer(read_speeches(model, [row.speech], piece_labels), 2)
        assert said == tags_of(head, alone)
