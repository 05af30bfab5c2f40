"""Which words a word has come to resemble: cosines of an encoder's vectors."""

import torch
import torch.nn.functional as F

from tutorial_lib.interpret.tracing import trace


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


def likeness_by_layer(model, encoding, word, other):
    """Return the cosine of the vectors of two words after each layer of a BERT, L numbers.

    encoding: what the model's tokenizer made of a text that holds both words as one token each.
    Raises ValueError when it does not.

    >>> from tutorial_lib.models import BERT, BERTConfig
    >>> from tutorial_lib.tokenizers import Encoding
    >>> bert = BERT(BERTConfig(vocab_size=9, d_model=4, n_heads=2, n_layers=3)).eval()
    >>> text = Encoding([1, 2, 3], [0, 0, 0], ["[CLS]", "it", "animal"])
    >>> len(likeness_by_layer(bert, text, "it", "animal"))
    3
    """
    s, t = (encoding.tokens.index(name) for name in (word, other))
    inside = trace(model, torch.tensor([encoding.ids]))
    layers = [
        inside[f"layer {at} feed forward norm"].tensor[0] for at in range(model.config.n_layers)
    ]  # (T, D) each
    return [F.cosine_similarity(x[s], x[t], dim=0).item() for x in layers]
