"""Chapters are copied to my/ once; what a learner made of them is never touched."""

import json
import subprocess
import sys

import pytest
from isolation import ROOT

from tutorial_lib.files import my_notebooks
from tutorial_lib.files.my_notebooks import code_place, course_folder, digest, main, update


def notebook(*sources, output=None):
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": output}],
            "source": source.splitlines(keepends=True),
        }
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def course(tmp_path):
    for name in ("00_start.ipynb", "01_tokens.ipynb"):
        write(tmp_path, "notebooks", name, "a = 1\nb = 2")
    return tmp_path


def write(course, folder, name, *sources, **other):
    path = course / folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(notebook(*sources, **other), encoding="utf-8")
    return path


def everything(course):
    files = [path for path in (course / "my").iterdir() if path.name != my_notebooks.COPIED]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_chapters_are_copied_once(course):
    assert update(course) == ["New in my/: 00_start.ipynb, 01_tokens.ipynb"]
    for chapter in (course / "notebooks").iterdir():
        assert (course / "my" / chapter.name).read_bytes() == chapter.read_bytes()
    before = everything(course)
    assert update(course) == []
    assert everything(course) == before


def test_work_is_never_written_over(course):
    update(course)
    write(course, "my", "00_start.ipynb", "a = 1\nb = 3")
    before = everything(course)
    assert update(course) == []
    write(course, "notebooks", "00_start.ipynb", "a = 5")
    update(course)
    assert everything(course) == before


def test_what_an_update_has_changed_is_said(course):
    update(course)
    write(course, "my", "00_start.ipynb", "my work")
    write(course, "my", "01_tokens.ipynb", "a = 1\nb = 2", output="run, but not changed")
    for name in ("00_start.ipynb", "01_tokens.ipynb", "02_new.ipynb"):
        write(course, "notebooks", name, "a = 5")
    before = everything(course)
    said = update(course)
    assert said[:2] == [
        "New in my/: 02_new.ipynb",
        "These chapters of the course have changed since you copied them:",
    ]
    assert "  00_start.ipynb   yours holds your work" in said
    assert "  01_tokens.ipynb  you have changed no cell of yours" in said
    assert everything(course).items() > before.items()
    assert update(course) == said[1:], "it is said until the learner has decided"


def test_a_deleted_copy_is_replaced_by_the_new_chapter(course):
    update(course)
    write(course, "notebooks", "01_tokens.ipynb", "a = 5")
    (course / "my" / "01_tokens.ipynb").rename(course / "my" / "01_mine.ipynb")
    assert update(course) == ["New in my/: 01_tokens.ipynb"]
    assert (course / "my" / "01_mine.ipynb").exists()
    assert update(course) == []


def test_the_new_chapter_copied_by_hand_counts_as_copied(course):
    update(course)
    write(course, "notebooks", "01_tokens.ipynb", "a = 5")
    write(course, "my", "01_tokens.ipynb", "a = 5")
    assert update(course) == []
    write(course, "notebooks", "01_tokens.ipynb", "a = 6")
    assert "  01_tokens.ipynb  you have changed no cell of yours" in update(course)


def test_outputs_of_the_course_are_no_change(course):
    update(course)
    write(course, "notebooks", "01_tokens.ipynb", "a = 1\nb = 2", output="another figure")
    assert update(course) == []


def test_copies_made_by_hand_stay_and_are_known_from_then_on(course):
    write(course, "my", "00_start.ipynb", "my work")
    write(course, "my", "01_tokens.ipynb", "a = 1\nb = 2")
    said = update(course)
    assert len(said) == 1
    assert said[0].startswith("my/00_start.ipynb differs from notebooks/00_start.ipynb and stays")
    assert update(course) == []
    write(course, "notebooks", "00_start.ipynb", "a = 5")
    assert "  00_start.ipynb  yours holds your work" in update(course)


@pytest.mark.parametrize("record", [b"{", b"\xff\xfe", b"[1]"])
def test_a_damaged_record_is_set_aside(course, record):
    update(course)
    write(course, "my", "00_start.ipynb", "my work")
    before = everything(course)
    (course / "my" / my_notebooks.COPIED).write_bytes(record)
    said = update(course)
    aside = course / "my" / f"{my_notebooks.COPIED}.damaged"
    assert said[0] == f"The record of what was copied was damaged; it is now {aside}."
    assert aside.read_bytes() == record
    assert everything(course).items() > before.items()
    assert update(course) == []


def test_a_broken_chapter_is_not_copied(course):
    (course / "notebooks" / "01_tokens.ipynb").write_text("<<<<<<< HEAD\n{}", encoding="utf-8")
    first, second = update(course)
    assert first == "New in my/: 00_start.ipynb"
    assert second.startswith("notebooks/01_tokens.ipynb is not a readable notebook")
    assert not (course / "my" / "01_tokens.ipynb").exists()


def test_a_broken_copy_is_the_learners(course):
    update(course)
    (course / "my" / "01_tokens.ipynb").write_bytes(b"half of a note")
    write(course, "notebooks", "01_tokens.ipynb", "a = 5")
    assert "  01_tokens.ipynb  yours holds your work" in update(course)
    assert (course / "my" / "01_tokens.ipynb").read_bytes() == b"half of a note"


@pytest.mark.parametrize("text", ["[]", "{}", '{"cells": [1]}', '{"cells": [{"source": []}]}'])
def test_what_is_no_notebook_has_no_digest(tmp_path, text):
    (tmp_path / "x.ipynb").write_text(text, encoding="utf-8")
    assert digest(tmp_path / "x.ipynb") is None


def test_solutions_kept_by_an_earlier_version_are_copied_once(course):
    earlier, mine = (course / folder / "my_transformer.py" for folder in ("notebooks", "my"))
    assert code_place(course) == mine
    earlier.write_text("def mine(): ...", encoding="utf-8")
    assert code_place(course) == earlier, "used where it is, until it is copied"
    assert f"Copied {earlier} to my/: what you solve is kept there from now on." in update(course)
    assert code_place(course) == mine
    mine.write_text("def grown(): ...", encoding="utf-8")
    assert update(course) == []
    assert mine.read_text(encoding="utf-8") == "def grown(): ..."
    assert earlier.exists()


def test_the_paths_are_shown(course, monkeypatch, capsys):
    monkeypatch.setattr(my_notebooks, "course_folder", lambda: course)
    main()
    assert str(course / "my") in capsys.readouterr().out
    monkeypatch.delenv("TUTORIAL_PROGRESS")
    main()
    assert f"kept in {course / 'my' / 'my_transformer.py'}." in capsys.readouterr().out


def test_where_nothing_can_be_copied_one_line_says_why(course, monkeypatch):
    monkeypatch.setattr(my_notebooks, "course_folder", lambda: course)
    (course / "my").write_text("a file in the place of the folder", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"my/ cannot be brought up to date: .*my'"):
        main()
    monkeypatch.setattr(my_notebooks, "course_folder", lambda: None)
    with pytest.raises(SystemExit, match="in a clone of the course"):
        main()


def test_it_is_quick_and_needs_nothing_that_is_installed():
    program = "import sys, tutorial_lib.files.my_notebooks as m; print(m.course_folder())"
    done = subprocess.run([sys.executable, "-S", "-c", program], cwd=ROOT, capture_output=True)
    assert done.stdout.decode().strip() == str(course_folder()) == str(ROOT)


def test_git_leaves_the_copies_alone(course):
    (course / ".gitignore").write_bytes((ROOT / ".gitignore").read_bytes())
    subprocess.run(["git", "init", "--quiet"], cwd=course, check=True)
    subprocess.run(["git", "add", "."], cwd=course, check=True)
    write(course, "notebooks", "my_transformer.py")
    update(course)
    done = subprocess.run(
        ["git", "status", "--porcelain"], cwd=course, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.splitlines() if line[:2] != "A "] == []


def test_links_among_chapters_hold_in_the_copies():
    # Only chapters are copied, so a file that lies beside them could not be reached from my/.
    files = [path.name for path in (ROOT / "notebooks").iterdir() if path.name[0] not in "._"]
    strangers = [name for name in files if not name.endswith(".ipynb")]
    assert set(strangers) <= {"my_transformer.py"}
