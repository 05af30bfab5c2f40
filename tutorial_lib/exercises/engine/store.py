"""Keep the learner's progress: one small JSON file that survives crashes and two notebooks.

Every change is read, changed and written back under a lock, and the file is replaced in one step,
so neither a crash nor a second open notebook loses an entry. Nothing here ever stops a learner: a
damaged file is set aside, and where nothing can be written the session goes on in memory.
"""

import contextlib
import functools
import json
import os
from pathlib import Path

import filelock
import platformdirs

from tutorial_lib.exercises.engine.numbers import VERSION_1
from tutorial_lib.files import read_json, write_text

VERSION = 2
SECTIONS = ("exercises", "recall", "predictions")
LOCK_SECONDS = 3


def progress_folder():
    """Return the folder of the progress file: TUTORIAL_PROGRESS, or the user's data folder."""
    named = os.environ.get("TUTORIAL_PROGRESS")
    return Path(named) if named else Path(platformdirs.user_data_dir("tutorial_lib", False))


def open_store():
    """Return the store of the current progress folder, the same object each time."""
    return _open(progress_folder())


@functools.cache
def _open(folder):
    return Store(folder)


class Store:
    """The progress of one learner in `folder`/progress.json, by the entries' keys.

    A file of version 1, which went by number, is read as one of today and written back so with
    the next change. One of a later version is left alone.
    `notices` collects lines for the learner (a damaged file, a folder that cannot be written).
    """

    def __init__(self, folder):
        self.path = Path(folder) / "progress.json"
        self.notices = []
        self.memory = None  # the whole progress, once it can no longer be written

    def read(self):
        """Return all progress: a dict section -> id -> entry."""
        if self.memory is not None:
            return self.memory
        try:
            progress = read_json(self.path, nan=True)  # a guess may be NaN
            if not _is_progress(progress):
                raise ValueError("not a progress file")
        except FileNotFoundError:
            progress = {}
        except OSError as error:
            self._go_on_in_memory({}, error)
            return self.read()
        except ValueError:  # damaged, or of another structure
            self._set_aside()
            progress = {}
        if _version(progress) > VERSION:
            self._leave_alone(progress)
            return self.read()
        return _upgraded(progress)

    def entry(self, section, key):
        """Return one entry, a dict; empty when nothing is kept yet."""
        return self.read()[section].get(key, {})

    def update(self, section, key, **values):
        """Merge `values` into one entry; a function gets the old value (or None)."""
        with self.locked():
            progress = self.read()
            entry = progress[section].setdefault(key, {})
            for name, value in values.items():
                entry[name] = value(entry.get(name)) if callable(value) else value
            if self.memory is None:
                try:
                    write_text(self.path, json.dumps(progress, indent=1, sort_keys=True) + "\n")
                except OSError as error:
                    self._go_on_in_memory(progress, error)
            return entry

    @contextlib.contextmanager
    def locked(self):
        """Hold the lock that all notebooks share, or go on without it after some seconds."""
        with contextlib.ExitStack() as stack:
            if self.memory is None:
                try:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    lock = filelock.FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS)
                    stack.enter_context(lock)
                except (OSError, NotImplementedError):  # a read-only folder, or one without locks
                    pass
            yield

    def _leave_alone(self, progress):
        self.memory = _upgraded(progress)
        self.notices.append(
            "Note: your progress file comes from a later version of this course and stays as it "
            "is; progress lasts until this kernel stops."
        )

    def _go_on_in_memory(self, progress, error):
        self.memory = _upgraded(progress)
        reason = error.strerror or type(error).__name__
        self.notices.append(
            f"Note: progress cannot be kept in this folder ({reason}); "
            "it lasts until this kernel stops."
        )

    def _set_aside(self):
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        try:
            os.replace(self.path, aside)
        except OSError as error:
            self._go_on_in_memory({}, error)
            return
        self.notices.append(
            f"Note: your progress file could not be read. It is kept as {aside.name}, "
            "and progress starts anew."
        )


def _version(progress):
    version = progress.get("version", 1)
    return version if isinstance(version, int) else 1


def _upgraded(progress):
    """Return progress with the keys of today for the numbers of version 1; the rest stays."""
    done = progress | {"version": VERSION}
    for section in SECTIONS:
        done[section] = {}
        for old, entry in progress.get(section, {}).items():
            key = VERSION_1[section].get(old, old)
            done[section][key] = _joined(done[section].get(key, {}), entry)
    return done


def _joined(one, two):
    """One entry of two: an older copy of the course may go on counting under the number."""
    both = one | two
    for name in one.keys() & two.keys():
        values = one[name], two[name]
        if all(isinstance(value, bool) for value in values):
            both[name] = any(values)
        elif all(isinstance(value, int) for value in values) and name in (
            "tries",
            "misses",
            "hints",
        ):
            both[name] = sum(values)
    return both


def _is_progress(progress):
    return isinstance(progress, dict) and all(
        isinstance(progress.get(section, {}), dict)
        and all(isinstance(entry, dict) for entry in progress.get(section, {}).values())
        for section in SECTIONS
    )
