"""A word with two senses, and what an encoder makes of it in each sentence."""

import torch

from tutorial_lib.errors import ShapeError


@torch.no_grad()
def occurrences(model, tokenizer, word, sentences):
    """Return the vectors of a word in each of N sentences, at each layer: (L + 1, N, D).

    model.hidden_states(ids) gives them for ids (1, T). Where the word occurs twice, the first one
    counts. Raises ShapeError for a sentence in which the word is not one token.
    """
    found = []
    for sentence in sentences:
        encoding = tokenizer.encode(sentence)
        if word not in encoding.tokens:
            tokens = " ".join(encoding.tokens)
            raise ShapeError(f"“{word}” must be one token of each sentence, got {tokens}")
        states = model.hidden_states(torch.tensor([encoding.ids]))
        place = encoding.tokens.index(word)
        found.append(torch.stack([state[0, place] for state in states]))  # (L + 1, D)
    return torch.stack(found, dim=1)
