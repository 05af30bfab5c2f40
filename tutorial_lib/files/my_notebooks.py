"""Copies of the chapters for the learner to work in: `python -m tutorial_lib.files.my_notebooks`.

The folder my/ belongs to the learner and git ignores it, so an update never meets their work. A
chapter is copied once. Of each copy we remember what it was copied from, so that after an update
we can say which chapters have changed since; a copy is never written over.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

from tutorial_lib.files import replacing, write_text

CODE = "my_transformer.py"  # what the learner solved; see exercises
COPIED = ".copied.json"  # chapter -> digest of what was copied


def course_folder():
    """Return the folder that holds notebooks/ and this package; None for an installed wheel."""
    folder = Path(__file__).resolve().parents[2]
    return folder if (folder / "notebooks").is_dir() else None


def code_place(course):
    """Return the path of my_transformer.py in the course's folder.

    It lies in my/; a file that an earlier version of the course kept in notebooks/ is used as long
    as my/ has none.
    """
    mine, earlier = course / "my" / CODE, course / "notebooks" / CODE
    return earlier if earlier.exists() and not mine.exists() else mine


def digest(path):
    """Return a digest of the cells of a notebook, outputs left out; None if it is no notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = [[cell["cell_type"], "".join(cell["source"])] for cell in cells]
    except (ValueError, KeyError, TypeError):
        return None
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()


def update(course):
    """Copy the chapters that my/ lacks; return the lines that tell the learner about it.

    Raises OSError when my/ cannot be written.
    """
    mine = course / "my"
    mine.mkdir(exist_ok=True)
    copied, lines = _read(mine / COPIED)
    new, damaged, unknown, changed = [], [], [], []
    for chapter in sorted((course / "notebooks").glob("*.ipynb")):
        name, copy, current = chapter.name, mine / chapter.name, digest(chapter)
        if current is None:
            damaged.append(name)
        elif not copy.exists():
            _copy(chapter, copy)
            copied[name] = current
            new.append(name)
        elif (own := digest(copy)) == current:
            copied[name] = current
        elif name not in copied:
            copied[name] = current
            unknown.append(name)
        elif copied[name] != current:
            changed.append((name, own == copied[name]))
    write_text(mine / COPIED, json.dumps(copied, indent=1) + "\n")
    if new:
        lines.append(f"New in my/: {', '.join(new)}")
    lines += [
        f"notebooks/{name} is not a readable notebook (`git status` may say why): not copied."
        for name in damaged
    ]
    lines += [
        f"my/{name} differs from notebooks/{name} and stays as it is; whether the course has "
        "changed since you copied it is not known."
        for name in unknown
    ]
    if changed:
        lines += ["These chapters of the course have changed since you copied them:", ""]
        lines += [f"  {name:{_width(changed)}}  {_yours(same)}" for name, same in changed]
        lines += [
            "",
            "The new ones are in notebooks/. To work on one, delete or rename yours in my/ and",
            "start again: it is copied then.",
        ]
    earlier = course / "notebooks" / CODE
    if earlier.exists() and not (mine / CODE).exists():
        _copy(earlier, mine / CODE)
        lines.append(f"Copied {earlier} to my/: what you solve is kept there from now on.")
    return lines


def _width(changed):
    return max(len(name) for name, _ in changed)


def _yours(same):
    return "you have changed no cell of yours" if same else "yours holds your work"


def _copy(source, target):
    with replacing(target) as temporary:
        temporary.write_bytes(source.read_bytes())


def _read(path):
    """The record of copies, and a line about it where it is damaged and was set aside."""
    try:
        copied = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(copied, dict):
            raise ValueError("not a record of copies")
    except FileNotFoundError:
        return {}, []
    except ValueError:  # bad JSON, bad UTF-8, or another structure
        aside = path.with_name(f"{COPIED}.damaged")
        os.replace(path, aside)
        return {}, [f"The record of what was copied was damaged; it is now {aside}."]
    return copied, []


def main():
    """Update my/ and print what the learner should know."""
    course = course_folder()
    if course is None:
        raise SystemExit("Chapters are copied in a clone of the course; here there is none.")
    try:
        lines = update(course)
    except OSError as error:
        raise SystemExit(f"my/ cannot be brought up to date: {error}") from None
    print(*lines, f"Work in {course / 'my'}; git leaves it alone.", sep="\n")
    if not os.environ.get("TUTORIAL_PROGRESS"):
        print(f"What you solve is kept in {code_place(course)}.")


if __name__ == "__main__":
    sys.exit(main())
