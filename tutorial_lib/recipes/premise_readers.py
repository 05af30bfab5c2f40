"""Small GPTs that read a premise and a hypothesis: with a head, or as text to continue.

Two forms of the same task. "head": premise, a separator, hypothesis and an extract token; a linear
head reads the last real place (Radford et al. 2018, without their second loss, that of the
language model). "text": premise, full stop, hypothesis, question mark; the next token is to be the
answer, a word of the vocabulary, and the loss counts at that place alone.
"""

import copy
import random
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets.premises import DETAILS, KINDS, LABELS, NUMBERS, PLACES, SIZES, Scene
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.objectives import IGNORED, next_token_loss, shifted
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.training import Muon, set_seed

FORMS = ("head", "text")

PAD, START, SEPARATOR, EXTRACT = "<pad>", "<start>", "<separator>", "<extract>"
ANSWERS = dict(zip(LABELS, ("yes", "maybe", "no"), strict=True))
_PARTS = [*NUMBERS, "some", *SIZES, *KINDS, *sum(KINDS.values(), ()), "are"]
_PARTS += [*PLACES, *sum(PLACES.values(), ()), *DETAILS]
_SPECIAL = [PAD, START, SEPARATOR, EXTRACT, ".", "?", *ANSWERS.values()]
VOCABULARY = tuple(dict.fromkeys([*_SPECIAL, *" ".join(_PARTS).split()]))
_ID = {word: i for i, word in enumerate(VOCABULARY)}


def encode(text):
    """Return the ids of words with spaces between them, a list.

    >>> decode(encode("<start> two dogs are outdoors ."))
    '<start> two dogs are outdoors .'
    """
    return [_ID[word] for word in text.split()]


def decode(ids):
    """Return the words of ids, with spaces between them."""
    return " ".join(VOCABULARY[i] for i in ids)


def written(pair, form):
    """Return a PremisePair as the words that a model reads; form is "head" or "text".

    >>> from tutorial_lib.datasets import PremisePair
    >>> written(PremisePair("two dogs are indoors", "some are", "neutral"), "head")
    '<start> two dogs are indoors <separator> some are <extract>'
    """
    if form == "head":
        return f"{START} {pair.premise} {SEPARATOR} {pair.hypothesis} {EXTRACT}"
    return f"{START} {pair.premise} . {pair.hypothesis} ?"


def padded(rows):
    """Return ids (B, T), padded on the right, and the mask (B, T) of the real ones.

    >>> padded([[1, 9, 8], [1, 9]])[1]
    tensor([[ True,  True,  True],
            [ True,  True, False]])
    """
    longest = max(map(len, rows))
    ids = torch.tensor([row + [_ID[PAD]] * (longest - len(row)) for row in rows])
    return ids, ids != _ID[PAD]


def stories(n, seed=0, length=3):
    """Return n texts of `length` sentences, all true of one scene; the text that has no labels.

    A scene is drawn at random, and each sentence says each part of it as it is or in general.

    >>> stories(1)[0].count(".")
    3
    """
    generator = random.Random(seed)
    return [_story(generator, length) for _ in range(n)]


def _story(generator, length):
    kind, region = generator.choice([*KINDS]), generator.choice([*PLACES])
    parts = [
        (generator.choice(NUMBERS), "some"),
        (generator.choice(SIZES), ""),
        (generator.choice(KINDS[kind]), kind),
        (generator.choice(PLACES[region]), region),
    ]
    said = [Scene(*map(generator.choice, parts)).text for _ in range(length)]
    return " ".join([START, *(f"{sentence} ." for sentence in said)])


class Batches:
    """Padded batches (ids, mask) of rows of ids, with their labels if given; a new order a pass."""

    def __init__(self, rows, labels, batch_size, seed=0):
        self.rows, self.labels = rows, labels
        self.batch_size, self.seed = batch_size, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            order = torch.randperm(len(self.rows), generator=generator)
            for chosen in order.split(self.batch_size):
                batch = padded([self.rows[i] for i in chosen])
                yield batch if self.labels is None else (*batch, self.labels[chosen])


class PairReader(nn.Module):
    """A GPT with a linear head on the last real place."""

    def __init__(self, gpt):
        super().__init__()
        self.gpt = gpt
        self.head = nn.Linear(gpt.config.d_model, len(LABELS))

    def forward(self, ids, mask):
        """Return the logits (B, 3) of LABELS for ids (B, T), mask (B, T), padded on the right."""
        hidden = self.gpt.hidden_states(ids, mask)[-1]  # (B, T, D)
        return self.head(hidden[torch.arange(len(ids)), mask.sum(dim=1) - 1])  # (B, 3)


class AnswerWriter(nn.Module):
    """A GPT that is asked for the token after the last real place; nothing is added to it."""

    def __init__(self, gpt):
        super().__init__()
        self.gpt = gpt

    def forward(self, ids, mask):
        """Return the logits (B, V) of what comes next; ids and mask as for PairReader."""
        logits = self.gpt(ids, mask)  # (B, T, V)
        return logits[torch.arange(len(ids)), mask.sum(dim=1) - 1]  # (B, V)


def targets(pairs, form):
    """Return what the model of that form is to say, (N,): places in LABELS, or ids of words."""
    labels = [pair.label for pair in pairs]
    return torch.tensor([LABELS.index(a) if form == "head" else _ID[ANSWERS[a]] for a in labels])


def build(settings):
    """Return a GPT over VOCABULARY with random weights."""
    return GPTConfig(vocab_size=len(VOCABULARY), **settings["sizes"]).build()


def story_loss(model, batch):
    """Return the next-token loss of stories (ids, mask); padding counts for nothing."""
    ids, mask = batch
    inputs, following = shifted(ids)
    return next_token_loss(model, (inputs, following.masked_fill(~mask[:, 1:], IGNORED)))


def answer_loss(model, batch):
    """Return the cross-entropy of a PairReader or AnswerWriter; batch = (ids, mask, targets)."""
    ids, mask, wanted = batch
    return F.cross_entropy(model(ids, mask), wanted)


def pretrain(settings, seed=0, progress=True):
    """Return a GPT that has read stories as a language model."""
    chosen = settings["stories"]
    set_seed(seed)
    model = build(settings)
    rows = [encode(text) for text in stories(chosen["n"], seed)]
    batches = Batches(rows, None, chosen["batch_size"], seed)
    train_on_cpu(model, batches, story_loss, chosen, progress, optimizer=Muon, seed=seed)
    return model


def labelled_batches(pairs, form, batch_size=16, seed=0):
    """Return Batches (ids, mask, targets) of PremisePairs without end."""
    rows = [encode(written(pair, form)) for pair in pairs]
    return Batches(rows, targets(pairs, form), batch_size, seed)


def fine_tune(gpt, form, pairs, steps, lr, batch_size=16, seed=0, progress=True, **options):
    """Return a model of that form, trained on PremisePairs from the weights of gpt.

    options go to `fit`; `history` is what it returns.
    """
    set_seed(seed)
    model = (PairReader if form == "head" else AnswerWriter)(copy.deepcopy(gpt))
    batches = labelled_batches(pairs, form, batch_size, seed)
    settings = {"steps": steps, "lr": lr, "seed": seed}
    model.history = train_on_cpu(
        model, batches, answer_loss, settings, progress, optimizer=Muon, **options
    )
    return model.eval()


@torch.no_grad()
def accuracy(model, form, pairs):
    """Return the share of PremisePairs for which the model's first choice is right."""
    ids, mask = padded([encode(written(pair, form)) for pair in pairs])
    return (model(ids, mask).argmax(dim=-1) == targets(pairs, form)).float().mean().item()


def without_premise(pairs):
    """Return the pairs with nothing where the premise stood."""
    return [replace(pair, premise="") for pair in pairs]
