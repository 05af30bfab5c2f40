import json
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tutorial_lib.explorers import TokenizerExplorer
from tutorial_lib.tokenizers import BPETokenizer

BPE = BPETokenizer.train("the cat sat on the mat " * 9, 275)


class Words:
    """Stands for WordPiece: an encoding with ids and tokens."""

    def encode(self, text):
        tokens = ["[CLS]", *text.split(), "[SEP]"]
        return SimpleNamespace(ids=list(range(len(tokens))), tokens=tokens)


class Counter:
    """Takes a byte for a token, and notes how much it was given to cut."""

    def __init__(self):
        self.given = []

    def encode(self, text):
        self.given.append(len(text))
        return list(text.encode())

    def token_bytes(self, token_id):
        return bytes([token_id])


class Broken:
    def encode(self, text):
        raise RuntimeError("out of paper")


def test_rows_hold_tokens_ids_and_bytes():
    bpe, words = TokenizerExplorer({"BPE": BPE, "words": Words()}, text="the cat").reply["rows"]
    assert [token for token, _, _ in bpe["tokens"]] == ["the", "·cat"]
    assert [token_id for _, token_id, _ in bpe["tokens"]] == BPE.encode("the cat")
    assert bytes.fromhex("".join(raw for *_, raw in bpe["tokens"])) == b"the cat"
    assert [token for token, _, _ in words["tokens"]] == ["[CLS]", "the", "cat", "[SEP]"]
    assert (bpe["characters"], bpe["bytes"]) == (7, 7)


@settings(max_examples=40)
@given(st.text(max_size=200))
@example("half of a pair: \ud83d")
def test_any_text_gets_an_answer_that_can_travel(text):
    widget = TokenizerExplorer({"BPE": BPE}, text="")
    widget.request = {"number": 1, "text": text}
    (row,) = widget.reply["rows"]
    assert "error" not in row
    assert widget.reply["number"] == 1
    json.dumps(widget.reply, ensure_ascii=False).encode()  # no half surrogate is left


def test_pieces_of_a_character_show_their_bytes():
    (row,) = TokenizerExplorer({"BPE": BPE}, text="é").reply["rows"]
    assert [token for token, _, _ in row["tokens"]] == ["<C3>", "<A9>"]


def test_a_huge_text_is_cut_before_a_tokenizer_sees_it():
    counter = Counter()
    widget = TokenizerExplorer({"bytes": counter}, text="x" * 3_000_000)
    widget.request = {"number": 5, "text": "y" * 3_000_000}
    assert widget.reply["rows"][0]["characters"] == 2000
    assert counter.given == [2000, 2000]


def test_an_error_of_one_tokenizer_is_shown_beside_the_others():
    widget = TokenizerExplorer({"BPE": BPE, "broken": Broken()})
    assert widget.reply["rows"][1] == {"name": "broken", "error": "RuntimeError: out of paper"}
    assert widget.reply["rows"][0]["tokens"]


def test_text_can_be_set_from_python():
    widget = TokenizerExplorer({"BPE": BPE})
    widget.text = "sat"
    assert widget.text == "sat"
    assert widget.reply["number"] == widget.request["number"] == 1
    widget.text = ""
    assert widget.reply["rows"][0]["tokens"] == []


def test_it_needs_a_tokenizer_and_reads_as_text():
    with pytest.raises(ValueError, match="at least one tokenizer"):
        TokenizerExplorer({})
    assert repr(TokenizerExplorer({"BPE": BPE})) == "Tokenizer explorer: run this cell"
