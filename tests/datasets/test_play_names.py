import pytest

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.datasets.play_names import (
    cast_names,
    draw_speeches,
    label,
    load_play_names,
    name_words,
)
from tutorial_lib.datasets.shakespeare import parse_play
from tutorial_lib.objectives import entities


def cast(*speakers):
    text = "\n\n".join(f"**{speaker}**\nAy." for speaker in speakers)
    return cast_names(parse_play(text, "comedies", "x"))


def test_a_cast_without_ranks_callings_and_numbers():
    assert cast("KING CLAUDIUS", "SIR TOBY BELCH", "KING HENRY V") == {
        *("claudius", "toby", "belch", "henry")
    }
    assert cast("First Lord", "Clown", "ALL", "KING OF FRANCE", "SU FFOLK") == {"ffolk"}
    assert cast("ROSENCRANTZ & GUILDENSTERN") == {"rosencrantz", "guildenstern"}


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Hamlet's father, Hamlet.", "BOOOOBO"),
        ("the hamlet of Hamlet", "OOOB"),  # a capital it must have
        ("Good Toby Belch,\nBelch", "OBIOB"),  # a line begins a new name
        ("Toby, Belch", "BOB"),
        ("Page, Page", "OOB"),  # a common word with a capital that it would have anyhow
        ("Ay, Page. Page!", "OOBOOO"),
        ("Ay; Page", "OOB"),
        ("'Page, my Page", "OOOOB"),  # a quotation mark does not make it a second word
        ("Yorick", "O"),
    ],
)
def test_labels(text, tags):
    speech = label(text, {"hamlet", "toby", "belch", "page"}, {"page"})
    assert "".join(speech.tags) == tags


def test_the_first_word_of_a_line_and_of_a_sentence_opens():
    speech = label("--Ay, my Lord. Well;\nno! So", set())
    assert [word for word, opens in zip(speech.words, speech.opens, strict=True) if opens] == [
        *("Ay", "Well", "no", "So")
    ]


@pytest.mark.slow
def test_the_plays_have_their_own_names_and_nobody_elses():
    labelled = load_play_names()
    corpus = load_shakespeare()
    assert [*labelled] == [play.title for play in corpus.plays]
    assert [len(labelled[play.title]) for play in corpus.plays] == [
        len(play.speeches) for play in corpus.plays
    ]
    assert {"hamlet", "ophelia", "laertes"} < name_words(labelled["Hamlet"])
    assert not {"yorick", "king", "clown", "i"} & name_words(labelled["Hamlet"])
    for play in corpus.plays:
        assert name_words(labelled[play.title]) <= cast_names(play)
    spans = [
        speech.words[slice(*span)]
        for speeches in labelled.values()
        for speech in speeches
        for span in entities(speech.tags)
    ]
    assert 10_000 < len(spans) < 11_000
    assert all(word[0].isupper() for words in spans for word in words)
    assert ("Anne", "Page") in spans


def test_no_speaker_in_the_words():
    speeches = load_play_names()["Hamlet"]
    assert speeches[3].words == ("Bernardo", "?")
    assert speeches[3].tags == ("B", "O")
    assert speeches[3].play == "Hamlet"


def test_drawn_speeches_are_short_from_the_plays_and_those_with_a_name_come_first():
    plays = ["Hamlet", "Henry V"]
    drawn = draw_speeches(plays, 20, 30, seed=1)
    assert ["B" in speech.tags for speech in drawn] == [True] * 20 + [False] * 30
    assert {speech.play for speech in drawn} == {*plays}
    assert all(5 <= len(speech.words) <= 40 for speech in drawn)
    assert drawn == draw_speeches(plays, 20, 30, seed=1)
    assert drawn != draw_speeches(plays, 20, 30, seed=2)
