"""The exercise table: each solution, second style and mistake with its verdict and message."""

from tutorial_lib.exercises.engine.tasks import Claim, Symptom, message
from tutorial_lib.exercises.engine.verdicts import judge


def untouched(*args, **kwargs):
    """Stand for a function that no one has written yet."""
    raise NotImplementedError


class Untouched:
    """Stand for a class that no one has written yet."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError


def answers(task):
    """Yield (who, the arguments of `judge`, the expected status) for all the course knows."""
    for who, code in (("solution", task.solution), ("second style", task.second_style)):
        yield who, _arguments(task, code), "right"
    for mistake in task.mistakes:
        halfway = isinstance(task, Symptom) and mistake is task.shown
        yield mistake.__name__, _arguments(task, mistake), "halfway" if halfway else "mistake"
    if isinstance(task, Symptom):
        for letter in task.choices:
            if letter != task.answer:
                yield f"choice ({letter})", (letter, task.solution), "differs"
    stub = Untouched if isinstance(task.solution, type) else untouched
    yield "untouched", (None, stub) if isinstance(task, Claim | Symptom) else (stub,), "open"


def rows(task):
    """Yield (who, expected status, verdict) for one exercise."""
    for who, arguments, status in answers(task):
        yield who, status, judge(task, *arguments)


def table(tasks):
    """Return the table as text.

    >>> from tutorial_lib.exercises.chapter00_start_here import EXERCISES
    >>> print(table(EXERCISES[:1]).splitlines()[0])
    0.0 Double a tensor (write, easy)
    """
    lines = []
    for task in tasks:
        lines.append(f"{task.id} {task.title} ({task.kind}, {task.level})")
        for who, status, verdict in rows(task):
            odd = "" if _as_expected(status, verdict, task, who) else "   <-- expected " + status
            lines.append(f"    {who:<28} {verdict.line}{odd}")
        lines.append("")
    return "\n".join(lines)


def _as_expected(status, verdict, task, who):
    """A mistake must be named by its own message, not by a neighbour's."""
    if verdict.status != status:
        return False
    named = {mistake.__name__: message(mistake) for mistake in task.mistakes}
    return who not in named or named[who] in verdict.text


def _arguments(task, code):
    if isinstance(task, Claim):
        return (code(),)
    return (task.answer, code) if isinstance(task, Symptom) else (code,)
