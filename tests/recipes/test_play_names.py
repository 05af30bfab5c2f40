import pytest

from tutorial_lib import recipes
from tutorial_lib.datasets.play_names import label
from tutorial_lib.recipes import play_names, shakespeare_bert
from tutorial_lib.recipes.play_names import (
    SETTINGS,
    SMOKE,
    encoders,
    in_capitals,
    in_dictionary,
    scores,
    to_show,
)

TRAINING = [label("Hamlet and Page, the page, my page", {"hamlet", "page"})]
MEASURED = [
    label("Ay, good hamlet; O Hamlet Ophelia\nPage is the King", {"hamlet", "ophelia", "page"})
]


def words_of(tags):
    (of_one,) = tags
    return [w for w, tag in zip(MEASURED[0].words, of_one, strict=True) if tag != "O"]


def test_the_dictionary_knows_words_that_are_mostly_names_in_any_case():
    said = in_dictionary(MEASURED, TRAINING)
    assert words_of(said) == ["hamlet", "Hamlet"]  # page was a name once in three


def test_capitals_count_inside_a_line_only():
    said = in_capitals(MEASURED)
    assert words_of(said) == ["Hamlet", "Ophelia", "King"]
    assert said[0][MEASURED[0].words.index("Ophelia")] == "I"


def test_scores_of_known_and_unknown_names():
    speech = label("Ay Hamlet, ay Ophelia, ay Laertes", {"hamlet", "ophelia", "laertes"})
    pairs = zip(speech.words, speech.tags, strict=True)
    said = tuple("O" if word == "Laertes" else tag for word, tag in pairs)
    found = scores([said], [speech], known={"hamlet"})
    assert found["precision"] == 1
    assert found["recall"] == pytest.approx(2 / 3)
    assert found["f1"] == pytest.approx(0.8)
    assert found["f1_known"] == 1
    assert found["f1_unknown"] == pytest.approx(2 / 3)


def test_speeches_to_show_have_a_name_or_an_error():
    long = label(" ".join(["ay"] * 41), set())
    plain = label("no name is in this speech at all , sir", set())
    named = label("Hamlet is in this speech of nine words", {"hamlet"})
    said = [tuple("O" * len(speech.words)) for speech in (long, plain, named)]
    (shown,) = to_show([long, plain, named], said, 5, seed=0)
    assert shown["words"] == named.words
    assert (shown["tags"][0], shown["said"][0]) == ("B", "O")
    wrong = ("B", *said[1][1:])
    assert len(to_show([long, plain, named], [said[0], wrong, said[2]], 5, seed=0)) == 2


def test_no_fold_is_measured_on_plays_that_its_encoder_has_read(monkeypatch):
    trained = []

    def keep(settings, progress):
        trained.append(settings)
        return "encoder"

    monkeypatch.setattr(shakespeare_bert, "train", keep)
    monkeypatch.setattr(play_names, "load_checkpoint", lambda name, folder: name)
    folds = encoders(SETTINGS, progress=False)
    assert [model for _, model in folds] == ["shakespeare-bert", "encoder", "encoder"]
    for held_out, (pretraining, _) in zip(SETTINGS["held_out"], folds, strict=True):
        assert {*held_out} <= {*pretraining["held_out"]}
    assert len(trained) == 1
    assert {k: v for k, v in trained[0].items() if k != "held_out"} == {
        k: v for k, v in shakespeare_bert.SETTINGS.items() if k != "held_out"
    }
    assert len({title for held_out in SETTINGS["held_out"] for title in held_out}) == 9
    encoders(SMOKE, progress=False)
    assert trained[1]["steps"] == shakespeare_bert.SMOKE["steps"]


def last(model, key="f1"):
    rows = recipes.load_result("play-names")["rows"]
    step = 0 if model in ("dictionary", "capitals") else SETTINGS["steps"]
    values = [row[key] for row in rows if (row["model"], row["step"]) == (model, step)]
    assert len(values) == len(SETTINGS["seeds"])
    return values


def mean(values):
    return sum(values) / len(values)


def test_what_the_table_shows():
    tuned, scratch = last("pre-trained"), last("from scratch")
    assert all(ours > theirs for ours, theirs in zip(tuned, scratch, strict=True))
    assert mean(tuned) > mean(last("dictionary"))
    # What is found of names never seen in training must come from what stands around them.
    assert mean(last("pre-trained", "f1_unknown")) > mean(last("from scratch", "f1_unknown")) > 0
    assert last("dictionary", "f1_unknown") == [0, 0, 0]


def test_the_stored_speeches_show_both_right_and_wrong():
    shown = recipes.load_result("play-names")["shown"]
    assert len(shown) == SETTINGS["shown"] * len(SETTINGS["seeds"])
    held_out = {title for titles in SETTINGS["held_out"] for title in titles}
    for speech in shown:
        assert speech["play"] in held_out
        assert len(speech["words"]) == len(speech["tags"]) == len(speech["said"])
    right = [speech["tags"] == speech["said"] for speech in shown]
    assert True in right
    assert False in right
