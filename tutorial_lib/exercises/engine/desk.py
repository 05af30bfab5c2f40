"""The words a notebook uses: check, hint, solution, recall, predict, reveal, progress.

Each prints one or two lines of plain text; only `symptom` returns something.
"""

from math import isfinite

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.compare import settle
from tutorial_lib.exercises.engine.excerpts import show
from tutorial_lib.exercises.engine.keep import keep
from tutorial_lib.exercises.engine.sources import standing
from tutorial_lib.exercises.engine.store import open_store
from tutorial_lib.exercises.engine.tasks import Claim, Symptom
from tutorial_lib.exercises.engine.verdicts import judge, judge_recall


def check(id, answer=None, repaired=None):
    """Check an answer: a function or class (write), a letter and code (symptom), a number (claim).

    Raises LookupError for a number that no exercise has.
    """
    task = registry.find(id)
    verdict = judge(task, answer, repaired)
    text = f"{verdict.line[0]} {id} {task.title}: {verdict.line[2:]}"
    if verdict.status == "open":
        print(text)
        return
    solved = verdict.status == "right"
    _note("exercises", id, tries=_one_more, solved=lambda before: bool(before) or solved)
    if solved and not isinstance(task, Claim):
        text += " " + keep(task, repaired if isinstance(task, Symptom) else answer)
    elif (verdict.raised or verdict.status in ("mistake", "differs")) and task.see:
        text += f" See “{task.see}”."
    _say(text)


def hint(id):
    """Print the next hint of an exercise; after the last one it starts again."""
    task = registry.find(id)
    shown = _note("exercises", id, hints=_one_more)["hints"]
    number = (shown - 1) % len(task.hints) + 1
    last = ' (the last one; `solution("' + id + '")` shows working code)'
    end = last if number == len(task.hints) else ""
    _say(f"Hint {number} of {len(task.hints)} for {id}: {task.hints[number - 1]}{end}")


def solution(id):
    """Print working code for an exercise."""
    task = registry.find(id)
    _note("exercises", id, solution_read=True)
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
    verdict = judge_recall(registry.find(id, "recall question"), answer)
    if verdict.status not in ("open", "error"):
        right = verdict.status == "right"
        _note("recall", id, tries=_one_more, solved=lambda before: bool(before) or right)
    _say(f"{verdict.line[0]} {id}: {verdict.line[2:]}")


def predict(id, guess=None):
    """Keep a guess (a number, a shape, a word) before a later cell reveals the truth."""
    prediction = registry.find(id, "prediction")
    if guess is None or guess is ...:
        _say(f"○ Prediction {id}: no guess yet. Write yours in place of None.")
        return
    kept = _plain(guess)
    if prediction.share and isinstance(kept, int | float) and not 0 <= kept <= 1:
        _say(f"○ Prediction {id}: a share from 0 to 1 is asked, got {show(kept)}; 45 % is 0.45.")
        return
    _note("predictions", id, guess=kept)
    _say(f"● Prediction {id}: your guess {show(_shape(kept))} is kept.")


def reveal(id, truth):
    """Print the truth beside the guess; a guess is never graded."""
    registry.find(id, "prediction")
    kept = _plain(truth)
    guess = _note("predictions", id, truth=kept).get("guess")
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
        cells = [kept.get(id, {}).get(key) for key in ("guess", "truth")]
        shown = ["-" if cell is None else show(_shape(cell)) for cell in cells]
        rows.append((id, *shown, entry.question))
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
        exercises = [kept["exercises"].get(task.id, {}) for task in module.EXERCISES]
        recalled = [kept["recall"].get(question.id, {}) for question in module.RECALL]
        guesses = [kept["predictions"].get(p.id, {}).get("guess") for p in module.PREDICTIONS]
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


def _note(section, id, **values):
    return open_store().update(section, id, **values)


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
    """What JSON can hold: a number, a word, a list of them."""
    value = settle(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    return value if isinstance(value, bool | int | float | str | list) else str(value)


def _shape(value):
    return tuple(map(_shape, value)) if isinstance(value, list) else value


def _same(guess, truth):
    if isinstance(guess, str) and isinstance(truth, str):
        return guess.strip().casefold() == truth.strip().casefold()
    return show(_shape(guess)) == show(_shape(truth))
