"""Whether words make a number or a date as the translators have seen them in training."""

import re

_UNIT = "(?:one|two|three|four|five|six|seven|eight|nine)"
_TEEN = "(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_TENS = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_BELOW_100 = f"(?:{_TENS}(?: {_UNIT})?|{_TEEN}|{_UNIT})"
_HUNDREDS = f"(?:{_UNIT} hundred(?: and {_BELOW_100})?)"
_BELOW_1000 = f"(?:{_HUNDREDS}|{_BELOW_100})"
_NUMBER = f"zero|(?:{_BELOW_1000} thousand(?: {_HUNDREDS}| and {_BELOW_100})?)|{_BELOW_1000}"

_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_FIRST_TO_NINTH = "(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
_DAY = (
    f"(?:(?:twenty )?{_FIRST_TO_NINTH}|thirty first|twentieth|thirtieth"
    "|(?:ten|eleven|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)th|twelfth)"
)
_YEAR = (
    f"(?:(?:eighteen|nineteen|twenty) (?:hundred|oh {_UNIT}|{_TENS}(?: {_UNIT})?|{_TEEN})"
    f"|two thousand(?: and {_UNIT})?)"
)
PATTERN = re.compile(f"{_NUMBER}|{_WEEKDAY} {_MONTH} {_DAY} {_YEAR}")


def is_number_or_date(words):
    """Whether small words with spaces between them are a number to 999,999 or a date.

    A date is a weekday, month, day and year from 1800 to 2099; whether the weekday is that of
    the date does not count.

    >>> is_number_or_date("seven hundred and forty two"), is_number_or_date("seven seven")
    (True, False)
    """
    return PATTERN.fullmatch(words) is not None
