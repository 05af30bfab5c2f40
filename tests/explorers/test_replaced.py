"""The game of replaced words: what is forged, what is told when, and how the score is kept."""

import pytest
import torch
from page_checks import kernel_is_done

from tutorial_lib.errors import VocabularyError
from tutorial_lib.explorers import ReplacedExplorer
from tutorial_lib.explorers.forgery import forge, words_of_the_plays
from tutorial_lib.models import BERTConfig
from tutorial_lib.recipes import load_checkpoint

LINE = "to be, or not to be: that is the question"
OTHER = "what a piece of work is a man"


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("shakespeare-bert")


@pytest.fixture(scope="module")
def electra():
    return load_checkpoint("family-electra")


@pytest.fixture
def widget(electra, bert):
    return ReplacedExplorer(electra, bert, [LINE, OTHER])


def test_a_forgery_is_drawn_from_a_seed_and_keeps_the_words_in_place(electra, bert):
    found = forge(electra, bert, bert.tokenizer, LINE, share=0.3, seed=1)
    assert found.written == ["to", "be", ",", "or", "not", "to", "be", ":", *LINE.split()[-4:]]
    assert 2 <= sum(found.replaced) <= round(0.3 * 12)
    assert found == forge(electra, bert, bert.tokenizer, LINE, share=0.3, seed=1)
    assert found.shown != forge(electra, bert, bert.tokenizer, LINE, share=0.3, seed=2).shown


def test_what_the_forger_writes_are_words_of_the_plays(electra, bert):
    words = words_of_the_plays()
    pieces = {piece for piece in bert.tokenizer.vocab if piece.isalpha()}
    assert {"ea", "shal", "ll", "s"} <= pieces - words  # they only begin or end a word
    assert {"us", "thee", "o"} <= pieces & words
    lines = [forged(electra, bert, LINE, seed, share=0.1) for seed in range(40)]
    assert all(len(line) == 2 for line in lines)  # what is drawn as it was is drawn again
    drawn = [new for line in lines for _, new in line]
    assert len(set(drawn)) > 30
    assert set(drawn) <= words


def test_the_words_that_may_be_hidden_and_drawn_can_be_given(electra, bert):
    pairs = [forged(electra, bert, LINE, seed, {"be", "not", "king"}) for seed in range(9)]
    for old, new in (pair for line in pairs for pair in line):
        assert old in {"be", "not"}
        assert new in {"be", "not", "king"}
    assert any(pairs)
    assert forged(electra, bert, LINE, 0, {"king"}) == []  # nothing in the line may be hidden


def test_what_stands_beside_an_apostrophe_stays(electra, bert):
    line = "the king's method in't is not o'er the man"
    for seed in range(9):
        hidden = {old for old, _ in forged(electra, bert, line, seed, share=1.0)}
        assert hidden <= {"the", "method", "is", "not", "man"}
        assert hidden


def forged(electra, bert, text, seed, words=None, share=0.3):
    """Return the words of a forgery that were replaced, (old, new) each."""
    found = forge(electra, bert, bert.tokenizer, text, share, seed, words)
    return [pair for pair in zip(found.written, found.shown, strict=True) if pair[0] != pair[1]]


def test_models_of_other_vocabularies_are_refused(electra, bert):
    small = BERTConfig(50, 8, d_model=4, n_layers=1, n_heads=1, mlm=True).build()
    with pytest.raises(VocabularyError, match="generator reads 50 tokens, the tokenizer has 989"):
        ReplacedExplorer(electra, small, [LINE])
    with pytest.raises(VocabularyError, match="the discriminator reads 50 tokens"):
        ReplacedExplorer(small, bert, [LINE], bert.tokenizer)


def test_a_word_is_suspected_as_much_as_its_most_suspected_piece(electra, bert):
    found = forge(electra, bert, bert.tokenizer, "methinks", seed=0)
    ids = torch.tensor([bert.tokenizer.encode("methinks").ids])
    assert ids.size(1) > 3  # more than one piece: it is never hidden
    assert found.replaced == [False]
    with torch.no_grad():
        pieces = electra.replaced_logits(electra(ids))[0, 1:-1].sigmoid()
    assert found.suspicion == [pytest.approx(pieces.max().item(), abs=1e-6)]


def test_a_long_text_is_cut_and_one_without_words_is_left(electra, bert):
    found = forge(electra, bert, bert.tokenizer, "so it is " * 200)
    assert found.cut == 602 - 128
    for text in ("", "?!", "🙂"):
        assert not any(forge(electra, bert, bert.tokenizer, text).replaced)


def test_the_truth_is_told_only_when_judged_and_counts_once(widget):
    assert "truth" not in widget.reply
    replaced = [i for i, new in enumerate(widget.forgery.replaced) if new]
    innocent = widget.forgery.replaced.index(False)
    widget.ask(marked=[replaced[0], innocent])
    assert widget.score.lines == 0
    widget.ask(judged=True)
    told = [place for place, (was, _) in enumerate(widget.reply["truth"]) if was is not None]
    assert told == replaced
    assert widget.score.yours == 1
    assert widget.score.replaced == len(replaced) == widget.reply["replaced"]
    suspicion = widget.forgery.suspicion
    theirs = widget.reply["theirs"]
    assert len(theirs) == len(replaced)
    assert min(suspicion[i] for i in theirs) >= max(
        p for i, p in enumerate(suspicion) if i not in theirs
    )
    assert widget.score.theirs == len(set(theirs) & set(replaced))
    widget.ask(marked=replaced, judged=True)  # afterwards everybody is wise
    assert widget.score.lines == 1


@pytest.mark.parametrize(
    "odd",
    [
        {"marked": [99, -1, 2**60]},
        {"share": 9},
        {"share": -1},
        {"round": -(2**70)},
        {"text": "?!", "marked": [0]},  # there is nothing to find
    ],
)
def test_odd_requests_are_answered(widget, odd):
    widget.ask(**odd)
    assert "error" not in widget.reply
    assert widget.reply["marked"] == []
    assert widget.reply["replaced"] <= len(widget.reply["words"]) / 2


def test_only_as_many_as_were_replaced_can_be_marked_the_last_ones_clicked(widget):
    n, forgery = widget.reply["replaced"], widget.forgery
    widget.ask(marked=[0, 1, 2, 3, 4, 5])
    assert widget.reply["marked"] == [0, 1, 2, 3, 4, 5][-n:]
    widget.ask(marked=[1, 2, 2])
    assert widget.reply["marked"] == [1, 2]
    assert widget.forgery is forgery  # a click asks no model


def test_it_needs_a_line(electra, bert):
    with pytest.raises(ValueError, match="at least one line"):
        ReplacedExplorer(electra, bert, [])


@pytest.mark.slow
def test_a_round_by_mouse_and_keyboard(open_explorer, widget):
    page = open_explorer(widget).page
    words = page.locator(".tl-chips button")
    assert words.all_inner_texts() == widget.forgery.shown
    words.nth(1).click()
    kernel_is_done(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    kernel_is_done(page)
    assert widget.reply["marked"] == [1, 2]
    assert page.locator(".tl-verdict").inner_text().startswith("2 words were replaced. Press Judge")
    page.get_by_role("button", name="Judge").click()
    kernel_is_done(page)
    assert page.locator(".tl-chip.forged").count() == sum(widget.forgery.replaced)
    assert page.locator("table").inner_text().startswith("after 1 line")
    assert page.get_by_role("button", name="Judge").is_disabled()
    before = widget.forgery.shown
    page.get_by_role("button", name="Next line").click()
    kernel_is_done(page)
    assert widget.text == OTHER
    assert widget.forgery.shown != before
    for key in ("Home", "End"):
        page.get_by_label("Share replaced").focus()
        page.keyboard.press(key)
        kernel_is_done(page)
    assert widget.request["share"] == 0.5
    assert widget.score.lines == 1
    page.locator("summary").click()
    page.locator("textarea").fill("<b>I love thee not</b> 👍")
    page.wait_for_function("() => kernel.get('request').text.startsWith('<b>')")
    kernel_is_done(page)
    assert page.locator(".tl-chips b").count() == 0
    assert "love" in widget.forgery.written
