"""The rules that every notebook of the course keeps, one function each.

A rule takes a `Book` and yields one sentence for each place that breaks it. CONTRIBUTING.md says
what the rules ask of an author.
"""

import ast
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from budgets import MINUTES
from store_outputs import LIVE, METADATA, TAGS

MAX_BYTES = 2 * 2**20
MAX_IGNORED = 0.35
SITES = {
    "aclanthology.org",
    "arxiv.org",
    "cdn.openai.com",
    "creativecommons.org",
    "direct.mit.edu",
    "dl.acm.org",
    "docs.python.org",
    "docs.pytorch.org",
    "doi.org",
    "en.wikipedia.org",
    "github.com",
    "huggingface.co",
    "ieeexplore.ieee.org",
    "jmlr.org",
    "mybinder.org",
    "openaccess.thecvf.com",
    "openmoji.org",
    "openreview.net",
    "papers.nips.cc",
    "proceedings.mlr.press",
    "proceedings.neurips.cc",
    "pytorch.org",
    "www.jmlr.org",
}
LEVELS = "easy|medium|hard"


@dataclass(frozen=True)
class Book:
    """One notebook: `path`, the file's `text`, and the `neighbours` in its folder (file names)."""

    path: Path
    text: str
    neighbours: tuple

    @classmethod
    def read(cls, path):
        names = tuple(sorted(p.name for p in Path(path).parent.glob("[0-9][0-9]*.ipynb")))
        return cls(Path(path), Path(path).read_text(encoding="utf-8"), names)

    @cached_property
    def json(self):
        return json.loads(self.text)

    @property
    def prefix(self):
        """The chapter as the file name has it: "02", "05b"."""
        return self.path.name.split("_")[0]

    @property
    def chapter(self):
        """The chapter as exercises have it: "2", "5b"."""
        return self.prefix[1:] if self.prefix.startswith("0") else self.prefix

    @cached_property
    def cells(self):
        return [(c["cell_type"], "".join(c["source"]), c) for c in self.json["cells"]]

    @property
    def code(self):
        """(number, source, cell) of each code cell."""
        cells = [(source, cell) for kind, source, cell in self.cells if kind == "code"]
        return [(number, *cell) for number, cell in enumerate(cells, 1)]

    @property
    def outputs(self):
        """(number of the code cell, output) of each stored output."""
        return [(n, output) for n, _, cell in self.code for output in cell["outputs"]]

    @property
    def markdown(self):
        """The source of each markdown cell, without blocks of code."""
        return [_without_blocks(source) for kind, source, _ in self.cells if kind == "markdown"]

    @property
    def prose(self):
        """The source of each markdown cell, without any code."""
        return [re.sub(r"`[^`\n]+`", "`code`", source) for source in self.markdown]

    @cached_property
    def headings(self):
        """(level, text) in order of appearance."""
        pattern = re.compile(r"^(#{1,6})\s+(.+?)\s*$", re.M)
        return [(len(m[1]), m[2]) for source in self.markdown for m in pattern.finditer(source)]

    def section(self, title):
        """The markdown below the heading `## title`, up to the next section."""
        text = "\n\n".join(self.markdown)
        found = re.search(rf"^## {re.escape(title)}\s*$(.*?)(?=^## |\Z)", text, re.M | re.S)
        return found[1] if found else ""


def _without_blocks(source):
    return re.sub(r"^(```|~~~).*?^\1\s*$", "", source, flags=re.M | re.S)


def run_in_order(book):
    counts = [cell["execution_count"] for _, _, cell in book.code]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}, not 1, 2, 3, ...: run it from top to bottom"
    for number, source, _ in book.code:
        if not source.strip():
            yield f"code cell {number} is empty"


def no_stored_errors(book):
    for number, output in book.outputs:
        if output["output_type"] == "error":
            yield f"code cell {number} stores an error: {output.get('ename')}"
        if output["output_type"] == "stream" and output.get("name") == "stderr":
            yield f"code cell {number} stores a warning: {''.join(output['text'])[:100]}"


def normal_metadata(book):
    if book.json["metadata"] != METADATA:
        yield f"notebook metadata is {book.json['metadata']}"
    if (book.json["nbformat"], book.json["nbformat_minor"]) != (4, 5):
        yield "not in notebook format 4.5"
    ids = [cell.get("id") for _, _, cell in book.cells]
    if None in ids or len(set(ids)) < len(ids):
        yield "cell ids are missing or not unique"
    for kind, source, cell in book.cells:
        start = source[:40]
        tags = cell["metadata"].get("tags", [])
        if set(cell["metadata"]) - {"tags"} or set(tags) - set(TAGS) or (tags and kind != "code"):
            yield f"metadata {cell['metadata']} on the cell {start!r}"
        if "attachments" in cell:
            yield f"an attached file on the cell {start!r}"
    for number, output in book.outputs:
        if LIVE in output.get("data", {}):
            yield f"code cell {number} stores a live widget"
    plain = json.dumps(book.json, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if book.text != plain:
        yield "not laid out as nbformat writes it"


def pictures_have_alt_text(book):
    for number, output in book.outputs:
        data = output.get("data", {})
        for kind in (k for k in data if k.startswith("image/")):
            alt = output.get("metadata", {}).get(kind, {}).get("alt", "")
            if not alt.strip():
                yield f"the picture of code cell {number} has no alt text: use style.show"
            elif not "".join(data.get("text/plain", "")).startswith("Figure: "):
                yield f"the picture of code cell {number} has no text beside it: use style.show"
    for source in book.prose:
        for tag in re.findall(r"!\[\s*\]\([^)]*\)|<img(?![^>]*\balt=\"[^\"]+\")[^>]*>", source):
            yield f"no alt text: {tag[:80]}"


def headings_in_order(book):
    levels = [level for level, _ in book.headings]
    if levels[:1] != [1] or levels.count(1) != 1:
        yield "a notebook starts with one # heading and has no other"
    for before, (level, text) in zip(levels, book.headings[1:], strict=False):
        if level > before + 1:
            yield f"{'#' * level} {text}: a level is left out before it"
    texts = [text for _, text in book.headings]
    for text in sorted({t for t in texts if texts.count(t) > 1}):
        yield f"two headings are called {text!r}, so links cannot tell them apart"


def small_file(book):
    size = len(book.text.encode("utf-8"))
    if size >= MAX_BYTES:
        yield f"the file has {size / 2**20:.2f} MB, 2 are allowed"


def no_machine(book):
    pictures = re.sub(r'"image/[a-z+]+": "[^"]*"', "", book.text)
    places = (
        r"(?<![\w.])/(?:home|root|tmp|work|Users|opt|var|mnt|private|usr|etc)/",
        r"\b[A-Z]:\\\\(?:Users|Windows|Program|Temp)",
        r"(?:site|dist)-packages",
        r"file://",
        r"\blocalhost\b",
        r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b",
    )
    for place in places:
        for found in re.finditer(place, pictures):
            around = pictures[max(0, found.start() - 30) : found.end() + 30]
            yield f"names a place on some machine: {around!r}"
    for address in re.findall(r"https?://[^\s\"')>\]\\]+", pictures):
        if urlsplit(address).hostname not in SITES:
            yield f"links to {address}; tests/support/notebook_rules.py lists the sites in use"


def output_is_compared(book):
    ignored = 0
    for number, source, cell in book.code:
        ignored += "nbval-ignore-output" in cell["metadata"].get("tags", [])
        if re.search(r"#\s*(?:NBVAL|PYTEST_VALIDATE)_", source):
            yield f"code cell {number} speaks to nbval in a comment; use the tag"
    if ignored > MAX_IGNORED * len(book.code):
        yield f"{ignored} of {len(book.code)} code cells ignore their output, 35 % are allowed"


def no_set_up(book):
    shell = re.compile(
        r"^\s*(?:!|%%|%(?:pip|conda|mamba|uv|run|cd|env|sx|system|load_ext)\b)", re.M
    )
    names = re.compile(r"\bpip3? install\b|\bconda install\b|\bsubprocess\b|\bsys\.path\b")
    calls = re.compile(r"(?<![\w.])(?:exec|eval|__import__)\(|\bos\.(?:system|popen|chdir)\(")
    for number, source, _ in book.code:
        for pattern in (shell, names, calls):
            for found in pattern.findall(source):
                yield f"code cell {number} contains {found.strip()!r}"


def first_cell_is_set_up(book):
    if not book.code:
        yield "no code cell"
        return
    for statement in ast.parse(book.code[0][1]).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        text = ast.unparse(statement)
        if not re.fullmatch(
            r"(?:torch\.manual_seed|(?:training\.)?set_seed)\([\w=]+\)"
            r"|SEED = \d+|device = (?:training\.)?get_device\(\)",
            text,
        ):
            yield f"the first code cell has more than imports, seed and device: {text}"


def header_is_complete(book):
    kind, header, _ = book.cells[0]
    if kind != "markdown" or not re.match(rf"# {book.prefix} · \S", header):
        yield f"the first cell does not start with '# {book.prefix} · title'"
    goals = re.search(
        r"^\*\*You will be able to\*\*\s*\n((?:\s*[-*] .+\n(?:  .+\n)*)+)", header, re.M
    )
    if not goals or len(re.findall(r"^\s*[-*] ", goals[1], re.M)) < 3:
        yield "**You will be able to** has no list of three or more goals"
    if not re.search(r"^\*\*Reading and exercises:\*\* about \d+ minutes", header, re.M):
        yield "**Reading and exercises:** about N minutes is missing"
    minutes = MINUTES.get(book.prefix, 1.0)
    running = f"**Running:** about {minutes:g} minutes on two CPU cores, at most 1.2 GB of memory"
    if running not in header:
        yield f"the header does not say: {running}"
    if len(re.findall(r"\]\(#", _label(header, "Stopping points"))) < 2:
        yield "**Stopping points:** does not link to two sections"
    if not _label(header, "Prerequisites").strip():
        yield "**Prerequisites:** is missing"
    place = book.neighbours.index(book.path.name)
    beside = book.neighbours[max(0, place - 1) : place] + book.neighbours[place + 1 : place + 2]
    for name in beside:
        if f"]({name})" not in _label(header, "Neighbours"):
            yield f"**Neighbours:** does not link to {name}"
    if not _label(header, "Neighbours").strip():
        yield "**Neighbours:** is missing"


def _label(header, name):
    found = re.search(rf"^\*\*{name}:\*\*(.*)$", header, re.M)
    return found[1] if found else ""


def recall_comes_first(book):
    if book.prefix == "00":
        return
    section, asked = "", []
    for kind, source, _ in book.cells:
        if kind == "markdown":
            section = (re.findall(r"^## (.+?)\s*$", source, re.M) or [section])[-1]
        elif section == "Recall":
            asked += re.findall(r"\brecall\(\s*[\"']([^\"']+)[\"']", source)
    wanted = [f"{book.chapter}.{letter}" for letter in "abc"]
    if asked != wanted:
        yield f"section Recall asks {asked}, not {wanted}"
    sections = [text for level, text in book.headings if level == 2]
    if sections[:1] != ["Recall"]:
        yield "the first section is not ## Recall"


def enough_exercises(book):
    chapter = re.escape(book.chapter)
    code = "\n".join(source for _, source, _ in book.code)
    checks = set(re.findall(rf"^check\(\s*[\"']({chapter}\.\d+)[\"']", code, re.M))
    titled = {
        found[1]
        for _, text in book.headings
        if (found := re.match(rf"Exercise ({chapter}\.\d+) · (?:{LEVELS}) · \S", text))
    }
    for number in sorted(checks ^ titled):
        yield f"exercise {number} has a check or a heading 'Exercise {number} · level · title' only"
    least = 0 if book.prefix == "00" else 5 if book.prefix.endswith("b") else 7
    if len(checks) < least:
        yield f"{len(checks)} exercises, at least {least} are asked for"


def ends_well(book):
    expected = (
        ["Recap", "References"]
        if book.prefix == "00"
        else ["Paper and code", "Recap", "References"]
    )
    sections = [text for level, text in book.headings if level == 2]
    if sections[-len(expected) :] != expected:
        yield f"the last sections are not {', '.join(expected)}"
    lines = re.findall(r"^(?:[-*]|\d+\.) ", book.section("Recap"), re.M)
    if len(lines) != 5:
        yield f"the recap has {len(lines)} lines, not five"
    references = re.findall(r"^(?:[-*]|\d+\.) .*(?:\n  .*)*", book.section("References"), re.M)
    if not references:
        yield "no references"
    for reference in references:
        if not re.search(r"\b(?:1[89]|20)\d\d\b", reference):
            yield f"a reference without its year: {reference[:80]}"


def links_lead_somewhere(book):
    anchors = {_anchor(text) for _, text in book.headings}
    for source in book.prose:
        for target in re.findall(r"\]\(([^)\s]+)\)", source):
            if re.match(r"https?:|mailto:|data:", target):
                continue
            file, _, anchor = target.partition("#")
            if file and not (book.path.parent / unquote(file)).exists():
                yield f"links to {file}, which does not exist"
            if not file and unquote(anchor) not in anchors:
                yield f"links to #{anchor}, which is no heading (case counts, spaces become -)"


def _anchor(heading):
    """The anchor that JupyterLab gives to a heading: spaces become dashes, nothing else changes."""
    return re.sub(r"[*_`]|\$", "", heading).replace(" ", "-")


RULES = (
    run_in_order,
    no_stored_errors,
    normal_metadata,
    pictures_have_alt_text,
    headings_in_order,
    small_file,
    no_machine,
    output_is_compared,
    no_set_up,
    first_cell_is_set_up,
    header_is_complete,
    recall_comes_first,
    enough_exercises,
    ends_well,
    links_lead_somewhere,
)
