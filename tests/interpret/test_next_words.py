import pytest
import torch

from tutorial_lib.interpret import next_word_shares
from tutorial_lib.models import GPTConfig


class Letters:
    def encode(self, text):
        return [ord(letter) - ord("a") for letter in text]


def test_a_group_adds_up_the_first_tokens_of_its_words():
    torch.manual_seed(0)
    model = GPTConfig(vocab_size=6, context=8, d_model=8, n_layers=1, n_heads=2).build().eval()
    chances = model(torch.tensor([[0, 1, 2]]))[0, -1].softmax(-1)
    found = next_word_shares(model, Letters(), "abc", {"d": ["d"], "e or f": ["e", "fab", "ea"]})
    assert found["d"] == pytest.approx(chances[3].item())
    assert found["e or f"] == pytest.approx(chances[4:].sum().item())
