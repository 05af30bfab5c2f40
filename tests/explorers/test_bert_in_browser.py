"""Masking, fill-mask and search explorers in a real browser, the Python half behind the page."""

import pytest
import torch
from page_checks import kernel_is_done, typed

from tutorial_lib.datasets import load_shakespeare, minilm_folder
from tutorial_lib.explorers import FillMaskExplorer, MaskingExplorer, SpeechFinder, SpeechSearch
from tutorial_lib.figures.chapter06b_using_bert.answers import in_one_line
from tutorial_lib.models import BERT
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.tokenizers import WordPieceTokenizer

ODD = ("", "👩‍👩‍👧 é", "שלום עולם", "<script>boom()</script> <img src=x onerror=boom()>", " \t ")


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("shakespeare-bert")


@pytest.fixture(scope="module")
def finder():
    folder = minilm_folder()
    return SpeechFinder(
        load_checkpoint("speech-vectors"),
        load_shakespeare().speeches,
        BERT.from_pretrained(folder),
        WordPieceTokenizer.from_pretrained(folder),
    )


@pytest.fixture(params=["masking", "fill-mask", "search"])
def widget(request, bert, finder):
    if request.param == "masking":
        return MaskingExplorer(bert.tokenizer)
    return (
        FillMaskExplorer(bert, left=True) if request.param == "fill-mask" else SpeechSearch(finder)
    )


def test_odd_texts_are_answered_and_stay_text(open_explorer, widget):
    page = open_explorer(widget).page
    for text in ODD:
        typed(page, text)
        assert widget.text == text
    assert page.locator("#root script, #root img").count() == 0
    assert not page.get_by_role("alert").is_visible()


def test_a_huge_paste_is_cut_with_a_note(open_explorer, widget):
    page = open_explorer(widget).page
    page.evaluate(
        """() => { const box = document.querySelector('textarea'); box.value = '👍'.repeat(1e6);
        box.dispatchEvent(new Event('input')); }"""
    )
    note = f"Only the first {widget.limit} characters are kept."
    assert note in page.locator(".tl-controls .tl-warning").inner_text()
    page.wait_for_function("() => kernel.get('request').text.length > 500")
    kernel_is_done(page)
    assert widget.text == "👍" * widget.limit


def test_an_answer_that_was_overtaken_is_dropped_and_an_error_shown(open_explorer, widget):
    explorer = open_explorer(widget)
    page = explorer.page
    shown = page.locator(".tl-asking").inner_html()
    page.evaluate("() => kernel.set('request', { ...kernel.get('request'), number: 9 })")
    explorer.receive(reply={"number": 3, "error": "stale"})
    assert page.locator(".tl-asking").inner_html() == shown
    explorer.receive(reply={"number": 9, "error": "<b>out of paper</b>"})
    assert page.get_by_role("alert").inner_text() == "<b>out of paper</b>"


def test_masking_by_hand(open_explorer, bert):
    widget = MaskingExplorer(bert.tokenizer, "so shall it be, and so it is")
    page = open_explorer(widget).page
    chips = page.locator(".tl-chips .tl-chip")
    assert chips.count() == len(widget.draws.tokens)
    for button, draws in (("Draw again", 2), ("Draw 100 times", 102)):
        page.get_by_role("button", name=button).click()
        kernel_is_done(page)
        assert page.locator("[role=status]").last.inner_text().startswith(f"{draws} draws")
    shown = [text.split("\n")[0] for text in chips.all_inner_texts()]
    assert shown == widget.draws.shown
    marked = page.locator(".tl-chips .mask, .tl-chips .random, .tl-chips .same").count()
    assert marked == sum(map(bool, widget.draws.fates))
    widths = page.locator(".tl-track i").evaluate_all("(all) => all.map((i) => i.style.width)")
    marks = page.locator(".tl-track b").evaluate_all("(all) => all.map((i) => i.style.left)")
    assert marks == ["15%", "80%", "10%", "10%"]
    counts = widget.draws.counts
    assert float(widths[1][:-1]) == pytest.approx(100 * counts["mask"] / counts["chosen"], abs=0.1)
    page.get_by_label("Share", exact=True).focus()
    page.keyboard.press("End")
    kernel_is_done(page)
    assert (widget.draws.share, widget.draws.counts["draws"]) == (1.0, 1)
    page.get_by_label("Seed").fill("7")
    kernel_is_done(page)
    assert widget.request["seed"] == 7


def test_words_are_hidden_by_mouse_and_keyboard(open_explorer, bert):
    widget = FillMaskExplorer(bert, text="I love thee [MASK]")
    page = open_explorer(widget).page
    typed_gap = widget.place
    love = widget.found.tokens.index("love")
    page.locator(f"[data-place='{love}']").click()
    kernel_is_done(page)
    assert widget.place == love
    assert "It was “love”" in page.locator("figure").inner_text()
    rows = page.locator("figure .tl-label").all_inner_texts()
    assert rows == [token for token, _ in widget.rows]
    page.locator(f"[data-place='{typed_gap}']").click()
    kernel_is_done(page)
    assert widget.place == typed_gap
    page.locator(f"[data-place='{love}']").focus()
    for key in ("Enter", "Enter"):  # choose it, then take its hiding back
        page.keyboard.press(key)
        kernel_is_done(page)
    assert widget.found.tokens[love] == "love"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    kernel_is_done(page)
    assert widget.place == love + 1
    page.get_by_role("button", name="Show all words").click()
    kernel_is_done(page)
    assert widget.found.places == [typed_gap]
    page.get_by_label("Compare with the left side only").check()
    kernel_is_done(page)
    assert page.locator("figcaption").all_inner_texts() == [
        "from both sides",
        "from the left side only",
    ]


def test_search_by_genre_and_number(open_explorer, finder):
    widget = SpeechSearch(finder, "I could not sleep at all", n=3)
    page = open_explorer(widget).page
    assert page.locator("li").count() == 6
    assert "sleep" in {word.lower() for word in page.locator("mark").all_inner_texts()}
    page.get_by_label("Genre").select_option("tragedies")
    kernel_is_done(page)
    assert {hit.genre for hits in widget.found.values() for hit in hits} == {"tragedies"}
    assert page.get_by_label("Genre").input_value() == "tragedies"
    page.get_by_label("Results").focus()
    page.keyboard.press("End")
    kernel_is_done(page)
    assert page.locator("section").first.locator("li").count() == 20
    first = page.locator("section").first.locator("li").first
    hit = widget.found["by meaning"][0]
    assert in_one_line(hit.text) in first.inner_text()
    assert hit.play in first.inner_text()
    torch.testing.assert_close(float(first.locator("b").inner_text()), hit.score, atol=6e-4, rtol=0)
