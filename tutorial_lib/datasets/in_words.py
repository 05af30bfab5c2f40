"""Whole numbers and dates written out in English, German and French words.

num2words spells numbers and ordinals, Babel (the Unicode locale data) names months and weekdays
and orders a date. What we make of it:

- English numbers carry "and" but no commas: one thousand two hundred and one.
- French keeps the spelling before the reform of 1990: vingt et un, quatre-vingt-un, deux cents.
- German thousands that end in one are mended: num2words writes einhunderteinstausend for 101,000.
- Dates keep Babel's commas; the German day takes its article.
"""

import datetime
import functools
import operator

from babel import Locale
from num2words import num2words

LANGUAGES = ("en", "de", "fr")
LARGEST = 999_999

# Babel's "full" order of a date.
_DATE = {
    "en": "{weekday}, {month} {day}, {year}",
    "de": "{weekday}, der {day} {month} {year}",
    "fr": "{weekday} {day} {month} {year}",
}
_FIRST_DAY, _LAST_DAY = datetime.date(1100, 1, 1), datetime.date(2099, 12, 31)


def number_in_words(number, language="en"):
    """Write a whole number from 0 to 999,999 in words.

    Raises TypeError for a number that is not whole, ValueError for one outside this range or a
    language other than "en", "de" and "fr".

    >>> number_in_words(342_021)
    'three hundred and forty-two thousand and twenty-one'
    >>> number_in_words(342_021, "de")
    'dreihundertzweiundvierzigtausendeinundzwanzig'
    >>> number_in_words(342_021, "fr")
    'trois cent quarante-deux mille vingt et un'
    """
    _check_language(language)
    number = operator.index(number)
    if not 0 <= number <= LARGEST:
        raise ValueError(f"a number in words goes from 0 to {LARGEST:,}, got {number:,}")
    thousands, rest = divmod(number, 1_000)
    # num2words takes up to 0.5 ms a number: each half is spelled once and kept.
    if not thousands:
        return _spell(rest, language)
    words = _spell(1_000 * thousands, language)
    if not rest:
        return words
    joint = {"en": " and " if rest < 100 else " ", "de": "", "fr": " "}[language]
    return f"{words}{joint}{_spell(rest, language)}"


def date_in_words(date, language="en"):
    """Write a date from 1100 to 2099 in words, weekday first, in the order Babel gives.

    Raises ValueError for another year or a language other than "en", "de" and "fr".

    >>> day = datetime.date(1984, 3, 21)
    >>> date_in_words(day)
    'Wednesday, March twenty-first, nineteen eighty-four'
    >>> date_in_words(day, "de")
    'Mittwoch, der einundzwanzigste März neunzehnhundertvierundachtzig'
    >>> date_in_words(day, "fr")
    'mercredi vingt et un mars mille neuf cent quatre-vingt-quatre'
    """
    _check_language(language)
    if not _FIRST_DAY <= date <= _LAST_DAY:
        raise ValueError(
            f"a date in words goes from {_FIRST_DAY.year} to {_LAST_DAY.year}, got {date}"
        )
    locale = _locale(language)
    return _DATE[language].format(
        weekday=locale.days["format"]["wide"][date.weekday()],
        month=locale.months["format"]["wide"][date.month],
        day=_day(date.day, language),
        year=_year(date.year, language),
    )


@functools.cache
def _spell(number, language):
    words = num2words(number, lang=language).replace(",", "")
    return words.replace("einstausend", "eintausend")


@functools.cache
def _day(day, language):
    # French counts the days of a month; only the first is an ordinal.
    kind = "cardinal" if language == "fr" and day > 1 else "ordinal"
    return num2words(day, lang=language, to=kind)


@functools.cache
def _year(year, language):
    return num2words(year, lang=language, to="year")


@functools.cache
def _locale(language):
    return Locale.parse(language)


def _check_language(language):
    if language not in LANGUAGES:
        raise ValueError(f"a language is one of {', '.join(LANGUAGES)}, got {language!r}")
