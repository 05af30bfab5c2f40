"""Each system on one page: read it from top to bottom, copy it, change it.

A page imports nothing of this package, so it runs wherever you copy it:
`python tutorial_lib/pages/gpt.py` trains it and shows what it does. The library is the same thing
made robust, and tests hold the two equal.

>>> from tutorial_lib.pages import path, show
>>> path("bpe").name
'bpe.py'
>>> "def merge_pair" in show("bpe").source
True
"""

import difflib
import html
import os
import runpy
from pathlib import Path

FOLDER = Path(__file__).parent


def names():
    """Return the names of the pages, in alphabetical order."""
    return sorted(file.stem for file in FOLDER.glob("[!_]*.py"))


def path(name):
    """Return where the file of a page is; ValueError for an unknown name lists the pages."""
    if name not in names():
        raise ValueError(f"there is no page {name!r}; the pages are {', '.join(names())}")
    return FOLDER / f"{name}.py"


def run(name):
    """Run the program at the end of a page, as `python tutorial_lib/pages/NAME.py` does.

    What it trains and prints takes from seconds to a minute or two. ValueError as for `path`.
    """
    runpy.run_path(str(path(name)), run_name="__main__")


def show(name, changes_from=None, folded=False):
    """Display a page: coloured in a notebook, as text in a terminal. It is read, not imported.

    changes_from: the name of another page; then only the lines that differ from it are shown, with
    those around them, as far as the program below `if __name__ == "__main__"`. folded: a whole page
    opens in a notebook by a click on its first line, so that it gives no exercise away before that.

    >>> "+        for _ in range(self.n_layers):" in repr(show("albert", changes_from="bert"))
    True
    """
    if changes_from is None:
        return Page(path(name), folded)
    return Changes(path(changes_from), path(name))


class Page:
    """The source of a page, with its path above it to copy from; `show` makes one."""

    def __init__(self, file, folded=False):
        self.folded = folded
        self.source = file.read_text(encoding="utf-8")
        self.where = readable_path(file)

    def _header(self):
        return f"{self.where}, {len(self.source.splitlines())} lines to read, copy and change"

    def __repr__(self):
        return f"{self._header()}\n\n{self.source}"

    def _repr_html_(self):
        first_line = (
            f"<code>{html.escape(self.where)}</code>"
            f"{html.escape(self._header().removeprefix(self.where))}"
        )
        page = (
            f'<pre style="background-color: {CARD}; color: {INK}; padding: 12px; '
            f'overflow-x: auto; line-height: 1.35">{coloured(self.source)}</pre>'
        )
        if self.folded:
            return f"<details><summary>{first_line} (click to open)</summary>{page}</details>"
        return f"<p>{first_line}</p>{page}"


class Changes:
    """What one page changes of another: lines that go, lines that come; `show` makes one."""

    around = 2  # lines shown before and after those that change

    def __init__(self, parent, file):
        self.parent, self.file = parent, file
        lines = [_model_of(page).splitlines() for page in (parent, file)]
        found = difflib.unified_diff(*lines, lineterm="", n=self.around)
        self.lines = ["" if line.startswith("@@") else line for line in list(found)[2:]][1:]

    def _header(self):
        gone, come = (sum(line.startswith(sign) for line in self.lines) for sign in "-+")
        return f"{readable_path(self.file)} beside {self.parent.name}: {gone} lines go, {come} come"

    def __repr__(self):
        return "\n".join([self._header(), "", *self.lines])

    def _repr_html_(self):
        rows = [
            f'<span style="{CHANGED.get(line[:1], "")}">{html.escape(line) or " "}</span>'
            for line in self.lines
        ]
        return (
            f"<p>{html.escape(self._header())}</p>"
            f'<pre style="background-color: {CARD}; color: {INK}; padding: 12px; '
            f'overflow-x: auto; line-height: 1.35">{"<br>".join(rows)}</pre>'
        )


def _model_of(page):
    """Return the part of a page that defines its model: what runs it differs anyway."""
    return page.read_text(encoding="utf-8").partition('if __name__ == "__main__"')[0].rstrip()


def readable_path(file):
    """Write a path relative to the current folder, or say how to find it: no path of a machine."""
    try:
        relative = Path(os.path.relpath(file)).as_posix()
    except ValueError:  # another drive
        relative = None
    if relative and len(relative) < len(file.as_posix()):
        return relative
    inside = "/".join(file.parts[-3:])
    return f'{inside} in the installed package (tutorial_lib.pages.path("{file.stem}") finds it)'


# Dark on a light card, written into each tag: so the colours can be read in light and dark themes
# and survive in a notebook that its reader has not run yet, where style sheets are taken out.
CARD, INK = "#fdfcf9", "#1f2430"
CHANGED = {"-": "background-color: #fbe3da", "+": "background-color: #dcefe4"}
COLOURS = {
    "Comment": "#5c6370",
    "String.Doc": "#5c6370",
    "String": "#1b6e3c",
    "Keyword": "#8a2be2",
    "Operator.Word": "#8a2be2",
    "Number": "#a3480a",
    "Name.Function": "#0b4f9e",
    "Name.Class": "#0b4f9e",
}


def coloured(source):
    """Return Python source as HTML, its tokens in their colours."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer
    from pygments.style import Style
    from pygments.token import string_to_tokentype

    colours = {string_to_tokentype(name): colour for name, colour in COLOURS.items()}
    style = type("PageStyle", (Style,), {"styles": colours})
    return highlight(source, PythonLexer(), HtmlFormatter(noclasses=True, nowrap=True, style=style))
