from statistics import mean

import torch

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.models import BERT
from tutorial_lib.recipes import load_result, minilm_names, play_names


def f1_of(table, model, step):
    rows = load_result(table)["rows"]
    return {row["seed"]: row["f1"] for row in rows if (row["model"], row["step"]) == (model, step)}


def test_fine_tuned_it_beats_its_frozen_self_and_the_rule_of_capitals_in_each_fold():
    assert minilm_names.SETTINGS["held_out"] == play_names.SETTINGS["held_out"]
    tuned, frozen, layer_5 = (
        f1_of("minilm-names", name, minilm_names.SETTINGS[name]["steps"])
        for name in ("MiniLM", "MiniLM, frozen", "MiniLM, frozen, layer 5")
    )
    rule = f1_of("play-names", "capitals", 0)
    seeds = {*minilm_names.SETTINGS["seeds"]}
    assert all(f1.keys() == seeds for f1 in (tuned, frozen, layer_5, rule))
    assert all(tuned[seed] > rule[seed] + 0.1 for seed in tuned)
    assert all(tuned[seed] > frozen[seed] + 0.03 for seed in tuned)
    worst, middle, best = (mean(f1.values()) for f1 in (frozen, layer_5, tuned))
    assert worst + 0.03 < middle < best - 0.03


def test_a_body_cut_short_gives_the_vectors_of_an_earlier_layer():
    body = BERT.from_pretrained(minilm_folder())
    ids = torch.tensor([[101, 2040, 2003, 7737, 102]])
    with torch.no_grad():
        shorter = minilm_names.first_layers(body, 5)(ids)
        torch.testing.assert_close(shorter, body.hidden_states(ids)[5])
