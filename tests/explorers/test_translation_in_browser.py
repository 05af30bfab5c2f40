"""The translation explorer's script in a real browser, moved by mouse and by keyboard."""

import pytest
from playwright.sync_api import expect

from tutorial_lib.explorers import TranslationExplorer
from tutorial_lib.recipes.translator import Translator

pytestmark = pytest.mark.slow
STEP, MATRIX, TREE = ".tl-step canvas", ".tl-matrix canvas", ".tl-tree"
BOX = "input[aria-label='English number or date']"


@pytest.fixture(scope="module")
def translators():
    return {"German": Translator.load("de"), "French": Translator.load("fr")}


@pytest.fixture
def explorer(open_explorer, translators):
    return open_explorer(TranslationExplorer(translators, text="742", layer=1, head=1))


def text(explorer, selector):
    explorer.settle()
    return explorer.page.inner_text(selector)


def wait_for(explorer, selector, words):
    explorer.page.wait_for_function(
        "([s, w]) => document.querySelector(s).innerText.includes(w)", arg=[selector, words]
    )


def button(explorer, name):
    return explorer.page.get_by_role("button", name=name)


def test_buttons_go_through_the_output_and_back(explorer):
    assert "“sieben”" in text(explorer, ".tl-readout")
    expect(button(explorer, "Back one token")).to_be_disabled()
    seen = [explorer.picture(STEP)]
    for token in ("hundert", "zwei", "und", "vierzig", "<end>"):
        button(explorer, "Forward one token").click()
        assert f"while “{token}” is written" in text(explorer, ".tl-readout")
        seen.append(explorer.picture(STEP))
    assert len(set(seen)) == 6
    expect(button(explorer, "Forward one token")).to_be_disabled()
    assert explorer.widget.step == 5
    button(explorer, "Back one token").click()
    assert "“vierzig”" in text(explorer, ".tl-readout")
    button(explorer, "Reset").click()
    assert "“sieben”" in text(explorer, ".tl-readout")
    assert explorer.picture(STEP) == seen[0]


def test_it_runs_pauses_and_starts_again_from_the_end(explorer):
    run = button(explorer, "Run through")
    run.click()
    wait_for(explorer, ".tl-readout", "“hundert”")
    run.click()
    assert "Run" in run.inner_text()
    assert explorer.widget.step == 1
    explorer.receive(step=5)
    run.click()
    assert explorer.widget.step == 0
    explorer.receive(step=4)
    wait_for(explorer, ".tl-readout", "“<end>”")
    expect(run).to_contain_text("Run")


def test_the_canvas_moves_by_keys_and_by_click(explorer):
    explorer.page.focus(STEP)
    for key, token in (("End", "<end>"), ("ArrowLeft", "vierzig"), ("Home", "sieben")):
        explorer.page.keyboard.press(key)
        assert f"“{token}”" in text(explorer, ".tl-readout")
    canvas = explorer.page.locator(STEP)
    size = canvas.bounding_box()
    canvas.click(position={"x": size["width"] - 30, "y": 258})
    assert "“<end>”" in text(explorer, ".tl-readout")


def test_layer_and_head_change_the_weights(explorer):
    explorer.receive(step=1)
    before = explorer.picture(STEP), explorer.picture(MATRIX)
    for label, words in (("Head", "head 2"), ("Layer", "Layer 0")):
        explorer.page.focus(f"input[aria-label={label}]")
        explorer.page.keyboard.press("ArrowRight" if label == "Head" else "ArrowLeft")
        assert words in text(explorer, ".tl-readout")
        now = explorer.picture(STEP), explorer.picture(MATRIX)
        assert now[0] != before[0]
        assert now[1] != before[1]
        before = now
    explorer.page.focus("input[aria-label=Head]")
    explorer.page.keyboard.press("Home")
    assert "mean of its heads" in text(explorer, ".tl-readout")


def test_a_cell_of_the_matrix_is_read_out_and_moves_the_step(explorer):
    explorer.page.focus(MATRIX)
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowRight"):
        explorer.page.keyboard.press(key)
    assert explorer.widget.step == 2
    assert "while “zwei” is written, “·hundred” has weight" in text(explorer, ".tl-readout")
    explorer.page.keyboard.press("Escape")
    assert "looks most at “·two”" in text(explorer, ".tl-readout")


def test_next_token_probabilities_are_those_of_the_step(explorer):
    explorer.receive(step=2)
    assert text(explorer, ".tl-best").split()[:2] == ["zwei", "1.000"]


def test_typed_text_is_translated(explorer):
    explorer.page.fill(BOX, "forty-five")
    wait_for(explorer, ".tl-written", "fünfundvierzig")
    assert "read as: forty five" in text(explorer, ".tl-read")
    assert "fünfundvierzig" in text(explorer, ".tl-beams")
    assert explorer.trait("step") == 0


def test_words_that_make_no_number_are_translated_with_a_note(explorer):
    explorer.page.fill(BOX, "five five")
    wait_for(explorer, ".tl-read", "five five")
    assert explorer.page.get_by_text("These words make no number or date").is_visible()
    explorer.page.fill(BOX, "7")
    wait_for(explorer, ".tl-written", "sieben")
    assert not explorer.page.get_by_text("These words make no number or date").is_visible()


def test_the_other_language_translates_the_same_text(explorer):
    explorer.page.select_option("select[aria-label=Language]", "French")
    wait_for(explorer, ".tl-written", "sept cent quarante-deux")


@pytest.mark.parametrize(
    "odd", ["", "🙂 " * 20, "שלום", "<script>document.title = 'boom'</script>", "hello " * 5]
)
def test_odd_text_is_answered_with_a_message(explorer, odd):
    explorer.page.fill(BOX, odd)
    wait_for(explorer, "[role=alert]", "Not translated, so the last translation stays.")
    assert "siebenhundertzweiundvierzig" in text(explorer, ".tl-written")
    assert explorer.page.locator("#root script").count() == 0
    assert explorer.page.title() != "boom"
    explorer.page.fill(BOX, "5")
    wait_for(explorer, ".tl-written", "fünf")
    assert not explorer.page.locator("[role=alert]").is_visible()


def test_a_huge_paste_is_cut_with_a_note(explorer):
    explorer.page.fill(BOX, "🙂" * 5000)
    assert "Only the first 200 characters are read." in text(explorer, ".tl-warning")
    wait_for(explorer, "[role=alert]", "Not translated")
    assert len(explorer.widget.text) == 200
    explorer.page.fill(BOX, "5")
    explorer.settle()
    assert not explorer.page.get_by_text("Only the first 200").is_visible()


def test_a_first_text_outside_the_task_can_be_mended(open_explorer, translators):
    explorer = open_explorer(TranslationExplorer(translators, text="hello"))
    assert "hello" in text(explorer, "[role=alert]")
    explorer.page.fill(BOX, "5")
    wait_for(explorer, ".tl-written", "fünf")


def test_width_and_length_penalty_redraw_the_tree(explorer):
    wide = explorer.page.locator(f"{TREE} g").count()
    explorer.page.focus("input[aria-label=Beams]")
    explorer.page.keyboard.press("Home")
    explorer.page.wait_for_function(
        "([s, n]) => document.querySelectorAll(s).length < n", arg=[f"{TREE} g", wide]
    )
    assert text(explorer, ".tl-beams").count("finished") == 1
    explorer.page.keyboard.press("End")
    wait_for(explorer, ".tl-beams", "\n6")
    before = text(explorer, ".tl-beams")
    explorer.page.focus("input[aria-label='Length penalty α']")
    explorer.page.keyboard.press("Home")
    wait_for(explorer, ".tl-beams", "1.00")
    assert text(explorer, ".tl-beams") != before
    assert explorer.widget.alpha == 0.0


def test_the_tree_is_walked_by_keys_and_by_pointer(explorer):
    readout = f"{TREE} + .tl-readout"
    explorer.page.focus(TREE)
    for key, words in (
        ("ArrowRight", "Step 1, rank 1: “sieben”"),
        ("ArrowDown", "Step 1, rank 2"),
        ("ArrowUp", "leads to the winner"),
        ("ArrowRight", "Step 2, rank 1: “hundert” makes “siebenhundert”"),
        ("ArrowLeft", "Step 1, rank 1"),
    ):
        explorer.page.keyboard.press(key)
        assert words in text(explorer, readout)
    explorer.page.hover(f"{TREE} g.tl-finished >> nth=0")
    assert ", score −" in text(explorer, readout)
    assert explorer.page.locator(f"{TREE} g.tl-lit").count() > 0
    assert explorer.page.locator(f"{TREE} g.tl-wins").count() == 6
