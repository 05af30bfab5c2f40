"""Whole numbers and dates written out in English, German and French words.

The grammar of numbers is short enough to stand here; Babel (the Unicode locale data) names months
and weekdays and orders a date. The forms chosen:

- English numbers carry "and" but no commas: one thousand two hundred and one.
- French keeps the spelling before the reform of 1990: vingt et un, quatre-vingt-un, deux cents.
- Years are read as years: nineteen oh-five, neunzehnhundertfünf.
- Dates keep Babel's commas; the German day takes its article.
"""

import datetime
import functools
import operator

from babel import Locale

LANGUAGES = ("en", "de", "fr")
LARGEST = 999_999


def _words(text):
    return text.split()


# The words for 0 to 19, and those for 20, 30, ..., 90.
_EN = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_EN_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_DE = _words(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
_DE_TENS = _words("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
_FR = _words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
    "seize dix-sept dix-huit dix-neuf"
)
# 70 is sixty-ten and 90 is eighty-ten.
_FR_TENS = _words("vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")

_EN_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_DE_ORDINALS = {1: "erste", 3: "dritte", 7: "siebte", 8: "achte"}

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
    return _SPELL[language](number)


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


def _english(number):
    if number < 20:
        return _EN[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return _EN_TENS[tens - 2] + (f"-{_EN[unit]}" if unit else "")
    size, name = (100, "hundred") if number < 1_000 else (1_000, "thousand")
    count, rest = divmod(number, size)
    words = f"{_english(count)} {name}"
    if not rest:
        return words
    return f"{words} and {_english(rest)}" if rest < 100 else f"{words} {_english(rest)}"


def _german(number, counts=False):
    """`counts`: a word follows that is counted, so that 1 is "ein" and not "eins"."""
    if number < 20:
        return "eins" if number == 1 and not counts else _DE[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return (f"{_DE[unit]}und" if unit else "") + _DE_TENS[tens - 2]
    size, name = (100, "hundert") if number < 1_000 else (1_000, "tausend")
    count, rest = divmod(number, size)
    return _german(count, counts=True) + name + (_german(rest, counts) if rest else "")


def _french(number, counts=False):
    """`counts`: "mille" follows, before which cent and vingt take no s."""
    if number < 20:
        return _FR[number]
    if number < 100:
        tens, rest = divmod(number, 10)
        if tens in (7, 9):
            rest += 10
        if not rest:
            return _FR_TENS[tens - 2] + ("s" if tens == 8 and not counts else "")
        joint = " et " if rest in (1, 11) and tens < 8 else "-"
        return f"{_FR_TENS[tens - 2]}{joint}{_FR[rest]}"
    size, name = (100, "cent") if number < 1_000 else (1_000, "mille")
    count, rest = divmod(number, size)
    words = name if count == 1 else f"{_french(count, counts=True)} {name}"
    if rest:
        return f"{words} {_french(rest, counts)}"
    return f"{words}s" if name == "cent" and count > 1 and not counts else words


_SPELL = {"en": _english, "de": _german, "fr": _french}


def _day(day, language):
    """A day of the month, 1 to 31; French counts them, only the first is an ordinal."""
    if language == "fr":
        return "premier" if day == 1 else _french(day)
    if language == "de":
        if day < 20:
            return _DE_ORDINALS.get(day, f"{_german(day)}te")
        return f"{_german(day)}ste"
    before, hyphen, last = _english(day).rpartition("-")
    if last.endswith("y"):
        return f"{last[:-1]}ieth"
    return before + hyphen + _EN_ORDINALS.get(last, f"{last}th")


def _year(year, language):
    century, rest = divmod(year, 100)
    if language == "fr" or (century == 20 and (language == "de" or rest < 10)):
        return _SPELL[language](year)
    if language == "de":
        return f"{_german(century)}hundert" + (_german(rest) if rest else "")
    if rest < 10:
        return f"{_english(century)} " + (f"oh-{_english(rest)}" if rest else "hundred")
    return f"{_english(century)} {_english(rest)}"


@functools.cache
def _locale(language):
    return Locale.parse(language)


def _check_language(language):
    if language not in LANGUAGES:
        raise ValueError(f"a language is one of {', '.join(LANGUAGES)}, got {language!r}")
