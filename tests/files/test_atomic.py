import os

import pytest

from tutorial_lib.files import replacing, write_text


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
