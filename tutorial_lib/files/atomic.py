"""Writing a file in one step: readers see the old one or the new one, never half of either."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path):
    """Yield the path of a temporary file that takes the place of `path` when the block ends.

    When the block raises, the temporary file is removed and `path` stays as it was.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "notes.txt") as temporary:
    ...         _ = temporary.write_text("all of it")
    ...     (Path(folder) / "notes.txt").read_text()
    'all of it'
    """
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        yield Path(temporary)
        os.chmod(temporary, 0o644)  # mkstemp's are private
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def write_text(path, text):
    """Write UTF-8 text to `path` in one step, line ends as they are in `text`."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
