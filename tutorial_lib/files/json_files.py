"""Reading JSON that may come from anywhere: within limits, and with one kind of error."""

import json
import math
from pathlib import Path

from tutorial_lib.errors import DamagedFileError, MissingDataError

MOST_BYTES = 64 * 2**20  # the largest vocabularies take a quarter of this
DEEPEST = 50  # lists and objects inside each other; our own files use five
LONGEST_NUMBER = 100  # digits of a whole number; tokenizers write some with 31


def read_json(path, kind=None, nan=False, most_bytes=MOST_BYTES):
    """Return what a JSON file holds; kind and nan as for `parse_json`.

    Raises MissingDataError when there is no such file, and DamagedFileError, which names the
    file, for one that is not UTF-8 or not JSON, is of another kind, or goes beyond the limits of
    `parse_json` or most_bytes.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except FileNotFoundError as error:
        raise MissingDataError(f"there is no file {path}") from error
    if len(content) > most_bytes:
        raise DamagedFileError(f"{path} is too large: over {most_bytes:,} bytes")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"{path} is not UTF-8 ({error})") from error
    return parse_json(text, path, kind, nan)


def parse_json(text, name, kind=None, nan=False):
    """Return what JSON text stands for; errors say that it comes from `name`.

    Numbers must be finite unless nan is true, whole numbers have at most 100 digits, and lists and
    objects are at most 50 deep. kind, dict or list, is what the whole must be.
    Raises DamagedFileError.

    >>> parse_json('{"steps": 6}', "run.json", dict)
    {'steps': 6}
    >>> parse_json("[1e999]", "run.json")
    Traceback (most recent call last):
    ...
    tutorial_lib.errors.DamagedFileError: run.json is not usable JSON: 1e999 is no finite number
    """
    try:
        value = json.loads(
            text,
            parse_int=_whole_number,
            parse_float=float if nan else _finite,
            parse_constant=float if nan else _finite,
        )
        if _too_deep(value):
            raise RecursionError
    except RecursionError as error:  # json itself gives up at about a thousand
        raise DamagedFileError(
            f"{name} is not usable JSON: lists and objects are more than {DEEPEST} deep"
        ) from error
    except ValueError as error:
        raise DamagedFileError(f"{name} is not usable JSON: {error}") from error
    if kind is not None and not isinstance(value, kind):
        wanted = {dict: "an object", list: "a list"}[kind]
        raise DamagedFileError(f"{name} must hold {wanted}, it holds {type(value).__name__}")
    return value


def _whole_number(digits):
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"a whole number has {len(digits):,} digits")
    return int(digits)


def _finite(digits):
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is no finite number")
    return number


def _too_deep(value):
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [one for one in level if isinstance(one, (list, dict))]
        if not level:
            return False
        level = [part for one in level for part in (one.values() if isinstance(one, dict) else one)]
    return True
