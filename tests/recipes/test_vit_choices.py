import pytest

from tutorial_lib.models.vit_config import POSITIONS
from tutorial_lib.recipes import load_result, summarise, vit_choices
from tutorial_lib.recipes.vit_choices import SETTINGS, SMOKE, run


def test_what_two_choices_share_is_trained_once_and_all_else_differs(monkeypatch):
    trained = []

    def keep(settings, progress):
        trained.append((settings["sizes"], settings["seed"]))
        return {"accuracy": len(trained)}

    monkeypatch.setattr(vit_choices, "train_and_measure", keep)
    rows = run(SETTINGS, progress=False)["rows"]
    # The base stands in all three groups: 11 sorts, 9 of them different, three seeds each.
    assert (len(rows), len(trained)) == (33, 27)
    base = {
        (row["choice"], row["seed"]): row["accuracy"]
        for row in rows
        if row["value"] in ("cls", "7, 3 shared", "learned")
    }
    for seed in SETTINGS["seeds"]:
        assert len({base[choice, seed] for choice in SETTINGS["choices"]}) == 1


@pytest.mark.slow
def test_a_small_run_measures_each_sort():
    rows = run(SMOKE, progress=False)["rows"]
    patches = {row["value"]: row["patches"] for row in rows if row["choice"] == "patches"}
    assert patches == {"4": 49, "7": 16, "7, 3 shared": 49}
    sizes = {row["value"]: row["parameters"] for row in rows if row["choice"] == "positions"}
    assert sizes["learned"] - sizes["none"] == 50 * SMOKE["sizes"]["d_model"]
    assert sizes["sinusoidal"] == sizes["none"]


def test_what_the_table_shows():
    rows = load_result("vit-choices")["rows"]
    found = summarise(rows, ["choice", "value"], "accuracy")
    assert {value for choice, value in found if choice == "positions"} == {*POSITIONS}
    without = found["positions", "none"]
    for scheme in POSITIONS[1:]:
        assert found["positions", scheme]["mean"] > without["mean"]
    assert found["patches", "7, 3 shared"]["mean"] > found["patches", "7"]["mean"]
