"""The attention explorer's script in a real browser, moved by mouse and by keyboard."""

import pytest
import torch

from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.tokenizers import WordPieceTokenizer

pytestmark = pytest.mark.slow
WORDS = ["[CLS]", "the", "cat", "sat", "[SEP]"]
LINES, MATRIX, HEADS = ".tl-lines canvas", ".tl-matrix canvas", ".tl-heads canvas"


def maps(layers=3, heads=4, rows=5, columns=5):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(layers, heads, rows, columns, generator=generator).mul(2).softmax(-1)


def readout(explorer):
    explorer.settle()
    return explorer.page.inner_text(".tl-readout")


def test_sliders_move_by_keyboard_and_every_view_follows(open_explorer):
    explorer = open_explorer(AttentionExplorer(maps(), WORDS))
    for label, trait, last in (("Layer", "layer", 2), ("Head", "head", 3)):
        before = [explorer.picture(canvas) for canvas in (LINES, MATRIX, HEADS)]
        explorer.page.focus(f"input[aria-label={label}]")
        explorer.page.keyboard.press("ArrowRight")
        assert explorer.trait(trait) == 1
        after = [explorer.picture(canvas) for canvas in (LINES, MATRIX, HEADS)]
        assert all(a != b for a, b in zip(before, after, strict=True))
        explorer.page.keyboard.press("End")
        assert explorer.trait(trait) == last
        explorer.page.keyboard.press("Home")
        assert explorer.trait(trait) == 0
    explorer.settle()
    assert (explorer.widget.layer, explorer.widget.head) == (0, 0)


def test_a_token_is_isolated_by_mouse_and_by_keyboard(open_explorer):
    weights = maps()
    explorer = open_explorer(AttentionExplorer(weights, WORDS))
    plain = explorer.picture(LINES)
    explorer.page.hover(LINES, position={"x": 20, "y": 70})
    assert explorer.picture(LINES) != plain
    assert "“cat” looks most at" in readout(explorer)
    explorer.page.mouse.move(1000, 880)
    assert explorer.picture(LINES) == plain
    explorer.page.focus(LINES)
    for _ in range(3):
        explorer.page.keyboard.press("ArrowDown")
    best = WORDS[int(weights[0, 0, 2].argmax())]
    assert f"“cat” looks most at “{best}” {weights[0, 0, 2].max():.3f}" in readout(explorer)
    assert (explorer.trait("row"), explorer.trait("column")) == (2, -1)
    explorer.page.keyboard.press("ArrowRight")
    assert (explorer.trait("row"), explorer.trait("column")) == (-1, 2)
    assert "“cat” is looked at most by" in readout(explorer)
    explorer.page.keyboard.press("Escape")
    assert (explorer.trait("row"), explorer.trait("column")) == (-1, -1)
    assert explorer.picture(LINES) == plain


def test_a_cells_number_is_read_out_on_hover_and_by_arrow_keys(open_explorer):
    weights = maps()
    explorer = open_explorer(AttentionExplorer(weights, WORDS, layer=1, head=2))
    explorer.page.focus(MATRIX)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        explorer.page.keyboard.press(key)
    assert f"“the” looks at “the” with weight {weights[1, 2, 1, 1]:.3f}" in readout(explorer)
    before = explorer.picture(MATRIX)
    box = explorer.page.locator(MATRIX).bounding_box()
    explorer.page.hover(MATRIX, position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert explorer.picture(MATRIX) != before
    assert " with weight 0." in readout(explorer)


def test_a_head_is_chosen_in_the_grid(open_explorer):
    explorer = open_explorer(AttentionExplorer(maps(), WORDS))
    box = explorer.page.locator(HEADS).bounding_box()
    explorer.page.click(HEADS, position={"x": box["width"] - 12, "y": box["height"] - 12})
    assert (explorer.trait("layer"), explorer.trait("head")) == (2, 3)
    explorer.page.focus(HEADS)
    for key in ("ArrowUp", "ArrowLeft", "ArrowLeft"):
        explorer.page.keyboard.press(key)
    assert (explorer.trait("layer"), explorer.trait("head")) == (1, 1)
    assert readout(explorer).startswith("Layer 1, head 1.")


def test_many_layers_of_few_heads_go_across(open_explorer):
    explorer = open_explorer(AttentionExplorer(maps(layers=9, heads=2), WORDS))
    assert "heads down, layers across" in explorer.page.inner_text(".tl-heads >> xpath=..")
    box = explorer.page.locator(HEADS).bounding_box()
    assert box["width"] > box["height"]
    explorer.page.click(HEADS, position={"x": box["width"] - 12, "y": box["height"] - 12})
    assert (explorer.trait("layer"), explorer.trait("head")) == (8, 1)
    explorer.page.focus(HEADS)
    for key in ("ArrowUp", "ArrowLeft", "ArrowLeft"):
        explorer.page.keyboard.press(key)
    assert (explorer.trait("layer"), explorer.trait("head")) == (6, 0)


def test_special_columns_can_be_left_out_and_the_rest_shared_out(open_explorer):
    weights = maps(1, 1)
    explorer = open_explorer(AttentionExplorer(weights, WORDS, row=2, column=1))
    explorer.page.check("text=leave out columns [CLS], [SEP]")
    assert f"weight {weights[0, 0, 2, 1]:.3f}" in readout(explorer)
    explorer.page.check("text=and share out the rest to 1")
    share = weights[0, 0, 2, 1] / weights[0, 0, 2, 1:4].sum()
    shown = float(readout(explorer).rstrip(".").rsplit(" ", 1)[1])
    assert shown == pytest.approx(float(share), abs=2e-3)


def test_small_weights_are_filtered(open_explorer):
    explorer = open_explorer(AttentionExplorer(maps(), WORDS))
    before = explorer.picture(LINES)
    explorer.page.focus("input[aria-label='Hide weights below']")
    explorer.page.keyboard.press("End")
    assert explorer.trait("threshold") == 1
    assert explorer.picture(LINES) != before


def captions(explorer):
    explorer.settle()
    return explorer.page.locator("figure:visible figcaption").all_inner_texts()


def test_the_matrix_promises_whole_rows_only_while_they_are_drawn(open_explorer):
    explorer = open_explorer(AttentionExplorer(maps(), WORDS))
    whole = "Matrix a row looks, a row adds up to 1"
    assert captions(explorer)[1] == whole
    explorer.receive(threshold=0.3)
    assert captions(explorer)[1] == "Matrix a row looks; weights below 0.30 are not drawn"
    explorer.receive(threshold=0)
    assert captions(explorer)[1] == whole


@pytest.mark.parametrize("simple", [False, True])
def test_the_grid_of_all_heads_can_be_left_out(open_explorer, simple):
    explorer = open_explorer(AttentionExplorer(maps(), WORDS, simple=simple, grid=False))
    assert [caption.split()[0] for caption in captions(explorer)] == ["Lines", "Matrix"]
    assert not explorer.page.locator(HEADS).is_visible()
    assert "small matrix" not in readout(explorer)
    before = explorer.picture(MATRIX)
    explorer.page.focus("input[aria-label=Head]")
    explorer.page.keyboard.press("ArrowRight")
    assert explorer.picture(MATRIX) != before
    explorer.receive(panels=AttentionExplorer(maps(2, 2), WORDS).panels)  # of another text
    assert len(captions(explorer)) == 2
    whole = open_explorer(AttentionExplorer(maps(), WORDS, simple=simple))
    assert captions(whole)[2] == "All heads layers down, heads across"
    assert "small matrix" in readout(whole)


def test_an_encoder_decoder_offers_three_kinds(open_explorer):
    three = {"encoder": maps(), "decoder": maps(rows=2, columns=2), "cross": maps(rows=2)}
    explorer = open_explorer(AttentionExplorer(three, ["ein", "Haus"], WORDS))
    before = explorer.picture(MATRIX)
    explorer.page.select_option("select", label="cross: target looks at source")
    assert explorer.trait("part") == 2
    assert explorer.picture(MATRIX) != before


def test_tokens_are_text_and_never_markup(open_explorer):
    odd = [
        "<script>boom()</script>",
        "<img src=x onerror=boom()>",
        "👩‍👩‍👧",
        "שלום",
        "",
        "x" * 3000,
    ]
    explorer = open_explorer(AttentionExplorer(maps(rows=6, columns=6), odd))
    for row in range(6):
        explorer.receive(row=row, column=0)
    assert "(empty)" in explorer.page.evaluate(
        "() => { kernel.receive({row: 4, column: 4}); return new Promise((done) =>"
        "requestAnimationFrame(() => requestAnimationFrame(() =>"
        "done(document.querySelector('.tl-readout').textContent)))) }"
    )
    assert explorer.page.locator("#root script, #root img").count() == 0
    assert explorer.page.locator(MATRIX).bounding_box()["width"] < 700


def test_two_segments_are_marked(open_explorer):
    one = open_explorer(AttentionExplorer(maps(), WORDS)).picture(LINES)
    two = open_explorer(AttentionExplorer(maps(), WORDS, segments=[0, 0, 1, 1, 1])).picture(LINES)
    assert one != two


def test_a_cut_is_noted_where_it_can_be_seen(open_explorer):
    explorer = open_explorer(
        AttentionExplorer(maps(rows=9, columns=9), list("abcdefghi"), max_tokens=4)
    )
    assert explorer.page.locator("text=Only the first 4 of 9 tokens are shown.").is_visible()


@pytest.fixture
def live():
    """A small model with random weights behind the explorer."""
    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "dog", "sat", "ran"]
    config = BERTConfig(vocab_size=len(words), context=32, d_model=16, n_layers=3, n_heads=4)
    model = BERT(config)
    for weight in model.parameters():  # the usual small start would hardly move an output
        weight.data += 0.5 * torch.randn_like(weight)
    return AttentionExplorer.from_model(
        model, WordPieceTokenizer(words), "the cat sat", other="the dog ran"
    )


def test_typed_text_goes_through_the_model(open_explorer, live):
    explorer = open_explorer(live)
    before = explorer.picture(MATRIX)
    explorer.page.fill("input[aria-label=Text]", "the cat ran the dog")
    explorer.page.wait_for_function("() => kernel.get('panels')[0].shape[2] === 7")
    assert explorer.picture(MATRIX) != before
    explorer.page.fill("input[aria-label='Second segment']", "cat sat")
    explorer.page.wait_for_function("() => kernel.get('panels')[0].shape[2] === 10")
    assert live.panels[0]["rows"]["segments"] == [0] * 7 + [1] * 3


def test_a_head_is_broken_and_repaired_with_the_keyboard(open_explorer, live):
    explorer = open_explorer(live)
    table = ".tl-outputs"
    shown = whole = explorer.page.inner_text(table)
    assert not explorer.page.locator(table).is_visible()
    explorer.page.focus("input[aria-label=Layer]")
    explorer.page.keyboard.press("ArrowRight")
    for name, how in (("Zero it", "zero"), ("Make it uniform", "uniform"), ("Patch", "patch")):
        explorer.page.get_by_role("button", name=name).focus()
        explorer.page.keyboard.press("Enter")
        explorer.page.wait_for_function(
            "(old) => document.querySelector('.tl-outputs').innerText !== old", arg=shown
        )
        shown = explorer.page.inner_text(table)
        assert live.broken == {"how": how, "layer": 1, "head": 0}
        assert "Layer 1, head 0" in explorer.page.inner_text(".tl-status")
    explorer.page.get_by_role("button", name="Repair").click()
    explorer.page.wait_for_function(
        "(old) => document.querySelector('.tl-outputs').innerText === old", arg=whole
    )
    assert live.broken == {}


def test_odd_and_huge_text_ends_in_a_note_never_in_an_exception(open_explorer, live):
    explorer = open_explorer(live)
    explorer.page.fill("input[aria-label=Text]", "cat " * 50_000)
    explorer.page.wait_for_selector("text=Only the first 32 of")
    explorer.page.get_by_role("button", name="Patch").click()
    explorer.page.wait_for_selector("text=Nothing is patched: the other text has 5 tokens")
    for odd in ("", "<script>boom()</script>", "👩‍👩‍👧 שלום", "\u200b"):
        explorer.page.fill("input[aria-label=Text]", odd)
        explorer.page.wait_for_function("(odd) => kernel.get('text') === odd", arg=odd)
        explorer.answered()
    assert explorer.page.locator("#root script").count() == 0
