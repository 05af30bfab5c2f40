"""A BERT that labels each word of a speech: is it a name? From labelled speeches to tags."""

import random
from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.objectives import IGNORED, TAGS
from tutorial_lib.recipes.translator import chunks, padded
from tutorial_lib.training import Muon, fit, set_seed

# Pieces that are read at once. A name is told by what stands near it, and most of a long speech
# holds none.
WIDTH = 48


class Window(NamedTuple):
    """What the model reads at once: a speech, or a piece of a long one.

    ids (T) with [CLS] and [SEP]; places (W), where each word's first piece stands; labels (W),
    the places of its tags in TAGS.
    """

    ids: list
    places: list
    labels: list


def windows(speeches, tokenizer, width=WIDTH):
    """Return, for each LabelledSpeech, its Windows: at most `width` pieces each, no word is cut."""
    pieces = {}
    return [list(_cut(speech, tokenizer, width, pieces)) for speech in speeches]


def _cut(speech, tokenizer, width, pieces):
    ids, places, labels = [], [], []
    for word, tag in zip(speech.words, speech.tags, strict=True):
        if word not in pieces:
            pieces[word] = tokenizer.encode(word).ids[1:-1]
        if ids and len(ids) + len(pieces[word]) > width:
            yield Window([tokenizer.cls_id, *ids, tokenizer.sep_id], places, labels)
            ids, places, labels = [], [], []
        places.append(1 + len(ids))
        labels.append(TAGS.index(tag))
        ids += pieces[word]
    yield Window([tokenizer.cls_id, *ids, tokenizer.sep_id], places, labels)


class NameBatches:
    """Endless batches (ids (B, T), mask (B, T), labels (B, T)) of windows of similar length.

    Only the first piece of a word has a label, the others and the padding are IGNORED (Devlin et
    al. 2018, section 5.3). Names are rare: half of the windows have one, the others are drawn
    from those without. The share `made_up` of the names is exchanged for made-up ones, see
    `MadeUpNames`. At most `tokens` tokens a batch. Every `iter` starts from the seed.
    """

    def __init__(self, speeches, tokenizer, tokens, seed, made_up=0.0):
        rows = [row for rows in windows(speeches, tokenizer) for row in rows]
        with_name = [row for row in rows if any(row.labels)]
        without = [row for row in rows if not any(row.labels)]
        drawn = random.Random(seed).sample(without, min(len(with_name), len(without)))
        self.rows = with_name + drawn
        self.names = MadeUpNames(with_name, made_up)
        self.pad_id, self.tokens, self.seed = tokenizer.pad_id, tokens, seed

    def __iter__(self):
        draw = random.Random(self.seed)
        for rows in endless_groups(self.rows, self.tokens, 2_000, draw):
            yield self.stacked([self.names.exchanged(row, draw) for row in rows])

    def stacked(self, rows):
        """Return one batch of a group of windows."""
        ids = padded([row.ids for row in rows], self.pad_id)
        labels = torch.full_like(ids, IGNORED)
        for line, row in zip(labels, rows, strict=True):
            line[row.places] = torch.tensor(row.labels)
        return ids, ids != self.pad_id, labels


class MadeUpNames:
    """Names that nobody bears, from pieces of the names in windows.

    A model that reads the same few names again and again learns these by heart. Where a name may
    be any name, what is left to learn is how names are built, and what stands around them.
    """

    def __init__(self, rows, share):
        self.share = share
        pieces = {
            tuple(row.ids[place:end])
            for row in rows
            for place, end, label in _words(row)
            if TAGS[label] != "O"
        }  # each name once, or the frequent ones would prevail
        self.first = [ids[0] for ids in sorted(pieces)]
        self.other = [piece for ids in sorted(pieces) for piece in ids[1:]]

    def exchanged(self, row, draw):
        """Return a Window whose names are made up, each with the probability `share`.

        A name keeps its number of pieces. draw is a random.Random.
        """
        ids = list(row.ids)
        for place, end, label in _words(row):
            if TAGS[label] != "O" and draw.random() < self.share:
                ids[place] = draw.choice(self.first)
                ids[place + 1 : end] = draw.choices(self.other, k=end - place - 1)
        return row._replace(ids=ids)


def _words(row):
    """The place of each word's first piece in a window, that behind its last one, its label."""
    return zip(row.places, [*row.places[1:], len(row.ids) - 1], row.labels, strict=True)


def endless_groups(rows, tokens, pool, draw):
    """Yield the groups of `by_length` without end, shuffled, from pools of `pool` drawn rows."""
    while True:
        for some in chunks(draw.sample(rows, len(rows)), pool):
            groups = by_length(some, tokens)
            draw.shuffle(groups)
            yield from groups


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


def fine_tune_names(
    model, speeches, *, steps, tokens=2_048, lr=6e-3, made_up=0.0, seed=0, **options
):
    """Train a copy of a BERT, with a new head for B/I/O, on LabelledSpeeches.

    model has a tokenizer, and so has the copy; tokens and made_up are those of `NameBatches`,
    options go to `fit`. Returns the copy, in evaluation mode, and the History.
    """
    set_seed(seed)
    tagger = model.with_heads(n_labels=len(TAGS), mlm=False, nsp=False, pooler=False)
    tagger.tokenizer = model.tokenizer
    batches = NameBatches(speeches, model.tokenizer, tokens, seed, made_up)
    options = {"optimizer": Muon, "device": "cpu"} | options
    history = fit(tagger, batches, name_loss, steps=steps, lr=lr, seed=seed, **options)
    return tagger.eval(), history


@torch.no_grad()
def tag(model, speeches):
    """Return what a fine-tuned BERT says of each LabelledSpeech: a tuple of tags, one a word."""
    rows = windows(speeches, model.tokenizer)
    order = sorted(
        ((number, place) for number, group in enumerate(rows) for place in range(len(group))),
        key=lambda at: len(rows[at[0]][at[1]].ids),
    )
    said = {}
    for group in chunks(order, 64):
        ids = padded([rows[number][place].ids for number, place in group], model.tokenizer.pad_id)
        labels = model.token_logits(model(ids, mask=ids != model.tokenizer.pad_id)).argmax(-1)
        for at, line in zip(group, labels.tolist(), strict=True):
            said[at] = [TAGS[line[i]] for i in rows[at[0]][at[1]].places]
    return [
        tuple(label for place in range(len(group)) for label in said[number, place])
        for number, group in enumerate(rows)
    ]
