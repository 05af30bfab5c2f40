"""A pytest plugin: the fixture `chromium`, and whether a picture follows a control."""

import os
import shutil
import tempfile
from contextlib import contextmanager

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


@contextmanager
def launched(path=None):
    """A headless browser, with a home of its own."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home, sync_playwright() as starter:
        options = {"executable_path": path or find_chromium(), "args": FLAGS}
        browser = starter.chromium.launch(**options, env={**os.environ, "HOME": home})
        yield browser
        browser.close()


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
    with launched(path) as browser:
        yield browser


# Markup, image addresses and canvases; kept in the page, where it is compared with later.
_FINGERPRINT = """(node) => node.outerHTML + [...node.querySelectorAll("canvas")]
  .map((canvas) => canvas.toDataURL()).join()"""
_CHANGED = f"""async (node, seconds) => {{
  const print = {_FINGERPRINT};
  const start = performance.now();
  while (print(node) === window.tlBefore) {{
    if (performance.now() - start > 1000 * seconds) return false;
    await new Promise((done) => setTimeout(done, 20));
  }}
  return true;
}}"""


def changes(page, selector, act, seconds=30):
    """Whether `act` changes what stands at the selector; the seconds only end a vain wait."""
    node = page.locator(selector).first
    node.evaluate(f"(node) => {{ window.tlBefore = ({_FINGERPRINT})(node); }}")
    act()
    return node.evaluate(_CHANGED, seconds)


def fingerprint(page, selector):
    """What an explorer shows, to compare with later: its markup, image addresses and canvases."""
    return page.locator(selector).first.evaluate(_FINGERPRINT)
