from statistics import mean

import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.datasets.play_names import label
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.recipes import play_names, shakespeare_bert
from tutorial_lib.recipes.frozen_speeches import ReadSpeech, tags_of
from tutorial_lib.recipes.play_names import (
    SETTINGS,
    SMOKE,
    encoders,
    frozen,
    in_capitals,
    linear_head,
    scores,
    to_show,
)
from tutorial_lib.tokenizers import WordPieceTokenizer

MEASURED = [
    label("Ay, good hamlet; O Hamlet Ophelia\nPage is the King", {"hamlet", "ophelia", "page"})
]


def words_of(tags):
    (of_one,) = tags
    return [w for w, tag in zip(MEASURED[0].words, of_one, strict=True) if tag != "O"]


def test_capitals_count_inside_a_line_only():
    said = in_capitals(MEASURED)
    assert words_of(said) == ["Hamlet", "Ophelia"]  # a king is not a name
    assert said[0][MEASURED[0].words.index("Ophelia")] == "I"


def test_each_part_has_scores_of_its_own():
    speech = label("Ay Hamlet, ay Ophelia, ay Laertes", {"hamlet", "ophelia", "laertes"})
    pairs = zip(speech.words, speech.tags, strict=True)
    said = tuple("O" if word == "Laertes" else tag for word, tag in pairs)
    found = scores([[said], [speech.tags]], [[speech], [speech]])
    assert found["validation_precision"] == 1
    assert found["validation_recall"] == pytest.approx(2 / 3)
    assert found["validation_f1"] == pytest.approx(0.8)
    assert found["test_f1"] == 1


def test_speeches_to_show_have_a_name_or_an_error():
    plain = label("no name is in this speech at all , sir", set())
    named = label("Hamlet is in this speech of nine words", {"hamlet"})
    said = [tuple("O" * len(speech.words)) for speech in (plain, named)]
    (shown,) = to_show([plain, named], said, 5, seed=0)
    assert shown["words"] == named.words
    assert (shown["tags"][0], shown["said"][0]) == ("B", "O")
    wrong = ("B", *said[0][1:])
    assert len(to_show([plain, named], [wrong, said[1]], 5, seed=0)) == 2


def test_a_frozen_head_learns_from_the_training_part_alone():
    words = ["my", "lord", "good", "a", "##i", "##o"]
    tokenizer = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])
    torch.manual_seed(0)
    sizes = {"context": 32, "d_model": 8, "n_layers": 2, "n_heads": 2}
    bert = BERT(BERTConfig(vocab_size=len(tokenizer.vocab), **sizes)).eval()
    bert.tokenizer = tokenizer
    plain, named = [label("my lord", ())], [label("good Aio", {"aio"})]
    said = [*frozen(bert, plain, (named, named), {"steps": 30, "lr": 0.1}, seed=0)]
    assert said == [[[["O", "O"]], [["O", "O"]]]] * 3  # layers, parts, speeches


def test_a_linear_head_learns_what_its_vectors_tell():
    labels = torch.tensor([0, 1, 2, -100])
    row = ReadSpeech(None, torch.eye(4), labels)
    head = linear_head([row], {"steps": 60, "lr": 0.1}, seed=0)
    assert tags_of(head, row) == ["O", "B", "I"]


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


def test_what_the_table_shows():
    rows = recipes.load_result("play-names")["rows"]
    validation, test = (
        {(row["model"], row["layer"], row["seed"]): row[f"{part}_f1"] for row in rows}
        for part in ("validation", "test")
    )
    means = {}
    for seed in SETTINGS["seeds"]:
        best = max(range(7), key=lambda layer: validation["MiniLM, frozen", layer, seed])
        scratch, playbert, last, chosen, rule, tuned = of_fold = [
            test["PlayBERT, from scratch, fine-tuned", None, seed],
            test["PlayBERT, fine-tuned", None, seed],
            test["MiniLM, frozen", 6, seed],
            test["MiniLM, frozen", best, seed],
            test["capitals", None, seed],
            test["MiniLM, fine-tuned", None, seed],
        ]
        means[seed] = of_fold
        assert scratch + 0.05 < playbert < last + 0.05 < chosen
        assert last < rule < tuned
    last, chosen, rule, tuned = [mean(scores) for scores in zip(*means.values(), strict=True)][2:]
    assert abs(chosen - rule) < 0.03  # level, as the chapter says
    assert last + 0.05 < rule < tuned - 0.05


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
