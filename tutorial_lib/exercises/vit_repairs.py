"""Chapter 07: a symptom whose repair can go wrong in ways of its own."""

from dataclasses import dataclass

from tutorial_lib.exercises.tasks import Exercise, Symptom


@dataclass(frozen=True, kw_only=True)
class Repair(Symptom):
    """A symptom with more mistakes than letters: the others are named in a repair.

    The first of `mistakes` are the choices, one for each of `looks`. Raises ValueError when the
    mistake shown is none of them.
    """

    def __post_init__(self):
        Exercise.__post_init__(self)  # Symptom's own wants a look for each mistake
        if self.shown not in self.choices.values():
            raise ValueError(f"exercise {self.id}: the mistake shown is not one of the choices")

    @property
    def choices(self):
        """The letters and their mistakes, in order."""
        return dict(zip("abcdefgh", self.mistakes[: len(self.looks)], strict=False))
