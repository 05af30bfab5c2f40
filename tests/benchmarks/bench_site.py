"""How long a visitor of the site waits for the first thing that moves, on a mobile connection.

    make site && python tests/benchmarks/bench_site.py

Chromium opens the built site on a phone's screen, with the bytes a second and the delay of each
answer that its own tools call Slow 4G and Fast 4G; text comes compressed, as static hosts send it.
On the front page the replay moves first, in chapter 02 the attention explorer, once one scrolls to
it. The goal is two seconds for the front page. Without a browser or a site there are no rows.
"""

import functools
import gzip
import http.server
import statistics
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import measure

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from browser import MISSING, find_chromium, launched

SITE = Path(__file__).resolve().parents[2] / "site"
GOAL = 2000  # milliseconds
CONNECTIONS = {"Slow 4G": (1.6e6, 150), "Fast 4G": (9e6, 60)}  # bits a second, milliseconds
# page -> (what moves there first, whether the goal is for this page)
MOVING = {
    "index": (".tl-writing", True),
    "02_attention": ("figure[data-module=attention]", False),
}
COMPRESSED = (".html", ".css", ".js", ".json", ".svg")


class Host(http.server.SimpleHTTPRequestHandler):
    """Serves the site as a static host does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Send a file, text compressed."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in COMPRESSED or not path.is_file():
            super().do_GET()
            return
        body = compressed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@functools.cache
def compressed(path):
    """Return the bytes of a file, compressed; once, so that no visit waits for it."""
    return gzip.compress(path.read_bytes())


@contextmanager
def served():
    """Serve the built site; yields its address."""
    host = functools.partial(Host, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def rows(repeats=20, memory=True):
    """Yield a row for each page and connection."""
    if find_chromium() is None or not (SITE / "index.html").exists():
        print(f"site: {MISSING if find_chromium() is None else 'make site builds it'}")
        return
    with served() as address, launched() as chromium:
        for page, (moving, aimed) in MOVING.items():
            for name, connection in CONNECTIONS.items():
                waits = [
                    first_move(chromium, f"{address}/{page}.html", moving, *connection)
                    for _ in range(min(repeats, 3) + 1)
                ][1:]  # the first one compresses
                yield measure.Row(
                    f"site: {page}, {name}",
                    "the goal",
                    statistics.median(waits),
                    GOAL,
                    target=1.0 if aimed else None,
                )


def first_move(chromium, address, moving, bits, delay):
    """Return the milliseconds until something moves on a page that nobody has visited."""
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    speed = {"downloadThroughput": bits / 8, "uploadThroughput": bits / 16, "latency": delay}
    network.send("Network.emulateNetworkConditions", {"offline": False, **speed})
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(moving).first.scroll_into_view_if_needed()
    page.locator(f"{moving}[data-awake] .tl-explorer, {moving} .tl-new").first.wait_for()
    milliseconds = 1000 * (time.perf_counter() - start)
    context.close()
    return milliseconds


if __name__ == "__main__":
    measure.main(rows, __doc__)
