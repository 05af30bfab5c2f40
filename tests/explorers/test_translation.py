import json

import numpy as np
import pytest
from traitlets import TraitError

from tutorial_lib.explorers import TranslationExplorer
from tutorial_lib.explorers.translation_steps import search_steps, translate_steps
from tutorial_lib.recipes.translator import Translator

ODD = [
    "",
    "   ",
    "🙂",
    "שלום עליכם",
    "<script>boom()</script>",
    "half \ud83d",
    "-",
    "'; --",
    "\x00",
]


@pytest.fixture(scope="module")
def german():
    return Translator.load("de")


@pytest.fixture
def explorer(german):
    return TranslationExplorer({"German": german, "again": german}, text="742")


def maps(explorer):
    packed = explorer.translation["map"]
    return np.frombuffer(packed["data"], packed["dtype"]).reshape(packed["shape"])


def test_it_prints_as_a_sentence(explorer):
    assert repr(explorer) == "Translation explorer: run this cell"


def test_the_steps_are_those_of_the_translator(german, explorer):
    steps = translate_steps(german, "742")
    assert steps.text == german.translate("742") == explorer.translation["text"]
    assert explorer.translation["read_as"] == "seven hundred and forty two"
    packed = explorer.translation["map"]
    assert packed["rows"]["labels"] == ["sieben", "hundert", "zwei", "und", "vierzig", "<end>"]
    assert packed["columns"]["labels"] == ["·seven", "·hundred", "·and", "·forty", "·two"]
    assert maps(explorer).shape == (2, 4, 6, 5)
    np.testing.assert_allclose(maps(explorer).sum(axis=-1), 1, atol=5e-3)
    np.testing.assert_allclose(maps(explorer), steps.cross, atol=1e-3)
    assert steps.probabilities.argmax(dim=-1).tolist() == steps.ids[1:]


def test_the_tens_and_units_cross(explorer):
    unit, tens = maps(explorer)[1, 1, [2, 4]]  # while zwei and vierzig are written
    assert unit.argmax() > tens.argmax()


def test_probabilities_and_endings_follow_the_tokens(explorer):
    best = explorer.translation["best"]
    assert [step[0][0] for step in best] == explorer.translation["map"]["rows"]["labels"]
    assert all(len(step) == 6 for step in best)
    assert all(0 <= p <= 1 for step in best for _, p in step)
    endings = explorer.translation["endings"]
    assert endings[:2] == ["sieben", "siebenhundert"]
    assert endings[-1] == "siebenhundertzweiundvierzig"


def test_half_a_letter_is_not_shown(german):
    explorer = TranslationExplorer(german, text="1984-03-21")
    assert "März" in explorer.translation["text"]
    for ending in explorer.translation["endings"]:
        assert explorer.translation["text"].startswith(ending)


def test_the_beam_is_the_one_of_the_library(german, explorer):
    found = search_steps(german, "742", beams=4, alpha=0.6)
    candidates = explorer.search["candidates"]
    assert len(candidates) == len(found.tree)
    ends = [candidates[index] for index in explorer.search["ends"]]
    assert [end["score"] for end in ends] == [beam.score for beam in found.beams]
    assert ends[0]["text"] == "siebenhundertzweiundvierzig"
    assert ends[0]["wins"]


def test_new_text_is_translated_and_starts_from_the_first_token(explorer):
    explorer.step = 4
    explorer.text = "Forty-two"
    assert explorer.translation["text"] == "zweiundvierzig"
    assert (explorer.step, explorer.error) == (0, "")
    assert explorer.search["candidates"][explorer.search["ends"][0]]["text"] == "zweiundvierzig"


@pytest.mark.parametrize("text", ODD)
def test_text_outside_the_task_leaves_a_message_and_the_last_translation(explorer, text):
    explorer.text = text
    assert explorer.translation["text"] == "siebenhundertzweiundvierzig"
    assert "Type a number from 0 to 999,999 or a date of 1800 to 2099" in explorer.error
    json.dumps(explorer.error).encode()
    explorer.text = "7"
    assert (explorer.error, explorer.translation["text"]) == ("", "sieben")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello there", "no number or date in words has: hello, there. Type"),
        ("1000000", "a number in words goes from 0 to 999,999, got 1,000,000. Type"),
        ("1984-13-40", "the calendar has no 1984-13-40. Type"),
        ("1066-10-14", "a date lies between 1800 and 2099, got 1066-10-14. Type"),
        ("one " * 65, "Type"),
    ],
)
def test_the_message_names_what_is_wrong(explorer, text, message):
    explorer.text = text
    assert message in explorer.error or not explorer.error


def test_a_first_text_outside_the_task_shows_nothing_but_the_message(german):
    explorer = TranslationExplorer(german, text="hello", step=3)
    assert explorer.translation == {}
    assert "hello" in explorer.error
    explorer.text = "7"
    assert (explorer.translation["text"], explorer.step, explorer.error) == ("sieben", 0, "")


def test_a_huge_paste_is_cut_before_the_model_reads_it(explorer, monkeypatch):
    read = []
    source = Translator.source
    monkeypatch.setattr(
        Translator, "source", lambda self, texts: read.extend(texts) or source(self, texts)
    )
    explorer.text = "seven " * 500_000
    assert len(explorer.text) == 200
    assert {len(text) for text in read} == {200}


@pytest.mark.parametrize("text", ["seven seven", "hundred and", "may may may", "seventy " * 25])
def test_words_of_the_task_that_make_no_number_are_translated_with_a_note(explorer, text):
    assert explorer.translation["note"] == ""
    explorer.text = text
    assert explorer.error == ""
    assert explorer.translation["note"].startswith("These words make no number or date")
    json.dumps(explorer.search)


@pytest.mark.parametrize(
    ("name", "lowest", "most"),
    [("step", 0, 5), ("layer", 0, 1), ("head", -1, 3), ("beams", 1, 6)],
)
def test_every_choice_stays_inside(explorer, name, lowest, most):
    explorer.set_trait(name, 10**9)
    assert getattr(explorer, name) == most
    explorer.set_trait(name, -(10**9))
    assert getattr(explorer, name) == lowest
    with pytest.raises(TraitError):
        explorer.set_trait(name, "one")


def test_beams_and_length_penalty_run_the_search_again(explorer):
    sizes = []
    for beams in (1, 6):
        explorer.beams = beams
        sizes.append(len(explorer.search["candidates"]))
        assert explorer.search["beams"] == beams
        assert len(explorer.search["ends"]) == beams
    assert sizes[0] < sizes[1]
    scores = {}
    for alpha in (-1.0, 99.0, float("nan"), 0.6):
        explorer.alpha = alpha
        scores[explorer.alpha] = explorer.search["candidates"][explorer.search["ends"][1]]["score"]
    assert list(scores) == [0.0, 2.0, 0.6]
    assert scores[0.0] < scores[0.6] < scores[2.0] < 0


def test_a_choice_of_language_takes_the_other_translator(german):
    explorer = TranslationExplorer({"German": german, "French": Translator.load("fr")}, text="42")
    assert explorer.translation["text"] == "zweiundvierzig"
    explorer.language = "French"
    assert explorer.translation["text"] == "quarante-deux"
    explorer.language = "Klingon"
    assert explorer.language == "French"


def test_the_state_given_at_the_start_is_shown(german):
    explorer = TranslationExplorer({"German": german}, text="742", step=2, layer=1, head=1, beams=2)
    assert (explorer.step, explorer.layer, explorer.head, explorer.beams) == (2, 1, 1, 2)
    assert TranslationExplorer(german).layer == 1  # the last one


def test_it_needs_a_translator_and_a_language_it_has(german):
    with pytest.raises(ValueError, match="at least one translator"):
        TranslationExplorer({})
    with pytest.raises(ValueError, match="no translator for 'Dutch', only for German"):
        TranslationExplorer({"German": german}, language="Dutch")


@pytest.mark.parametrize("text", ["1984-03-21", "999,777", "7"])
def test_no_position_of_a_translation_is_computed_twice(german, explorer, text, monkeypatch):
    reads, widths = [], []
    encode, decode = german.model.encode, german.model.decode

    def count_reads(*given):
        reads.append(1)
        return encode(*given)

    def count_positions(target, *rest, **options):
        widths.append(target.size(1))
        return decode(target, *rest, **options)

    monkeypatch.setattr(german.model, "encode", count_reads)
    monkeypatch.setattr(german.model, "decode", count_positions)
    explorer.text = text
    written = len(explorer.translation["map"]["rows"]["labels"])
    longest = max(candidate["step"] for candidate in explorer.search["candidates"])
    # One token at a time, all of them once for the map, and the beam one step at a time.
    assert widths == [1] * written + [written] + [1] * longest
    assert len(reads) == 3
