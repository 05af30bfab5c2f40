"""What a model that writes would say next: the probabilities of a few words."""

import torch


def next_word_shares(model, tokenizer, prompt, groups):
    """Return how likely it is that the next token begins one of some words: {name: probability}.

    model: a decoder that maps ids (B, T) to logits (B, T, V); groups: lists of words by name. Of a
    word of several tokens the first one counts, and a group adds up its words; begin each with the
    space that the prompt leaves out.

    >>> from types import SimpleNamespace
    >>> letters = SimpleNamespace(encode=lambda text: ["abcd".index(c) for c in text])
    >>> def equally(ids):
    ...     return torch.zeros(*ids.shape, 4)
    >>> next_word_shares(equally, letters, "ab", {"a or b": ["a", "b"]})
    {'a or b': 0.5}
    """
    device = next(model.parameters()).device if hasattr(model, "parameters") else "cpu"
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer.encode(prompt)], device=device))[0, -1]  # (V,)
    chances = logits.softmax(dim=-1)
    firsts = {name: {tokenizer.encode(word)[0] for word in words} for name, words in groups.items()}
    return {name: chances[sorted(ids)].sum().item() for name, ids in firsts.items()}
