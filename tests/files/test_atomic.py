import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tutorial_lib.files import atomic, check_writable, replacing, write_text


def test_text_is_written_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    write_text(path, "thou\r\nart é\n")
    assert path.read_bytes() == "thou\r\nart é\n".encode()
    assert path.stat().st_mode & 0o044 == 0o044 or os.name == "nt"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_crash_before_the_last_step_leaves_the_old_file(tmp_path, monkeypatch, error):
    path = tmp_path / "notes.txt"
    write_text(path, "old")

    def crash(source, target):
        raise error

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(error):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_raises_leaves_the_old_file(tmp_path):
    path = tmp_path / "notes.txt"
    write_text(path, "old")

    def write_half():
        with replacing(path) as temporary:
            temporary.write_text("ha")
            raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows asks for a right to make links")
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "notes.txt", tmp_path / "notes.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    link.unlink()
    link.symlink_to(tmp_path / "far" / "later.txt")  # to a file that is not there yet
    write_text(link, "first")
    assert (tmp_path / "far" / "later.txt").read_text() == "first"


@pytest.mark.skipif(os.name == "nt", reason="Windows has one bit of a mode")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_a_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "notes.txt"
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new")
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_text() == "new"


class Reader:
    """Has the file open for so many tries, which on Windows keeps it from being replaced."""

    def __init__(self, tries):
        self.tries = tries
        self.replace = os.replace

    def __call__(self, source, target):
        self.tries -= 1
        if self.tries >= 0:
            raise PermissionError(13, "The process cannot access the file")
        self.replace(source, target)


@pytest.fixture
def naps(monkeypatch):
    """The times that were slept, without sleeping."""
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def test_a_reader_that_has_the_file_open_is_waited_for(tmp_path, monkeypatch, naps):
    path = tmp_path / "notes.txt"
    write_text(path, "old")
    monkeypatch.setattr(os, "replace", Reader(3))
    write_text(path, "new")
    assert path.read_text() == "new"
    assert len(naps) == 3


def test_a_reader_that_never_closes_the_file_is_an_error(tmp_path, monkeypatch, naps):
    path = tmp_path / "notes.txt"
    write_text(path, "old")
    monkeypatch.setattr(os, "replace", Reader(100))
    with pytest.raises(PermissionError):
        write_text(path, "new")
    assert sum(naps) < 2
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
from tutorial_lib.files import replacing
with replacing(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print("writing", flush=True)
    sys.stdin.read() if sys.argv[2] == "wait" else os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(atomic.fcntl is None, reason="no locks say who still writes")
def test_what_a_killed_program_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    path = tmp_path / "notes.txt"
    write_text(path, "old")
    command = [sys.executable, "-c", KILLED, str(path)]
    subprocess.run([*command, "die"], stdout=subprocess.DEVNULL, check=False)
    assert len(list(tmp_path.iterdir())) == 2
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "wait"], **pipes) as writer:
        assert writer.stdout.readline() == "writing\n"
        write_text(path, "new")
        assert len(list(tmp_path.iterdir())) == 2  # the file, and that of the writer
        assert path.read_text() == "new"
        writer.communicate("")
    assert path.read_text() == "half"
    assert list(tmp_path.iterdir()) == [path]


def test_without_locks_old_temporary_files_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "fcntl", None)
    path = tmp_path / "notes.txt"
    old, new, other = (tmp_path / f".{name}.tmp" for name in ("notes.txt.a", "notes.txt.b", "x.c"))
    for file in (old, new, other):
        file.touch()
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    write_text(path, "text")
    assert sorted(tmp_path.iterdir()) == sorted([new, other, path])


def test_a_place_is_tried_without_a_trace(tmp_path):
    check_writable(tmp_path / "below" / "run.safetensors")
    assert list((tmp_path / "below").iterdir()) == []
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path / "below")
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        check_writable(tmp_path / "file" / "run.safetensors")
    assert not Path(tmp_path / "file" / "run.safetensors").exists()
