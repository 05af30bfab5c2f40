"""What an exercise is made of: three kinds of exercise, recall questions, predictions.

An exercise's file writes solution and known mistakes as plain functions (or classes) and lists
them here, with the properties of a right answer. A mistake's docstring is the message that names
it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Case:
    """One small input, built so that it exposes one mechanism; the label names it."""

    label: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)


def case(label, *args, **kwargs):
    """Write down one call: a label for the messages, then the arguments of the answer.

    >>> case("three words", 3)
    Case(label='three words', args=(3,), kwargs={})
    """
    return Case(label, args, kwargs)


@dataclass(frozen=True)
class Property:
    """What holds for every right answer, and the sentence for one for which it does not.

    holds(answer) calls the answer on inputs of its own and looks at nothing else, so that two
    mistakes at once break two properties. It returns True, False, or a closer sentence. None says
    that it cannot be told, as with an error: something else is wrong.
    """

    sentence: str
    holds: Callable


def call(answer, *args, **kwargs):
    """Call the answer with the case's arguments: what `run` does unless an exercise says more."""
    return answer(*args, **kwargs)


def message(mistake):
    """Return a mistake's message: the first paragraph of its docstring, in one line.

    >>> def doubled():
    ...     '''This counts the bias
    ...     twice.'''
    >>> message(doubled)
    'This counts the bias twice.'
    """
    return " ".join((mistake.__doc__ or "").strip().split("\n\n")[0].split())


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What all kinds share; `solution`, `second_style` and `mistakes` are code.

    `id` is the number in the notebook and may change; under `key` progress and code are kept, and
    it stays: the name of the solution, or `slug` where another exercise has that name already.
    `see` names the heading that explains the matter and ends the message of a miss. `tolerance`
    replaces the absolute tolerance of the comparison. Raises ValueError when a part is missing.
    """

    id: str
    title: str
    level: str
    text: str
    hints: tuple
    solution: Callable
    second_style: Callable
    mistakes: tuple
    see: str = ""
    tolerance: float | None = None
    slug: str = ""
    kind: ClassVar[str] = ""

    def __post_init__(self):
        if self.level not in LEVELS:
            raise ValueError(f"exercise {self.id}: level {self.level!r} is none of {LEVELS}")
        for mistake in self.mistakes:
            if not message(mistake):
                raise ValueError(
                    f"exercise {self.id}: mistake {mistake.__name__} has no docstring to name it"
                )

    @property
    def name(self):
        """The name the learner's code carries: that of the solution."""
        return self.solution.__name__

    @property
    def key(self):
        """The name under which progress and code are kept, whatever the number."""
        return self.slug or self.name


@dataclass(frozen=True, kw_only=True)
class Write(Exercise):
    """The learner writes a function or a class.

    `cases` is a function that returns the cases; `run(answer, *args)` turns the answer and one
    case into an output, and is given when a plain call is not enough (a class, a gradient).
    `properties` stand in the order in which a learner would mend them; they come to mind when an
    answer equals none of the `mistakes`. `results` names the parts of an output, if it has several.
    Each of `remarks` calls the answer and returns a sentence, or "" when there is nothing to say;
    it is added to any verdict and makes no answer wrong. `keeps_input` is for a text that forbids
    to change an argument in place: elsewhere that is only noted.
    """

    kind: ClassVar[str] = "write"
    cases: Callable[[], Iterable[Case]]
    run: Callable = call
    properties: tuple = ()
    results: tuple = ()
    remarks: tuple = ()
    keeps_input: bool = False


@dataclass(frozen=True, kw_only=True)
class Symptom(Write):
    """A picture made by one of the mistakes: the learner picks which, then repairs the code.

    The letters a, b, c, ... follow the order of `mistakes`; `shown` is the one behind the picture;
    `looks` holds one sentence a letter: what the picture would have looked like. Mistakes beyond
    the last of `looks` have no letter: they are named in a repair. With `from_empty` the learner
    does not see the code behind the picture, and writes it from an empty function. Raises
    ValueError when there are more looks than mistakes, or when the mistake shown has no letter.
    """

    kind: ClassVar[str] = "symptom"
    shown: Callable
    looks: tuple
    from_empty: bool = False

    def __post_init__(self):
        super().__post_init__()
        if len(self.looks) > len(self.mistakes):
            raise ValueError(
                f"exercise {self.id}: {len(self.mistakes)} mistakes, {len(self.looks)} looks"
            )
        if self.shown not in self.choices.values():
            raise ValueError(f"exercise {self.id}: the mistake shown is not one of the choices")

    @property
    def choices(self):
        """The letters and their mistakes, in order."""
        return dict(zip("abcdefgh", self.mistakes[: len(self.looks)], strict=False))

    @property
    def answer(self):
        """The letter of the mistake behind the picture."""
        return next(letter for letter, code in self.choices.items() if code is self.shown)


@dataclass(frozen=True, kw_only=True)
class Claim(Exercise):
    """A sentence from the sources, true or not: the learner writes the number that decides.

    `solution()` computes the number, so do `second_style()` and each mistake; `unit` says what is
    counted; `verdict` is the sentence that a right answer earns (the claim holds, or why not).
    A number of `right_too` is right as well; its docstring says how it comes about.
    """

    kind: ClassVar[str] = "claim"
    unit: str
    verdict: str
    right_too: tuple = ()


@dataclass(frozen=True, kw_only=True)
class Recall:
    """A question from an earlier chapter: `answer` is a letter of `choices`, or a number.

    `id` is its number in the notebook; it is kept under `key`, which stays when that changes.
    `because` is said when the answer is right, `wrong[letter]` when it is that wrong one, and
    `see` names where to look it up.
    """

    id: str
    key: str
    question: str
    answer: str | float
    because: str
    see: str
    choices: dict = field(default_factory=dict)
    wrong: dict = field(default_factory=dict)
    tolerance: float = 0.0

    def __post_init__(self):
        if self.choices and self.answer not in self.choices:
            raise ValueError(f"recall {self.id}: answer {self.answer!r} is not among the choices")


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A number, shape or word to guess before a cell reveals it; a share lies from 0 to 1.

    `id` is its number in the notebook; it is kept under `key`, which stays when that changes.
    """

    id: str
    key: str
    question: str
    share: bool = False
