"""What every head of an encoder looks at in one text."""

import torch

from tutorial_lib.attention import capture_attention


def read_maps(model, tokenizer, text):
    """Return the ids of a text, (1, T), and the maps of all heads while it is read, (L, H, T, T).

    model: an encoder that reads ids (B, T); tokenizer.encode(text).ids are T ids.

    >>> from tutorial_lib.models import BERTConfig
    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "it", "rains"]
    >>> model = BERTConfig(vocab_size=7, d_model=4, n_layers=2, n_heads=2).build().eval()
    >>> read_maps(model, WordPieceTokenizer(words), "it rains")[1].shape
    torch.Size([2, 2, 4, 4])
    """
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad(), capture_attention(model) as captured:
        model(ids)
    return ids, torch.cat(list(captured))
