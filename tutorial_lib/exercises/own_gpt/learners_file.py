"""Read my_transformer.py: each section is imported as a module of its own.

So a section that is broken, or raises when it is imported, takes no other with it. A name that a
section does not define comes from the learner's own text around the sections or from another
section, as it would if the file were imported whole.
"""

import contextlib
import importlib.abc
import importlib.util
from dataclasses import dataclass

from tutorial_lib.exercises.engine.guard import guarded
from tutorial_lib.exercises.engine.keep import END, START, with_marks_of_today
from tutorial_lib.exercises.engine.sources import global_names

PACKAGE = "my_transformer"  # the modules are named as if the file were a package


@dataclass(frozen=True)
class Section:
    """One kept exercise; its source stands on the lines that it has in the file."""

    key: str
    id: str
    source: str


def split(text):
    """Return the sections of a file and the text around them, each with its lines in place.

    A section whose end mark is gone belongs to the text around.

    >>> sections, around = split("A = 1\\n# --- f: exercise 2.3 ---\\nf = abs\\n"
    ...     "# --- end of f ---\\n")
    >>> sections, around.split()
    ([Section(key='f', id='2.3', source='\\n\\nf = abs')], ['A', '=', '1'])
    """
    lines = with_marks_of_today(text.splitlines())
    around, sections, begun = list(lines), [], None
    for place, line in enumerate(lines):
        if start := START.fullmatch(line):
            begun = (place, *start.groups())
        elif (end := END.fullmatch(line)) and begun and begun[1] == end[1]:
            first, key, id = begun
            body = [""] * (first + 1) + lines[first + 1 : place]
            sections.append(Section(key, id, "\n".join(body)))
            around[first : place + 1] = [""] * (place + 1 - first)
            begun = None
    return sections, "\n".join(around)


def without_end(around):
    """Return {key: exercise} for the start marks in the text around: their end marks are gone.

    >>> without_end("# --- f: exercise 2.3 ---\\nf = abs\\n")
    {'f': '2.3'}
    """
    marks = map(START.fullmatch, with_marks_of_today(around.splitlines()))
    return {mark[1]: mark[2] for mark in marks if mark}


class SourceText(importlib.abc.InspectLoader):
    """Imports a module from a piece of text; errors name the file that it comes from."""

    def __init__(self, source, path):
        self.source = source
        self.path = str(path)

    def get_source(self, fullname):
        """Return the text."""
        return self.source

    def get_code(self, fullname):
        """Return the text compiled."""
        return self.source_to_code(self.source, self.path)


class Piece:
    """A piece of the file as a module: `names` it has, `wanted` from elsewhere, its `error`."""

    def __init__(self, name, source, path):
        self.name = name
        self.source = source
        self.path = path
        self.names = {}
        self.module_names = {}
        self.wanted = ()
        self.error = None

    def load(self, given):
        """Import the piece; given(name) raises LookupError or returns what it wants."""
        self.names = {}
        spec = importlib.util.spec_from_loader(
            f"{PACKAGE}.{self.name}", SourceText(self.source, self.path)
        )
        module = importlib.util.module_from_spec(spec)
        self.module_names = vars(module)
        hidden = set(self.module_names)

        def run():
            spec.loader.get_code(spec.name)  # a syntax error shows here, with file and line
            self.wanted = global_names(self.source)
            self.link(given)
            hidden.update(self.module_names)
            spec.loader.exec_module(module)

        self.error = guarded(run, seed=None).error
        if self.error is not None:
            return
        self.names = {name: value for name, value in vars(module).items() if name not in hidden}

    def link(self, given):
        """Fill in the names that the piece uses and does not define."""
        for name in self.wanted:
            if name not in self.names:
                with contextlib.suppress(LookupError):
                    self.module_names[name] = given(name)


class LearnersFile:
    """The sections of my_transformer.py as pieces, in `pieces`; `around` is the text outside.

    Never raises for what the file holds. `problem` says in a sentence why nothing was read;
    `unended` {key: exercise} are the sections without an end mark, which lie in `around`.
    """

    def __init__(self, path):
        self.path = path
        self.pieces = {}
        self.around = Piece("around", "", path)
        self.unended = {}
        self.problem = ""
        try:
            sections, around = split(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self.problem = f"{path.name} is not there yet: `check` writes it with the first answer."
            return
        except UnicodeDecodeError:
            self.problem = f"{path.name} is not UTF-8 text, so none of it is used."
            return
        except OSError as error:
            self.problem = f"{path.name} cannot be read ({error.strerror}): none of it is used."
            return
        self.around = Piece("around", around, path)
        self.unended = without_end(around)
        for section in sections:
            self.pieces.setdefault(section.key, Piece(section.key, section.source, path))
        self._load()

    def code(self, name):
        """Return what the file defines under a name. Raises LookupError when nothing does."""
        own = self.pieces.get(name)
        if own is not None:
            return own.names[name]
        return self._find(name)

    def link(self, ours):
        """Join the pieces; ours {name: code} goes before what the file holds under that name."""

        def given(name):
            return ours[name] if name in ours else self._find(name)

        for piece in (self.around, *self.pieces.values()):
            if piece.error is None:
                piece.link(given)

    def _load(self):
        waiting = [self.around, *self.pieces.values()]
        while waiting:  # a piece may need another that stands further down
            for piece in waiting:
                piece.load(self._find)
            failed = [piece for piece in waiting if piece.error is not None]
            if len(failed) == len(waiting):
                return
            waiting = failed

    def _find(self, name):
        for piece in (self.around, *self.pieces.values()):
            if name in piece.names:
                return piece.names[name]
        raise LookupError(name)
