"""Writing a file in one step: readers see the old one or the new one, never half of either."""

import contextlib
import os
import tempfile
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# How long to wait for a reader to close the file, which must not be replaced under it on Windows.
WAITS = (0.02, 0.05, 0.1, 0.2, 0.5)
ABANDONED_AFTER = 3600  # seconds, where no lock says whether a temporary file is still written
SUFFIX = ".tmp"


@contextlib.contextmanager
def replacing(path):
    """Yield the path of a temporary file that takes the place of `path` when the block ends.

    When the block raises, the temporary file is removed and `path` stays as it was. A symbolic
    link stays one: the file that it points to is replaced. The file keeps its mode. Temporary
    files of programs that were killed are removed.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "notes.txt") as temporary:
    ...         _ = temporary.write_text("all of it")
    ...     (Path(folder) / "notes.txt").read_text()
    'all of it'
    """
    path = _target(path)
    _remove_abandoned(path)
    with _temporary(path) as temporary:
        yield temporary
        # mkstemp's files are private: keep the mode that there was, or take the usual one.
        os.chmod(temporary, path.stat().st_mode & 0o7777 if path.exists() else 0o644)
        _replace(temporary, path)


def write_text(path, text):
    """Write UTF-8 text to `path` in one step, line ends as they are in `text`."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def check_writable(path):
    """Raise OSError when a file could not be written to `path`; missing folders are made.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_writable(Path(folder) / "runs" / "one.safetensors")
    """
    path = _target(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, a file was to be written there")
    with _temporary(path):
        pass


def _target(path):
    path = Path(path)
    return path.resolve() if path.is_symlink() else path


@contextlib.contextmanager
def _temporary(path):
    """Yield a new file beside path, locked where possible; remove it if it is still there."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
        if fcntl is None:
            os.close(handle)  # Windows moves no file that is open
            break
        with contextlib.suppress(OSError):  # some network drives know no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(name):  # nobody took it for abandoned before it was locked
            break
        os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
        if fcntl is not None:
            os.close(handle)


def _remove_abandoned(path):
    """Remove the temporary files that programs left beside path when they were killed."""
    with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if entry.name.startswith(f".{path.name}.") and entry.name.endswith(SUFFIX):
                with contextlib.suppress(OSError):  # in use, or already gone
                    _remove_unless_written(entry.path)


def _remove_unless_written(path):
    if fcntl is None:
        if time.time() - os.stat(path).st_mtime > ABANDONED_AFTER:
            os.unlink(path)
        return
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError while somebody writes
        os.unlink(path)


def _replace(temporary, path):
    for wait in WAITS:
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            time.sleep(wait)
    os.replace(temporary, path)
