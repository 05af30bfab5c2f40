"""The words a notebook uses: check, hint, solution, recall, predict, reveal, progress.

Each prints one or two lines of plain text; only `symptom` returns something.
"""

import sys
from math import isfinite

import torch

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.compare import settle
from tutorial_lib.exercises.engine.excerpts import show
from tutorial_lib.exercises.engine.guard import Printed, guarded
from tutorial_lib.exercises.engine.keep import ACCEPTED, keep
from tutorial_lib.exercises.engine.sources import standing
from tutorial_lib.exercises.engine.store import open_store
from tutorial_lib.exercises.engine.tasks import Claim, Symptom
from tutorial_lib.exercises.engine.verdicts import judge, judge_recall, shown

MISSES_TO_HINT, MISSES_TO_SOLUTION = 2, 4
MOST_NUMBERS, LONGEST_WORD, LARGEST = 20, 200, 10**30  # of a guess


def check(id, answer=None, repaired=None):
    """Check an answer: a function or class (write), a letter and code (symptom), a number (claim).

    A symptom is checked twice: its letter alone, then the letter with the repaired code. Raises
    LookupError for a number that no exercise has.
    """
    task = registry.find(id)
    verdict = judge(task, answer, repaired, Printed(sys.stdout))
    text = f"{verdict.line[0]} {id} {task.title}: {verdict.line[2:]}"
    if verdict.status == "open":
        print(text)
        return
    solved, missed = verdict.status == "right", verdict.status not in ("right", "halfway")
    noted = _note(
        "exercises",
        task,
        tries=_one_more,
        misses=lambda before: _count(before) + missed,
        solved=lambda before: bool(before) or solved,
    )
    if solved and not isinstance(task, Claim):
        text += " " + _kept(task, repaired if isinstance(task, Symptom) else answer, verdict)
    elif (verdict.raised or verdict.status in ("mistake", "differs")) and task.see:
        text += f" See “{task.see}”."
    if missed and not noted["solved"]:
        text += _help(task, noted)
    _say(text)


def _kept(task, answer, verdict):
    """Keep a right answer; one that spoils what it is given would spoil the next user's, too."""
    if verdict.changed:
        return f"Not kept: work on a copy of {verdict.changed[0]}, and check again."
    ACCEPTED[task.key] = answer
    return keep(task, answer)


def _help(task, noted):
    """What to turn to after MISSES_TO_HINT misses, and after MISSES_TO_SOLUTION of them."""
    parts = []
    unread = _count(noted.get("hints")) < len(task.hints)
    if noted["misses"] >= MISSES_TO_HINT and unread:
        parts.append(f'`hint("{task.id}")` gives a hint')
    if noted["misses"] >= (MISSES_TO_SOLUTION if unread else MISSES_TO_HINT):
        parts.append(f'`solution("{task.id}")` shows working code')
    return f" {', '.join(parts)}." if parts else ""


def hint(id):
    """Print the next hint of an exercise; after the last one it starts again."""
    task = registry.find(id)
    shown = _note("exercises", task, hints=_one_more)["hints"]
    number = (shown - 1) % len(task.hints) + 1
    last = ' (the last one; `solution("' + id + '")` shows working code)'
    end = last if number == len(task.hints) else ""
    _say(f"Hint {number} of {len(task.hints)} for {id}: {task.hints[number - 1]}{end}")


def solution(id):
    """Print working code for an exercise."""
    task = registry.find(id)
    _note("exercises", task, solution_read=True)
    code, left = standing(task.solution)
    if left:
        code = f"# also uses: {', '.join(left)}\n{code}"
    _say(f"One way to solve {id} {task.title}; yours may look different.\n\n{code}")


def symptom(id):
    """Return the code behind a symptom exercise's picture. Raises LookupError for other kinds."""
    task = registry.find(id)
    if not isinstance(task, Symptom):
        raise LookupError(f"exercise {id} shows no symptom")
    return task.shown


def recall(id, answer=None):
    """Check the answer to a recall question: a letter, or a number."""
    question = registry.find(id, "recall question")
    verdict = judge_recall(question, answer)
    if verdict.status not in ("open", "error"):
        right = verdict.status == "right"
        _note("recall", question, tries=_one_more, solved=lambda before: bool(before) or right)
    _say(f"{verdict.line[0]} {id}: {verdict.line[2:]}")


def predict(id, guess=None):
    """Keep a guess (a number, a shape, a word) before a later cell reveals the truth."""
    prediction = registry.find(id, "prediction")
    if guess is None or guess is ...:
        _say(f"○ Prediction {id}: no guess yet. Write yours in place of None.")
        return
    try:
        kept = _plain(guess)
    except ValueError:
        _say(f"○ Prediction {id}: a guess is a number, a shape or a word, got {shown(guess)}.")
        return
    if prediction.share and isinstance(kept, int | float) and not 0 <= kept <= 1:
        _say(f"○ Prediction {id}: a share from 0 to 1 is asked, got {show(kept)}; 45 % is 0.45.")
        return
    _note("predictions", prediction, guess=kept)
    _say(f"● Prediction {id}: your guess {show(_shape(kept))} is kept.")


def reveal(id, truth):
    """Print the truth beside the guess; a guess is never graded."""
    prediction = registry.find(id, "prediction")
    try:
        kept = _plain(truth)
    except ValueError:
        _say(f"○ Prediction {id}: a number, a shape or a word was to come, got {shown(truth)}.")
        return
    guess = _kept_plain(_note("predictions", prediction, truth=kept).get("guess"))
    if guess is None:
        _say(f"Prediction {id}: it is {show(_shape(kept))}. (You made no guess.)")
        return
    apart = ""
    if _same(guess, kept):
        apart = " (as you said)"
    elif all(type(value) in (int, float) and isfinite(value) for value in (guess, kept)):
        apart = f" ({show(abs(guess - kept))} too {'low' if guess < kept else 'high'})"
    _say(f"Prediction {id}: it is {show(_shape(kept))}, you guessed {show(_shape(guess))}{apart}.")


def predictions(chapter):
    """Print a chapter's guesses against the truth."""
    kept = open_store().read()["predictions"]
    rows = [("", "guess", "truth", "question")]
    for id, entry in registry.contents(chapter, "prediction").items():
        cells = [_kept_plain(kept.get(entry.key, {}).get(name)) for name in ("guess", "truth")]
        texts = ["-" if cell is None else show(_shape(cell)) for cell in cells]
        rows.append((id, *texts, entry.question))
    _say(_table(rows))


def progress():
    """Print an overview of the chapters that are here: exercises solved and tried, recall, guesses.

    Exercises are written before their notebook: a chapter without one is not shown.
    """
    from tutorial_lib.figures.chapter00_start_here.course import (
        READY,  # here, as it draws matplotlib in
    )

    kept = open_store().read()
    rows = [("chapter", "solved", "tried", "hints", "solutions read", "recall", "guesses")]
    for chapter in filter(READY.__contains__, registry.chapters()):
        module = registry.chapter_module(chapter)
        exercises = [kept["exercises"].get(task.key, {}) for task in module.EXERCISES]
        recalled = [kept["recall"].get(question.key, {}) for question in module.RECALL]
        guesses = [kept["predictions"].get(p.key, {}).get("guess") for p in module.PREDICTIONS]
        hints = zip(exercises, module.EXERCISES, strict=True)
        rows.append(
            (
                f"{chapter} {module.TITLE}",
                f"{sum(bool(e.get('solved')) for e in exercises)} of {len(exercises)}",
                str(sum(bool(e.get("tries")) for e in exercises)),
                str(sum(min(_count(e.get("hints")), len(task.hints)) for e, task in hints)),
                str(sum(bool(e.get("solution_read")) for e in exercises)),
                f"{sum(bool(e.get('solved')) for e in recalled)} of {len(recalled)}",
                f"{sum(guess is not None for guess in guesses)} of {len(guesses)}",
            )
        )
    _say(_table(rows))


def _note(section, entry, **values):
    return open_store().update(section, entry.key, **values)


def _say(text):
    """Print the text, after anything the store has to tell."""
    notices = open_store().notices
    while notices:
        print(notices.pop(0))
    print(text)


def _table(rows):
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def _one_more(before):
    return _count(before) + 1


def _count(value):
    return value if isinstance(value, int) else 0


def _plain(value):
    """What can be kept: a number, a word, or a list of them. Raises ValueError for the rest."""
    settled = guarded(settle, value).value
    plain = settled.tolist() if isinstance(settled, torch.Tensor) else settled
    items = plain if isinstance(plain, list) else [plain]
    if len(items) > MOST_NUMBERS or not all(map(_is_small, items)):
        raise ValueError("not a number, a shape or a word")
    return plain


def _is_small(item):
    if isinstance(item, str):
        return len(item) <= LONGEST_WORD
    return isinstance(item, float) or (isinstance(item, int) and abs(item) < LARGEST)


def _kept_plain(value):
    """What the progress file holds as a guess; None when someone has written another thing."""
    try:
        return _plain(value)
    except ValueError:
        return None


def _shape(value):
    return tuple(map(_shape, value)) if isinstance(value, list) else value


def _same(guess, truth):
    if isinstance(guess, str) and isinstance(truth, str):
        return guess.strip().casefold() == truth.strip().casefold()
    return show(_shape(guess)) == show(_shape(truth))
