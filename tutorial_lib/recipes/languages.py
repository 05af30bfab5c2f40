"""Chapter 08b: one XLM for six languages, with and without translated pairs to read.

Lists of countries, languages, currencies, units and days are read in six languages. "mlm" guesses
masked tokens in two lists of one language a row; "mlm+tlm" has, in every other batch, a list and
its translation as a row, positions starting again. Same rows, same seconds of one CPU core.

Part "retrieval": does the vector of an unseen list lie nearest to its translation's, among those of
hundreds? From each the mean vector of its language is subtracted, and the layer is chosen on other
lists. "character n-grams" compares spelling alone.

Part "transfer": a classifier of kinds learns from English lists, and is asked in all languages
about lists of other things. "character n-grams, own language" learns in each
language itself.
"""

import itertools
import random

import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from tutorial_lib.datasets import KINDS, NAME_LANGUAGES, draw_list, load_things, things_fingerprint
from tutorial_lib.models import XLMConfig, count_parameters
from tutorial_lib.models.bert_heads import mean_pool
from tutorial_lib.objectives import mask_tokens, pack_translated, tlm_pair
from tutorial_lib.objectives.languages import TranslatedPair
from tutorial_lib.recipes import share_of_true
from tutorial_lib.recipes.masks_and_students import begun, tell, train
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import Muon, fit, set_seed

SPECIALS = ("<pad>", "</s>", "<mask>")
SETTINGS = {
    "seeds": [0, 1, 2],
    "models": ["untrained", "mlm", "mlm+tlm"],
    "n_things": 60,  # of a kind, at most
    "n_tokenizer": 3_000,  # lists of each language that pieces are learnt from
    "vocab_size": 2_000,
    "sizes": {"context": 128, "d_model": 96, "n_layers": 3, "n_heads": 3},
    "offsets": [-1, 1, -2],  # where the heads of the first layer look at first, as in chapter 06
    "batch_size": 32,
    "share": 0.3,
    "cpu_seconds": 150,  # of a training, on one thread
    "lr": 5e-3,
    "measured": 500,  # unseen lists
    "transfer": {"steps": 150, "batch_size": 32, "lr": 1e-3, "labelled": 2_000},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_tokenizer": 50,
    "vocab_size": 400,
    "sizes": {"context": 256, "d_model": 12, "n_layers": 1, "n_heads": 3},
    "batch_size": 4,
    "cpu_seconds": 0.1,
    "measured": 10,
    "transfer": {"steps": 2, "batch_size": 4, "lr": 1e-3, "labelled": 30},
}


# --- what is read ---------------------------------------------------------------------------


class Lists:
    """Lists of things in six languages, and the pieces that all of them are written in."""

    def __init__(self, settings):
        self.things = {kind: some[: settings["n_things"]] for kind, some in load_things().items()}
        self.tokenizer = self.learn_pieces(settings)
        self.pad, self.sep, self.mask = (self.tokenizer.special_tokens[name] for name in SPECIALS)

    def ids(self, some, language):
        """Return the ids of a ThingList in a language."""
        return self.tokenizer.encode(some.in_words(language))

    def batch(self, lists, language):
        """Return lists in one language as a TranslatedBatch of single sentences."""
        number, rows = NAME_LANGUAGES.index(language), []
        for some in lists:
            ids = [self.sep, *self.ids(some, language), self.sep]
            rows.append(TranslatedPair(ids, [number] * len(ids), list(range(len(ids)))))
        return pack_translated(rows, self.pad)

    def learn_pieces(self, settings):
        """Return a BPETokenizer that learnt from as many lists in each language."""
        generator = random.Random(0)
        lists = [self.draw(generator) for _ in range(settings["n_tokenizer"])]
        text = "\n".join(some.in_words(language) for language in NAME_LANGUAGES for some in lists)
        return BPETokenizer.train(text, settings["vocab_size"], SPECIALS)

    def draw(self, generator):
        """Return a random list of things of one kind."""
        kind = generator.choice(KINDS)
        return draw_list(generator, kind, self.things[kind])

    def draw_for_training(self, generator):
        """Return a random list that is not held out."""
        while (some := self.draw(generator)).held_out:
            pass
        return some

    def unseen(self, n, seed):
        """Return n different lists that are held out."""
        generator, found = random.Random(seed), {}
        while len(found) < n:
            some = self.draw(generator)
            if some.held_out:
                found[some] = None
        return list(found)

    def labelled(self, n, seed, labelled=True):
        """Return n lists of the things that have labels, two in three, or of the others."""
        generator, lists = random.Random(seed), []
        while len(lists) < n:
            kind = generator.choice(KINDS)
            things = self.things[kind]
            cut = 2 * len(things) // 3
            lists.append(draw_list(generator, kind, things[:cut] if labelled else things[cut:]))
        return lists


class Batches:
    """Endless batches (TranslatedBatch with hidden tokens, chosen (B, T), targets (N,)).

    Two lists of one language a row; with pairs, in every other batch a list and its translation.
    None of them is one of those held out. Every `iter` starts from the seed.
    """

    def __init__(self, lists, settings, seed, pairs):
        self.lists, self.settings, self.seed, self.pairs = lists, settings, seed, pairs

    def __iter__(self):
        generator, drawn = random.Random(self.seed), torch.Generator().manual_seed(self.seed)
        for n in itertools.count():
            row = self.translated if self.pairs and n % 2 else self.monolingual
            rows = [row(generator) for _ in range(self.settings["batch_size"])]
            batch = pack_translated(rows, self.lists.pad)
            special = [self.lists.pad, self.lists.sep]
            size, share = self.lists.tokenizer.vocab_size, self.settings["share"]
            options = {"mask": batch.mask, "share": share, "generator": drawn}
            hidden = mask_tokens(batch.ids, self.lists.mask, size, special, **options)
            yield batch._replace(ids=hidden.ids), hidden.chosen, hidden.targets

    def monolingual(self, generator):
        """Return two lists of one language as a row."""
        language = generator.choice(NAME_LANGUAGES)
        parts = [
            self.lists.ids(self.lists.draw_for_training(generator), language) for _ in range(2)
        ]
        ids = [self.lists.sep, *parts[0], self.lists.sep, self.lists.sep, *parts[1], self.lists.sep]
        number = NAME_LANGUAGES.index(language)
        return TranslatedPair(ids, [number] * len(ids), list(range(len(ids))))

    def translated(self, generator):
        """Return a list and its translation as a row."""
        languages = [0, generator.randrange(1, len(NAME_LANGUAGES))]  # English and another one
        generator.shuffle(languages)
        some = self.lists.draw_for_training(generator)
        first, second = (self.lists.ids(some, NAME_LANGUAGES[n]) for n in languages)
        return tlm_pair(first, second, self.lists.sep, tuple(languages))


# --- what is trained ------------------------------------------------------------------------


def build(lists, settings, seed):
    """Return an untrained XLM."""
    set_seed(seed)
    names = " ".join(NAME_LANGUAGES)
    sizes = settings["sizes"] | {"n_languages": len(NAME_LANGUAGES), "language_names": names}
    config = XLMConfig(lists.tokenizer.vocab_size, **sizes, mlm=True)
    return begun(config.build(), settings["offsets"])


def masked_loss(model, batch):
    """Return the mean of -log p(hidden token), in nats, of what `Batches` gives."""
    rows, chosen, targets = batch
    hidden = model(rows.ids, rows.languages, rows.mask, rows.positions)
    return F.cross_entropy(model.mlm_logits(hidden[chosen]), targets)


# --- what is measured -----------------------------------------------------------------------


@torch.no_grad()
def vectors(model, lists, some, language):
    """Return the vectors of lists in one language after each layer, (L + 1, N, D), length 1.

    Without their mean: what all lists of a language share says nothing about which one it is.
    """
    batch = lists.batch(some, language)
    states = model.hidden_states(batch.ids, batch.languages, batch.mask)
    found = torch.stack([mean_pool(state, batch.mask) for state in states])
    return F.normalize(found - found.mean(1, keepdim=True), dim=-1)


def found_share(queries, candidates):
    """Return how often the candidate of the same number is the nearest, (..., N, D) each."""
    nearest = (queries @ candidates.mT).argmax(-1)
    return (nearest == torch.arange(nearest.size(-1))).float().mean(-1)


def retrieval_rows(model, lists, settings, about):
    """Return one row a language: how often an English list finds its translation."""
    rows = []
    validation, test = (lists.unseen(settings["measured"], seed) for seed in (1, 2))
    english = [vectors(model, lists, some, "en") for some in (validation, test)]
    shares = {
        language: [
            found_share(known, vectors(model, lists, some, language))
            for known, some in zip(english, (validation, test), strict=True)
        ]
        for language in NAME_LANGUAGES[1:]
    }
    layer = torch.stack([found[0] for found in shares.values()]).mean(0).argmax().item()
    for language, (_, tested) in shares.items():
        found = {"layer": layer, "accuracy": tested[layer].item()}
        rows.append(about | {"part": "retrieval", "language": language} | found)
    return rows


def by_spelling_rows(lists, settings):
    """Return the rows of character n-grams, which have no seed."""
    test, rows = lists.unseen(settings["measured"], 2), []
    about = {"model": "character n-grams", "seed": None}
    for language in NAME_LANGUAGES[1:]:
        texts = [[some.in_words(code) for some in test] for code in ("en", language)]
        table = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4)).fit(texts[0] + texts[1])
        known, asked = (torch.tensor(table.transform(part).toarray()) for part in texts)
        found = found_share(known, asked).item()
        rows.append(about | {"part": "retrieval", "language": language, "accuracy": found})
    return rows


def transfer_rows(model, lists, settings, seed, about):
    """Return one row a language of a classifier of kinds that has learnt in English."""
    own = settings["transfer"]
    set_seed(seed)
    model = model.with_heads(n_classes=len(KINDS), pooling="mean")
    train_lists = lists.labelled(own["labelled"], seed)

    def batches():
        generator = random.Random(seed)
        while True:
            yield generator.sample(train_lists, own["batch_size"])

    def loss(model, some):
        return F.cross_entropy(kind_logits(model, lists, some, "en"), kinds_of(some))

    options = {"lr": own["lr"], "optimizer": Muon, "device": "cpu", "progress": False}
    fit(model, batches(), loss, steps=own["steps"], seed=seed, **options)
    model.eval()
    test = lists.labelled(settings["measured"], 10_000, False)
    rows = []
    for language in NAME_LANGUAGES:
        with torch.no_grad():
            said = kind_logits(model, lists, test, language).argmax(-1)
        found = {"accuracy": share_of_true(said == kinds_of(test))}
        rows.append(about | {"part": "transfer", "language": language} | found)
    return rows


def kind_logits(model, lists, some, language):
    """Return what a model says of the kinds of lists in a language, (N, kinds)."""
    batch = lists.batch(some, language)
    hidden = model(batch.ids, batch.languages, batch.mask)
    return model.sequence_logits(hidden, batch.mask)


def kinds_of(lists):
    """Return the numbers of the kinds of lists, (N,)."""
    return torch.tensor([KINDS.index(some.kind) for some in lists])


def transfer_by_spelling_rows(lists, settings, seed):
    """Return the rows of character n-grams that learn in English, or in each language itself."""
    rows, own = [], settings["transfer"]
    train_lists = lists.labelled(own["labelled"], seed)
    test = lists.labelled(settings["measured"], 10_000, False)
    for name in ("character n-grams", "character n-grams, own language"):
        for language in NAME_LANGUAGES:
            learnt_in = "en" if name == "character n-grams" else language
            table = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4))
            seen = table.fit_transform([some.in_words(learnt_in) for some in train_lists])
            model = LogisticRegression(C=10.0, max_iter=2_000)
            model.fit(seen, kinds_of(train_lists).numpy())
            said = model.predict(table.transform([some.in_words(language) for some in test]))
            right = share_of_true(torch.tensor(said) == kinds_of(test))
            about = {"part": "transfer", "model": name, "seed": seed, "language": language}
            rows.append(about | {"accuracy": right})
    return rows


def run(settings, progress=True):
    """Train and measure every model with every seed; return the rows of both parts."""
    lists = Lists(settings)
    rows = by_spelling_rows(lists, settings)
    tell(rows, progress)
    for seed in settings["seeds"]:
        found = transfer_by_spelling_rows(lists, settings, seed)
        for name in settings["models"]:
            model, took = build(lists, settings, seed).eval(), {"cpu_seconds": 0.0}
            if name != "untrained":
                batches = Batches(lists, settings, seed, pairs=name == "mlm+tlm")
                seconds = settings["cpu_seconds"]
                took = train(model, batches, masked_loss, seconds, settings["lr"], seed)
            about = {"model": name, "seed": seed, "parameters": count_parameters(model), **took}
            found += retrieval_rows(model, lists, settings, about)
            found += transfer_rows(model, lists, settings, seed, about)
        tell(
            [[row[k] for k in ("part", "model", "language", "accuracy")] for row in found], progress
        )
        rows += found
    return {"rows": rows}


def data_bytes():
    """Return what identifies the data, for its hash in the table."""
    return things_fingerprint().encode()
