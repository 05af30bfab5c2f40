"""How well gaps are filled: a model, tables of neighbouring tokens, and the cloze test on words."""

import random
import re
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.embeddings import words_of
from tutorial_lib.objectives import MaskedTokens
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.shakespeare_gpt import SETTINGS as GPT_SETTINGS
from tutorial_lib.recipes.translator import padded


@torch.no_grad()
def found_by(model, tokens):
    """Return which share of the chosen tokens of MaskedTokens a BERT with an MLM head names."""
    said = []
    for rows in torch.arange(len(tokens.ids)).split(100):
        mask = None if tokens.mask is None else tokens.mask[rows]
        hidden = model(tokens.ids[rows], tokens.segments[rows], mask)
        said.append(model.mlm_logits(hidden[tokens.chosen[rows]]).argmax(dim=-1))
    return share_of_true(torch.cat(said) == tokens.targets)


@torch.no_grad()
def missed_texts(model, tokens):
    """Return the texts of MaskedTokens in which a BERT fills a gap wrongly, gaps as [MASK].

    The model has a tokenizer and an MLM head.
    """
    tokenizer = model.tokenizer
    hidden = model(tokens.ids, tokens.segments, tokens.mask)  # (B, T, D)
    wrong = model.mlm_logits(hidden[tokens.chosen]).argmax(dim=-1) != tokens.targets
    rows = tokens.chosen.nonzero()[wrong, 0].unique()
    left_out = (tokenizer.cls_id, tokenizer.pad_id)
    return [
        " ".join(tokenizer.vocab[i] for i in row if i not in left_out).removesuffix(" [SEP]")
        for row in tokens.ids[rows].tolist()
    ]


def found_by_counting(texts, tokens, vocab_size, commonest=None, answers=None):
    """Return the shares of the hidden tokens that `said_by_counting` in texts names."""
    said = said_by_counting(texts, tokens, vocab_size, commonest, answers)
    return {
        name: share_of_true(torch.tensor(guesses) == tokens.targets)
        for name, guesses in said.items()
    }


def said_by_counting(texts, tokens, vocab_size, commonest=None, answers=None):
    """Return what counting in texts, lists of ids, says of each hidden token: ids, a list a way.

    Three ways: the most frequent token; the most frequent one after the token on the left of the
    gap; the most frequent one between those on its left and right. A way without a count falls
    back on the one before it, and of two with the same count the one is said that is more frequent
    in the texts. commonest replaces the first, for texts with [CLS] and [SEP] in them. answers are
    the ids that may be said, None for all.
    """
    stream = np.array([token for text in texts for token in text])
    may_be_said = np.isin(stream, range(vocab_size) if answers is None else answers)
    counts = np.bincount(stream[may_be_said], minlength=vocab_size)
    commonest = int(counts.argmax()) if commonest is None else commonest
    second, middle = may_be_said[1:], may_be_said[1:-1]
    after = _most_frequent(stream[:-1][second], stream[1:][second], counts)
    around = stream[:-2] * vocab_size + stream[2:]
    between = _most_frequent(around[middle], stream[1:-1][middle], counts)
    rows, places = tokens.chosen.nonzero(as_tuple=True)
    left, right = tokens.ids[rows, places - 1].tolist(), tokens.ids[rows, places + 1].tolist()
    from_left = [after.get(a, commonest) for a in left]
    from_both = [
        between.get(a * vocab_size + b, fallback)
        for a, b, fallback in zip(left, right, from_left, strict=True)
    ]
    return {
        "the most frequent token": [commonest] * len(left),
        "from the token on the left": from_left,
        "from both neighbours": from_both,
    }


def _most_frequent(keys, values, overall):
    """Return {key: its most frequent value} of two arrays; counts overall (V,) break a tie."""
    n_values = len(overall)
    both, counts = np.unique(keys * n_values + values, return_counts=True)
    keys, values = both // n_values, both % n_values
    order = np.lexsort((overall[values], counts))  # the most frequent comes last, and stays
    return dict(zip(keys[order].tolist(), values[order].tolist(), strict=True))


def cloze(texts, words, n, seed=0):
    """Return up to n gaps (left, word, right): one of `words` in a text, 30 letters from its ends.

    Texts are drawn in random order, and those without such a word are passed over.

    >>> text = "And now, now is the winter of our discontent made glorious summer by this sun."
    >>> cloze([text], {"discontent", "now"}, 1)
    [('And now, now is the winter of our ', 'discontent', ' made glorious summer by this sun.')]
    """
    draw, gaps = random.Random(seed), []
    for text in draw.sample(texts, len(texts)):
        text = " ".join(text.split())
        inner = [
            word
            for word in re.finditer(r"[A-Za-z]+", text)
            if word[0] in words and word.start() >= 30 and word.end() <= len(text) - 30
        ]
        if inner and len(gaps) < n:
            word = draw.choice(inner)
            gaps.append((text[: word.start()], word[0], text[word.end() :]))
    return gaps


def gaps_held_out(tokenizer, n, seed=0):
    """Return up to n gaps as `cloze` does, in speeches of the plays held out, and their words.

    The words are one token and three letters or more, and frequent in the other plays. A speech
    has 100 to 300 characters.
    """
    plays, titles = load_shakespeare().plays, GPT_SETTINGS["held_out"]
    others = [play for play in plays if play.title not in titles]
    held_out = [play for play in plays if play.title in titles]
    counts = Counter(word for play in others for word in words_of(play.text))
    pieces = (piece for piece in tokenizer.vocab if piece.isalpha() and len(piece) > 2)
    frequent = {word for word in pieces if counts[word] >= 100}
    speeches = [speech.text for play in held_out for speech in play.speeches]
    speeches = [text for text in speeches if 100 <= len(text) <= 300]
    return cloze(speeches, frequent, n, seed), frequent


def _cloze_tokens(gaps, tokenizer):
    """Return gaps (left, word, right) as MaskedTokens, one [MASK] a row; a word is one token."""
    rows = [tokenizer.encode(f"{left}[MASK]{right}").ids for left, _, right in gaps]
    ids = padded(rows, tokenizer.pad_id)  # (B, T)
    targets = torch.tensor([tokenizer.vocab.index(word) for _, word, _ in gaps])  # (B,)
    return MaskedTokens(ids, None, ids != tokenizer.pad_id, ids == tokenizer.mask_id, targets)


@torch.no_grad()
def cloze_share(model, gaps, words):
    """Return how often a BERT with an MLM head and a tokenizer finds the word of each gap.

    Only `words`, one token each, may be answered.
    """
    tokens = _cloze_tokens(gaps, model.tokenizer)
    answers = torch.tensor(_ids_of(words, model.tokenizer))  # (N,)
    parts = zip(tokens.ids.split(100), tokens.mask.split(100), strict=True)
    hidden = torch.cat([model(ids, mask=mask) for ids, mask in parts])  # (B, T, D)
    logits = model.mlm_logits(hidden[tokens.chosen])  # (B, V): one gap a row
    return share_of_true(answers[logits[:, answers].argmax(dim=-1)] == tokens.targets)


@torch.no_grad()
def cloze_share_by_trying(model, gaps, words, n=20):
    """Return how often a BERT with an MLM head and a tokenizer finds the word, trying its n best.

    Only `words`, one token each, may be answered. Of the n that the BERT finds most probable in the
    gap, it takes the one whose text has the highest pseudo-log-likelihood: each token but [CLS] and
    [SEP] is hidden in turn, and the log-probabilities that the BERT gives them are added (Salazar
    et al. 2020).
    """
    tokens = _cloze_tokens(gaps, model.tokenizer)
    answers = torch.tensor(_ids_of(words, model.tokenizer))  # (N,)
    said = []
    for padded_ids, real, in_gap in zip(tokens.ids, tokens.mask, tokens.chosen, strict=True):
        ids, gap = padded_ids[real], int(in_gap.nonzero())  # (T,)
        log_p = model.mlm_logits(model(ids[None])[0, gap]).log_softmax(dim=-1)  # (V,)
        best = answers[log_p[answers].topk(min(n, len(answers))).indices]  # (n,)
        filled = ids.repeat(len(best), 1)
        filled[:, gap] = best
        score = log_p[best]
        for place in range(1, len(ids) - 1):
            if place == gap:
                continue
            holed = filled.clone()
            holed[:, place] = model.tokenizer.mask_id
            logits = model.mlm_logits(model(holed)[:, place])  # (n, V)
            score = score + logits.log_softmax(dim=-1)[:, ids[place]]
        said.append(best[score.argmax()])
    return share_of_true(torch.stack(said) == tokens.targets)


@torch.no_grad()
def cloze_share_of_gpt(gpt, gaps, words, whole=True):
    """Return how often a GPT with a tokenizer finds the word of each gap.

    Only `words`, one token each, may be answered. whole: the GPT reads the text once with each of
    them in the gap, and takes the word that makes the whole text most probable. Otherwise it reads
    up to the gap, once.
    """
    tokens = _cloze_tokens(gaps, gpt.tokenizer)
    answers = torch.tensor(_ids_of(words, gpt.tokenizer))  # (N,)
    said = []
    for padded_ids, real in zip(tokens.ids, tokens.mask, strict=True):
        ids = padded_ids[real]  # (T,)
        gap = int((ids == gpt.tokenizer.mask_id).nonzero())
        log_p = gpt(ids[None, :gap], last_only=True)[0, -1].log_softmax(dim=-1)[answers]  # (N,)
        if whole:
            filled = ids.repeat(len(answers), 1)
            filled[:, gap] = answers
            after = gpt.logits(gpt.read(filled[:, :-1])[:, gap:])  # (N, T - gap - 1, V)
            log_p -= F.cross_entropy(after.mT, filled[:, gap + 1 :], reduction="none").sum(dim=1)
        said.append(answers[log_p.argmax()])
    return share_of_true(torch.stack(said) == tokens.targets)


def cloze_by_counting(texts, gaps, words, tokenizer):
    """Return how often each way of `said_by_counting` in texts finds the word of each gap.

    Only `words`, one token each, may be answered.
    """
    tokens = _cloze_tokens(gaps, tokenizer)
    answers = _ids_of(words, tokenizer)
    return found_by_counting(texts, tokens, tokenizer.vocab_size, answers=answers)


def _ids_of(words, tokenizer):
    return [i for i, word in enumerate(tokenizer.vocab) if word in words]
