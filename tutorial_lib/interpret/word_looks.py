"""Which heads look from one word of a sentence at another one."""

import re

import torch

from tutorial_lib.attention import capture_attention


def weights_on(model, tokenizer, sentence, word):
    """Return how much each head looks from `word` at the word in square brackets, (L, H).

    model: an encoder that reads ids (B, T); the brackets are taken away before it reads the
    sentence. Raises ValueError when one of the two is not one token of the sentence.
    """
    (other,) = re.findall(r"\[(.+?)\]", sentence)
    encoding = tokenizer.encode(sentence.replace("[", "").replace("]", ""))
    for wanted in (word, other):
        if wanted not in encoding.tokens:
            raise ValueError(f"{wanted!r} is no token of {encoding.tokens}")
    with torch.no_grad(), capture_attention(model) as maps:
        model(torch.tensor([encoding.ids]))
    looks, seen = encoding.tokens.index(word), encoding.tokens.index(other)
    return torch.stack([layer[0, :, looks, seen] for layer in maps])
