"""Find exercises (5.3), recall questions (R5.1) and predictions (P5.2); chapters load when used."""

import difflib
import functools
import importlib
import pkgutil
import re

PACKAGE = "tutorial_lib.exercises"
LISTS = {"exercise": "EXERCISES", "recall question": "RECALL", "prediction": "PREDICTIONS"}


@functools.cache
def chapters():
    """Return the chapters by number, {"00": "chapter00_start_here", ...}, in order."""
    folder = importlib.import_module(PACKAGE).__path__
    named = (re.match(r"chapter(\d+[a-z]?)_", part.name) for part in pkgutil.iter_modules(folder))
    return {found[1]: found.string for found in named if found}


def chapter_module(chapter):
    """Return the module of a chapter, given as 2, "2" or "02". Raises LookupError when unknown."""
    named = _chapter_name(str(chapter))
    if named not in chapters():
        raise LookupError(f"no chapter {chapter!r}; there are {', '.join(chapters())}")
    return importlib.import_module(f"{PACKAGE}.{chapters()[named]}")


def contents(chapter, sort="exercise"):
    """Return a chapter's exercises, recall questions or predictions as a dict id -> entry."""
    listed = getattr(chapter_module(chapter), LISTS[sort])
    return {entry.id: entry for entry in listed}


def find(id, sort="exercise"):
    """Return one entry by its number. Raises LookupError that names numbers close to it."""
    if not isinstance(id, str):
        raise TypeError(f'write the number in quotes: "{id}" (2.1 and 2.10 are one number)')
    chapter = _chapter_name(id.partition(".")[0].lstrip("PR"))
    known = contents(chapter, sort) if chapter in chapters() else {}
    if id in known:
        return known[id]
    every = list(known) or [key for each in chapters() for key in contents(each, sort)]
    near = difflib.get_close_matches(id, every, n=4, cutoff=0.5) or every[:12]
    raise LookupError(f'there is no {sort} "{id}"; there are {", ".join(near)}')


def _chapter_name(text):
    digits, letter = re.fullmatch(r"(\d*)(.*)", text, re.DOTALL).groups()
    return digits.zfill(2) + letter if digits else text
