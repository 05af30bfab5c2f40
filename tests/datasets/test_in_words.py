import datetime
import hashlib
import re

import pytest
from babel.dates import format_date

from tutorial_lib.datasets import LANGUAGES, date_in_words, in_words, number_in_words

NUMBERS = [*range(1_000), *range(1_000, 1_000_000, 487)]
# SHA-256 of what num2words 0.5.14 makes of NUMBERS, of the days 1 to 31 (ordinals; French counts
# from 2 on) and of the years 1100 to 2099: one a line, without its commas, and with the German
# einstausend that it writes in 101,000 and the like mended.
NUM2WORDS = {
    "en": "ed5684c2fe4d3e21740114b644110c3d2f0affd8b0b6e66d9cdb282b1a9f3a25",
    "de": "d252b8e825647f954fc60642a555a4f2b4d19acad29ec295ca46e8d1757b2327",
    "fr": "1202ace65e9ef4bb90d4d4f1678e133c60f37c95dc7ddb6fc15673bf0e5dfc92",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_those_of_num2words(language):
    lines = [number_in_words(n, language) for n in NUMBERS]
    lines += [in_words._day(day, language) for day in range(1, 32)]
    lines += [in_words._year(year, language) for year in range(1100, 2100)]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == NUM2WORDS[language]


@pytest.mark.parametrize("number", [101_000, 201_342, 901_001])
def test_german_ein_before_thousand(number):
    assert "eintausend" in number_in_words(number, "de")
    assert "einstausend" not in number_in_words(number, "de")


@pytest.mark.parametrize(
    ("number", "en", "de", "fr"),
    [
        (0, "zero", "null", "zéro"),
        (1, "one", "eins", "un"),
        (21, "twenty-one", "einundzwanzig", "vingt et un"),
        (71, "seventy-one", "einundsiebzig", "soixante et onze"),
        (80, "eighty", "achtzig", "quatre-vingts"),
        (81, "eighty-one", "einundachtzig", "quatre-vingt-un"),
        (100, "one hundred", "einhundert", "cent"),
        (101, "one hundred and one", "einhunderteins", "cent un"),
        (200, "two hundred", "zweihundert", "deux cents"),
        (1_000, "one thousand", "eintausend", "mille"),
        (1_001, "one thousand and one", "eintausendeins", "mille un"),
        (80_000, "eighty thousand", "achtzigtausend", "quatre-vingt mille"),
        (200_100, "two hundred thousand one hundred", "zweihunderttausendeinhundert", None),
    ],
)
def test_known_numbers(number, en, de, fr):
    assert number_in_words(number) == en
    assert number_in_words(number, "de") == de
    assert number_in_words(number, "fr") == (fr or "deux cent mille cent")


@pytest.mark.parametrize("language", LANGUAGES)
def test_different_numbers_read_differently(language):
    assert len({number_in_words(n, language) for n in NUMBERS}) == len(NUMBERS)


def test_known_dates():
    day = datetime.date(1900, 1, 1)
    assert date_in_words(day) == "Monday, January first, nineteen hundred"
    assert date_in_words(day, "de") == "Montag, der erste Januar neunzehnhundert"
    assert date_in_words(day, "fr") == "lundi premier janvier mille neuf cents"
    day = datetime.date(2001, 8, 31)
    assert date_in_words(day) == "Friday, August thirty-first, two thousand and one"
    assert date_in_words(day, "de") == "Freitag, der einunddreißigste August zweitausendeins"
    assert date_in_words(day, "fr") == "vendredi trente et un août deux mille un"
    assert date_in_words(datetime.date(1905, 2, 3)).endswith("third, nineteen oh-five")
    assert date_in_words(datetime.date(1807, 3, 7), "de") == (
        "Samstag, der siebte März achtzehnhundertsieben"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_keep_babels_order_months_and_weekdays(language):
    for day in range(0, 366, 5):
        date = datetime.date(2024, 1, 1) + datetime.timedelta(day)
        ours = date_in_words(date, language)
        theirs = format_date(date, "full", locale=language)
        # What Babel prints, its numbers taken out, stands in our text in the same order.
        pieces = [piece for piece in re.split(r"[\s,.]*\d+[.,]?\s*", theirs) if piece.strip()]
        assert re.search(".*".join(map(re.escape, pieces)), ours), (ours, theirs)


def test_out_of_range():
    with pytest.raises(ValueError, match="from 0 to 999,999, got 1,000,000"):
        number_in_words(1_000_000)
    with pytest.raises(ValueError, match="got -1"):
        number_in_words(-1)
    with pytest.raises(TypeError, match="'float' object"):
        number_in_words(1.5)
    with pytest.raises(ValueError, match="from 1100 to 2099, got 1066-10-14"):
        date_in_words(datetime.date(1066, 10, 14))
    with pytest.raises(ValueError, match="one of en, de, fr, got 'it'"):
        number_in_words(1, "it")
    with pytest.raises(ValueError, match="one of en, de, fr, got 'it'"):
        date_in_words(datetime.date(2000, 1, 1), "it")
