"""The built site in a browser: explorers live without a kernel, nothing is asked of another place.

`make site` builds it (a stage of `make test`); here it is only read.
"""

import functools
import http.server
import os
import re
import threading
from urllib.parse import urlsplit

import pytest
from browser import changes
from explorer_page import settle
from isolation import ROOT
from playwright.sync_api import expect

SITE = ROOT / "site"
AXE = ROOT / "docs" / "site" / "node_modules" / "axe-core" / "axe.min.js"
FIRST_PAGE = 1_500_000  # bytes
# page -> its explorers, each with a control and a key that it answers to
ALIVE = {
    "00_start_here": [("walk", "[aria-label='Step']", "ArrowRight"), ("tokens", "textarea", "a")],
    "01_tokenization": [
        ("merges", "[aria-label='Merge']", "ArrowRight"),
        ("tokens", "textarea", "a"),
    ],
    "02_attention": [
        ("attention", "[aria-label='Layer']", "ArrowRight"),
        ("softmax", "[aria-label='Temperature']", "ArrowRight"),
        ("saturation", "[aria-label='Head width K']", "ArrowLeft"),
        ("masks", "[role=gridcell]", "Space"),
    ],
    "03_positional_encoding": [
        ("sinusoids", "[aria-label='Base']", "ArrowRight"),
        ("rotary", "[aria-label='Move both by']", "ArrowRight"),
        ("schemes", "[aria-label='Shift both by']", "ArrowRight"),
    ],
    "04_transformer": [("translation", "[aria-label='English number or date']", "1")],
    "05_gpt": [("generation", "[aria-label='Step: write one token']", "Enter")],
    "05b_prompting": [("attention", "[aria-label='Head']", "ArrowRight")],
    "06_bert": [
        ("fill_mask", "textarea", "a"),
        ("masking", "textarea", "a"),
        ("attention", "[aria-label='Head']", "ArrowRight"),
    ],
    "06b_bert_used": [("search", "textarea", "a")],
    "07_vit": [
        ("digits", "[aria-label='Load a test digit: the next one']", "Enter"),
        ("patch_matches", "[aria-label='Show']", "ArrowDown"),
        ("patches", "[aria-label='Side of a patch']", "ArrowRight"),
    ],
    "08a_bert_family": [
        ("replaced", "button.tl-chip", "Enter"),
        ("masking_passes", "textarea", "a"),
        ("student", "textarea", "a"),
    ],
    "08b_text_to_text": [
        ("corruption", "[aria-label='Share']", "ArrowRight"),
        ("buckets", "[aria-label='Distance']", "ArrowLeft"),
        ("lattice", "[aria-label='alpha']", "ArrowRight"),
    ],
    "09_beyond_vit": [
        ("windows", "[aria-label='Layers']", "ArrowRight"),
        ("latents", "[aria-label='Latent']", "ArrowRight"),
        ("zoom", "[aria-label='Magnify']", "ArrowRight"),
    ],
    "10_text_and_pictures": [
        ("regions", "[aria-label='Layer']", "ArrowLeft"),
        ("code_book", "[aria-label='Code in the cell']", "ArrowRight"),
        ("emoji_finder", "textarea", "a"),
    ],
}
# Of each sort one in every run: drawn from traits, answered by a brain, by a network; all pages in
# the sweep.
SORTS = {"02_attention": ["attention", "masks"], "05_gpt": ["generation"],
         "08b_text_to_text": ["corruption"], "06_bert": ["fill_mask"]}  # fmt: skip
# Formulas and coloured code are thousands of spans, the same everywhere, and most of axe's time.
RUN_AXE = "() => axe.run({ exclude: [['.katex'], ['.highlight']] })"
PAGES = sorted(path.stem for path in SITE.glob("*.html"))


@pytest.fixture(scope="module")
def address():
    """Where a server of files serves the site."""
    if not (SITE / "index.html").exists():
        wanted = os.environ.get("TUTORIAL_BROWSER") == "required"
        (pytest.fail if wanted else pytest.skip)("there is no site/: make site")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Visit:
    """A page of the site in a window of its own; `wrong` is all that it complains about."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(viewport={"width": 1100, "height": 900}, **options)
        self.page, self.address, self.wrong, self.loaded = self.context.new_page(), address, [], {}
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda line: line.type == "error" and self.wrong.append(line.text))
        self.page.on("response", self._note)
        self.page.on("request", self._leaves)

    def _note(self, response):
        if response.status >= 400:
            self.wrong.append(f"{response.status} {response.url}")
        self.loaded[response.url] = int(response.headers.get("content-length", 0))

    def _leaves(self, request):
        if not request.url.startswith((self.address, "data:", "blob:", "file:")):
            self.wrong.append(f"asks {urlsplit(request.url).netloc}")

    def open(self, name):
        self.page.goto(f"{self.address}/{name}.html")
        return self

    def wake(self, name, by="data-module"):
        """Scroll to the first explorer of a module, or to a state's, and wait until it lives."""
        figure = f"figure[{by}='{name}']"
        self.page.locator(figure).first.scroll_into_view_if_needed()
        self.page.locator(f"{figure}[data-awake] .tl-explorer").first.wait_for()
        return f"{figure} .tl-explorer"


@pytest.fixture
def visit(chromium, address):
    made = []

    def start(name, **options):
        made.append(Visit(chromium, address, **options))
        return made[-1].open(name)

    yield start
    for each in made:
        each.context.close()


def dead(here, explorers):
    """Which of a page's explorers do not answer to their key; those that are pictures say so."""
    still = []
    for module, control, key in explorers:
        figure = f"figure[data-module={module}]"
        if here.page.locator(figure).count() == 0:
            still.append(f"{module} is a picture: what does make site say of its state?")
            continue
        explorer = here.wake(module)
        node = here.page.locator(f"{explorer} {control}").first
        if not changes(here.page, explorer, functools.partial(node.press, key)):
            still.append(module)
    return still


@pytest.mark.parametrize("name", SORTS)
def test_one_explorer_of_each_sort_lives_without_a_kernel(visit, name):
    here = visit(name)
    assert dead(here, [each for each in ALIVE[name] if each[0] in SORTS[name]]) == []
    assert here.wrong == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", ALIVE)
def test_explorers_live_without_a_kernel(visit, name):
    here = visit(name)
    assert dead(here, ALIVE[name]) == []
    assert here.wrong == []


@pytest.mark.sweep
def test_what_is_typed_is_answered(visit):
    here = visit("08b_text_to_text")
    explorer = here.wake("lattice")
    box = here.page.locator(f"{explorer} textarea")
    assert changes(here.page, explorer, lambda: box.fill("unthinkable"))
    here.page.wait_for_function(
        "() => document.querySelector('figure[data-module=lattice]').model.get('reply').word"
        ".endsWith('unthinkable')"
    )
    assert here.wrong == []


@pytest.mark.sweep
def test_a_number_is_translated(visit):
    here = visit("04_transformer")
    explorer = here.wake("translation")
    written = here.page.locator(f"{explorer} .tl-written")
    here.page.locator(f"{explorer} [aria-label='English number or date']").fill("742")
    expect(written).to_have_text("siebenhundertzweiundvierzig")
    here.page.locator(f"{explorer} [aria-label=Language]").select_option("French")
    expect(written).to_have_text("sept cent quarante-deux")
    here.page.locator(f"{explorer} summary").click()
    boxes = here.page.locator(f"{explorer} .tl-box")
    before = boxes.count()
    here.page.locator(f"{explorer} [aria-label=Beams]").press("ArrowLeft")
    expect(boxes).not_to_have_count(before)
    assert here.wrong == []


@pytest.mark.sweep
def test_a_drawn_digit_is_read(visit):
    here = visit("07_vit")
    explorer = here.wake("digits")
    paper = here.page.locator(f"{explorer} canvas.tl-paper").bounding_box()
    mouse = here.page.mouse
    for place, (x, y) in enumerate([(0.3, 0.25), (0.7, 0.25), (0.45, 0.8)]):
        mouse.move(paper["x"] + x * paper["width"], paper["y"] + y * paper["height"], steps=9)
        if not place:
            mouse.down()
    mouse.up()
    expect(here.page.locator(f"{explorer} .tl-readout")).to_contain_text("reads a 7 with")
    assert here.wrong == []


@pytest.mark.sweep
def test_a_text_is_written_until_it_is_stopped(visit):
    here = visit("05_gpt")
    explorer = here.wake("generation")
    text = here.page.locator(f"{explorer} .tl-text")
    here.page.locator(f"{explorer} textarea").fill("KING:\nNow is the ")
    here.page.locator(f"{explorer} [aria-label='Run: write token after token']").click()
    expect(text).to_have_text(re.compile(r"KING:\s+Now is the .{40}", re.S))
    here.page.locator(f"{explorer} [aria-label='Stop writing']").click()
    here.page.locator(f"{explorer} [aria-label='Reset to the prompt']").click()
    expect(text).to_have_text("KING:\nNow is the ")
    assert here.wrong == []


@pytest.mark.sweep
def test_a_head_is_broken_on_another_picture(visit):
    here = visit("07_vit")
    explorer = here.wake("attention")
    here.page.locator(f"{explorer} [aria-label='Picture number']").fill("12")
    here.page.locator(f"{explorer} button", has_text="Zero it").click()
    outputs = here.page.locator(f"{explorer} .tl-outputs")
    expect(outputs.get_by_role("row")).to_have_count(11)
    assert here.wrong == []


@pytest.mark.sweep
def test_minilm_looks_at_the_words_of_another_text(visit):
    # Not the first of the page: a simple explorer takes a text, but has no head to break.
    here, state = visit("02_attention"), "02_attention/break-by-hand"
    explorer = here.wake(state, by="data-state")
    figure = here.page.locator(f"figure[data-state='{state}']")
    figure.locator(".tl-offer button").click()
    here.page.locator(f"{explorer} [aria-label='Text']").fill("A boat lay by the bank.")
    here.page.wait_for_function(
        "(figure) => figure.model.get('panels')[0].rows.labels.includes('boat')",
        arg=figure.element_handle(),
        timeout=60_000,
    )
    here.page.locator(f"{explorer} button", has_text="Make it uniform").click()
    expect(here.page.locator(f"{explorer} .tl-outputs")).to_contain_text("boat", timeout=60_000)
    assert here.wrong == []


# page, explorer, what is typed, what then comes first: MiniLM reads it, when the reader says so.
MEANT = [
    ("06b_bert_used", "search", "with a crafty madness, he keeps aloof", "GUILDENSTERN"),
    ("10_text_and_pictures", "emoji_finder", "elephant", "elephant"),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "module", "text", "first"), MEANT)
def test_meaning_is_looked_for_once_the_reader_loads_minilm(visit, name, module, text, first):
    here = visit(name)
    offer = here.page.locator(f"figure[data-module={module}] .tl-offer button")

    def weights():
        return [url for url in here.loaded if "/minilm-" in url]

    def best(typed):
        explorer = here.wake(module)
        here.page.locator(f"{explorer} textarea").fill(typed)
        return expect(here.page.locator(f"{explorer} ol").first.locator("li").first, typed)

    here.wake(module)
    expect(offer).to_contain_text("Load MiniLM and")
    assert not weights()
    offer.click()
    best(text).to_contain_text(first, timeout=60_000)
    assert len(weights()) == 1
    # Left, and come back to: the worker is gone, and starts again.
    here.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide', {persisted: 1}))")
    best("nothing of that").not_to_contain_text(first, timeout=60_000)
    here.loaded.clear()
    here.open(name)  # the browser has kept it
    best(text).to_contain_text(first, timeout=60_000)
    expect(offer).to_have_count(0)
    assert not weights()
    assert here.wrong == []


def test_smollm2_writes_once_the_reader_loads_it(visit):
    here = visit("00_start_here")
    figure = here.page.locator("figure[data-module=generation]")
    if figure.count() == 0:
        pytest.skip("the site was built without SmolLM2")
    explorer = here.wake("generation")
    assert not [url for url in here.loaded if "/smollm2" in url]
    figure.locator(".tl-offer button", has_text="Load SmolLM2 (97 MB)").click()
    written = here.page.locator(f"{explorer} .tl-text [data-index]")
    step = here.page.locator(f"{explorer} [aria-label='Step: write one token']")
    step.click()
    expect(written).to_have_count(1, timeout=60_000)
    assert len([url for url in here.loaded if "/models/large/smollm2" in url]) == 2
    assert len(here.page.workers) == 1
    # On the way to another page its memory is given back; on the way back, the kept file is read.
    here.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    step.click()
    expect(written).to_have_count(2, timeout=60_000)
    assert here.wrong == []


def test_the_first_page_is_light_and_moves(visit):
    here = visit("index")
    text = here.page.locator(".tl-writing .tl-text")
    assert changes(here.page, ".tl-writing .tl-text", lambda: None)
    here.page.wait_for_load_state("networkidle")
    assert sum(here.loaded.values()) < FIRST_PAGE
    here.page.get_by_role("button", name="Pause").first.click()
    before = text.inner_text()
    here.page.wait_for_timeout(1000)
    assert text.inner_text() == before
    assert here.wrong == []


def test_a_guess_is_kept_in_the_browser_and_stands_beside_the_truth(visit):
    here = visit("02_attention")
    form = here.page.locator("form[data-guess='P2.1']")
    form.locator("input").fill("0.64 <b>")
    form.get_by_role("button").click()
    here.open("02_attention")
    assert form.locator("input").input_value() == "0.64 <b>"
    folded = here.page.locator("details[data-reveals='P2.1']")
    assert folded.get_attribute("open") is None
    folded.locator("summary").click()
    assert "Your guess for P2.1 was 0.64 <b>." in folded.inner_text()
    assert "Prediction P2.1: it is 0." in folded.inner_text()


def test_an_exercise_shows_hints_and_a_solution_folded_and_checks_nothing(visit):
    here = visit("02_attention")
    exercise = here.page.get_by_role("group", name="Exercise 2.4")
    assert not exercise.locator("pre").is_visible()
    exercise.get_by_text("One solution").click()
    assert "softmax" in exercise.locator("pre").inner_text()
    assert here.page.locator("button", has_text="Check").count() == 0


@pytest.mark.sweep
def test_it_opens_from_the_file_system(chromium, address):
    here = Visit(chromium, SITE.as_uri()).open("03_positional_encoding")
    explorer = here.wake("rotary")
    slider = here.page.locator(f"{explorer} [aria-label='Move both by']")
    assert changes(here.page, explorer, lambda: slider.press("ArrowRight"))
    assert here.wrong == []
    here.context.close()


def faults(here):
    """What axe finds on a page in both themes, with all explorers awake that are not folded."""
    for figure in here.page.locator("figure[data-module]:visible").all():  # not what is folded
        figure.scroll_into_view_if_needed()
        figure.locator(".tl-alive").wait_for(state="attached")
    here.page.add_script_tag(path=str(AXE))
    found = []
    for theme in ("light", "dark"):
        here.page.emulate_media(color_scheme=theme)
        settle(here.page)
        found += [
            f"{theme}: {fault['id']}: {node['html'][:150]} {node['failureSummary'][:300]}"
            for fault in here.page.evaluate(RUN_AXE)["violations"]
            for node in fault["nodes"]
        ]
    return found


@pytest.mark.parametrize("name", ["index", "06_bert"])
def test_axe_finds_nothing(visit, name):
    assert faults(visit(name)) == []


# The same on every page; two of them in every run, above.
@pytest.mark.sweep
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_on_any_page(visit, name):
    assert faults(visit(name)) == []


@pytest.mark.parametrize(
    "name", ["index", *(pytest.param(page, marks=pytest.mark.sweep) for page in PAGES)]
)
def test_a_page_is_no_wider_than_the_window(visit, name):
    here = visit(name)
    for width in (1280, 390):
        here.page.set_viewport_size({"width": width, "height": 844})
        assert here.page.evaluate("document.documentElement.scrollWidth") <= width
