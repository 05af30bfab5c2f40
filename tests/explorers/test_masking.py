import json

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tutorial_lib.explorers import MaskingDraws, MaskingExplorer
from tutorial_lib.objectives import mask_tokens
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXT = "the cat sat on the mat and the dog sat on the cat"
TOKENIZER = WordPieceTokenizer.train(TEXT * 3, 60)
SPECIAL = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}


def test_a_draw_is_that_of_mask_tokens():
    draws = MaskingDraws(TOKENIZER, TEXT, share=0.4, seed=3)
    draws.draw()
    ids = torch.tensor([TOKENIZER.encode(TEXT).ids])
    generator = torch.Generator().manual_seed(3)
    names = [TOKENIZER.vocab.index(name) for name in SPECIAL]
    expected = mask_tokens(
        ids, TOKENIZER.mask_id, TOKENIZER.vocab_size, names, share=0.4, generator=generator
    )
    assert draws.shown == [TOKENIZER.vocab[i] for i in expected.ids[0]]
    assert [bool(fate) for fate in draws.fates] == expected.chosen[0].tolist()


def test_fates_say_what_became_of_each_token():
    draws = MaskingDraws(TOKENIZER, TEXT, share=1.0, seed=0)
    draws.draw(40)
    assert set(draws.fates) == {"", "mask", "random", "same"}
    for was, shown, fate in zip(draws.tokens, draws.shown, draws.fates, strict=True):
        if fate in ("", "same"):
            assert shown == was
        elif fate == "mask":
            assert shown == "[MASK]"
        else:
            assert shown not in {was, *SPECIAL}


def test_counts_converge_to_eighty_ten_ten_and_the_share():
    draws = MaskingDraws(TOKENIZER, TEXT, seed=0)
    for _ in range(20):
        draws.draw(100)
    counts = draws.counts
    assert counts["draws"] == 2000
    n = len([token for token in draws.tokens if token not in SPECIAL])
    assert counts["candidates"] == 2000 * n
    assert counts["chosen"] == 2000 * round(0.15 * n)
    assert counts["mask"] + counts["random"] + counts["same"] == counts["chosen"]
    for fate, share in (("mask", 0.8), ("random", 0.1), ("same", 0.1)):
        assert counts[fate] / counts["chosen"] == pytest.approx(share, abs=0.025)


def test_special_tokens_are_never_chosen():
    draws = MaskingDraws(TOKENIZER, "cat [MASK] zebra [PAD] dog [SEP]", share=1.0)
    draws.draw(50)
    chosen = {token for token, fate in zip(draws.tokens, draws.fates, strict=True) if fate}
    assert draws.n_candidates == len(chosen)
    assert not chosen & SPECIAL
    assert "[UNK]" in draws.tokens


def test_the_same_seed_gives_the_same_draws():
    first, again, other = (MaskingDraws(TOKENIZER, TEXT, share=0.5, seed=s) for s in (1, 1, 2))
    for draws in (first, again, other):
        draws.draw(3)
    assert (first.shown, first.counts) == (again.shown, again.counts)
    assert first.shown != other.shown


@pytest.mark.parametrize("share", [0, -0.1, 1.1])
def test_a_share_must_be_one(share):
    with pytest.raises(ValueError, match="share must be above 0"):
        MaskingDraws(TOKENIZER, TEXT, share=share)


def test_draws_add_up_until_text_share_or_seed_change():
    widget = MaskingExplorer(TOKENIZER, TEXT)
    widget.ask(times=100)
    assert widget.reply["counts"]["draws"] == 101
    widget.ask(times=1)
    assert widget.reply["counts"]["draws"] == 102
    for change in ({"share": 0.5}, {"seed": 4}, {"text": "the dog"}):
        widget.ask(times=100)
        widget.ask(times=1, **change)
        assert widget.reply["counts"]["draws"] == 1
    widget.text = "cat"
    assert [was for _, was, _ in widget.reply["tokens"]] == TOKENIZER.encode("cat").tokens
    assert widget.reply["number"] == widget.request["number"]


def test_bars_stand_beside_their_targets():
    widget = MaskingExplorer(TOKENIZER, TEXT, share=0.3)
    targets = [round(target, 2) for _, _, target in widget.reply["shares"]]
    assert targets == [0.3, 0.8, 0.1, 0.1]


@settings(max_examples=30)
@given(st.text(max_size=200))
@example("")
@example("half of a pair: \ud83d")
@example("שלום <script>boom()</script> 👩‍👩‍👧")
def test_any_text_gets_an_answer_that_can_travel(text):
    widget = MaskingExplorer(TOKENIZER, text)
    assert "error" not in widget.reply
    json.dumps([widget.request, widget.reply], ensure_ascii=False).encode()


def test_a_huge_text_is_cut_and_too_many_draws_too():
    widget = MaskingExplorer(TOKENIZER, "cat " * 1_000_000)
    assert len(widget.text) == widget.limit
    widget.ask(times=10**9)
    assert widget.reply["counts"]["draws"] == 1001


def test_without_a_token_nothing_is_drawn():
    widget = MaskingExplorer(TOKENIZER, "")
    assert widget.reply["counts"]["draws"] == 0
    assert widget.reply["shares"] == []


def test_an_error_is_shown():
    widget = MaskingExplorer(TOKENIZER, TEXT)
    widget.ask(seed="x")
    assert widget.reply["error"].startswith("ValueError")
    assert repr(widget) == "Masking explorer: run this cell"
