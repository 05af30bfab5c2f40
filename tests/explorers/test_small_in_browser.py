"""The small explorers in a real browser: each script on a plain page, its Python half behind it."""

import math

import pytest
import torch
from playwright.sync_api import expect

from tutorial_lib.explorers import MaskBuilder, MergeStepper, SoftmaxExplorer, TokenizerExplorer
from tutorial_lib.tokenizers import BPETokenizer, merge_steps, wordpiece_score, wordpiece_steps


@pytest.fixture
def put(open_explorer):
    """put(widget, dark=False) -> the page with the explorer."""
    return lambda widget, dark=False: open_explorer(widget, dark, width=900, height=640).page


def frame(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def until(page, condition, what):
    for _ in range(200):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"waited in vain for {what}")


WORDS = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}


@pytest.fixture
def merges():
    paths = {
        "take et": list(merge_steps(WORDS, 5)),
        "take pe": list(merge_steps(WORDS, 5, choose=max)),
    }
    return MergeStepper(paths)


def test_merge_stepper(put, merges):
    page = put(merges)
    assert page.locator(".tl-chip").count() == 16
    assert page.locator("tr.chosen .name").inner_text() == "a + t"
    page.get_by_role("button", name="Do the next merge").click()
    frame(page)
    assert page.locator("tr.chosen .name").inner_text() == "e + t"
    assert "2 pairs that tie" in page.locator(".tl-message").inner_text()
    assert page.locator("tr", has_text="kept").locator(".name").inner_text() == "a"
    page.get_by_label("How to break a tie").select_option("take pe")
    frame(page)
    assert page.locator("tr.chosen .name").inner_text() == "p + e"
    bar = page.get_by_label("Merge", exact=True)
    bar.focus()
    page.keyboard.press("End")
    frame(page)
    assert merges.position == 5
    assert page.locator("tr.chosen").count() == 0
    expect(page.get_by_role("button", name="Do the next merge")).to_be_disabled()
    page.keyboard.press("Home")
    frame(page)
    assert merges.position == 0
    expect(page.get_by_role("button", name="One merge back")).to_be_disabled()


@pytest.mark.parametrize("width", [900, 760])
def test_merge_stepper_has_room_for_bars_beside_scores(open_explorer, width):
    steps = list(wordpiece_steps(WORDS, 5))
    widget = MergeStepper(steps, score=wordpiece_score)
    page = open_explorer(widget, width=width).page
    for position in range(5):
        widget.position = position
        page.evaluate("(position) => kernel.receive({ position })", position)
        frame(page)
        cells = page.locator("tr.chosen td").evaluate_all(
            "(cells) => cells.map((cell) => cell.offsetWidth)"
        )
        assert cells[2] >= 56
        cut = "(panes) => panes.filter((p) => p.scrollWidth > p.clientWidth).length"
        assert page.locator(".tl-scroll").evaluate_all(cut) == 0


def test_merge_stepper_writes_words_as_text(put):
    page = put(MergeStepper(list(merge_steps({"<img src=x onerror=boom()>": 1, "<b>": 2}, 2))))
    assert page.locator("#root img, #root b").count() == 0


class Broken:
    def encode(self, text):
        raise KeyError("no such byte")


@pytest.fixture
def tokens():
    bpe = BPETokenizer.train("the cat sat on the mat, the rat sat too. " * 5, 280)
    return TokenizerExplorer({"BPE": bpe, "broken <b>": Broken()}, text="the cat")


def test_tokenizer_explorer(put, tokens):
    page = put(tokens)
    shown = page.locator(".tl-token")
    assert "".join(text.split("\n")[0] for text in shown.all_inner_texts()) == "the·cat"
    assert "KeyError" in page.get_by_role("alert").inner_text()
    assert page.locator("#root b").count() == 0
    box = page.get_by_label("Text to cut")
    page.get_by_label("Show ids").uncheck()
    for text in ("", "the\nrat", "👩‍👩‍👧 é", "שלום עולם", "<script>boom()</script>", " \t "):
        box.fill(text)
        until(page, lambda text=text: tokens.text == text, text)
        until(page, lambda: not page.locator(".waiting").count(), "the strips")
        frame(page)
        n_tokens = len(tokens.reply["rows"][0]["tokens"])
        assert shown.count() == n_tokens
    assert page.locator("#root script").count() == 0


def test_tokenizer_explorer_survives_a_huge_paste(put, tokens):
    page = put(tokens)
    page.evaluate(
        """() => { const box = document.querySelector('textarea'); box.value = '👍'.repeat(1e6);
        box.dispatchEvent(new Event('input')); }"""
    )
    assert "first 2,000 characters" in page.locator(".tl-controls .tl-warning").inner_text()
    until(page, lambda: tokens.text == "👍" * 2000, "the cut text")
    frame(page)


def test_tokenizer_explorer_by_keyboard(put, tokens):
    tokens.text = "the cat sat on the mat " * 80
    page = put(tokens)
    page.get_by_label("Tokens of BPE").focus()
    page.keyboard.press("End")
    detail = page.locator(".tl-detail")
    assert "bytes 20" in detail.inner_text()
    page.keyboard.press("Home")
    assert "“the" in detail.inner_text()
    page.locator(".tl-token").nth(1).hover()
    assert "id" in detail.inner_text()


def test_tokenizer_explorer_drops_an_answer_that_was_overtaken(put, tokens):
    page = put(tokens)
    page.evaluate(
        """() => { kernel.set('request', {number: 9, text: 'new'});
        kernel.receive({reply: {number: 3, rows: [{name: 'old', error: 'stale'}]}}); }"""
    )
    frame(page)
    assert page.locator("text=stale").count() == 0


def _close(result, widget):
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (widget.q, widget.k, widget.v))
    scores = k @ q / widget.temperature / (len(q) ** 0.5 if widget.scale else 1)
    weights = scores.softmax(0)
    torch.testing.assert_close(torch.tensor(result["weights"], dtype=torch.float64), weights)
    mixed = torch.tensor(result["mixed"], dtype=torch.float64)
    torch.testing.assert_close(mixed, weights @ v)


def test_softmax_explorer_draws_the_division_on_one_scale(put):
    widget = SoftmaxExplorer(q=[2.0, 0, 0, 0], k=[[2.0, 0, 0, 0], [1.0, 0, 0, 0]], v=[[1.0], [0.0]])
    page = put(widget)
    widths = page.locator("tbody tr:first-child .tl-bar").evaluate_all(
        "(bars) => bars.slice(0, 4).map((bar) => parseFloat(bar.style.width))"
    )
    e = math.e
    assert widths == pytest.approx([100, 50, 100, 100 * e / (1 + e)])  # 4 / 4, 2 / 4, then of 1


def test_softmax_explorer_computes_what_torch_does(put):
    widget = SoftmaxExplorer()
    page = put(widget)
    until(page, lambda: widget.result, "a result")
    _close(widget.result, widget)
    for _ in range(5):
        page.get_by_role("button", name="Random").click()
        page.get_by_label("Divide by the square root").click()
        frame(page)
        _close(widget.result, widget)
    heat = page.get_by_label("Temperature")
    heat.focus()
    for key, value in (("Home", 0.1), ("End", 10.0)):
        page.keyboard.press(key)
        frame(page)
        assert widget.temperature == pytest.approx(value)
        _close(widget.result, widget)
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert (widget.q, widget.temperature, widget.scale) == ([1.0, 0.5, -1.0], 1.0, True)


def test_softmax_explorer_shows_one_stage_after_the_other(put):
    widget = SoftmaxExplorer()
    page = put(widget)
    for stage in range(1, 6):
        assert widget.stage == stage
        hidden = page.locator("thead th.tl-later").count()
        assert hidden == 4 - min(stage, 4)
        page.locator("button", has_text="▶" if stage < 5 else "again").click()
        frame(page)
    assert widget.stage == 1


@pytest.mark.parametrize(
    ("typed", "kept", "said"),
    [
        ("", 0, "counts as 0"),
        ("1e300", 1e9, "±10⁹"),
        ("-1e300", -1e9, "±10⁹"),
        ("1e9", 1e9, "Satur"),
    ],
)
def test_softmax_explorer_takes_odd_numbers(put, typed, kept, said):
    widget = SoftmaxExplorer()
    page = put(widget)
    cell = page.get_by_label("query 1")
    cell.fill(typed)
    frame(page)
    assert widget.q[0] == kept
    assert said in page.get_by_role("alert").inner_text()
    _close(widget.result, widget)
    assert cell.input_value() == typed  # nothing is rewritten under the hand that types
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert page.get_by_role("alert").count() == 0


def test_mask_builder(put):
    scores = torch.zeros(4, 4)
    scores[1, 0] = torch.tensor(4.0).log()  # 4 : 1 is 80 % and 20 %
    widget = MaskBuilder(scores, labels=["the", "cat", "<b>sat</b>", "down"])
    page = put(widget)
    cells = page.get_by_role("gridcell")
    assert cells.all_inner_texts()[4:8] == ["80%", "20%", "", ""]
    assert page.locator("#root b").count() == 0
    cells.nth(6).click()
    frame(page)
    assert widget.preset == "custom"
    assert widget.mask[1].tolist() == [True, True, True, False]
    for key in ("ArrowDown", "ArrowLeft", "Home", "ArrowUp", "ArrowUp", "ArrowUp", " "):
        page.keyboard.press(key)
    frame(page)
    assert widget.mask[0].tolist() == [False] * 4
    assert "Query the sees no key" in page.get_by_role("alert").inner_text()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    frame(page)
    assert widget.mask[0].tolist() == [False, False, False, True]
    assert page.get_by_role("alert").count() == 0


def test_mask_builder_presets_agree_with_python(put):
    from tutorial_lib.explorers.masks import PRESETS, preset_mask

    widget = MaskBuilder(n_queries=5, n_keys=7)
    page = put(widget)
    for preset in PRESETS[:-1]:
        page.get_by_label("Preset").select_option(preset)
        sliders = [s for s in ("Padding keys", "Window") if page.get_by_label(s).is_visible()]
        for name in sliders or [None]:
            for key in ("Home", "ArrowRight", "End"):
                if name:
                    page.get_by_label(name).focus()
                    page.keyboard.press(key)
                frame(page)
                expected = preset_mask(preset, 5, 7, widget.padding, widget.window)
                assert torch.equal(widget.mask, expected), (preset, name, key)
                blind = int((~expected.any(1)).sum())
                assert page.get_by_role("alert").count() == (blind > 0)
