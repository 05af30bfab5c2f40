import datetime
import random
import re

import pytest
from babel.dates import format_date
from num2words import num2words

from tutorial_lib.datasets import LANGUAGES, date_in_words, number_in_words


def words(text):
    return text.split()


# Grammars of our own, written without num2words, to check what comes from it.
EN = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
EN_TENS = words("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
DE = words(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
DE_TENS = words("_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
FR = words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
    "seize dix-sept dix-huit dix-neuf"
)
FR_TENS = words("_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")


def english(n):
    if n >= 1_000:
        joint = " and " if n % 1_000 < 100 else " "
        return english(n // 1_000) + " thousand" + (joint + english(n % 1_000)) * (n % 1_000 > 0)
    if n >= 100:
        return EN[n // 100] + " hundred" + (" and " + english(n % 100)) * (n % 100 > 0)
    return EN[n] if n < 20 else EN_TENS[n // 10] + ("-" + EN[n % 10]) * (n % 10 > 0)


def german(n, end="s"):
    if n >= 1_000:
        return german(n // 1_000, end="") + "tausend" + german(n % 1_000) * (n % 1_000 > 0)
    if n >= 100:
        return DE[n // 100] + "hundert" + german(n % 100, end) * (n % 100 > 0)
    if n < 20:
        return DE[n] + (end if n == 1 else "")
    return (DE[n % 10] + "und") * (n % 10 > 0) + DE_TENS[n // 10]


def french(n, plural=True):
    if n >= 1_000:
        before = "" if n < 2_000 else french(n // 1_000, plural=False) + " "
        return before + "mille" + (" " + french(n % 1_000)) * (n % 1_000 > 0)
    if n >= 100:
        before = "" if n < 200 else FR[n // 100] + " "
        s = "s" if plural and n >= 200 and n % 100 == 0 else ""
        return before + "cent" + s + (" " + french(n % 100, plural)) * (n % 100 > 0)
    if n < 20:
        return FR[n]
    tens, rest = FR_TENS[n // 10], n % 10 + 10 * (n // 10 in (7, 9))
    if n == 80:
        return tens + "s" * plural
    if rest == 0:
        return tens
    return tens + (" et " if rest in (1, 11) and n < 80 else "-") + FR[rest]


GRAMMAR = {"en": english, "de": german, "fr": french}
NUMBERS = [*range(1_000), *range(1_000, 1_000_000, 487)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_follow_the_grammar(language):
    wrong = [n for n in NUMBERS if number_in_words(n, language) != GRAMMAR[language](n)]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_spelling_in_halves_equals_num2words(language):
    for n in random.Random(0).sample(range(1_000_000), 300):
        whole = num2words(n, lang=language).replace(",", "")
        if language == "de" and n // 1_000 % 100 == 1:
            continue  # where num2words slips: see the next test
        assert number_in_words(n, language) == whole


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
