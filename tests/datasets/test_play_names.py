import pytest

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.datasets.play_names import (
    cast_names,
    draw_parts,
    label,
    load_play_names,
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
    named = {
        title: {
            word.lower()
            for speech in speeches
            for word, tag in zip(speech.words, speech.tags, strict=True)
            if tag != "O"
        }
        for title, speeches in labelled.items()
    }
    assert {"hamlet", "ophelia", "laertes"} < named["Hamlet"]
    assert not {"yorick", "king", "clown", "i"} & named["Hamlet"]
    for play in corpus.plays:
        assert named[play.title] <= cast_names(play)
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


def test_drawn_parts_share_no_play_and_follow_the_seed():
    held_out = ["Hamlet", "Henry V", "Twelfth Night"]
    parts = draw_parts(held_out, seed=1)
    named = [["B" in speech.tags for speech in part] for part in parts]
    assert named == [[True] * n + [False] * m for n, m in [(450, 200), (360, 160), (200, 200)]]
    train, validation, test = ({speech.play for speech in part} for part in parts)
    assert test == {*held_out}
    assert not train & validation
    assert not (train | validation) & test
    assert len(validation) == 7
    assert all(5 <= len(speech.words) <= 40 for part in parts for speech in part)
    assert parts == draw_parts(held_out, seed=1)
    assert parts != draw_parts(held_out, seed=2)
    with pytest.raises(ValueError, match="Macbeth have 45 and "):
        draw_parts(["Macbeth"])
