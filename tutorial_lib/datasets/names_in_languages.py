"""Lists of countries, languages, currencies, units and days, in six languages and three alphabets.

The names and the joining words are Babel's (the Unicode locale data): "Norway, Chad and Japan" is
"Норвегия, Чад и Япония". Every list exists in every language, so that translations are known.
"""

import functools
import random
from dataclasses import dataclass
from typing import Literal

from babel import Locale
from babel.core import get_global
from babel.lists import format_list
from babel.units import get_unit_name

from tutorial_lib.datasets.splits import fingerprint

NAME_LANGUAGES = ("en", "de", "fr", "es", "ru", "el")
KINDS = ("country", "language", "currency", "unit", "day")
_LONGEST = 22  # letters of a name
_SEED = 2028


@dataclass(frozen=True)
class Thing:
    """Something that has a name in each of `NAME_LANGUAGES`: its kind, and the names in order.

    number: its place among the things of its kind.
    """

    kind: str
    number: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class ThingList:
    """One to three things of one kind, joined by "and" or "or".

    >>> some = ThingList(load_things()["day"][:2], "or")
    >>> some.kind, some.in_words("en"), some.in_words("de")
    ('day', 'Tuesday or November', 'Dienstag oder November')
    """

    things: tuple[Thing, ...]
    joined_by: Literal["and", "or"] = "and"

    @property
    def kind(self):
        """The kind of its things."""
        return self.things[0].kind

    @property
    def held_out(self):
        """Whether it is kept for tests: one list in ten, all things of which stand in others."""
        return sum(thing.number for thing in self.things) % 10 == 0

    def in_words(self, language):
        """Return the list in one of `NAME_LANGUAGES`.

        Raises ValueError for another language.
        """
        if language not in NAME_LANGUAGES:
            raise ValueError(f"a language is one of {', '.join(NAME_LANGUAGES)}, got {language!r}")
        names = [thing.names[NAME_LANGUAGES.index(language)] for thing in self.things]
        style = {"and": "standard", "or": "or"}[self.joined_by]
        return format_list(names, style, _locale(language))


@functools.cache
def load_things() -> dict[str, tuple[Thing, ...]]:
    """Return the things of each of `KINDS` that have short names in all languages.

    No two of them share a name in any language. The order is random, but always the same.

    >>> {kind: len(things) for kind, things in load_things().items()}
    {'country': 225, 'language': 177, 'currency': 126, 'unit': 88, 'day': 19}
    """
    taken, things = set(), {}
    for kind, read in _READ.items():
        tables = [read(language) for language in NAME_LANGUAGES]
        codes = sorted(set.intersection(*map(set, tables)))
        random.Random(_SEED).shuffle(codes)
        things[kind] = []
        for code in codes:
            names = tuple(table[code] for table in tables)
            forms = {
                (language, name.lower())
                for language, name in zip(NAME_LANGUAGES, names, strict=True)
            }
            if all(map(_is_short, names)) and not forms & taken:
                taken |= forms
                things[kind].append(Thing(kind, len(things[kind]), names))
    return {kind: tuple(some) for kind, some in things.items()}


def draw_list(generator: random.Random, kind: str | None = None, things=None) -> ThingList:
    """Return a random ThingList, of a kind drawn first unless it is given.

    things: those to choose from, all of the kind by default.
    """
    kind = kind or generator.choice(KINDS)
    things = load_things()[kind] if things is None else things
    some = tuple(generator.sample(things, generator.randint(1, 3)))
    return ThingList(some, generator.choice(("and", "or")))


def things_fingerprint():
    """Return the `fingerprint` of all names: another version of the locale data has another."""
    return fingerprint(*(thing for some in load_things().values() for thing in some))


def _is_short(name):
    return name and len(name) <= _LONGEST and not set(name) & set("()[],;/&0123456789")


def _countries(language):
    return {code: name for code, name in _locale(language).territories.items() if len(code) == 2}


def _languages(language):
    return {code: name for code, name in _locale(language).languages.items() if len(code) == 2}


def _currencies(language):
    in_use = {
        code
        for periods in get_global("territory_currencies").values()
        for code, _, until, tender in periods
        if until is None and tender
    }
    return {c: name for c, name in _locale(language).currencies.items() if c in in_use}


def _units(language):
    codes = _locale(language).unit_display_names
    found = {code: get_unit_name(code, locale=language) for code in codes if "-per-" not in code}
    return {code: name for code, name in found.items() if name}


def _days(language):
    locale = _locale(language)
    return {
        f"{sort} {number}": name
        for sort, names in (("day", locale.days), ("month", locale.months))
        for number, name in names["stand-alone"]["wide"].items()
    }


_READ = dict(zip(KINDS, (_countries, _languages, _currencies, _units, _days), strict=True))


@functools.cache
def _locale(language):
    return Locale.parse(language)
