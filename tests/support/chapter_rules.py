"""Rules for what a chapter holds: header, recall questions, exercises, closing sections.

A rule takes a `Book` and yields one sentence for each place that breaks it.
"""

import re

from budgets import budget

LEVELS = "easy|medium|hard"


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
    minutes, gigabytes = budget(book.path.name)
    unit = "minute" if minutes == 1 else "minutes"
    running = (
        f"**Running:** about {minutes:g} {unit} on two CPU cores, at most {gigabytes} GB of memory"
    )
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


def recall_follows_the_hook(book):
    if book.prefix == "00":
        return
    section, asked = "", []
    for kind, source, _ in book.cells:
        if kind == "markdown":
            section = (re.findall(r"^## (.+?)\s*$", source, re.M) or [section])[-1]
        elif section == "Recall":
            asked += re.findall(r"\brecall\(\s*[\"']([^\"']+)[\"']", source)
    wanted = [f"R{book.chapter}.{number}" for number in (1, 2, 3)]
    if asked != wanted:
        yield f"section Recall asks {asked}, not {wanted}"
    sections = [text for level, text in book.headings if level == 2]
    if "Recall" not in sections[1:3]:
        yield "## Recall is not the second or third section: the hook comes first"


def numbered_in_order(book):
    """Sections 2A, 2B, ..., exercises 2.1, ..., predictions P2.1, ...: as a reader meets them."""
    chapter = re.escape(book.chapter)
    code = "\n".join(source for _, source, _ in book.code)
    headings = [text for _, text in book.headings]
    found = {
        "sections": [m[1] for text in headings if (m := re.match(rf"{chapter}([A-Z]) \S", text))],
        "exercises": [
            m[1] for text in headings if (m := re.match(rf"Exercise {chapter}\.(\d+) ", text))
        ],
        "predictions": re.findall(rf"\bpredict\(\s*[\"']P{chapter}\.(\d+)[\"']", code),
    }
    for sort, met in found.items():
        if sort == "sections":
            wanted = [chr(ord("A") + number) for number in range(len(met))]
        else:
            first = 0 if met[:1] == ["0"] else 1
            wanted = [str(first + number) for number in range(len(met))]
        if met != wanted:
            yield f"the {sort} are numbered {met}, not in order"


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
        ["References"]  # after its recap comes what is for looking up
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
