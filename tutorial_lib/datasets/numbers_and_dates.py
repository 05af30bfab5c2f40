"""Numbers and dates in words as pairs for translation, with held-out values.

A value is held out in every language at once: no model is trained on a number of the test set, in
English, German or French. All numbers below 100 are in the training set, because nothing in
"seven" tells you the German word.
"""

import datetime
import random
from dataclasses import dataclass
from typing import Literal

from tutorial_lib.datasets.in_words import date_in_words, number_in_words
from tutorial_lib.datasets.splits import Splits

Language = Literal["en", "de", "fr"]

_SEED = 2026
_N_VALIDATION, _N_TEST = 500, 1_000

_ALWAYS_TRAINED = 100
# Nine numbers in ten of 0..999,999 have six digits. Here four, five and six digits are equally
# frequent, and three digits a third of that: there are only 900 of them.
_DIGIT_COUNTS = (3, 4, 4, 4, 5, 5, 5, 6, 6, 6)

_FIRST_DAY, _LAST_DAY = datetime.date(1800, 1, 1), datetime.date(2099, 12, 31)


@dataclass(frozen=True, repr=False)
class Pairs:
    """Texts to translate and their translations: `values` (numbers or dates) say what they mean.

    An index gives the pair (source, target); iterating gives pairs.
    """

    source_language: str
    target_language: str
    values: tuple[int, ...] | tuple[datetime.date, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.sources[index], self.targets[index]

    def __iter__(self):
        return zip(self.sources, self.targets, strict=True)

    def __repr__(self):
        return f"Pairs({len(self):,} from {self.source_language} to {self.target_language})"


def load_numbers(target: Language = "de", source: Language = "en", n_train: int = 20_000) -> Splits:
    """Return Splits of `Pairs`: numbers from 0 to 999,999 in words; languages "en", "de", "fr".

    500 to validate and 1,000 to test, of three to six digits and never in a training set of any
    size or language. A smaller training set is the start of a larger one; 0 to 99 come first.
    Raises ValueError for an unknown language, equal languages, or n_train outside 100..500,000.

    >>> splits = load_numbers("de")
    >>> splits
    Splits(train 20,000, validation 500, test 1,000)
    >>> splits.train[42]
    ('forty-two', 'zweiundvierzig')
    """
    _check(target, source, n_train, 100, 500_000)
    generator = random.Random(_SEED)
    seen = set(range(_ALWAYS_TRAINED))
    test = _draw_numbers(generator, _N_TEST, seen)
    validation = _draw_numbers(generator, _N_VALIDATION, seen)
    train = [
        *range(_ALWAYS_TRAINED),
        *_draw_numbers(generator, n_train - _ALWAYS_TRAINED, seen),
    ]
    return _splits(number_in_words, source, target, train, validation, test)


def load_dates(target: Language = "de", source: Language = "en", n_train: int = 20_000) -> Splits:
    """Return Splits of `Pairs`: dates from 1800 to 2099 in words; languages "en", "de", "fr".

    500 dates to validate and 1,000 to test, never in a training set of any size or language.
    Raises ValueError for an unknown language, equal languages, or n_train outside 1..100,000.

    >>> train, validation, test = load_dates("fr")
    >>> [len(part) for part in (train, validation, test)]
    [20000, 500, 1000]
    """
    _check(target, source, n_train, 1, 100_000)
    days = range(_FIRST_DAY.toordinal(), _LAST_DAY.toordinal() + 1)
    order = list(days)
    random.Random(_SEED).shuffle(order)
    dates = [datetime.date.fromordinal(day) for day in order[: _N_TEST + _N_VALIDATION + n_train]]
    test, validation = dates[:_N_TEST], dates[_N_TEST : _N_TEST + _N_VALIDATION]
    train = dates[_N_TEST + _N_VALIDATION :]
    return _splits(date_in_words, source, target, train, validation, test)


def _draw_numbers(generator, n, seen):
    """Draw `n` numbers that are not in `seen`, and add them to it."""
    drawn = []
    while len(drawn) < n:
        n_digits = generator.choice(_DIGIT_COUNTS)
        number = generator.randrange(10 ** (n_digits - 1), 10**n_digits)
        if number not in seen:
            seen.add(number)
            drawn.append(number)
    return drawn


def _splits(write, source, target, *parts):
    return Splits(
        *(
            Pairs(
                source,
                target,
                tuple(values),
                tuple(write(value, source) for value in values),
                tuple(write(value, target) for value in values),
            )
            for values in parts
        )
    )


def _check(target, source, n_train, fewest, most):
    if target == source:
        raise ValueError(f"source and target are two languages, got {target!r} twice")
    if not fewest <= n_train <= most:
        raise ValueError(f"n_train is a number from {fewest:,} to {most:,}, got {n_train:,}")
