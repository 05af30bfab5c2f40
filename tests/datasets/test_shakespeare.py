import re

import pytest

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.datasets.shakespeare import parse_play
from tutorial_lib.errors import DamagedFileError, MissingDataError

MARKDOWN = """# A Play

## ACT I

### SCENE I. A field.

_Enter ANN
and BOB_

**ANN**  
_\\[Aside]_  
Good morrow,  
good \\--sir.

_Exit_

I stay.

**First Citizen**  
And _\\[Censorinus,]_ too, __\\[ ]_  
loud.

# EPILOGUE

Farewell.
"""


@pytest.fixture(scope="module")
def corpus():
    return load_shakespeare()


def test_every_play_is_there_with_its_genre(corpus):
    assert len(corpus.plays) == 38
    assert corpus.genres == [
        "comedies",
        "histories",
        "problems",
        "roman",
        "romances",
        "tragedies",
    ]
    assert len({play.title for play in corpus.plays}) == 38
    genres = {play.title: play.genre for play in corpus.plays}
    assert genres["Hamlet"] == "tragedies"
    assert genres["Measure for Measure"] == "problems"
    assert repr(corpus) == "Corpus(38 plays, 31,355 speeches, 4,782,385 characters)"


def test_every_play_has_five_acts_and_plausible_counts(corpus):
    for play in corpus.plays:
        acts = {speech.act for speech in play.speeches}
        assert {"ACT I", "ACT II", "ACT III", "ACT IV", "ACT V"} <= acts, play.title
        assert acts <= {"ACT I", "ACT II", "ACT III", "ACT IV", "ACT V"} | {
            act for act in acts if act.startswith("PROLOGUE")
        }
        assert 400 < len(play.speeches) < 1300, play.title
        assert 15 < len(play.speakers) < 80, play.title
        assert 80_000 < len(play.text) < 180_000, play.title


def test_no_mark_up_is_left(corpus):
    assert not re.search(r"[*_#\\\[\]<>$`|]", corpus.text)
    assert "\n\n\n" not in corpus.text
    assert not re.search(r"[ \t]\n", corpus.text)
    assert not re.search(r"^(Enter|Exit|Exeunt|Re-enter) [A-Z]{2}", corpus.text, re.MULTILINE)
    for speech in corpus.speeches:
        assert speech.text.strip() == speech.text != ""
        assert re.fullmatch(r"[A-Za-z][A-Za-z '&-]*", speech.speaker)
        assert speech.act
        assert speech.scene or speech.speaker  # prologues stand before the first scene


def test_known_lines_have_the_right_speaker(corpus):
    found = {
        (speech.play, speech.act, speech.speaker)
        for speech in corpus.speeches
        if "To be, or not to be: that is the question" in speech.text
    }
    assert found == {("Hamlet", "ACT III", "HAMLET")}
    [epilogue] = [s for s in corpus.speeches if "no bush, 'tis true that a good play" in s.text]
    assert (epilogue.speaker, epilogue.scene) == ("ROSALIND", "EPILOGUE")
    [prologue] = [s for s in corpus.speeches if s.speaker == "PROLOGUE"]
    assert prologue.text.startswith("I come no more to make you laugh")


def test_text_is_the_speeches_in_order(corpus):
    hamlet = next(play for play in corpus.plays if play.title == "Hamlet")
    assert hamlet.text.startswith("BERNARDO:\nWho's there?\n\nFRANCISCO:\nNay, answer me")
    assert sum(len(speech.text) for speech in hamlet.speeches) < len(hamlet.text)
    assert hamlet.text in corpus.text


def test_a_small_play_in_full():
    play = parse_play(MARKDOWN, "comedies")
    assert play.title == "A Play"
    assert [(s.act, s.scene, s.speaker, s.text) for s in play.speeches] == [
        ("ACT I", "SCENE I. A field.", "ANN", "Good morrow,\ngood --sir.\nI stay."),
        ("ACT I", "SCENE I. A field.", "First Citizen", "And Censorinus, too,\nloud."),
        ("ACT I", "EPILOGUE", "EPILOGUE", "Farewell."),
    ]


def test_own_file_and_own_folder(tmp_path):
    (tmp_path / "b.txt").write_text("\ufeffzweite Größe", encoding="utf-8")
    (tmp_path / "a.txt").write_text("first", encoding="utf-8")
    (tmp_path / "c.md").write_text("ignored", encoding="utf-8")
    corpus = load_shakespeare(tmp_path)
    assert [play.title for play in corpus.plays] == ["a", "b"]
    assert corpus.text == "first\nzweite Größe"
    assert corpus.speeches == []
    assert load_shakespeare(str(tmp_path / "a.txt")).text == "first"


def test_bad_sources(tmp_path):
    with pytest.raises(MissingDataError, match=r"no file or folder .*nowhere"):
        load_shakespeare(tmp_path / "nowhere")
    with pytest.raises(MissingDataError, match=r"holds no \.txt file"):
        load_shakespeare(tmp_path)
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    with pytest.raises(DamagedFileError, match=r"empty\.txt is empty"):
        load_shakespeare(empty)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Größe".encode("latin-1"))
    with pytest.raises(DamagedFileError, match=r"latin\.txt is not UTF-8.* 0xf6 at offset 2"):
        load_shakespeare(latin)
