"""A page is shown with a path to copy it from, coloured where there are colours, and as it is."""

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tutorial_lib import pages
from tutorial_lib.pages import path, show

ROOT = Path(pages.__file__).parents[2]


def plain(page):
    """The text of a page's HTML."""
    return html.unescape(re.sub(r"<[^>]+>", "", page._repr_html_()))


@pytest.mark.parametrize("name", pages.names())
def test_a_page_is_shown_whole(name):
    source = path(name).read_text(encoding="utf-8")
    page = show(name)
    assert repr(page).endswith("\n\n" + source)
    assert plain(page).rstrip().endswith(source.strip())
    assert repr(page) == repr(show(name))
    assert page._repr_html_() == show(name)._repr_html_()


def test_a_folded_page_is_whole_and_opens_by_a_click():
    folded, page = show("bpe", folded=True), show("bpe")
    assert repr(folded) == repr(page)
    assert folded._repr_html_().startswith("<details><summary>")
    assert plain(folded).replace(" (click to open)", "") == plain(page)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("notebooks", "../tutorial_lib/pages/bpe.py"),
        (".", "tutorial_lib/pages/bpe.py"),
        ("tutorial_lib/pages", "bpe.py"),
    ],
)
def test_the_path_can_be_copied_from_the_folder_of_the_reader(monkeypatch, folder, expected):
    monkeypatch.chdir(ROOT / folder)
    n_lines = len(path("bpe").read_text(encoding="utf-8").splitlines())
    header = f"{expected}, {n_lines} lines to read, copy and change"
    assert repr(show("bpe")).startswith(header + "\n\n")
    assert plain(show("bpe")).startswith(header)


def test_from_far_away_no_path_of_the_machine_is_shown(monkeypatch, tmp_path):
    deep = tmp_path.joinpath(*["deep"] * 30)
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    expected = (
        'tutorial_lib/pages/bpe.py in the installed package (tutorial_lib.pages.path("bpe") '
        "finds it), "
    )
    assert repr(show("bpe")).startswith(expected)
    assert plain(show("bpe")).startswith(expected)
    assert str(ROOT) not in repr(show("bpe")) + show("bpe")._repr_html_()


def test_another_drive_has_no_relative_path(monkeypatch):
    def no_way(path):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(pages.os.path, "relpath", no_way)
    assert show("bpe").where.startswith("tutorial_lib/pages/bpe.py in the installed package")


def brightness(colour):
    """Relative luminance (WCAG)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_colours_can_be_read_on_their_own_card_in_any_theme():
    text = show("bpe")._repr_html_()
    card = re.search(r"background-color: (#\w{6})", text)[1]
    colours = set(re.findall(r"[ \"]color: (#\w{6})", text))
    assert len(colours) >= 5
    for colour in colours:
        assert (brightness(card) + 0.05) / (brightness(colour) + 0.05) > 4.5


def test_keywords_names_comments_and_strings_are_told_apart():
    text = pages.coloured('def f(x):  # why\n    return "a<b"\n')
    found = {
        word: re.search(rf'color: (#\w{{6}})">{word}', text)[1]
        for word in ("def", "f<", "# why", '"a')
    }
    assert len(set(found.values())) == 4
    assert "a&lt;b" in text


def test_an_unknown_page_is_answered_with_the_list():
    with pytest.raises(ValueError, match=r"no page 'gtp'; the pages are .*bpe, .*wordpiece"):
        show("gtp")
    with pytest.raises(ValueError, match="no page '__init__'"):
        path("__init__")


def test_showing_imports_neither_torch_nor_the_page():
    code = (
        "import sys\n"
        "from tutorial_lib.pages import show\n"
        "show('bpe')._repr_html_()\n"
        "print([name for name in ('torch', 'tutorial_lib.pages.bpe', 'regex') if name in"
        " sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", pages.names())
def test_a_page_stands_on_its_own(name):
    """It can be copied: nothing of this package is imported."""
    assert not re.search(r"^\s*(from|import) tutorial_lib", path(name).read_text("utf-8"), re.M)


DESCENDANTS = dict.fromkeys(("roberta", "albert", "distilbert", "electra", "xlm"), "bert")
DESCENDANTS |= dict.fromkeys(("bart", "t5"), "transformer")


@pytest.mark.parametrize(("name", "parent"), DESCENDANTS.items())
def test_a_descendant_is_shown_as_what_it_changes(name, parent):
    shown = show(name, changes_from=parent)
    header, _, *lines = repr(shown).splitlines()
    assert header.startswith(f"tutorial_lib/pages/{name}.py beside {parent}.py: ") or name in header
    ours, theirs = (path(page).read_text(encoding="utf-8") for page in (name, parent))
    for line in lines:
        if line.startswith("+"):
            assert line[1:] in ours.splitlines()
        elif line.startswith("-"):
            assert line[1:] in theirs.splitlines()
    came = [line for line in lines if line.startswith("+")]
    assert f", {len(came)} come" in header
    assert not any("__main__" in line for line in lines)
    assert "scores.softmax(dim=-1)" not in repr(shown)  # what stays the same is not shown
    assert plain(shown).count("for block in") == repr(shown).count("for block in")
    assert html.escape("x < y") not in shown._repr_html_()
