"""An explorer's own script on a plain page, with a stand-in for anywidget's model.

What the page saves goes to the real widget, and what the widget answers comes back, bytes too. No
JupyterLab is needed, so tests and benchmarks are quick; tests/browser opens the real thing.
"""

import base64
import json

LIGHT = {"ui-font-color1": "#1f2430", "ui-font-color2": "#5c6370", "layout-color1": "#ffffff"}
DARK = {"ui-font-color1": "#ffffffde", "ui-font-color2": "#ffffffb3", "layout-color1": "#111111"}
LIGHT |= {"layout-color2": "#eeeeee", "border-color2": "#e0e0e0"}
DARK |= {"layout-color2": "#424242", "border-color2": "#616161"}

PAGE = """
async ({esm, css, state}) => {
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
  const draw = CanvasRenderingContext2D.prototype.clearRect; // each drawing begins with it
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    this.canvas.drawings = (this.canvas.drawings ?? 0) + 1;
    draw.apply(this, area);
  };
  const resting = new Set(); // timers that run: what waits until typing or moving rests
  const [start, clear] = [window.setTimeout, window.clearTimeout];
  window.setTimeout = (react, wait) => {
    const timer = start(() => {
      resting.delete(timer);
      react();
    }, wait);
    resting.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    resting.delete(timer);
    clear(timer);
  };
  window.sent = [];
  window.kernel = {
    waiting: 0,
    resting: () => resting.size,
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
      sent.push(JSON.stringify(news).length);
      kernel.waiting += 1;
      toPython(JSON.stringify(news)).then((answer) => {
        kernel.receive(JSON.parse(answer));
        kernel.waiting -= 1;
      });
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

# One change of a control, there and back with even and odd turns.
CHANGE = """(control, turn) => {
  if (control.tagName === "SELECT") {
    control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
    control.dispatchEvent(new Event("input", { bubbles: true }));
    control.dispatchEvent(new Event("change", { bubbles: true }));
  } else if (control.tagName === "TEXTAREA") {
    control.value = turn % 2 ? control.value.slice(1) : `x${control.value}`;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (control.type === "range") {
    const value = control.value;
    turn % 2 ? control.stepDown() : control.stepUp();
    if (control.value === value) control.stepDown();
    control.dispatchEvent(new Event("input", { bubbles: true }));
  } else {
    control.click();
  }
}"""
CHANGE_IN_A_FRAME = f"""(control, turns) => new Promise((done) => requestAnimationFrame(() => {{
  for (let turn = 0; turn < turns; turn += 1) ({CHANGE})(control, turn);
  requestAnimationFrame(() => requestAnimationFrame(done));
}}))"""
RESET = """() => {
  window.sent = [];
  for (const canvas of document.querySelectorAll("canvas")) canvas.drawings = 0;
}"""
COSTS = """() => ({
  sent,
  drawings: Math.max(0, ...[...document.querySelectorAll("canvas")].map((c) => c.drawings ?? 0)),
})"""


def plain(value):
    """Traits as JSON, bytes wrapped so that the page can unwrap them."""
    if isinstance(value, (bytes, memoryview)):
        return {"__bytes__": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def blank(page, dark=False):
    """Empty the page but for the colours of a theme and an element called root."""
    theme = "".join(f"--jp-{k}: {v};" for k, v in (DARK if dark else LIGHT).items())
    page.set_content(
        f"<body style='margin:12px;{theme} background: var(--jp-layout-color1)'>"
        "<div id=root></div></body>"
    )


def mount(page, esm, css, state, dark=False):
    """Draw an explorer into a page whose `toPython` answers what it saves; state: its traits."""
    blank(page, dark)
    state = {
        name: value
        for name, value in state.items()
        if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip")
    }
    page.evaluate(PAGE, {"esm": esm, "css": css, "state": json.loads(json.dumps(plain(state)))})


def settle(page):
    """Wait until the next frames are drawn."""
    page.evaluate(
        "() => new Promise((done) => "
        "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
    )


class ExplorerPage:
    """A page that shows one explorer; `errors` collects everything the page complains about,
    `sent` is what the widget has sent since the page's last message."""

    def __init__(self, page, widget):
        self.page, self.widget, self.errors, self.sent = page, widget, [], {}
        widget.send_state = self._send_state  # instead of to a notebook's page
        page.expose_function("toPython", self._to_python)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.errors.append(line.text))

    def _send_state(self, key=None):
        self.sent |= self.widget.get_state(key=key)

    def _to_python(self, news):
        """Give the widget what the page has saved; returns what the widget sends back, as JSON."""
        self.sent = {}
        self.widget.set_state(json.loads(news))
        return json.dumps(plain(self.sent))

    def show(self, dark=False):
        """Load the explorer's own script and stylesheet with its present state."""
        mount(self.page, self.widget._esm, self.widget._css, self.widget.get_state(), dark)
        self.settle()
        return self

    def use_theme(self, dark):
        """Switch the theme as JupyterLab does: other variables and another name on the body."""
        for name, value in (DARK if dark else LIGHT).items():
            self.page.evaluate(
                "([n, v]) => document.body.style.setProperty(n, v)", [f"--jp-{name}", value]
            )
        self.page.wait_for_function(
            "(dark) => document.querySelector('.tl-explorer').hasAttribute('data-dark') === dark",
            arg=dark,
        )
        self.settle()

    def settle(self):
        """Wait until the next frames are drawn."""
        settle(self.page)

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

    def cost(self, control, turns=1):
        """What some changes of a control, all in one frame, cost: the bytes of each message that
        is sent, and how often the canvas that is drawn most is drawn."""
        self.page.evaluate(RESET)
        self.page.locator(control).first.evaluate(CHANGE_IN_A_FRAME, turns)
        self.answered()
        return self.page.evaluate(COSTS)

    def answered(self):
        """Wait until nothing is still to be asked, all is answered and the answers are drawn."""
        self.page.wait_for_function("() => !kernel.resting() && !kernel.waiting")
        self.settle()
