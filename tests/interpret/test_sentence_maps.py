import torch

from tutorial_lib.interpret import read_maps, weights_on
from tutorial_lib.models import BERTConfig
from tutorial_lib.tokenizers import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "bank", "of", "river"]


def test_the_maps_are_those_of_all_heads():
    torch.manual_seed(0)
    tokenizer = WordPieceTokenizer(WORDS)
    sizes = {"context": 9, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = BERTConfig(vocab_size=len(WORDS), **sizes).build().eval()
    ids, maps = read_maps(model, tokenizer, "the bank of the river")
    assert ids.tolist() == [tokenizer.encode("the bank of the river").ids]
    assert maps[:, :, 2, 5].equal(weights_on(model, tokenizer, "the bank of the [river]", "bank"))
