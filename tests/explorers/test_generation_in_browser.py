"""The generation explorer's script in a real browser, moved by mouse and by keyboard."""

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from tutorial_lib.explorers import GenerationExplorer
from tutorial_lib.explorers.generation_writer import Settings, filtered
from tutorial_lib.models import GPT, GPTConfig
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
from tutorial_lib.tokenizers import BPETokenizer

pytestmark = pytest.mark.slow
TEXT, NEXT, CHOSEN = ".tl-text", "figure:nth-of-type(2)", "figure:nth-of-type(1)"
SLIDER = "input[aria-label='{}']"


@pytest.fixture(scope="module")
def model():
    return load_checkpoint("shakespeare-gpt")


@pytest.fixture
def explorer(open_explorer, model):
    return open_explorer(GenerationExplorer(model, encode, decode, prompt="HAMLET.\nTo be"))


def text(explorer, selector):
    explorer.settle()
    return explorer.page.inner_text(selector)


def button(explorer, name):
    return explorer.page.get_by_role("button", name=name)


def move(explorer, label, value):
    explorer.page.locator(SLIDER.format(label)).fill(str(value))
    explorer.settle()


def wait_for_tokens(explorer, number):
    explorer.page.wait_for_function(
        "(n) => document.querySelectorAll('[data-index]').length >= n", arg=number
    )


def rows(explorer, panel):
    """(label, probability, what stands behind it) of each bar."""
    script = (
        "(p) => [...document.querySelectorAll(p + ' .tl-row:not([hidden])')]"
        ".map((row) => [0, 2, 3].map((i) => row.children[i].textContent))"
    )
    explorer.settle()
    return explorer.page.evaluate(script, panel)


def test_step_writes_one_token_and_shows_how_it_was_chosen(explorer):
    assert "Nothing is written yet" in text(explorer, ".tl-readout")
    expect(button(explorer, "Stop writing")).to_be_disabled()
    button(explorer, "Step: write one token").click()
    wait_for_tokens(explorer, 1)
    token = explorer.widget.answer["written"][0]
    assert f"chosen with {token[3]:.3f}" in text(explorer, ".tl-readout")
    assert f"{token[4]:.1f} ms with cache" in text(explorer, ".tl-readout")
    marked = [row for row in rows(explorer, CHOSEN) if "chosen" in row[2]]
    assert len(marked) == 1
    assert "over 13 tokens" in text(explorer, ".tl-stats >> nth=0")
    assert "bits per character" in text(explorer, ".tl-stats >> nth=0")
    assert "last" in text(explorer, ".tl-stats >> nth=1")


def test_one_token_is_counted_in_the_singular(explorer):
    explorer.page.fill("textarea", "T")
    explorer.settle()
    button(explorer, "Step: write one token").click()
    wait_for_tokens(explorer, 1)
    assert text(explorer, ".tl-stats >> nth=0").count("over 1 token,") == 2


def test_run_streams_until_stop_and_reset_goes_back(explorer):
    button(explorer, "Run: write token after token").click()
    wait_for_tokens(explorer, 40)
    expect(button(explorer, "Step: write one token")).to_be_disabled()
    button(explorer, "Stop writing").click()
    explorer.answered()
    number = len(explorer.widget.answer["written"])
    explorer.answered()
    assert len(explorer.widget.answer["written"]) == number
    shown = explorer.page.evaluate("document.querySelector('.tl-text').textContent")
    assert shown.replace("⏎", "") == explorer.widget.text_so_far
    button(explorer, "Reset to the prompt").click()
    explorer.page.wait_for_function("() => !document.querySelector('[data-index]')")
    assert explorer.widget.text_so_far == "HAMLET.\nTo be"
    expect(button(explorer, "Reset to the prompt")).to_be_disabled()


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(0),
        Settings(0.05),
        Settings(2.0, 70, 0.99),
        Settings(0.7, 5),
        Settings(1.0, 0, 0.5),
        Settings(1.35, 12, 0.8),
        Settings(0.8, 1, 0.01),
    ],
)
def test_the_bars_are_what_sampling_makes_of_the_logits(explorer, settings):
    page = explorer.page
    explorer.receive(temperature=settings.temperature, top_k=settings.top_k, top_p=settings.top_p)
    logits = torch.from_numpy(
        np.frombuffer(explorer.widget.answer["next"]["logits"], np.float32).copy()
    )
    left = filtered(logits, settings)
    drawn = left.softmax(-1)
    alone = (logits / (settings.temperature or 1)).softmax(-1)
    kept = int(left.isfinite().sum())
    for place, (_, number, behind) in enumerate(rows(explorer, NEXT)):
        assert float(number) == pytest.approx(alone[place].item(), abs=6e-4)
        if not left[place].isfinite():
            assert behind == "cut"
        elif kept < 70:
            assert float(behind.strip("→ ")) == pytest.approx(drawn[place].item(), abs=6e-4)
    last = page.evaluate(f"document.querySelectorAll('{NEXT} .tl-last').length")
    assert last == (1 if kept <= 14 else 0)


def test_each_slider_goes_to_both_ends(explorer):
    for label, low, high, trait in (
        ("Temperature", 0, 2, "temperature"),
        ("Top-k", 0, 99, "top_k"),
        ("Top-p", 0.01, 1, "top_p"),
    ):
        seen = []
        control = explorer.page.locator(SLIDER.format(label))
        for end in ("Home", "End"):
            control.press(end)
            explorer.settle()
            seen.append((text(explorer, NEXT), getattr(explorer.widget, trait)))
        assert seen[0][1] == low
        assert seen[1][1] == min(high, 70)
        if label != "Top-k":  # off and the whole vocabulary are the same
            assert seen[0][0] != seen[1][0]


def test_temperature_0_says_greedy_and_needs_no_cuts(explorer):
    explorer.page.locator(SLIDER.format("Temperature")).press("Home")
    assert "0 = greedy" in text(explorer, ".tl-controls")
    assert "greedy" in text(explorer, f"{NEXT} figcaption")
    assert "nothing is drawn" in text(explorer, NEXT)
    expect(explorer.page.locator(SLIDER.format("Top-k"))).to_be_disabled()
    button(explorer, "Step: write one token").click()
    wait_for_tokens(explorer, 1)
    assert "chosen with 1.000" in text(explorer, ".tl-readout")


def test_a_newcomer_sees_no_cuts_at_temperature_0(open_explorer, model):
    simple = open_explorer(
        GenerationExplorer(model, encode, decode, prompt="To be", temperature=0, simple=True)
    )
    shown = rows(simple, NEXT)
    assert len(shown) == 8
    assert {behind for *_, behind in shown} == {""}
    assert simple.page.locator(f"{NEXT} :is(.tl-cut, .tl-last)").count() == 0


def test_only_new_tokens_are_sent_and_a_page_that_missed_some_asks_for_all(explorer):
    shown = "[...document.querySelectorAll('[data-index]')].map((token) => token.textContent)"
    for _ in range(3):
        button(explorer, "Step: write one token").click()
        explorer.answered()
    assert explorer.trait("answer")["from"] == 0  # completed in the page
    assert len(explorer.page.evaluate(shown)) == 3
    explorer.widget.write(2)
    assert explorer.sent["answer"]["from"] == 3
    assert len(explorer.sent["answer"]["written"]) == 2
    explorer.widget.write(1)
    missed = explorer.sent["answer"]
    assert (missed["from"], len(missed["written"])) == (5, 1)
    explorer.receive(answer=missed)  # the page has three tokens, not five
    explorer.answered()
    assert len(explorer.page.evaluate(shown)) == 6
    explorer.widget.reset()
    assert explorer.sent["answer"]["from"] == 0


def test_white_space_can_be_read(explorer):
    explorer.widget.prompt = "To be"
    explorer.show()
    labels = [label for label, *_ in rows(explorer, NEXT)]
    assert {"␣", "⏎"} <= set(labels)


def test_tokens_are_looked_at_by_mouse_and_keyboard(explorer):
    button(explorer, "Run: write token after token").click()
    wait_for_tokens(explorer, 12)
    button(explorer, "Stop writing").click()
    explorer.answered()
    explorer.page.hover("[data-index='2']")
    assert text(explorer, ".tl-readout").startswith("Token 3,")
    explorer.page.click("[data-index='4']")
    explorer.page.wait_for_function(
        "(p) => document.querySelector(p).innerText.includes('Token 5 was chosen')", arg=CHOSEN
    )
    assert explorer.widget.selected == 4
    explorer.page.mouse.move(0, 0)
    explorer.page.focus(TEXT)
    explorer.page.keyboard.press("ArrowLeft")
    explorer.settle()
    explorer.answered()
    assert explorer.widget.selected == 3
    assert text(explorer, ".tl-readout").startswith("Token 4,")
    explorer.page.keyboard.press("Home")
    explorer.answered()
    assert explorer.widget.selected == 0


def test_typed_text_is_read_and_characters_without_a_token_are_named(explorer):
    explorer.page.fill("textarea", "JULIET.\nO <script>boom()</script> 🙂")
    explorer.page.wait_for_function(
        "() => document.querySelector('.tl-text').textContent.startsWith('JULIET')"
    )
    explorer.settle()
    words = text(explorer, ".tl-generation")
    assert "The model has no token for < (U+003C less-than sign)" in words
    assert "U+1F642 slightly smiling face" in words
    assert explorer.page.input_value("textarea").endswith("🙂")
    assert explorer.page.locator(".tl-text script").count() == 0
    explorer.page.fill("textarea", "")
    explorer.page.wait_for_function("() => document.querySelector('.tl-text .tl-start')")
    assert "no probability yet" in text(explorer, ".tl-stats >> nth=0")


def test_a_huge_paste_is_cut_with_a_note(explorer):
    explorer.page.fill("textarea", "שלום To be 🙂 " * 2_000)
    explorer.page.wait_for_function(
        "() => document.querySelector('.tl-generation').innerText.includes('Only the first 1,000')"
    )
    explorer.answered()
    assert len(explorer.widget.prompt) == 1000
    assert "The model sees its last 256 tokens only" in text(explorer, ".tl-generation")
    explorer.page.fill("textarea", "short")
    explorer.page.wait_for_function("() => kernel.get('prompt') === 'short'")
    assert "Only the first" not in text(explorer, ".tl-generation")


def test_step_right_after_typing_reads_the_new_prompt_first(explorer):
    explorer.page.fill("textarea", "JULIET.\n")
    button(explorer, "Step: write one token").click()
    wait_for_tokens(explorer, 1)
    assert explorer.widget.text_so_far.startswith("JULIET.\n")
    assert len(explorer.widget.answer["written"]) == 1


def test_cache_and_seed(explorer):
    button(explorer, "Step: write one token").click()
    wait_for_tokens(explorer, 1)
    explorer.page.uncheck("input[type=checkbox]")
    button(explorer, "Step: write one token").click()
    wait_for_tokens(explorer, 2)
    assert [token[5] for token in explorer.widget.answer["written"]] == [True, False]
    assert "without cache (1)" in text(explorer, ".tl-stats >> nth=1")
    explorer.page.fill("input[type=number]", "5")
    explorer.page.wait_for_function("() => !document.querySelector('[data-index]')")
    assert explorer.widget.seed == 5
    explorer.page.fill("input[type=number]", "-3")
    explorer.settle()
    assert explorer.widget.seed == 5


def test_a_tokenizer_with_longer_tokens(open_explorer):
    tokenizer = BPETokenizer.train("the thin thing thinks that it is the thing " * 9, 280)
    size = {"vocab_size": tokenizer.vocab_size, "context": 12, "d_model": 8}
    small = GPT(GPTConfig(n_layers=1, n_heads=2, **size))
    widget = GenerationExplorer(small, tokenizer.encode, tokenizer.decode, "the thing")
    explorer = open_explorer(widget)
    button(explorer, "Run: write token after token").click()
    wait_for_tokens(explorer, 50)
    button(explorer, "Stop writing").click()
    explorer.answered()
    assert "The window slides" in text(explorer, ".tl-generation")
