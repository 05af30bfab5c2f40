import json

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tutorial_lib.errors import MissingHeadError
from tutorial_lib.explorers import FillMaskExplorer, fillings
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXT = "the cat sat on the mat and the dog sat on the cat"
TOKENIZER = WordPieceTokenizer.train(TEXT * 3, 60)


def model(**changes):
    torch.manual_seed(0)
    sizes = {"context": 24, "d_model": 16, "n_layers": 1, "n_heads": 2, "mlm": True}
    return BERT(BERTConfig(vocab_size=TOKENIZER.vocab_size, **sizes | changes)).eval()


MODEL = model()


def test_rows_are_the_models_most_probable_tokens():
    found = fillings(MODEL, TOKENIZER, "the [MASK] sat", n=4)
    encoding = TOKENIZER.encode("the [MASK] sat")
    assert (found.tokens, found.right, found.cut) == (encoding.tokens, None, 0)
    place = encoding.tokens.index("[MASK]")
    assert (found.place, found.places) == (place, [place])
    with torch.no_grad():
        logits = MODEL.mlm_logits(MODEL(torch.tensor([encoding.ids])))[0, place]
    best = logits.softmax(-1).sort(descending=True)
    assert [token for token, _ in found.rows] == [TOKENIZER.vocab[i] for i in best.indices[:4]]
    torch.testing.assert_close(torch.tensor([p for _, p in found.rows]), best.values[:4])


def test_a_text_is_read_where_the_model_is():
    with torch.device("meta"):  # what says no device of its own lands there and does not fit
        assert fillings(MODEL, TOKENIZER, "the [MASK]") == fillings(MODEL, TOKENIZER, "the [MASK]")


def test_what_comes_after_a_sep_is_read_as_the_second_sentence():
    for left_only in (False, True):
        found = fillings(MODEL, TOKENIZER, "the cat [SEP] the [MASK] sat", n=4, left_only=left_only)
        ids, segments, tokens = TOKENIZER.encode("the cat", "the [MASK] sat")
        assert found.tokens == tokens
        if left_only:
            ids, segments = [*ids[: found.place + 1], TOKENIZER.sep_id], segments[: found.place + 2]
        assert segments[-1] == 1
        with torch.no_grad():
            hidden = MODEL(torch.tensor([ids]), torch.tensor([segments]))
            best = MODEL.mlm_logits(hidden)[0, found.place].softmax(-1).topk(4)
        assert [token for token, _ in found.rows] == [TOKENIZER.vocab[i] for i in best.indices]
        torch.testing.assert_close(torch.tensor([p for _, p in found.rows]), best.values)


def test_a_hidden_token_is_ranked():
    found = fillings(MODEL, TOKENIZER, "the cat", n=TOKENIZER.vocab_size, hidden=[1])
    token, probability, rank = found.right
    assert found.tokens[1] == "[MASK]"
    assert (token, probability) == (TOKENIZER.encode("the cat").tokens[1], dict(found.rows)[token])
    assert found.rows[rank - 1][0] == token


def test_which_gap_is_answered():
    text = "[MASK] cat [MASK]"
    first, second = (fillings(MODEL, TOKENIZER, text, which=which) for which in (0, 1))
    assert first.places == second.places
    assert [first.place, second.place] == first.places
    assert first.rows != second.rows
    assert fillings(MODEL, TOKENIZER, text, which=9).place == second.place


def test_the_left_side_alone_does_not_know_what_follows():
    ways = [
        fillings(MODEL, TOKENIZER, f"the [MASK] {word}", left_only=left).rows
        for left in (True, False)
        for word in ("cat", "sat")
    ]
    assert ways[0] == ways[1]
    assert ways[2] != ways[3]


def test_special_tokens_cannot_be_hidden():
    found = fillings(MODEL, TOKENIZER, "cat", hidden=[0, -1, 99, 2])
    assert "[MASK]" not in found.tokens
    assert (found.place, found.rows) == (None, [])


def test_too_many_tokens_are_cut_with_a_number():
    found = fillings(MODEL, TOKENIZER, "[MASK] " + "the " * 100)
    assert len(found.tokens) == 24
    assert found.tokens[-1] == "[SEP]"
    assert found.cut == len(TOKENIZER.encode("[MASK] " + "the " * 100).ids) - 24
    assert found.rows


def test_a_model_without_the_head_says_so():
    with pytest.raises(MissingHeadError, match="MLM head"):
        fillings(model(mlm=False), TOKENIZER, "[MASK]")
    widget = FillMaskExplorer(model(mlm=False), TOKENIZER, "[MASK]")
    assert widget.reply["error"].startswith("MissingHeadError: this BERT has no MLM head")


def test_tokens_are_hidden_and_shown_again():
    widget = FillMaskExplorer(MODEL, TOKENIZER, "the cat [MASK]")
    gap = widget.place
    widget.ask(hidden=[1], place=1)
    assert widget.place == 1
    assert widget.reply["hidden"] == [1]
    assert widget.reply["panels"][0]["right"][0] == TOKENIZER.encode("the").tokens[1]
    widget.ask(place=gap)
    assert widget.place == gap
    assert widget.reply["panels"][0]["right"] is None
    widget.ask(hidden=[], place=-1)
    assert widget.reply["places"] == [gap]


def test_the_left_side_is_a_second_panel():
    widget = FillMaskExplorer(MODEL, TOKENIZER, "[MASK] the cat", left=True)
    both, left = widget.reply["panels"]
    assert (both["name"], left["name"]) == ("from both sides", "from the left side only")
    assert both["rows"] != left["rows"]
    widget.ask(left=False)
    assert len(widget.reply["panels"]) == 1


@settings(max_examples=30)
@given(st.text(max_size=200))
@example("")
@example("[MASK]" * 50)
@example("half of a pair: \ud83d [MASK]")
@example("שלום [MASK] <script>boom()</script> 👩‍👩‍👧")
def test_any_text_gets_an_answer_that_can_travel(text):
    widget = FillMaskExplorer(MODEL, TOKENIZER, text)
    assert "error" not in widget.reply
    json.dumps([widget.request, widget.reply], ensure_ascii=False).encode()


def test_a_huge_text_is_cut_and_it_reads_as_text():
    widget = FillMaskExplorer(MODEL, TOKENIZER, "[MASK] " * 500_000)
    assert len(widget.text) == widget.limit
    assert widget.rows
    assert repr(widget) == "Fill-mask explorer: run this cell"
