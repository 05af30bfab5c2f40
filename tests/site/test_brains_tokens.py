"""Explorers of tokens answer on a page as in a notebook: strips of tokens, masks draw for draw."""

import json
import random

import pytest
from fuzzed_texts import fuzzed
from isolation import ROOT

from tutorial_lib import explorers
from tutorial_lib.recipes import load_checkpoint

STATES = ROOT / "docs" / "site" / "states"
LINES = [
    "I have had a most rare vision.",
    "",
    "[MASK] [CLS] 日本 🙂",
    "To be, or not to be: that is the question. " * 12,
    "a",
]


@pytest.fixture
def tokenizer():
    return load_checkpoint("shakespeare-bert").tokenizer


def test_a_text_is_cut_alike_by_each_tokenizer(both, exported, vocabularies):
    some = {name: exported.tokenizer(name) for name in ("gpt2", "shakespeare-bert", "hamlet")}
    hamlet = some["hamlet"]
    fewer = type(hamlet)(
        {token: i for token, i in hamlet._ids.items() if i < 300}, hamlet.merges[:44]
    )
    widget = explorers.TokenizerExplorer({**some, "300 ids": fewer}, "so it is")
    requests = [{"text": text} for text in [*fuzzed(25, seed=3), "so 🙂\t\r\n" * 100]]
    for python, javascript in both("tokens", widget, requests, vocabularies):
        assert python == javascript, ascii(python)


def test_tokens_are_masked_alike(both, tokenizer, vocabularies):
    numbers = random.Random(0)
    requests = [
        {
            "text": text,
            "share": numbers.choice([0.05, 0.15, 0.3, 0.5, 1, 0, 3]),
            "seed": numbers.choice([0, 1, 9999]),
            "times": numbers.choice([1, 1, 1, 3, 100]),
        }
        for text in [*LINES, *fuzzed(20, seed=4)]
        for _ in range(2)
    ]
    # Going on from what the notebook has drawn, then with a text that is asked for again.
    requests = [{"times": 1}, {"times": 100}, *requests, *requests[:2] * 3]
    requests.append({"text": "so it is " * 15, "share": 0.7})  # half a token, but for rounding
    widget = explorers.MaskingExplorer(tokenizer)
    for python, javascript in both("masking", widget, requests, vocabularies):
        assert python == javascript


def test_each_pass_hides_the_same_tokens(both, tokenizer, vocabularies):
    numbers = random.Random(1)
    requests = [
        {
            "text": text,
            "share": numbers.choice([0.05, 0.15, 0.35, 0.5, 1, 0]),
            "passes": numbers.choice([1, 2, 10, 40, 99, 0]),
            "anew": anew,
            "seed": numbers.choice([0, 1, 17, -1, 2**31 + 5]),
        }
        for text in [*LINES, *fuzzed(20, seed=5)]
        for anew in (True, False)
    ]
    widget = explorers.MaskingPassesExplorer(tokenizer, LINES[0])
    for python, javascript in both("masking_passes", widget, requests, vocabularies):
        if "expected" in python:
            python["expected"] = pytest.approx(python["expected"])
        assert python == javascript


def stored_explorers():
    """Yield the path and the stored state of each explorer of tokenizers in the chapters."""
    for path in sorted(STATES.glob("*/*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["class"] == "TokenizerExplorer":
            yield path, stored


def test_the_page_has_a_vocabulary_for_each_stored_tokenizer(exported):
    missing = [
        f"{path.parent.name}/{path.stem}: {one['name']}"
        for path, stored in stored_explorers()
        for one in stored["extras"]["tokenizers"]
        if one.get("vocabulary") not in exported.TOKENIZERS
    ]
    assert missing == []


# That each has a vocabulary is held in every run, by the test above; the sweep cuts the texts.
@pytest.mark.sweep
def test_the_stored_strips_are_what_the_page_finds(exported, ask, tmp_path):
    """Each explorer of tokenizers, with the vocabularies of a whole build, answers as it began."""
    exported.main(tmp_path / "models")
    for path, stored in stored_explorers():
        asked = {"request": {**stored["state"]["request"], "number": 1}}
        (answer,) = ask("tokens", stored["state"], stored["extras"], [asked], tmp_path)
        assert answer["reply"]["rows"] == stored["state"]["reply"]["rows"], path
