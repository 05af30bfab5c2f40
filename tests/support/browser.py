"""A pytest plugin: the fixture `chromium`, and how long a picture takes to follow a control."""

import os
import shutil
import statistics
import tempfile

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = (
    "no browser: `apt-get install chromium`, or name one with TUTORIAL_CHROMIUM=/path/to/chrome"
)


def find_chromium():
    """The path of a browser, or None: TUTORIAL_CHROMIUM, else the first known name on the path."""
    named = os.environ.get("TUTORIAL_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what needs a browser as slow, before pytest looks at the marks."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


def pytest_terminal_summary(terminalreporter):
    """Say once how to get the browser for want of which tests were skipped."""
    skipped = terminalreporter.stats.get("skipped", ())
    number = sum(MISSING in str(report.longrepr) for report in skipped)
    if number:
        terminalreporter.write_line(f"{number} browser tests were skipped, {MISSING}")


# Module scope on purpose: while Playwright's loop runs in this thread, no other loop can, and the
# notebooks need one.
@pytest.fixture(scope="module")
def chromium():
    """A headless browser. Without one: a skip, or a failure if TUTORIAL_BROWSER=required."""
    path = find_chromium()
    if path is None:
        (pytest.fail if os.environ.get("TUTORIAL_BROWSER") == "required" else pytest.skip)(MISSING)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home, sync_playwright() as starter:
        environment = {**os.environ, "HOME": home}
        browser = starter.chromium.launch(executable_path=path, args=FLAGS, env=environment)
        yield browser
        browser.close()


# One change a turn, there and back. What is timed ends in the frame after the one that draws: the
# first callback runs before that frame is painted, the second after. A picture that the kernel
# makes counts from the same event to the frame after the new image has been decoded.
_MEASURE = """
async (control, [picture, turns]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const drawn = async () => { await frame(); await frame(); };
  const waitFor = (image, old) => new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error("the picture did not change")), 5000);
    const look = () => {
      if (image.src === old) return requestAnimationFrame(look);
      clearTimeout(late);
      image.decode().then(drawn).then(done);
    };
    look();
  });
  const change = (turn) => {
    if (control.matches(".noUi-handle")) {
      const key = turn % 2 ? "ArrowLeft" : "ArrowRight";
      control.focus();
      control.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    } else if (control.tagName === "SELECT") {
      control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
      control.dispatchEvent(new Event("input", { bubbles: true }));
      control.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (control.tagName === "TEXTAREA") {
      control.value = turn % 2 ? control.value.slice(1) : `x${control.value}`;
      control.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (control.type === "range") {
      turn % 2 ? control.stepDown() : control.stepUp();
      control.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      control.click();
    }
  };
  const image = picture && document.querySelector(picture);
  const times = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await drawn();
    const old = image && image.src;
    const start = performance.now();
    change(turn);
    await (image ? waitFor(image, old) : drawn());
    times.push(performance.now() - start);
  }
  return times;
}
"""


def measure(page, control, picture=None, turns=20):
    """Median milliseconds from a change of `control` to the frame after it is drawn.

    control: selector of a range input, a select, a text area, an ipywidgets slider's
    `.noUi-handle` or a button.
    picture: selector of the image which the kernel replaces, for explorers that draw there.
    """
    target = page.locator(control).first
    target.scroll_into_view_if_needed()
    return statistics.median(target.evaluate(_MEASURE, [picture, turns]))


def quickest(page, control, limit, picture=None):
    """Median milliseconds of the control; a busy machine gets five tries to stay below `limit`.

    control: as for `measure`, or a function that measures once.
    """
    once = control if callable(control) else lambda: measure(page, control, picture)
    tries = [once()]
    while tries[-1] >= limit and len(tries) < 5:
        page.wait_for_timeout(500)
        tries.append(once())
    return min(tries)


def fingerprint(page, selector):
    """What an explorer shows, to compare with later: its markup, image addresses and canvases."""
    return page.locator(selector).first.evaluate(
        "(node) => node.outerHTML + [...node.querySelectorAll('canvas')]"
        ".map((canvas) => canvas.toDataURL()).join()"
    )


def changes(page, selector, act):
    """Whether `act` changes what stands at the selector within five seconds."""
    before = fingerprint(page, selector)
    act()
    for _ in range(50):
        page.wait_for_timeout(100)
        if fingerprint(page, selector) != before:
            return True
    return False
