"""A stored notebook, made ready for Sphinx: nothing is run, what is stored is shown.

Pictures become files with their alt text, explorers a picture that a script replaces, exercises
their hints and solution, predictions a box for a guess. Folded stays folded.
"""

import base64
import hashlib
import html
import json
import re
import struct
from pathlib import Path

# Explorers that show what Python answers: without a brain of their own they stay pictures.
ANSWERED = {
    "buckets", "code_book", "corruption", "digits", "emoji_finder", "fill_mask", "generation",
    "lattice", "logit_lens", "masking", "masking_passes", "regions", "replaced",
    "search", "student", "tokens", "translation",
}  # fmt: skip
WHERE = (
    '<a data-run="binder" href="start.html#In-the-browser,-with-Python">on Binder</a> or '
    '<a data-run="lab" href="start.html#On-your-own-computer">in your own JupyterLab</a>'
)
STILL = f"A picture of the explorer: this one comes alive where Python runs, {WHERE}."
MODEL = f"Here it shows the stored text. With another one, or a broken head, it runs {WHERE}."
SEED = "Here a seed draws other tokens than in Python: its random numbers are made in another way."
EXPLORER = ": run this cell"
FOLDED = re.compile(r"# folded: (.+)")
SORTS = {"check": "exercise", "predict": "prediction", "recall": "recall"}  # of answers.py
ASKED = re.compile(r'^(check|predict|recall)\("([PR]?[\d]+\w?\.\d+)"', re.M)


def prepared(path, target, facts, states, brains=(), missed=None):
    """Return the notebook at `path` as Sphinx is to read it; its pictures go below `target`.

    facts: what `answers.py` has found, and under "large" the card of `large_files.py`; states: the
    folder of explorers' first states; brains: the modules of explorers whose answers the page can
    compute. To the list `missed` is added, in words, what the notebook has and the site lacks: for
    an explorer, its picture stands there.
    """
    missed = [] if missed is None else missed
    book = json.loads(Path(path).read_text(encoding="utf-8"))
    chapter = Path(path).stem
    pictures = target / "pictures" / chapter
    pictures.mkdir(parents=True, exist_ok=True)
    last = {}  # number of an exercise -> the cell that checks it last
    for place, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            for sort, number in ASKED.findall(_text(cell["source"])):
                last[sort, number] = place
    for place, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            _code(cell, place, last, chapter, pictures, facts, states, brains, missed)
        else:
            cell["source"] = markdown(_text(cell["source"]))
    return book


def markdown(text):
    """What MyST takes another way than Jupyter: a list right after a line of text, bare < signs."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        # Jupyter begins a list below a line of text; so does MyST, except for a) and 2. and more.
        parts[i] = re.sub(r"\]\(([\w/]+)\.ipynb#([^)]+)\)", r"](\1.html#\2)", parts[i])
        parts[i] = re.sub(r"\]\(([\w/]+)\.ipynb\)", r"](\1.html)", parts[i])
    return "".join(parts)


def _code(cell, place, last, chapter, pictures, facts, states, brains, missed):
    source, fold = _text(cell["source"]), cell["metadata"].get("jupyter", {})
    outputs = cell.get("outputs", [])
    name = cell.get("id", str(place))
    tags, notebook = [], {}
    said = FOLDED.match(source)
    label = said[1].rstrip(".") if said else "Imports" if "import " in source else "Code"
    if fold.get("source_hidden"):
        tags.append("hide-input")
        notebook["code_prompt_show"] = label[0].upper() + label[1:]
        notebook["code_prompt_hide"] = notebook["code_prompt_show"]
    asked = ASKED.findall(source)
    shown = []
    for number, output in enumerate(outputs):
        if _is_explorer(output):
            large = facts.get("large", {})
            shown.append(
                _explorer(output, name, number, chapter, pictures, states, brains, large, missed)
            )
        elif "image/png" in output.get("data", {}):
            shown.append(_picture(output, name, number, chapter, pictures))
        elif asked and output["output_type"] == "stream" and _only_asks(source):
            continue  # "not tried yet": here stands what can be done instead
        else:
            shown.append(output)
    for sort, number in asked:
        if last[sort, number] == place:
            shown.append(_html(_panel(sort, number, facts)))
            if number not in facts[SORTS[sort]]:
                missed.append(f"{chapter}: {sort} {number} has no exercise of that number")
    if fold.get("outputs_hidden") and shown:
        revealed = re.findall(r'reveal\(\s*"(P[\w.]+)"', source)
        opening = f'<details class="tl-after" data-reveals="{" ".join(revealed)}">'
        opening += "<summary>What it prints (guess first)</summary>"
        shown = [_html(opening + "".join(map(_as_html, shown)) + "</details>")]
    cell["outputs"] = shown
    cell["metadata"] = {"tags": tags, "mystnb": notebook} if tags else {}


def _is_explorer(output):
    return _text(output.get("data", {}).get("text/plain", "")).endswith(EXPLORER)


def _picture(output, name, number, chapter, pictures):
    image, alt, width, height = _saved(output, name, number, pictures)
    size = f'width="{width}" height="{height}"'
    return _html(
        f'<img class="tl-figure" loading="lazy" decoding="async" {size} alt="{alt}" '
        f'src="_static/tl/pictures/{chapter}/{image}">'
    )


def picture_mark(png):
    """The mark of a stored picture (base64): a state that was recorded beside it has the same.

    `make notebooks` leaves a picture byte by byte while the explorer looks as before, so another
    mark means another explorer.

    >>> picture_mark("iVBORw==")
    '0f4636c78f65d363'
    """
    return hashlib.sha256(base64.b64decode(_text(png))).hexdigest()[:16]


def answers(stored, brains, large=None):
    """Whether the site has a brain for this explorer, and the network that it needs.

    large: the card of `large_files.py`; None: every large file is there.
    """
    extras = stored.get("extras", {})
    there = large is None or large.keys() >= set(extras.get("large", []))
    return stored["module"] in brains and extras.get("network") != "" and there


def stays_a_picture(stored, brains, large=None):
    """Whether the explorer of a state asks Python, and the site has nothing that answers."""
    return stored["module"] in ANSWERED and not answers(stored, brains, large)


def _explorer(output, name, number, chapter, pictures, states, brains, large, missed):
    image, alt, width, height = _saved(output, name, number, pictures)
    shown = output.get("metadata", {}).get("image/png", {}).get("width", width)
    state = states / chapter / f"{name}.json"
    live, note = "", STILL
    stored = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
    if stored and stays_a_picture(stored, brains, large):
        pass
    elif stored.get("picture") == picture_mark(output["data"]["image/png"]):
        brain = " data-brain" if answers(stored, brains, large) else ""
        live = f' data-state="{chapter}/{name}" data-module="{stored["module"]}"{brain}'
        needs = stored["extras"].get("large")  # names of large files
        if brain and needs:
            files = json.dumps([file for each in needs for file in large[each]])
            live += f' data-large="{html.escape(files)}"'
        note = _remark(stored, brain)
    else:
        why = "is older than its picture in the notebook" if stored else "is not there"
        missed.append(f"{chapter}: the state of the explorer in cell {name} {why}")
    note = note and f'<figcaption class="tl-still">{note}</figcaption>'
    return _html(
        f'<figure class="tl-live"{live}><img loading="lazy" decoding="async" alt="{alt}" '
        f'width="{shown}" height="{round(height * shown / width)}" '
        f'src="_static/tl/pictures/{chapter}/{image}">{note}</figure>'
    )


def _remark(stored, brain):
    """What a living explorer does otherwise than in a notebook, if anything."""
    traits = stored["state"]
    if not brain:
        return MODEL if traits.get("has_model") else ""
    return SEED if stored["module"] == "generation" and not traits["simple"] else ""


def _saved(output, name, number, pictures):
    raw = base64.b64decode(_text(output["data"]["image/png"]))
    file = f"{name}-{number}.png" if number else f"{name}.png"
    (pictures / file).write_bytes(raw)
    width, height = struct.unpack(">II", raw[16:24])
    alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    return file, html.escape(alt, quote=True), width, height


def _panel(sort, number, facts):
    """What stands below a question: no check, since nothing runs here."""
    if sort == "predict":
        question = html.escape(facts["prediction"].get(number, {}).get("question", ""))
        return (
            f'<form class="tl-guess" data-guess="{number}"><label>Your guess for {number}'
            f'<span class="tl-asked">{question}</span>'
            '<input type="text" maxlength="60" autocomplete="off" spellcheck="false"></label>'
            '<button type="submit">Keep it</button><output role="status"></output></form>'
        )
    if sort == "recall":
        known = facts["recall"].get(number)
        if not known:
            return ""
        words = f"<b>{html.escape(known['answer'])}</b> {_inline(known['because'])}"
        return _details(f"{number}: the answer", f"<p>{words}</p>")
    known = facts["exercise"].get(number)
    if not known:
        return ""
    hints = "".join(
        _details(f"Hint {n} of {len(known['hints'])}", f"<p>{_inline(hint)}</p>")
        for n, hint in enumerate(known["hints"], 1)
    )
    code = f'<pre class="tl-solution"><code>{html.escape(known["solution"])}</code></pre>'
    return (
        f'<div class="tl-exercise" role="group" aria-label="Exercise {number}">{hints}'
        f"{_details('One solution', code)}"
        f'<p class="tl-check">Write and <b>check</b> it where Python runs: {WHERE}. '
        "There <code>check</code> says what went wrong.</p></div>"
    )


def _details(summary, content):
    return f'<details class="tl-fold"><summary>{html.escape(summary)}</summary>{content}</details>'


def _inline(text):
    """Text with `code`, *emphasis* and **strong words** as HTML."""
    text = html.escape(str(text), quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return text.replace("\n", "<br>")


def _only_asks(source):
    lines = [line for line in source.splitlines() if line.strip() and not line.startswith("#")]
    return bool(lines) and any(ASKED.match(line) for line in lines)


def _html(text):
    return {"output_type": "display_data", "data": {"text/html": text}, "metadata": {}}


def _as_html(output):
    if output["output_type"] == "stream":
        return f'<pre class="tl-printed">{html.escape(_text(output["text"]))}</pre>'
    data = output.get("data", {})
    if "text/html" in data:
        return _text(data["text/html"])
    return f'<pre class="tl-printed">{html.escape(_text(data.get("text/plain", "")))}</pre>'


def _text(lines):
    return lines if isinstance(lines, str) else "".join(lines)


def slug(title):
    """JupyterLab's anchor of a heading: its text with - for blanks, case kept."""
    return re.sub(r"[`*_]", "", title).replace(" ", "-")
