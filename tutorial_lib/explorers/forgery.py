"""A line with some of its words replaced by those of a forger, and who suspects which."""

from typing import NamedTuple

import torch

from tutorial_lib.tokenizers.wordpiece import CONTINUATION

TRIES = 20  # draws until at least two words of a line are others than they were


class Forgery(NamedTuple):
    """A line, word by word.

    written: as it was; shown: after the forger; suspicion: the most that the detective says of a
    piece of the word, from 0 to 1; cut: how many tokens did not fit into the models.
    """

    written: list[str]
    shown: list[str]
    suspicion: list[float]
    cut: int

    @property
    def replaced(self):
        """Which words are others than they were."""
        return [old != new for old, new in zip(self.written, self.shown, strict=True)]


@torch.no_grad()
def forge(detective, forger, tokenizer, text, share=0.15, seed=0):
    """Replace words of a text and ask a detective about each; return the Forgery.

    detective: an ELECTRA with a head for replaced tokens; forger: a model with a head for masked
    tokens, as BERT. Only words of one piece are hidden, so many that their share of all words is
    `share`, two at least where there are two; what the forger draws are whole words, too. The same
    seed gives the same forgery.

    >>> from tutorial_lib.models import BERTConfig, ELECTRAConfig
    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> sizes = {"context": 9, "d_model": 4, "n_layers": 1, "n_heads": 1, "vocab_size": 8}
    >>> detective = ELECTRAConfig(**sizes, replaced=True).build()
    >>> models = detective, BERTConfig(**sizes, mlm=True).build()
    >>> found = forge(*models, WordPieceTokenizer(words), "so it is")
    >>> found.written, len(found.shown), sum(found.replaced) > 0
    (['so', 'it', 'is'], 3, True)
    """
    most = min(detective.config.context, forger.config.context)
    ids = tokenizer.encode(text).ids
    cut = max(0, len(ids) - most)
    if cut:
        ids = [*ids[: most - 1], tokenizer.sep_id]
    spans = _words(ids, tokenizer)
    ids = torch.tensor([ids])
    written = [_spelled(ids[0, start:end], tokenizer) for start, end in spans]
    forged = _forged(forger, tokenizer, ids, spans, share, seed)
    suspicion = detective.replaced_logits(detective(forged))[0].sigmoid()  # (T,)
    return Forgery(
        written,
        [_spelled(forged[0, start:end], tokenizer) for start, end in spans],
        [suspicion[start:end].max().item() for start, end in spans],
        cut,
    )


def _words(ids, tokenizer):
    """Return (start, end) of the pieces of each word, without [CLS] and [SEP]."""
    spans = []
    for place in range(1, len(ids) - 1):
        if spans and tokenizer.vocab[ids[place]].startswith(CONTINUATION):
            spans[-1] = (spans[-1][0], place + 1)
        else:
            spans.append((place, place + 1))
    return spans


def _spelled(ids, tokenizer):
    return "".join(tokenizer.vocab[i].removeprefix(CONTINUATION) for i in ids.tolist())


def _forged(forger, tokenizer, ids, spans, share, seed):
    """Return ids (1, T) with some words of one piece drawn anew."""
    generator = torch.Generator().manual_seed(seed)
    single = [
        start
        for start, end in spans
        if end == start + 1 and tokenizer.vocab[ids[0, start]].isalpha()
    ]
    if not single:
        return ids
    n = min(len(single), max(2, round(share * len(spans))))
    whole = torch.tensor([piece.isalpha() for piece in tokenizer.vocab])  # (V,)
    for _ in range(TRIES):
        order = torch.randperm(len(single), generator=generator)[:n]
        places = torch.tensor(single)[order]
        hidden = ids.clone()
        hidden[0, places] = tokenizer.mask_id
        logits = forger.mlm_logits(forger(hidden)[0, places])  # (n, V)
        p = logits.masked_fill(~whole, -torch.inf).softmax(-1)
        forged = ids.clone()
        forged[0, places] = torch.multinomial(p, 1, generator=generator)[:, 0]
        if (forged != ids).sum() >= min(2, n):
            break
    return forged
