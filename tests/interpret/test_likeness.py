import pytest
import torch

from tutorial_lib.interpret import likeness
from tutorial_lib.tokenizers import Encoding


def test_the_word_is_compared_with_the_long_words_only():
    vectors = torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0], [3.0, 0.0], [1.0, 1.0]])

    def model(ids, segments):
        return vectors[ids]

    tokens = ["[CLS]", "animal", "it", "street", "was"]
    encoding = Encoding(list(range(5)), [0] * 5, tokens)
    assert likeness("it")(model, encoding) == [
        ("it ~ animal (1)", pytest.approx(1)),
        ("it ~ street (3)", pytest.approx(0)),
    ]
    assert likeness("them")(model, encoding)[0] == ("[CLS] ~ animal (1)", pytest.approx(0))
