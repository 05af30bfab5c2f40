"""Translating with a trained checkpoint: from what somebody typed to German or French words."""

import datetime
import functools
import re

import torch

from tutorial_lib import recipes
from tutorial_lib.datasets import date_in_words, number_in_words
from tutorial_lib.decoding import generate
from tutorial_lib.errors import MissingDataError, VocabularyError

SPECIALS = ("<pad>", "<start>", "<end>")
LANGUAGES = ("de", "fr")
MOST_TOKENS = 40  # of a translation; the longest of the data has 28
_FIRST_YEAR, _LAST_YEAR = 1800, 2099


def normalise(text):
    """Return English text as the models read it: small words, each with a space before it.

    >>> normalise("Wednesday, March twenty-first")
    ' wednesday march twenty first'
    """
    return "".join(f" {word}" for word in re.split(r"[\s,-]+", text.lower()) if word)


def read(text):
    """Return a number or date that somebody typed as the models read it.

    Takes words in any case, with or without commas and hyphens, and also figures: 342,021 or
    1984-03-21. Raises VocabularyError for words that no number or date has, ValueError for a
    number above 999,999, a date outside 1800 to 2099, and an empty text.

    >>> read("342,021")
    ' three hundred and forty two thousand and twenty one'
    >>> read("Forty-two, please")
    Traceback (most recent call last):
    ...
    tutorial_lib.errors.VocabularyError: no number or date in words has: please
    """
    text = text.strip()
    if re.fullmatch(r"[0-9]+|[0-9]{1,3}(,[0-9]{3})+", text):
        text = number_in_words(int(text.replace(",", "")))
    elif re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        date = _day(text)
        if not _FIRST_YEAR <= date.year <= _LAST_YEAR:
            raise ValueError(f"a date lies between {_FIRST_YEAR} and {_LAST_YEAR}, got {text}")
        text = date_in_words(date)
    words = normalise(text).split()
    if not words:
        raise ValueError("there is nothing to translate: give a number or a date")
    unknown = [word for word in words if word not in english_words()]
    if unknown:
        raise VocabularyError(f"no number or date in words has: {', '.join(unknown[:5])}")
    return normalise(text)


def _day(text):
    """Return the date of 1984-03-21. Raises ValueError when there is none."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:  # Python's words for it differ from version to version
        raise ValueError(f"the calendar has no {text}") from None


@functools.cache
def english_words():
    """Return the set of words that numbers to 999,999 and dates from 1800 to 2099 are made of."""
    numbers = [number_in_words(number) for number in [*range(102), 1_000]]
    years = range(_FIRST_YEAR, _LAST_YEAR + 1)
    dates = [datetime.date(year, 1 + year % 12, 1 + year % 28) for year in years]
    dates += [datetime.date(_FIRST_YEAR, 1, day) for day in range(1, 32)]
    return frozenset(normalise(" ".join([*numbers, *map(date_in_words, dates)])).split())


class Translator:
    """A trained model with its tokenizer: English in, German or French out.

    `source` gives what the encoder reads, for those who want to look inside; special ids are
    `pad`, `start` and `end`.

    >>> Translator.load("de").translate("Forty-two")
    'zweiundvierzig'
    """

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer
        self.pad, self.start, self.end = (tokenizer.special_tokens[name] for name in SPECIALS)

    @classmethod
    def load(cls, language="de", folder=None):
        """Return the translator of a stored checkpoint, "de" or "fr".

        Raises ValueError for another language, MissingDataError when a file is not there,
        DamagedFileError when one is truncated or another's.
        """
        if language not in LANGUAGES:
            raise ValueError(f"a language is one of {', '.join(LANGUAGES)}, got {language!r}")
        name = f"translation-{language}"
        model = recipes.load_checkpoint(name, folder)
        if not hasattr(model, "tokenizer"):
            raise MissingDataError(
                f"{name}.tokenizer.json is missing: make it with\n    {recipes.command(name)}"
            )
        return cls(model, model.tokenizer)

    def translate(self, text):
        """Return the greedy translation of a number or date.

        Errors as for `read`, and ContextError for a text longer than the model's context.
        """
        return self.translate_all([text])[0]

    def translate_all(self, texts, batch_size=250):
        """Return the translations of many texts, a batch at a time."""
        return [
            translation
            for batch in chunks(texts, batch_size)
            for translation in self._translate(batch)
        ]

    def exact_match(self, pairs):
        """Return the share of pairs (English, translation) that are translated letter by letter."""
        sources, targets = zip(*pairs, strict=True)
        return sum(map(str.__eq__, self.translate_all(sources), targets)) / len(targets)

    def source(self, texts):
        """Return the ids of texts (B, S) and their mask (B, S), True = a real token."""
        ids = padded([self.tokenizer.encode(read(text)) for text in texts], self.pad)
        return ids, ids != self.pad

    def _translate(self, texts):
        ids, mask = self.source(texts)
        options = {"source": ids, "source_mask": mask, "stop": self.end}
        rows = generate(self.model, [self.start], MOST_TOKENS, **options)
        marks = (self.start, self.end)
        return [self.tokenizer.decode([i for i in row if i not in marks]) for row in rows]


def padded(rows, pad):
    """Return lists of ids as one tensor (B, T), padded on the right.

    >>> padded([[1, 2], [3]], pad=0)
    tensor([[1, 2],
            [3, 0]])
    """
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (longest - len(row))] for row in rows])


def chunks(items, size):
    """Return a sequence cut into pieces of `size`, the last one being what is left.

    >>> chunks([1, 2, 3], 2)
    [[1, 2], [3]]
    """
    return [items[start : start + size] for start in range(0, len(items), size)]
