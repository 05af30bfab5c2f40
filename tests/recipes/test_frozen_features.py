import numpy as np
import torch

from tutorial_lib.datasets.mnist import Digits
from tutorial_lib.datasets.splits import Splits
from tutorial_lib.models.dinov2 import normalised
from tutorial_lib.recipes import frozen_features, load_result, summarise
from tutorial_lib.recipes.frozen_features import (
    SETTINGS,
    as_photographs,
    draw,
    load_groups,
    run,
)


def test_each_seed_draws_other_pictures_and_as_many_of_each_class():
    labels = torch.arange(400) % 4
    first, again, other = (draw(labels, 5, seed) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert labels[first].bincount().tolist() == [5] * 4
    assert len(first.unique()) == 20


def test_groups_of_emoji_are_numbered_alike_in_all_parts():
    splits = load_groups(SETTINGS)
    assert splits.train.labels.bincount().min() >= 50
    assert splits.train.labels.unique().tolist() == list(range(8))
    assert splits.test.labels.unique().tolist() == list(range(8))
    assert splits.train.images.shape[1:] == (3, 32, 32)
    assert (len(splits.validation), len(splits.test)) == (100, 200)  # no flag among them


def test_ink_becomes_dark_on_white():
    ink = torch.zeros(1, 1, 28, 28)
    ink[..., 10:18] = 1
    found = as_photographs(ink, 56)
    white, black = (normalised(torch.full((3, 1, 1), value))[:, 0, 0] for value in (1.0, 0.0))
    assert torch.allclose(found[0, :, 28, 2], white, atol=1e-5)
    assert torch.allclose(found[0, :, 28, 28], black, atol=1e-5)


def test_the_choice_is_made_on_the_validation_part_and_the_test_part_is_read_last(monkeypatch):
    looked = []
    parts = [Digits(torch.zeros(20, 1, 2, 2), torch.arange(20) % 2) for _ in range(3)]
    tables = {name: np.zeros((20, 3), np.float32) for name in frozen_features.PARTS}

    def linear(tables, splits, chosen, strength):
        def score(part):
            looked.append((strength, part))
            return 1 - abs(strength - 0.1) if part == "validation" else strength

        return score

    monkeypatch.setattr(frozen_features, "linear", linear)
    monkeypatch.setattr(frozen_features, "features", lambda *_: tables)
    monkeypatch.setitem(frozen_features.TASKS, "digits", lambda settings: Splits(*parts))
    about = {"tasks": ["digits"], "ways": ["DINOv2"], "n_labels": [5], "strengths": [1, 0.1, 10]}
    found = run(SETTINGS | about, progress=False)
    assert {row["value"] for row in found["rows"]} == {0.1}
    assert [strength for strength, part in looked if part == "test"] == [0.1] * 3
    assert [row["seed"] for row in found["rows"]] == SETTINGS["seeds"]
    assert SETTINGS["choice_seed"] not in SETTINGS["seeds"]


def test_a_linear_classifier_learns_from_the_chosen_rows_alone():
    labels = torch.tensor([0, 1] * 10)
    table = labels.float()[:, None].repeat(1, 3).numpy()
    table[10:] *= -1  # these would teach the opposite
    part = Digits(torch.zeros(20, 1, 2, 2), labels)
    splits = Splits(part, part.select(slice(10)), part.select(slice(10, 20)))
    tables = {"train": table, "validation": table[:10], "test": table[10:]}
    score = frozen_features.linear(tables, splits, torch.arange(10), 10.0)
    assert score("validation") == 1.0
    assert score("test") == 0.5  # what is 1 there points the other way


def test_what_the_table_shows():
    table = load_result("frozen-features")
    found = summarise(table["rows"], ["task", "way", "n_labels"], "accuracy")
    for n in SETTINGS["n_labels"][1:]:
        worst = found["emoji", "DINOv2", n]["lowest"]
        assert worst > max(found["emoji", way, n]["highest"] for way in ("pixels", "ViT"))
    # No photograph asks for the difference between a 3 and an 8.
    fewest = {way: found["digits", way, 5]["mean"] for way in SETTINGS["ways"]}
    assert fewest["ViT"] > fewest["pixels"] > fewest["DINOv2"]
