"""JupyterLab for browser tests: a server on copies of the notebooks, and one page on it."""

import ast
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from browser import changes
from explorer_pictures import is_explorer
from isolation import ROOT
from notebook_book import Book
from slices import needed

NOTEBOOK = "window.jupyterapp.shell.currentWidget"
KERNEL_IDLE = f"""() => {{
  const kernel = {NOTEBOOK}?.sessionContext?.session?.kernel;
  return kernel?.status === "idle" && kernel?.connectionStatus === "connected";
}}"""
RUN_ALL = """async () => {
  const app = window.jupyterapp;
  await app.commands.execute("notebook:clear-all-cell-outputs");
  await app.commands.execute("notebook:run-all-cells");
}"""
CODE_CELLS = f"""() => {{
  const cells = {NOTEBOOK}.content.widgets.filter((cell) => cell.model.type === "code");
  return cells.map((cell) => {{
    const {{ execution_count, outputs, source }} = cell.model.toJSON();
    return {{ execution_count, outputs, source }};
  }});
}}"""
# The exception of a widget's handler belongs to no cell: JupyterLab shows it in its log only.
WATCH = f"""() => {{
  window.kernelErrors = [];
  {NOTEBOOK}.sessionContext.iopubMessage.connect((_, {{ header, content }}) => {{
    if (header.msg_type === "error") window.kernelErrors.push(content.traceback.join("\\n"));
    else if (/Traceback/.test(content.text)) window.kernelErrors.push(content.text);
  }});
}}"""
# What goes between the page and the kernel's widgets, as [direction, bytes].
COUNT = f"""() => {{
  window.comms = [];
  {NOTEBOOK}.sessionContext.session.kernel.anyMessage.connect((_, {{ msg, direction }}) => {{
    if (msg.header.msg_type !== "comm_msg") return;
    const bytes = (msg.buffers ?? []).reduce((sum, part) => sum + part.byteLength, 0);
    window.comms.push([direction, JSON.stringify(msg.content).length + bytes]);
  }});
}}"""
# Statements that belong to no cell; returns the error's traceback, or null.
EXECUTE = f"""async (code) => {{
  const {{ kernel }} = {NOTEBOOK}.sessionContext.session;
  const {{ content }} = await kernel.requestExecute({{ code, store_history: false }}).done;
  return content.status === "ok" ? null : (content.traceback ?? [content.status]).join("\\n");
}}"""
# What was sent before has been worked on when this is answered.
ROUND_TRIP = f"""() => {NOTEBOOK}.sessionContext.session.kernel
  .requestExecute({{ code: "", silent: true, store_history: false }}).done.then(() => null)"""
RUN_CELL = f"""async (number) => {{
  const {{ content }} = {NOTEBOOK};
  const places = content.widgets.flatMap((cell, i) => (cell.model.type === "code" ? [i] : []));
  content.activeCellIndex = places[number - 1];
  content.deselectAll();
  await window.jupyterapp.commands.execute("notebook:run-cell");
}}"""
USE_THEME = """async (theme) => {
  await window.jupyterapp.commands.execute("apputils:change-theme", { theme });
}"""
# The theme has a name on <body> before its stylesheet is there.
THEME_SHOWN = """(dark) => {
  if ((document.body.dataset.jpThemeLight === "false") !== dark) return false;
  const [r, g, b] = getComputedStyle(document.querySelector(".jp-Notebook")).backgroundColor
    .match(/\\d+/g).map(Number);
  const explorers = [...document.querySelectorAll(".tl-explorer")];
  const figures = [...document.querySelectorAll(".tl-light-figure, .tl-dark-figure")];
  return (r + g + b < 384) === dark
    && explorers.every((explorer) => explorer.hasAttribute("data-dark") === dark)
    && figures.every((figure) => figure.classList.contains("tl-dark-figure") === dark);
}"""
BROKEN_WIDGETS = """() => [...document.querySelectorAll(
  ".jupyter-widgets-error-widget, .jp-RenderedWidget, .jupyter-widgets.jp-OutputArea-output"
)].map((node) => node.textContent).filter((text) => /error|exception/i.test(text))"""


class Lab:
    """A JupyterLab server of its own on `folder`, where copies of the notebooks lie."""

    def __init__(self, folder, notebooks=ROOT / "notebooks"):
        self.folder = Path(folder)
        self.root = self.folder / "course"
        shutil.copytree(
            notebooks,
            self.root / "notebooks",
            ignore=shutil.ignore_patterns(".*", "my_transformer.py"),
        )
        self.settings = self.folder / "settings"
        # Short, since the address of a socket may have 107 characters.
        self._runtime = tempfile.TemporaryDirectory(prefix="lab-")
        self.log = self.folder / "server.log"
        self.token = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def __enter__(self):
        own = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "TUTORIAL_PROGRESS": "progress",
        }
        environment = {**os.environ, **{n: str(self.folder / f) for n, f in own.items()}}
        environment["JUPYTER_RUNTIME_DIR"] = self._runtime.name
        environment["JUPYTER_CONFIG_PATH"] = str(ROOT / "tutorial_lib" / "files" / "jupyter")
        # Windowed cells leave the page when they are scrolled away, and their widgets with them.
        self._set("notebook-extension", "tracker", {"windowingMode": "none"})
        command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1"]
        command += [f"--port={self.port}", "--ServerApp.port_retries=0"]
        command += [f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.root}"]
        command.append("--expose-app-in-browser")
        if os.name == "posix":
            # A free port may be taken, by the browser even, before the kernel has bound it.
            command.append("--KernelManager.transport=ipc")
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--allow-root")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment
            )
        self._wait()
        return self

    def __exit__(self, *_):
        self.stop_kernels()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._runtime.cleanup()

    def _set(self, extension, plugin, values):
        file = self.settings / "@jupyterlab" / extension / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")

    def _ask(self, path, method="GET"):
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=20) as reply:
            body = reply.read()
        return json.loads(body) if body else None

    def _wait(self, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                return self._ask("/api/status")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()[-3000:]}")

    def stop_kernels(self):
        """End all kernels: closing a page leaves its kernel running."""
        for session in self._ask("/api/sessions"):
            self._ask(f"/api/sessions/{session['id']}", "DELETE")

    def add(self, path):
        """Copy one more notebook to where the others are; returns its name."""
        shutil.copy(path, self.root / "notebooks")
        return Path(path).name

    def open_notebook(self, browser, name, theme="light", width=1280, height=900):
        """A LabPage that shows notebooks/`name` with its kernel ready; `theme` light or dark."""
        self._set("apputils-extension", "themes", {"theme": f"JupyterLab {theme.title()}"})
        page = browser.new_page(viewport={"width": width, "height": height})
        return LabPage(self, page, name)


class LabPage:
    """One notebook in JupyterLab; `page` is Playwright's, `errors` what the page complained of."""

    def __init__(self, lab, page, name):
        self.lab, self.page, self.errors = lab, page, []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        self._log_start = lab.log.stat().st_size
        page.goto(f"{lab.url}/lab/tree/notebooks/{name}?token={lab.token}&reset")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
        page.wait_for_function(KERNEL_IDLE, timeout=60_000)
        page.evaluate(WATCH)
        page.evaluate(COUNT)
        self.book = Book.read(lab.root / "notebooks" / name)

    def run_all(self, seconds=600):
        """Clear and run all cells; returns their counts, outputs and sources as JupyterLab has
        them."""
        self.page.set_default_timeout(seconds * 1000)
        self.page.evaluate(RUN_ALL)
        self.page.set_default_timeout(30_000)
        return self.code_cells()

    def code_cells(self):
        """The code cells' counts, outputs and sources as JupyterLab has them now."""
        return self.page.evaluate(CODE_CELLS)

    @property
    def explorer_cells(self):
        """The numbers of the code cells that show an explorer, by their stored outputs."""
        return [n for n, output in self.book.outputs if is_explorer(output)]

    def run_explorers(self, shorter=None):
        """Run the cells that show explorers, after those statements of other cells, and of the
        first, that they need; everything else keeps its stored outputs.

        shorter: (old, new), a piece of those statements that makes them train for less long.
        """
        cells = {n: ast.parse(source).body for n, source, _ in self.book.code}
        statements = [(n, ast.unparse(part)) for n, parts in cells.items() for part in parts]
        wanted = self.explorer_cells
        places = [i for i, (n, _) in enumerate(statements) if n in wanted]
        chosen = [statements[i] for i in needed([source for _, source in statements], places)]
        first = [source for n, source in statements if n == 1]
        rest = [source for n, source in chosen if n != 1 and n not in wanted]
        code = "\n".join([*first, *rest])
        if shorter:
            assert shorter[0] in code, f"no statement has {shorter[0]}"
            code = code.replace(*shorter)
        self.execute(code)
        for number in wanted:
            self.run_cell(number)

    def execute(self, code):
        """Run code that belongs to no cell."""
        failed = self.page.evaluate(EXECUTE, code)
        assert failed is None, failed

    def run_cell(self, number):
        """Run code cell `number`, counted from 1."""
        self.page.evaluate(RUN_CELL, number)
        cell = self.code_cells()[number - 1]
        assert cell["execution_count"], cell["source"]
        assert "error" not in [output["output_type"] for output in cell["outputs"]], cell

    def use_theme(self, theme):
        """Switch JupyterLab to the light or the dark theme, with everything as it stands, and
        wait until every explorer has followed."""
        self.page.evaluate(USE_THEME, f"JupyterLab {theme.title()}")
        self.page.wait_for_function(THEME_SHOWN, arg=theme == "dark")

    def settle(self):
        """Wait until the kernel has answered everything and the answers are drawn."""
        for _ in range(2):  # a widget may keep its next message until the first is answered
            self.page.evaluate(ROUND_TRIP)
        self.page.evaluate("() => new Promise((f) => requestAnimationFrame(() => setTimeout(f)))")

    def messages(self, act):
        """The bytes of each message that the page's widgets send while `act` is done."""
        self.settle()
        self.page.evaluate("window.comms = []")
        act()
        self.settle()
        return [bytes_ for way, bytes_ in self.page.evaluate("window.comms") if way == "send"]

    def press(self, root, control, key):
        """Press a key on a control of the explorer at `root`: the picture changes, and at most
        one message is sent."""
        self.settle()
        control = self.page.locator(root).first.locator(control).first
        control.focus()

        def act():
            moved = changes(self.page, root, lambda: control.press(key))
            assert moved, f"{key} on {root} changes nothing"

        sent = self.messages(act)
        assert len(sent) <= 1, f"{key} on {root} sends {len(sent)} messages"

    def complaints(self):
        """All that went wrong so far: page errors, broken widgets, exceptions in the kernel (of
        cells, and of widgets' handlers) and in what it printed to the server's log."""
        log = self.lab.log.read_bytes()[self._log_start :].decode("utf-8", "replace")
        logged = [log[log.index("Traceback") :][:2000]] if "Traceback" in log else []
        kernel = self.page.evaluate("window.kernelErrors")
        return [*self.errors, *self.page.evaluate(BROKEN_WIDGETS), *kernel, *logged]

    def cell(self, number):
        """The locator of code cell `number`, counted from 1."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(number - 1)

    def cell_with(self, text):
        """The locator of the first code cell whose source contains `text`."""
        cells = self.page.locator(".jp-Notebook .jp-CodeCell")
        return cells.filter(has=self.page.locator(".jp-InputArea", has_text=text)).first

    def show(self, selector):
        """The locator of the first such element, scrolled into view."""
        element = self.page.locator(selector).first
        element.scroll_into_view_if_needed()
        return element

    def screenshot(self, name, target=None):
        """Take a picture of the page or a locator, into TUTORIAL_SCREENSHOTS or the server's
        temporary folder; returns its path."""
        folder = Path(os.environ.get("TUTORIAL_SCREENSHOTS") or self.lab.folder / "screenshots")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        (target or self.page).screenshot(path=path)
        return path

    def close(self):
        """Close the page and end its kernel."""
        self.page.close()
        self.lab.stop_kernels()
