import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.interpret import weights_on
from tutorial_lib.models import BERTConfig
from tutorial_lib.tokenizers import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "bank", "of", "river"]
TOKENIZER = WordPieceTokenizer(WORDS)


def test_the_weights_lead_from_the_word_to_the_one_in_brackets():
    torch.manual_seed(0)
    sizes = {"context": 9, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = BERTConfig(vocab_size=len(WORDS), **sizes).build().eval()
    with torch.no_grad(), capture_attention(model) as maps:
        model(torch.tensor([TOKENIZER.encode("the bank of the river").ids]))
    expected = torch.stack([layer[0, :, 2, 5] for layer in maps])  # [CLS] comes first
    assert_close(weights_on(model, TOKENIZER, "the bank of the [river]", "bank"), expected)
    with pytest.raises(ValueError, match="'lake' is no token of"):
        weights_on(model, TOKENIZER, "the bank of the [lake]", "bank")
