"""A BERT that learns to label each word of a speech: is it a name?"""

import random
from typing import NamedTuple

import torch.nn.functional as F

from tutorial_lib.objectives import IGNORED, TAGS, piece_labels
from tutorial_lib.recipes.translator import padded
from tutorial_lib.training import fit, set_seed


class TokenRow(NamedTuple):
    """What a BERT reads of a speech, [CLS] and [SEP] included, and the labels: two lists, T long.

    The first piece of a word has the place of its tag in TAGS, all else is IGNORED.
    """

    ids: list
    labels: list


def token_row(speech, tokenizer, label_pieces):
    """Return the TokenRow of a LabelledSpeech; label_pieces(tags, pieces) makes the labels."""
    words = [tokenizer.encode(word) for word in speech.words]
    ids = [i for word in words for i in word.ids[1:-1]]
    labels = label_pieces(speech.tags, [word.tokens[1:-1] for word in words])
    return TokenRow([tokenizer.cls_id, *ids, tokenizer.sep_id], labels)


class NameBatches:
    """Endless batches (ids (B, T), mask (B, T), labels (B, T)) of speeches of similar length.

    At most `tokens` tokens a batch. Every `iter` starts from the seed.
    """

    def __init__(self, speeches, tokenizer, tokens, seed):
        self.rows = [token_row(speech, tokenizer, piece_labels) for speech in speeches]
        self.pad_id, self.tokens, self.seed = tokenizer.pad_id, tokens, seed

    def __iter__(self):
        draw = random.Random(self.seed)
        while True:
            # Shuffled first, so that rows of one length meet others each time.
            groups = by_length(draw.sample(self.rows, len(self.rows)), self.tokens)
            draw.shuffle(groups)
            for rows in groups:
                ids = padded([row.ids for row in rows], self.pad_id)
                yield ids, ids != self.pad_id, padded([row.labels for row in rows], IGNORED)


def by_length(rows, tokens):
    """Return rows with ids in groups of similar length, with at most `tokens` tokens each."""
    groups = [[]]
    for row in sorted(rows, key=lambda row: len(row.ids)):
        if groups[-1] and (len(groups[-1]) + 1) * len(row.ids) > tokens:
            groups.append([])
        groups[-1].append(row)
    return groups


def name_loss(model, batch):
    """Return the cross-entropy of the labels (B, T) of a batch, over the words."""
    ids, mask, labels = batch
    logits = model.token_logits(model(ids, mask=mask))  # (B, T, labels)
    return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORED)


def fine_tune_names(model, speeches, *, steps, tokens, lr, seed=0, progress=True):
    """Return a copy of a BERT, with a new head for B/I/O, that has learned from LabelledSpeeches.

    model has a tokenizer, and so has the copy, which is in evaluation mode; tokens are those of
    `NameBatches`.
    """
    set_seed(seed)
    tagger = model.with_heads(n_labels=len(TAGS), mlm=False, nsp=False, pooler=False)
    tagger.tokenizer = model.tokenizer
    batches = NameBatches(speeches, model.tokenizer, tokens, seed)
    fit(
        tagger,
        batches,
        name_loss,
        steps=steps,
        lr=lr,
        seed=seed,
        device="cpu",
        progress=progress,
    )
    return tagger.eval()
