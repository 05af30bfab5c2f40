import hashlib
import json

import pytest
import torch

from tutorial_lib import recipes, training
from tutorial_lib.datasets import bag_ceiling
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.recipes.__main__ import main

TABLES = [recipe.name for recipe in recipes.RECIPES.values() if recipe.kind == "table"]
CHECKPOINTS = [recipe.name for recipe in recipes.RECIPES.values() if recipe.kind == "checkpoint"]


def schema(table):
    """The keys of a result and of each kind of row, with the types of their values."""
    kinds = {
        frozenset((key, type(value).__name__) for key, value in row.items())
        for row in table["rows"]
    }
    return set(table), kinds


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_smoke_run_has_the_schema_of_the_stored_table(name, tmp_path):
    path = recipes.run(name, smoke=True, folder=tmp_path, progress=False)
    assert path == tmp_path / f"{name}.json"
    made, stored = recipes.load_result(name, tmp_path), recipes.load_result(name)
    assert schema(made) == schema(stored)
    assert stored["settings"] == json.loads(json.dumps(recipes.RECIPES[name].load().SETTINGS))
    assert made["settings"] != stored["settings"]


@pytest.mark.parametrize("name", TABLES)
def test_a_stored_table_says_how_it_was_made(name):
    table = recipes.load_result(name)
    assert table["recipe"] == name
    assert table["command"] == f"python -m tutorial_lib.recipes {name}"
    assert len(table["settings"]["seeds"]) >= 3
    assert table["versions"].keys() == {"tutorial_lib", "python", "torch", "threads"}
    assert table["cpu_seconds"] > 0
    assert {row["seed"] for row in table["rows"]} == set(table["settings"]["seeds"])


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKPOINTS)
def test_the_metric_on_the_card_is_that_of_the_checkpoint(name):
    card = recipes.load_card(name)
    module = recipes.RECIPES[name].load()
    model = recipes.load_checkpoint(name)
    assert not model.training
    measured = module.evaluate(model)
    assert measured == {
        key: pytest.approx(value, abs=2e-3) for key, value in card["metric"].items()
    }
    assert card["data_sha256"] == hashlib.sha256(module.data_bytes()).hexdigest()
    assert card["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    assert card["bytes"] == (recipes.CHECKPOINTS / f"{name}.safetensors").stat().st_size
    assert card["settings"] == json.loads(json.dumps(module.SETTINGS))


def test_all_checkpoints_together_stay_small():
    assert sum(path.stat().st_size for path in recipes.CHECKPOINTS.iterdir()) < 32 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_smoke_run_leaves_a_checkpoint_and_a_card(name, tmp_path):
    recipes.run(name, smoke=True, folder=tmp_path, progress=False)
    card = recipes.load_card(name, tmp_path)
    assert set(card) == set(recipes.load_card(name))
    model = recipes.load_checkpoint(name, tmp_path)
    assert recipes.RECIPES[name].load().evaluate(model) == card["metric"]


def test_the_one_head_reader_stands_at_the_ceiling():
    assert recipes.load_card("one-head-reader")["metric"]["accuracy"] == bag_ceiling()


def trained_on_ones(settings, **options):
    """The History and the weights of a linear model that learns to say 0."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(4, 1))
    batches = [torch.ones(8, 4)]

    def loss(model, x):
        return model(x).square().mean()

    history = recipes.train_on_cpu(model, batches, loss, settings, progress=False, **options)
    return history, next(model.parameters()).detach()


def test_settings_give_steps_rate_and_seed_and_options_win():
    settings = {"steps": 4, "lr": 1e-2, "seed": 3, "batch_size": 8}
    history, weights = trained_on_ones(settings)
    assert (len(history.loss), max(history.lr)) == (4, 1e-2)
    bare = trained_on_ones({}, steps=4, lr=1e-2, seed=3)
    assert torch.equal(bare[1], weights)
    changed, other_weights = trained_on_ones(settings, steps=2, lr=2e-2, seed=4)
    assert (len(changed.loss), max(changed.lr)) == (2, 2e-2)
    assert changed.loss[0] != history.loss[0]  # the seed decides what is dropped
    assert not torch.equal(other_weights, weights)


def test_recipes_train_on_the_cpu_beside_a_gpu(monkeypatch):
    monkeypatch.setattr(training, "get_device", lambda: torch.device("meta"))
    history, weights = trained_on_ones({"steps": 1})
    assert (history.stopped, weights.device.type) == ("finished", "cpu")


def mean(rows, key, **wanted):
    values = [row[key] for row in rows if wanted.items() <= row.items()]
    assert len(values) >= 3
    return sum(values) / len(values)


def test_what_the_recall_table_shows():
    table = recipes.load_result("recall-distance")
    rows = table["rows"]
    sizes = {row["model"]: row["parameters"] for row in rows}
    assert abs(sizes["LSTM"] - sizes["attention"]) < 0.02 * sizes["LSTM"]
    for name in ("LSTM", "attention"):
        assert mean(rows, "accuracy", model=name, distance=4) > 0.95
    assert mean(rows, "accuracy", model="LSTM", distance=128) < 0.2
    assert mean(rows, "accuracy", model="attention", distance=128) > 0.7


def test_what_the_heads_table_shows():
    rows = recipes.load_result("heads-and-initialisations")["rows"]
    for task in {row["task"] for row in rows}:
        assert len({row["parameters"] for row in rows if row["task"] == task}) == 1
    for heads in (1, 8):
        assert mean(rows, "value", task="hundreds digit", heads=heads) > 0.99
    one, eight = (mean(rows, "value", task="all three digits", heads=h) for h in (1, 8))
    assert one < 0.98 < eight


def test_unknown_names_and_wrong_kinds():
    with pytest.raises(ValueError, match="no recipe 'cake'; there are: recall-distance, "):
        recipes.command("cake")
    with pytest.raises(ValueError, match="recall-distance leaves a table, not a checkpoint"):
        recipes.load_checkpoint("recall-distance")
    with pytest.raises(ValueError, match="needs a folder"):
        recipes.run("one-head-reader", smoke=True)


def test_missing_and_damaged_results(tmp_path):
    with pytest.raises(MissingDataError, match=r"make it with\n.*recipes recall-distance"):
        recipes.load_result("recall-distance", tmp_path)
    (tmp_path / "recall-distance.json").write_text("{")
    with pytest.raises(DamagedFileError, match=r"recall-distance\.json is damaged"):
        recipes.load_result("recall-distance", tmp_path)


def test_command_line(tmp_path, capsys):
    main([])
    assert "heads-and-initialisations" in capsys.readouterr().out
    main(["one-head-reader", "--smoke", "--folder", str(tmp_path)])
    assert "one-head-reader.json" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["one-head-reader", "--smoke"])
    assert "--smoke needs --folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["cake"])
