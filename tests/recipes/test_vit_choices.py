import pytest
from torch import nn
from torch.nn.utils.parametrize import register_parametrization
from torch.testing import assert_close

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models.vit import POSITIONS
from tutorial_lib.recipes import load_result, summarise, vit_choices
from tutorial_lib.recipes.mnist_vit import build, learn
from tutorial_lib.recipes.vit_choices import SETTINGS, SMOKE, Times, run
from tutorial_lib.training import set_seed


def test_what_two_choices_share_is_trained_once_and_all_else_differs(monkeypatch):
    trained = []

    def keep(settings, progress):
        trained.append((settings["sizes"], settings["seed"]))
        return {"accuracy": len(trained)}

    monkeypatch.setattr(vit_choices, "train_and_measure", keep)
    rows = run(SETTINGS, progress=False)["rows"]
    # The base stands in three groups, relative positions in two: 14 sorts, 11 of them different,
    # three seeds each.
    assert (len(rows), len(trained)) == (42, 33)
    base = {
        (row["choice"], row["seed"]): row["accuracy"]
        for row in rows
        if row["value"] in ("cls", "7, 3 shared", "learned")
    }
    for seed in SETTINGS["seeds"]:
        assert len({base[choice, seed] for choice in ("pooling", "patches", "positions")}) == 1


@pytest.mark.slow
def test_a_small_run_measures_each_sort():
    rows = run(SMOKE, progress=False)["rows"]
    patches = {row["value"]: row["patches"] for row in rows if row["choice"] == "patches"}
    assert patches == {"4": 49, "7": 16, "7, 3 shared": 49}
    sizes = {row["value"]: row["parameters"] for row in rows if row["choice"] == "positions"}
    assert sizes["learned"] - sizes["none"] == 50 * SMOKE["sizes"]["d_model"]
    assert sizes["sinusoidal"] == sizes["none"]


def test_numbers_that_learn_faster_start_the_same_and_move_further():
    moved = {}
    for times in (1, 10):
        sizes = SMOKE["sizes"] | {"positions": "relative", "pooling": "mean"}
        settings = SMOKE | {"seed": 0, "steps": 1, "sizes": sizes}
        set_seed(0)
        model = build(settings)
        nn.init.normal_(model.relative.weight)
        before = model.relative.weight.detach().clone()
        register_parametrization(model.relative, "weight", Times(times))
        assert_close(model.relative.weight, before)
        learn(model, load_mnist().train, settings, progress=False)
        moved[times] = (model.relative.weight - before).abs().max().item()
    # The first step of AdamW has the size of the learning rate, beside some weight decay.
    assert moved[10] == pytest.approx(10 * moved[1], rel=0.05)


def test_what_the_table_shows():
    rows = load_result("vit-choices")["rows"]
    found = summarise(rows, ["choice", "value"], "accuracy")
    assert {value for choice, value in found if choice == "positions"} == {*POSITIONS}
    without = found["positions", "none"]
    for scheme in POSITIONS[1:]:
        assert found["positions", scheme]["mean"] > without["mean"]
    assert found["patches", "7, 3 shared"]["mean"] > found["patches", "7"]["mean"]
    speeds = [found["relative, faster", f"{times} times"] for times in (1, 10, 30)]
    assert speeds[0] == found["positions", "relative"]
    assert min(speed["lowest"] for speed in speeds[1:]) > speeds[0]["highest"] + 0.02
