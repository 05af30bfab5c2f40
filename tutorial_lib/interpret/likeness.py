"""Which words a word has come to resemble: cosines of an encoder's vectors."""

import torch
import torch.nn.functional as F


def likeness(word):
    """Return a readout for `AttentionExplorer.from_model`: cosines of `word` with the long words.

    The readout takes a model, called as model(ids, segments), and an Encoding. It returns pairs
    (label, cosine of the final vectors), for every other word of more than three letters; a text
    without `word` is read from its first token.

    >>> likeness("it").__name__
    'readout'
    """

    def readout(model, encoding):
        with torch.no_grad():
            states = model(torch.tensor([encoding.ids]), torch.tensor([encoding.segments]))[0]
        at = encoding.tokens.index(word) if word in encoding.tokens else 0
        near = F.cosine_similarity(states[at], states, dim=-1).tolist()  # (T,)
        return [
            (f"{encoding.tokens[at]} ~ {token} ({s})", near[s])
            for s, token in enumerate(encoding.tokens)
            if s != at and token.isalpha() and len(token) > 3
        ]

    return readout
