"""Judge an answer: right, a known mistake, a first difference, an error, or not tried yet."""

import math
from dataclasses import dataclass, replace

import torch

from tutorial_lib.exercises.engine.attempts import (
    SolutionError,
    attempts,
    broken,
    cut,
    expected,
    known,
    parted,
)
from tutorial_lib.exercises.engine.compare import Opaque, settle
from tutorial_lib.exercises.engine.excerpts import show, written
from tutorial_lib.exercises.engine.faults import explain, is_open_stub
from tutorial_lib.exercises.engine.guard import TookTooLong, guarded, standard_settings
from tutorial_lib.exercises.engine.tasks import Claim, Symptom, call, message

MARKS = {"right": "✓", "halfway": "◐", "open": "○"}
LONGEST_CALL = 60
UNIT_SLIPS = (100, 1_000, 1_000_000, 1_000_000_000)


@dataclass(frozen=True)
class Verdict:
    """How an answer did: `right`, `halfway`, `mistake`, `differs`, `error` or `open`.

    `mistake` is the code of the known mistake that the answer equals; `raised` says that the
    answer's own code raised an error; `changed` names the arguments that it changes in place
    although the exercise does not ask for that.
    """

    status: str
    text: str
    mistake: object = None
    raised: bool = False
    changed: tuple = ()

    @property
    def line(self):
        """The verdict with its mark in front."""
        return f"{MARKS.get(self.status, '✗')} {self.text}"


OPEN = Verdict("open", "not tried yet")


def judge(task, answer, repaired=None, output=None):
    """Judge an answer to an exercise of any kind; `repaired` is a symptom's second half.

    output: a guard.Printed for what the answer prints. Raises nothing for what an answer does,
    but KeyboardInterrupt when the learner stops it.
    """
    try:
        if isinstance(task, Symptom):
            return _judge_symptom(task, answer, repaired, output)
        if isinstance(task, Claim):
            return _judge_claim(task, answer)
        return _judge_code(task, answer, output)
    except SolutionError as error:
        text = f"nothing can be judged now, as the course's own solution fails ({error})."
        return Verdict("error", f"{text} Restart the kernel and check again.")


def judge_recall(question, answer):
    """Judge the answer to a recall question: a letter, or a number within its tolerance."""
    if answer is None or answer is ...:
        return OPEN
    see = f" Look it up: {question.see}."
    if question.choices:
        given = _letter(answer)
        if given not in question.choices:
            return Verdict("error", f"choose one of {', '.join(question.choices)}.")
        right = given == question.answer
    else:
        given = _number(answer)
        if given is None:
            return Verdict("error", f"a number is asked for, got {shown(answer)}.")
        right = abs(given - question.answer) <= question.tolerance
    if right:
        return Verdict("right", f"right: {question.because}")
    return Verdict("differs", question.wrong.get(given, f"not {shown(answer)}.") + see)


def _judge_code(task, answer, output=None):
    if answer is None or answer is ...:
        return OPEN
    refused = _not_code(task, answer)
    if refused:
        return Verdict("error", refused)
    got = attempts(task, answer, output)
    if is_open_stub(got[0][1].error, answer):
        return OPEN
    wanted = expected(task)
    misses = [
        (case, have, text)
        for (case, have), want in zip(got, wanted, strict=True)
        if (text := parted(want, have, task.tolerance, task.results)) is not None
    ]
    # Our solution "changes" what is asked for, and what cannot be compared, such as a module.
    allowed = {place for want in wanted for place, _ in want.changed}
    changed = next((outcome.changed for _, outcome in got if outcome.changed), ())
    changed = tuple(name for place, name in changed if place not in allowed)
    failed = [have.error for _, have, _ in misses if have.error is not None]
    hopeless = len(failed) == len(got) or any(isinstance(error, TookTooLong) for error in failed)
    besides = ("" if hopeless else _remarked(task, answer)) + _mutation(changed)
    mistake = _known_mistake(task, got) if misses else None
    if mistake is not None:
        return Verdict("mistake", message(mistake) + besides, mistake, changed=changed)
    sentences = [] if hopeless else broken(task, answer)
    if not misses and not sentences and changed and task.keeps_input:
        text = f"right numbers, but it changes `{changed[0]}` itself: make a copy of it first."
        return Verdict("mistake", text, changed=changed)
    if not misses and not sentences:
        return Verdict("right", "right." + besides, changed=changed)
    status, text = "mistake", _listed(sentences)
    if misses:
        case, outcome, apart = misses[0]
        if outcome.error is not None:
            apart = explain(outcome.error, answer, task)
        where = "," if apart.startswith(("at [", "in the ")) else ":"
        first = f"{_named(case, task)}{where} {_ended(cut(apart))}"
        text += f" To see it: {first}" if text else f"in {first}"
        if not sentences:
            status = "differs" if outcome.error is None else "error"
    return Verdict(status, text + besides, raised=status == "error", changed=changed)


def _judge_symptom(task, choice, repaired, output):
    """Judge a letter alone (the picture comes first), a repair alone, or both."""
    code = _judge_code(task, repaired, output)
    untouched = code.status == "open" or code.mistake is task.shown
    work = "code" if task.from_empty else "repair"
    if choice is None or choice is ...:
        if untouched:
            return OPEN
        letters = f"Which letter was the picture: {_or(task.choices)}?"
        if code.status == "right":
            text = f"your {work} works{code.text.removeprefix('right')} {letters}"
            return replace(code, status="halfway", text=text)
        return replace(code, text=f"{code.text} {letters}")
    letter = _letter(choice)
    if letter not in task.choices:
        return Verdict("error", f"choose one of {', '.join(task.choices)}.")
    if letter != task.answer:
        text = f"not ({letter}). {task.looks[list(task.choices).index(letter)]}"
        end = f" Your {work} works, though: what makes the difference?"
        return Verdict(
            "differs", text + (end if code.status == "right" else " Look again at what it shows.")
        )
    if code.status == "right":
        text = f"right: it was ({letter}), and your {work} works{code.text.removeprefix('right')}"
        return replace(code, text=text)
    if not untouched:
        return replace(code, text=f"({letter}) is right. Your {work} isn't right yet: {code.text}")
    text = f"({letter}) is right: {message(task.shown)}"
    if (repaired is None or repaired is ...) and task.from_empty:
        text += f" Now write `{task.name}` in the next cell and run the check after it."
    elif repaired is None or repaired is ...:
        text += " Now open the folded cell below, repair the code in it and run the check after it."
    elif code.status == "open":
        text += f" Now write `{task.name}` and check again."
    else:
        text += f" This is still the code behind the picture: repair `{task.name}` and check again."
    return Verdict("halfway", text)


def _or(names):
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def _judge_claim(task, answer):
    if answer is None or answer is ...:
        return OPEN
    number = _number(answer)
    if number is None:
        return Verdict("error", f"write a number ({task.unit}), got {shown(answer)}.")
    if math.isnan(number):
        return Verdict("error", "your number is nan.")
    if math.isinf(number):
        return Verdict("error", "your number is infinite, or too large to work with.")
    with standard_settings():
        return _judge_number(task, number)


def _judge_number(task, number):
    expected = float(task.solution())
    tolerance = task.tolerance or 1e-9 * abs(expected)
    if abs(number - expected) <= tolerance:
        return Verdict("right", f"right: {show(number)} {task.unit}. {task.verdict}")
    for other in task.right_too:
        if abs(number - float(other())) <= tolerance:
            text = f"right: {show(number)} {task.unit}. {message(other)} {task.verdict}"
            return Verdict("right", text)
    for mistake in task.mistakes:
        if abs(number - float(mistake())) <= tolerance:
            return Verdict("mistake", message(mistake), mistake)
    for factor in UNIT_SLIPS:
        if any(abs(number * f - expected) <= tolerance for f in (factor, 1 / factor)):
            return Verdict("differs", f"the right digits in another unit: give {task.unit}.")
    return Verdict("differs", f"not {show(number)} {task.unit}.")


def _known_mistake(task, got):
    """The mistake whose outcome is the answer's on every case; most part on the first one."""
    for mistake in task.mistakes:
        if all(
            parted(known(task, mistake, place), have, task.tolerance) is None
            for place, (_, have) in enumerate(got)
        ):
            return mistake
    return None


def _not_code(task, answer):
    """Why `answer` cannot be judged as code; empty when it can."""
    wants_class = isinstance(task.solution, type)
    if not callable(answer) or (wants_class and not isinstance(answer, type)):
        what = "class" if wants_class else "function"
        return (
            f"give check the {what} itself, without calling it: "
            f'check("{task.id}", {task.name}). It got {shown(answer)}.'
        )
    return ""


def _listed(sentences):
    if len(sentences) < 2:
        return "".join(sentences)
    numbered = (f"({number}) {text}" for number, text in enumerate(sentences, 1))
    return f"{len(sentences)} things to mend. {' '.join(numbered)}"


def _named(case, task):
    """Name a case by its label and, where it is short, by the call itself."""
    arguments = ", ".join(map(_argument, case.args))
    short = arguments and len(arguments) <= LONGEST_CALL and not case.kwargs
    called = f", {task.name}({arguments})" if short and task.run is call else ""
    return f'the case "{case.label}"{called}'


def _argument(value):
    settled = settle(value)
    if isinstance(settled, torch.Tensor):
        return _numbers(settled.tolist())
    return "?" * LONGEST_CALL if isinstance(settled, Opaque) else written(settled)


def _numbers(value):
    return f"[{', '.join(map(_numbers, value))}]" if isinstance(value, list) else show(value)


def _mutation(changed):
    if not changed:
        return ""
    return f" It changes its argument {changed[0]} in place: the caller's own copy is lost."


def _remarked(task, answer):
    """The remarks on an answer, each after a space; one that cannot be made is left out."""
    found = (guarded(remark, answer).value for remark in task.remarks)
    return "".join(f" {text}" for text in found if text)


def _ended(text):
    return text if text.endswith((".", "?", "!")) else f"{text}."


def shown(answer):
    """Write what a learner handed in shortly, whatever it is."""
    settled = guarded(settle, answer)
    return f"a {type(answer).__name__}" if settled.error else show(settled.value)


def _letter(choice):
    settled = guarded(settle, choice).value
    return settled.strip().strip("().").lower() if isinstance(settled, str) else ""


def _number(answer):
    """A number as a float, infinity when it is too large for one; None for anything else."""

    def as_float():
        settled = settle(answer)
        return float(settled.value if isinstance(settled, Opaque) else settled)

    result = guarded(as_float)
    return math.inf if isinstance(result.error, OverflowError) else result.value
