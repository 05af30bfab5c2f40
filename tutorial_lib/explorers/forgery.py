"""A line with some of its words replaced by those of a forger, and who suspects which."""

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.tokenizers.wordpiece import CONTINUATION

TRIES = 20  # draws until at least two words of a line are others than they were
LEAST_OFTEN = 50  # rarer ones are misprints, French, or cut off by a speaker


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


@cache
def words_of_the_plays():
    """Return the words that Shakespeare's plays have 50 times or more, in small letters.

    What stands beside an apostrophe is no word of its own: neither the s of "it's" nor "th'".

    >>> "thee" in words_of_the_plays(), "ea" in words_of_the_plays()
    (True, False)
    """
    text = "\n".join(speech.text for speech in load_shakespeare().speeches).lower()
    found = re.findall(r"(?<![\w'])[a-z]+(?![\w'])", text)
    return frozenset(word for word, times in Counter(found).items() if times >= LEAST_OFTEN)


@torch.no_grad()
def forge(detective, forger, tokenizer, text, share=0.15, seed=0, words=None):
    """Replace words of a text and ask a detective about each; return the Forgery.

    detective: an ELECTRA with a head for replaced tokens; forger: a model with a head for masked
    tokens, as BERT; words: those that are hidden and drawn, in small letters, None:
    `words_of_the_plays`. Only words of one piece are hidden, none beside an apostrophe ("in't"),
    so many that their share of all words is `share`, two at least where there are two. The same
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
    allowed = _allowed(tokenizer, words_of_the_plays() if words is None else words)
    forged = _forged(forger, tokenizer, ids, spans, share, seed, allowed)
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


def _allowed(tokenizer, words):
    """Return which pieces are words that may be hidden and drawn, (V,) bool."""
    return torch.tensor([piece.lower() in words for piece in tokenizer.vocab])


def _forged(forger, tokenizer, ids, spans, share, seed, allowed):
    """Return ids (1, T) with some words of one piece drawn anew, both old and new allowed."""
    generator = torch.Generator().manual_seed(seed)
    tokens = [tokenizer.vocab[i] for i in ids[0].tolist()]
    single = [
        start
        for start, end in spans
        if end == start + 1
        and allowed[ids[0, start]]
        and "'" not in (tokens[start - 1], tokens[end])
    ]
    if not single:
        return ids
    n = min(len(single), max(2, round(share * len(spans))))
    for _ in range(TRIES):
        order = torch.randperm(len(single), generator=generator)[:n]
        places = torch.tensor(single)[order]
        hidden = ids.clone()
        hidden[0, places] = tokenizer.mask_id
        logits = forger.mlm_logits(forger(hidden)[0, places])  # (n, V)
        p = logits.masked_fill(~allowed, -torch.inf).softmax(-1)
        forged = ids.clone()
        forged[0, places] = torch.multinomial(p, 1, generator=generator)[:, 0]
        if (forged != ids).sum() >= min(2, n):
            break
    return forged
