import pytest

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.recipes import load_result, modern_parts, summarise
from tutorial_lib.recipes.modern_parts import SETTINGS, SMOKE, run, split
from tutorial_lib.recipes.shakespeare_gpt import decode


@pytest.mark.slow
def test_no_play_is_trained_on_that_is_measured_or_chosen_with(monkeypatch):
    seen = []

    def keep(side, seed, data, settings, progress):
        seen.append((side["lr"], seed, *data))
        return {"lr": side["lr"], "bits_per_character": abs(side["lr"] - 6e-3)}

    monkeypatch.setattr(modern_parts, "train_side", keep)
    run(SMOKE | {"sides": SMOKE["sides"][:1], "seeds": [0, 1]}, progress=False)
    starts = {play.title: play.text[1000:1100] for play in load_shakespeare().plays}
    *choices, first, second = seen
    assert [lr for lr, *_ in choices] == SETTINGS["rates"]["AdamW"]
    assert {seed for _, seed, *_ in choices} == {SETTINGS["choice"]["seed"]}
    assert [(lr, seed) for lr, seed, *_ in (first, second)] == [(6e-3, 0), (6e-3, 1)]
    chosen_with = SETTINGS["choice"]["plays"]
    text = decode(choices[0][2].tolist())
    assert not any(starts[title] in text for title in SETTINGS["held_out"] + chosen_with)
    text = decode(first[2].tolist())
    assert not any(starts[title] in text for title in SETTINGS["held_out"])
    assert all(starts[title] in text for title in chosen_with)


def test_each_measured_play_gives_its_beginning():
    train, test = split(["Hamlet", "Macbeth"], ["Macbeth"], 50)
    (macbeth,) = (play.text for play in load_shakespeare().plays if play.title == "Macbeth")
    assert [decode(ids.tolist()) for ids in test] == [macbeth[:50]]
    assert macbeth[1000:1100] not in decode(train.tolist())


def test_what_the_table_shows():
    table = load_result("modern-parts")
    bits = summarise(table["rows"], ["model", "optimizer"], "bits_per_character")
    plain, muon = bits["GPT", "AdamW"], bits["GPT", "Muon"]
    modern, both = bits["ModernGPT", "AdamW"], bits["ModernGPT", "Muon"]
    assert both["highest"] < modern["lowest"] < modern["highest"] < muon["lowest"]
    assert muon["highest"] < plain["lowest"] - 0.4
    seconds = summarise(table["rows"], ["model", "optimizer"], "cpu_seconds")
    times = [side["mean"] for side in seconds.values()]
    assert max(times) / min(times) == pytest.approx(1, abs=0.1)


def test_each_side_has_the_rate_that_was_best_for_it():
    table = load_result("modern-parts")
    for row in table["rows"]:
        same = [
            choice
            for choice in table["choices"]
            if (choice["model"], choice["optimizer"]) == (row["model"], row["optimizer"])
        ]
        assert row["lr"] == min(same, key=lambda choice: choice["bits_per_character"])["lr"]
