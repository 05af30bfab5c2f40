"""Chapter 04: a Transformer that translates English numbers and dates in words.

One model a language pair, for numbers and dates together: each is right after a few CPU-minutes,
and a learner loads only the one that a cell needs. One model for both would have to be told the
language by a token, and would share nothing but the English side.

The recipe, `GERMAN` or `FRENCH`, trains; `Translator` is what chapters use.
"""

import itertools
import random
from dataclasses import dataclass
from functools import partial

from tutorial_lib.datasets import load_dates, load_numbers
from tutorial_lib.models import Transformer, TransformerConfig
from tutorial_lib.objectives import translation_loss
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.recipes.translator import SPECIALS, Translator, chunks, normalise, padded
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import set_seed

__all__ = ["FRENCH", "GERMAN", "BatchesByLength", "TranslationRecipe", "Translator"]

SETTINGS = {
    "seed": 0,
    "n_numbers": 60_000,
    "n_dates": 20_000,
    "more_below_100": 20,
    "n_tokenizer": [1_500, 4_000],
    "vocab_size": 430,
    "steps": 4_500,
    "batch_size": 32,
    "lr": 2e-3,
    "d_model": 128,
    "n_layers": 2,
    "n_heads": 4,
    "context": 64,
    "stored_as": "float16",
}


@dataclass(frozen=True)
class TranslationRecipe:
    """English to one language: what `recipes` needs to train, build and measure its model."""

    language: str
    SETTINGS: dict

    @property
    def SMOKE(self):
        """A tiny size for tests."""
        return self.SETTINGS | {
            "n_numbers": 2_000,
            "n_dates": 200,
            "steps": 2,
            "d_model": 16,
        }

    def build(self, settings):
        """Return the untrained model."""
        sizes = ("context", "d_model", "n_layers", "n_heads")
        config = TransformerConfig(
            source_vocab_size=settings["vocab_size"],
            norm="pre",
            **{name: settings[name] for name in sizes},
        )
        return Transformer(config)

    def train(self, settings, progress=True):
        """Train on numbers and dates; the tokenizer, learnt first, is model.tokenizer."""
        numbers = load_numbers(self.language, n_train=settings["n_numbers"]).train
        dates = load_dates(self.language, n_train=settings["n_dates"]).train
        pairs = [(normalise(source), target) for source, target in itertools.chain(numbers, dates)]
        # More dates than numbers: their names become tokens, while tens stay apart from units.
        few, more = settings["n_tokenizer"]
        lines = itertools.chain.from_iterable([*pairs[:few], *pairs[-more:]])
        tokenizer = BPETokenizer.train("\n".join(lines), settings["vocab_size"], SPECIALS)
        # Of 0 to 99 there is one each among 60,000, but they are what people type first.
        pairs += pairs[:100] * settings["more_below_100"]
        batches = BatchesByLength(pairs, tokenizer, settings["batch_size"], settings["seed"])
        set_seed(settings["seed"])
        model = self.build(settings)
        loss = partial(translation_loss, pad_id=batches.pad, smoothing=0.0)
        train_on_cpu(model, batches, loss, settings, progress)
        model.tokenizer = tokenizer
        return model

    def evaluate(self, model, n=None):
        """Return the share of held-out numbers and dates translated letter by letter.

        n: how many of each to try, all 1,000 by default.
        """
        translator = Translator(model, model.tokenizer)
        tests = {
            "numbers": load_numbers(self.language, n_train=100).test,
            "dates": load_dates(self.language, n_train=1).test,
        }
        return {
            f"{kind}_exact": translator.exact_match(list(pairs)[:n])
            for kind, pairs in tests.items()
        }

    def data_bytes(self):
        """Return what identifies the data, for its hash in the card."""
        sizes = self.SETTINGS["n_numbers"], self.SETTINGS["n_dates"]
        numbers = load_numbers(self.language, n_train=sizes[0]).fingerprint
        return (numbers + load_dates(self.language, n_train=sizes[1]).fingerprint).encode()


class BatchesByLength:
    """Batches of pairs of similar length: (source (B, S), target (B, T)), padded on the right.

    The pairs are shuffled, then sorted by length within every 50 batches, so that little is
    padding and the order still differs from pass to pass. Every `iter` starts from the seed.
    """

    def __init__(self, pairs, tokenizer, batch_size, seed):
        pad, start, end = (tokenizer.special_tokens[name] for name in SPECIALS)
        self.pairs = [
            (tokenizer.encode(source), [start, *tokenizer.encode(target), end])
            for source, target in pairs
        ]
        self.pad, self.batch_size, self.seed = pad, batch_size, seed

    def __iter__(self):
        generator = random.Random(self.seed)
        while True:
            order = generator.sample(self.pairs, len(self.pairs))
            for pool in chunks(order, 50 * self.batch_size):
                pool.sort(key=lambda pair: len(pair[0]) + len(pair[1]))
                batches = chunks(pool, self.batch_size)
                generator.shuffle(batches)
                for batch in batches:
                    yield tuple(padded(part, self.pad) for part in zip(*batch, strict=True))


GERMAN = TranslationRecipe("de", SETTINGS)
FRENCH = TranslationRecipe("fr", SETTINGS | {"vocab_size": 460, "steps": 4_000})
