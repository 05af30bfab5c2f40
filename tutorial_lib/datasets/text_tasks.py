"""Six small tasks written as text to text: a prefix says which, as in T5 (Raffel et al. 2020).

Every task has values that no training example holds, so that an exact match is never memory.
Numbers and dates are those of `load_numbers` and `load_dates`, with the same ones held out.
"""

import random
from dataclasses import dataclass

from tutorial_lib.datasets.in_words import number_in_words
from tutorial_lib.datasets.numbers_and_dates import load_dates, load_numbers
from tutorial_lib.datasets.splits import Splits

TASKS = ("german", "french", "date", "add", "sort", "larger")

_SEED = 2027
_N_VALIDATION, _N_TEST = 200, 500
_N_SUMS = 90 * 90  # two numbers of two digits
_LANGUAGE = {"german": "de", "french": "fr"}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class TextPair:
    """What a text-to-text model reads, "prefix: ...", and what it should write.

    >>> pair = TextPair("sort: c a b", "a b c")
    >>> pair.task
    'sort'
    """

    source: str
    target: str

    @property
    def task(self):
        """The prefix, without its colon."""
        return self.source.partition(":")[0]


def load_text_task(task: str, n_train: int = 7_000) -> Splits:
    """Return Splits of TextPairs of one of `TASKS`: 200 to validate and 500 to test.

    A smaller training set is the start of a larger one.

    - "german", "french": an English number from 0 to 999,999, in words
    - "date": a date in English words, to be written as year-month-day
    - "add": two numbers of two digits each, the digits apart
    - "sort": three to seven letters, some of them twice
    - "larger": two numbers below 1,000,000 in English words; the larger one is to be copied

    Raises ValueError for another task or n_train outside 100..50,000; there are 8,100 sums, so
    "add" has at most 7,400 to train on.

    >>> load_text_task("add", 100).train[-1]
    TextPair(source='add: 4 3 + 4 5', target='8 8')
    """
    if task not in TASKS:
        raise ValueError(f"a task is one of {', '.join(TASKS)}, got {task!r}")
    most = _N_SUMS - _N_VALIDATION - _N_TEST if task == "add" else 50_000
    if not 100 <= n_train <= most:
        raise ValueError(f"n_train of {task} is a number from 100 to {most:,}, got {n_train:,}")
    if task in _LANGUAGE:
        parts = load_numbers(_LANGUAGE[task], n_train=n_train)
    elif task == "date":
        parts = load_dates("de", n_train=n_train)
        parts = [
            [(s, d.isoformat()) for s, d in zip(p.sources, p.values, strict=True)] for p in parts
        ]
    else:
        parts = _drawn(_DRAW[task], n_train)
    train, validation, test = (
        tuple(TextPair(f"{task}: {source}", target) for source, target in part) for part in parts
    )
    return Splits(train, validation[:_N_VALIDATION], test[:_N_TEST])


def _drawn(draw, n_train):
    """Return train, validation and test of different examples; validation and test come first."""
    generator, seen, examples = random.Random(_SEED), set(), []
    while len(examples) < _N_TEST + _N_VALIDATION + n_train:
        example = draw(generator)
        if example not in seen:
            seen.add(example)
            examples.append(example)
    test, rest = examples[:_N_TEST], examples[_N_TEST:]
    return rest[_N_VALIDATION:], rest[:_N_VALIDATION], test


def _sum(generator):
    first, second = generator.randrange(10, 100), generator.randrange(10, 100)
    return f"{_apart(first)} + {_apart(second)}", _apart(first + second)


def _apart(number):
    # So that every digit is a token, whatever pieces a tokenizer has learnt.
    return " ".join(str(number))


def _letters(generator):
    letters = generator.choices(_LETTERS, k=generator.randint(3, 7))
    return " ".join(letters), " ".join(sorted(letters))


def _larger(generator):
    # As many digits in both, in half of them: otherwise the longer one wins.
    n_digits = [generator.randint(1, 6) for _ in range(2)]
    if generator.random() < 0.5:
        n_digits = [n_digits[0]] * 2
    first, second = (generator.randrange(10 ** (n - 1), 10**n) for n in n_digits)
    both = [number_in_words(number) for number in (first, second)]
    return " or ".join(both), both[second > first]


_DRAW = {"add": _sum, "sort": _letters, "larger": _larger}
