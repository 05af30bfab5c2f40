"""Rules for the file of a notebook: stored outputs, metadata, pictures, links, no set-up.

A rule takes a `Book` and yields one sentence for each place that breaks it.
"""

import json
import re
from urllib.parse import unquote, urlsplit

from explorer_pictures import LIVE, is_explorer
from folding import besides_set_up, folded
from store_outputs import METADATA, TAGS

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
    "www.lesswrong.com",
    "mybinder.org",
    "openaccess.thecvf.com",
    "openmoji.org",
    "openreview.net",
    "papers.nips.cc",
    "proceedings.mlr.press",
    "proceedings.neurips.cc",
    "pytorch.org",
    "transformer-circuits.pub",
    "www.jmlr.org",
}


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
    cells = [(kind, source, bool(cell.get("outputs"))) for kind, source, cell in book.cells]
    folds = folded(cells)
    for (kind, source, cell), fold in zip(book.cells, folds, strict=True):
        start = source[:40]
        is_folded = cell["metadata"].get("jupyter", {})
        if is_folded != fold:
            yield f"folded {is_folded}, not {fold}: {start!r}; run store_outputs.py --keep"
        tags = cell["metadata"].get("tags", [])
        unknown = set(cell["metadata"]) - {"tags", "jupyter"} or set(tags) - set(TAGS)
        if unknown or (tags and kind != "code"):
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
            elif not (
                "".join(data.get("text/plain", "")).startswith("Figure: ") or is_explorer(output)
            ):
                yield f"the picture of code cell {number} has no text beside it: use style.show"
        if is_explorer(output) and "image/png" not in data:
            yield f"the explorer of code cell {number} has no picture: run `make notebooks`"
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
            yield f"links to {address}; tests/support/file_rules.py lists the sites in use"


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
    for text in besides_set_up(book.code[0][1]):
        yield f"the first code cell has more than imports, seed and device: {text}"


def links_lead_somewhere(book):
    anchors = {_anchor(text) for _, text in book.headings}
    for source in book.prose:
        for target in re.findall(r"\]\(([^)\s]+)\)", source):
            if re.match(r"https?:|mailto:|data:", target):
                continue
            file, _, anchor = target.partition("#")
            if not unquote(anchor).isascii():
                # JupyterLab escapes such a link's anchor, but not the heading's.
                yield f"links to #{anchor}, and JupyterLab finds only headings in ASCII letters"
            if file and not (book.path.parent / unquote(file)).exists():
                yield f"links to {file}, which does not exist"
            if not file and unquote(anchor) not in anchors:
                yield f"links to #{anchor}, which is no heading (case counts, spaces become -)"


def _anchor(heading):
    """The anchor that JupyterLab gives to a heading: spaces become dashes, nothing else changes."""
    return re.sub(r"[*_`]|\$", "", heading).replace(" ", "-")
