"""An explorer's own script on a plain page, with a stand-in for anywidget's model.

What the page saves goes to the real widget, and what the widget answers comes back, bytes too. No
JupyterLab is needed, so these tests are quick; tests/browser opens the real thing.
"""

import base64
import json
import os

import pytest
from browser import measure

LIGHT = {"ui-font-color1": "#1f2430", "ui-font-color2": "#5c6370", "layout-color1": "#ffffff"}
DARK = {"ui-font-color1": "#ffffffde", "ui-font-color2": "#ffffffb3", "layout-color1": "#111111"}
LIGHT |= {"layout-color2": "#eeeeee", "border-color2": "#e0e0e0"}
DARK |= {"layout-color2": "#424242", "border-color2": "#616161"}

PAGE = """
async ({esm, css, state, start}) => {
  const revive = (value) => {
    if (value && value.__bytes__ !== undefined) {
      const bytes = Uint8Array.from(atob(value.__bytes__), (c) => c.charCodeAt(0));
      return new DataView(bytes.buffer);
    }
    if (Array.isArray(value)) return value.map(revive);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v)]));
    }
    return value;
  };
  const traits = revive(state);
  const handlers = {};
  const tell = (name) => (handlers["change:" + name] || []).forEach((handler) => handler());
  const changed = new Set();
  window.kernel = {
    get: (name) => traits[name],
    set: (name, value) => {
      if (Object.is(traits[name], value)) return;
      traits[name] = value;
      changed.add(name);
      tell(name);
    },
    save_changes: () => {
      const news = Object.fromEntries([...changed].map((name) => [name, traits[name]]));
      changed.clear();
      toPython(JSON.stringify(news)).then((answer) => kernel.receive(JSON.parse(answer)));
    },
    on: (event, handler) => (handlers[event] ||= []).push(handler),
    off: (event, handler) => {
      handlers[event] = (handlers[event] || []).filter((other) => other !== handler);
    },
    listening: () => Object.values(handlers).flat().length,
    receive: (values) => {
      const revived = revive(values);
      Object.assign(traits, revived);
      Object.keys(revived).forEach(tell);
    },
  };
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const address = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const module = await import(address);
  const el = document.getElementById("root");
  window.cleanup = module.default.render({ model: window.kernel, el });
}
"""


def plain(value):
    """Traits as JSON, bytes wrapped so that the page can unwrap them."""
    if isinstance(value, (bytes, memoryview)):
        return {"__bytes__": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


class ExplorerPage:
    """A page that shows one explorer; `errors` collects everything the page complains about."""

    def __init__(self, page, widget):
        self.page, self.widget, self.errors = page, widget, []
        page.expose_function("toPython", self._to_python)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.errors.append(line.text))

    def _to_python(self, news):
        """Give the widget what the page has saved; returns what the widget made of it, as JSON."""
        changed = {}
        names = self.widget.keys

        def note(change):
            if change.name in names:
                changed[change.name] = change.new

        self.widget.observe(note)
        try:
            news = json.loads(news)
            for name, value in news.items():
                self.widget.set_trait(name, value)
                changed[name] = getattr(self.widget, name)
        finally:
            self.widget.unobserve(note)
        # What was taken as it came is not sent back: the page may be further by now.
        answer = {name: v for name, v in changed.items() if name not in news or v != news[name]}
        return json.dumps(plain(answer))

    def show(self, dark=False):
        """Load the explorer's own script and stylesheet with its present state."""
        theme = "".join(f"--jp-{k}: {v};" for k, v in (DARK if dark else LIGHT).items())
        self.page.set_content(
            f"<body style='margin:12px;{theme} background: var(--jp-layout-color1)'>"
            "<div id=root></div></body>"
        )
        state = {
            name: value
            for name, value in self.widget.get_state().items()
            if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip")
        }
        state = json.loads(json.dumps(plain(state)))
        source = {"esm": self.widget._esm, "css": self.widget._css, "state": state}
        self.page.evaluate(PAGE, source)
        self.settle()
        return self

    def use_theme(self, dark):
        """Switch the theme as JupyterLab does: other variables and another name on the body."""
        for name, value in (DARK if dark else LIGHT).items():
            self.page.evaluate(
                "([n, v]) => document.body.style.setProperty(n, v)", [f"--jp-{name}", value]
            )
        self.settle()

    def settle(self):
        """Wait until the next frames are drawn."""
        self.page.evaluate(
            "() => new Promise((done) => "
            "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
        )

    def receive(self, **values):
        """Let the stand-in kernel send new values."""
        self.page.evaluate("(values) => kernel.receive(values)", plain(values))
        self.settle()

    def trait(self, name):
        """What the page's model holds now."""
        return self.page.evaluate("(name) => kernel.get(name)", name)

    def picture(self, selector="canvas"):
        """The canvas as a data address, to compare with a later one."""
        self.settle()
        return self.page.evaluate("(s) => document.querySelector(s).toDataURL()", selector)

    def latency(self, selector):
        """Median milliseconds of 20 moves, from the input event to the frame after drawing."""
        return measure(self.page, selector)

    def check_fit_and_theme(self, dark, name, canvas="canvas"):
        """Nothing is wider than the page, and the picture follows the theme there and back."""
        root = self.page.locator(".tl-explorer")
        assert root.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 0
        before = self.picture(canvas)
        self.use_theme(not dark)
        self.page.wait_for_timeout(400)
        assert self.picture(canvas) != before
        self.use_theme(dark)
        self.page.wait_for_timeout(400)
        if folder := os.environ.get("TUTORIAL_SCREENSHOTS"):
            root.screenshot(path=f"{folder}/{name}-{'dark' if dark else 'light'}.png")


@pytest.fixture
def open_explorer(chromium):
    """`open_explorer(widget, dark=False, width=1100)` -> ExplorerPage; no page error may remain."""
    opened = []

    def opener(widget, dark=False, width=1100, height=900):
        page = chromium.new_page(viewport={"width": width, "height": height})
        opened.append(ExplorerPage(page, widget))
        return opened[-1].show(dark)

    yield opener
    for explorer in opened:
        explorer.page.close()
        assert explorer.errors == []
