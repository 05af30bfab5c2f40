import math
from itertools import pairwise

import pytest
import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.recipes import load_result, summarise
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
from tutorial_lib.recipes.staircase import SETTINGS, build, split, written


def test_a_table_of_pairs_knows_the_last_character_alone_and_no_stair_looks_ahead():
    first, *others = SETTINGS["stairs"]
    here, there = encode("To be or not"), encode("Or he is not")
    with torch.no_grad():
        table = build(first, SETTINGS)
        assert torch.equal(table(here[None])[0, -1], table(there[None])[0, -1])
        for stair in others[:-1]:
            model = build(stair, SETTINGS).eval()
            assert not torch.equal(model(here[None])[0, -1], model(there[None])[0, -1])
            changed = torch.cat([here[:-1], encode("x")])
            assert torch.equal(model(here[None])[0, :-1], model(changed[None])[0, :-1])


def test_a_sample_has_the_length_that_was_asked_for():
    model = build(SETTINGS["stairs"][0], SETTINGS)
    assert len(written(model, 4, "\nROMEO:\n", length=9, temperature=0.7)) == 9


def test_what_the_staircase_shows():
    bits = summarise(load_result("staircase")["rows"], ["stair"], "bits_per_character")
    mean = {name: side["mean"] for (name,), side in bits.items()}
    falling = [bits[(stair["name"],)] for stair in SETTINGS["stairs"]]
    for upper, lower in pairwise(falling):
        assert lower["highest"] < upper["lowest"] - 0.05
    assert mean["one head, no shortcut"] == pytest.approx(mean["table of pairs"], abs=0.05)
    assert mean["one layer, norms"] == pytest.approx(mean["+ feed-forward"], abs=0.05)
    for without in ("three layers, no shortcuts", "three layers, no norms"):
        assert mean[without] > mean["+ norms, three layers"] + 0.05
    assert mean["three layers, four heads"] > mean["+ norms, three layers"] - 0.05
    assert mean["table of pairs"] < math.log2(70)


def test_each_measured_play_gives_its_beginning():
    train, test = split(["Hamlet", "Macbeth"], ["Macbeth"], 50)
    (macbeth,) = (play.text for play in load_shakespeare().plays if play.title == "Macbeth")
    assert [decode(ids.tolist()) for ids in test] == [macbeth[:50]]
    assert macbeth[1000:1100] not in decode(train.tolist())
