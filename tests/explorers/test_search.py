import json

import pytest
import torch

from tutorial_lib.datasets.shakespeare import Speech
from tutorial_lib.embeddings import text_vectors
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import SpeechFinder, SpeechSearch
from tutorial_lib.models import BERT, BERTConfig, RoundedVectors
from tutorial_lib.tokenizers import WordPieceTokenizer

LINES = {
    "comedies": ["the cat sat on the mat", "a merry dog\nand a merry cat", "the mat is red"],
    "tragedies": ["the dog sat alone", "o woe the mat is gone", "the cat is dead"],
}
SPEECHES = [
    Speech(f"Play {i}", genre, "ACT I", "SCENE I. A room.", "ANN", line)
    for genre, lines in LINES.items()
    for i, line in enumerate(lines)
]
TOKENIZER = WordPieceTokenizer.train(" ".join(speech.text for speech in SPEECHES) * 3, 60)


@pytest.fixture(scope="module")
def finder():
    torch.manual_seed(0)
    sizes = {"context": 256, "d_model": 16, "n_layers": 1, "n_heads": 2}
    model = BERT(BERTConfig(vocab_size=TOKENIZER.vocab_size, **sizes)).eval()
    places = [5, 0, 1, 2, 3]  # not all, and in an order of their own
    texts = [SPEECHES[place].text for place in places]
    table = RoundedVectors.of(text_vectors(model, TOKENIZER, texts), places)
    return SpeechFinder(table, SPEECHES, model, TOKENIZER)


def test_a_speech_finds_itself_in_both_ways(finder):
    for speech in finder.speeches:
        for name, hits in finder.find(speech.text, n=3).items():
            assert hits[0].text == speech.text, name
            assert hits[0].score == pytest.approx(1, abs=0.02)
            assert [hit.score for hit in hits] == sorted((h.score for h in hits), reverse=True)
    assert "o woe the mat is gone" not in [hit.text for hit in finder.find("woe", n=9)["by words"]]


def test_scores_by_meaning_are_cosines_of_the_models_vectors(finder):
    query = "a red cat"
    vector = text_vectors(finder.model, TOKENIZER, [query])[0]
    for hit in finder.find(query)["by meaning"]:
        exact = text_vectors(finder.model, TOKENIZER, [hit.text])[0] @ vector
        assert hit.score == pytest.approx(exact.item(), abs=0.02)


def test_by_words_only_what_shares_a_word_rare_words_first(finder):
    hits = finder.find("merry zebra", n=5)["by words"]
    assert [hit.text for hit in hits] == ["a merry dog\nand a merry cat"]
    assert finder.find("zebra")["by words"] == []
    best = finder.word_cosines("merry zebra").argmax()
    assert finder.speeches[best].text == hits[0].text
    assert finder.word_cosines("merry zebra")[best].item() == pytest.approx(hits[0].score)
    assert finder.rare_words("the merry zebra cat", share=0.25) == ["merry"]


@pytest.mark.parametrize("genre", ["comedies", "tragedies"])
def test_a_genre_leaves_its_own(finder, genre):
    found = finder.find("the cat", n=9, genre=genre)
    assert {hit.genre for hits in found.values() for hit in hits} == {genre}
    assert len(found["by meaning"]) == sum(s.genre == genre for s in finder.speeches)


def test_wrong_genres_and_places_are_named(finder):
    with pytest.raises(ValueError, match="genre must be one of comedies, tragedies, got 'films'"):
        finder.find("cat", genre="films")
    with pytest.raises(ShapeError, match="list of 3 speeches"):
        SpeechFinder(finder.table, SPEECHES[:3], finder.model, TOKENIZER)


def test_the_explorer_answers_with_both_columns(finder):
    widget = SpeechSearch(finder, "a merry cat", n=2)
    reply = widget.reply
    assert [column["name"] for column in reply["columns"]] == ["by meaning", "by words"]
    assert [len(column["hits"]) for column in reply["columns"]] == [2, 2]
    _, where, text = reply["columns"][1]["hits"][0]
    assert where == "ANN, Play 1, ACT I SCENE I"
    assert widget.found["by words"][0].text == "a merry dog\nand a merry cat"
    assert text == "a merry dog / and a merry cat"
    assert (reply["genres"], reply["speeches"]) == (["comedies", "tragedies"], 5)
    widget.ask(genre="tragedies", n=99)
    assert {hit.genre for hit in widget.found["by meaning"]} == {"tragedies"}
    assert repr(widget) == "Speech search: run this cell"


@pytest.mark.parametrize(
    "text", ["", "   ", "👩‍👩‍👧", "שלום עולם", "<script>boom()</script>", "\ud83d", "cat " * 10**6]
)
def test_odd_queries_get_an_answer(finder, text):
    widget = SpeechSearch(finder, text)
    assert "error" not in widget.reply
    assert len(widget.text) <= 300
    json.dumps([widget.request, widget.reply], ensure_ascii=False).encode()


def test_an_error_is_shown(finder):
    widget = SpeechSearch(finder)
    widget.ask(genre="films")
    assert "genre must be one of" in widget.reply["error"]
