import hashlib
import json
import signal
from contextlib import contextmanager

import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from tutorial_lib import models, recipes, training
from tutorial_lib.datasets import bag_ceiling
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import load_metadata, load_tensors, save_tensors
from tutorial_lib.recipes import one_head_reader, stored
from tutorial_lib.recipes.__main__ import main

# Runs record these now; the package's files of schema 1 come from runs that did not.
NEW = {"recipe_sha256", "data_sha256"}
# Trained models read given texts: nothing is drawn.
WITHOUT_CHANCE = {"two-gpts", "play-gaps"}
# One seed draws several pairs of things, a row each: the pairs are the repeats.
REPEATED_IN_PAIRS = {"who-is-where"}
# Their smoke runs read with a real model for a while; in `make test-all` they run, too.
LONG_SMOKE = {"ask-anywhere", "prompting"}
LONG_SMOKE |= {"prompt-or-weights", "emoji-finder", "emoji-clip", "written-emoji", "judged-emoji"}
LONG_SMOKE |= {"who-is-where", "question-reader"}
# Ctrl-C must end a recipe of each kind in every run, and every recipe in `make test-all`.
INTERRUPTED = {"one-head-reader", "shakespeare-gpt", "bert-family", "canvases", "position-schemes"}
# They take no step of an optimizer that could be interrupted.
UNTRAINED = {
    "speech-vectors", "prompting", "two-gpts", "frozen-features", "picture-costs", "who-is-where",
    "play-gaps",
}  # fmt: skip
TABLES = [recipe.name for recipe in recipes.RECIPES.values() if recipe.kind == "table"]
CHECKPOINTS = [recipe.name for recipe in recipes.RECIPES.values() if recipe.kind == "checkpoint"]


def named(names, long):
    """The names as parameters, the long ones for the sweep."""
    return [pytest.param(n, marks=[pytest.mark.sweep] * (n in long)) for n in names]


def schema(table):
    """The keys of a result and of each kind of row, with the types of their values."""
    kinds = {
        frozenset((key, type(value).__name__) for key, value in row.items())
        for row in table["rows"]
    }
    return set(table) - NEW, kinds


@pytest.mark.slow
@pytest.mark.parametrize("name", named(TABLES, LONG_SMOKE))
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
    assert table["schema"] in (1, 2)
    assert table["versions"].keys() >= {"tutorial_lib", "python", "torch", "threads"}
    assert table["cpu_seconds"] > 0
    if name in WITHOUT_CHANCE:
        assert "seeds" not in table["settings"]
    elif name in REPEATED_IN_PAIRS:
        assert len(table["rows"]) == table["settings"]["pairs"] >= 3
    else:
        assert len(table["settings"]["seeds"]) >= 3
        seeds = {row["seed"] for row in table["rows"]} - {None}  # a count of letters has none
        assert seeds == set(table["settings"]["seeds"])


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
@pytest.mark.parametrize("name", named(CHECKPOINTS, LONG_SMOKE))
def test_a_smoke_run_leaves_a_checkpoint_and_a_card(name, tmp_path):
    recipes.run(name, smoke=True, folder=tmp_path, progress=False)
    card = recipes.load_card(name, tmp_path)
    assert set(card) - NEW == set(recipes.load_card(name)) - NEW
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


@contextmanager
def press_after_the_first_step():
    """Press Ctrl-C once, after an optimizer's first step; yield the list of all steps."""
    steps = []

    def press(*_):
        steps.append(1)
        if len(steps) == 1:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    handle = register_optimizer_step_post_hook(press)
    try:
        yield steps
    finally:
        handle.remove()
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.sweep] * (name not in INTERRUPTED))
        for name in recipes.RECIPES
        if name not in UNTRAINED
    ],
)
def test_an_interrupted_recipe_leaves_nothing_and_starts_no_other_training(name, tmp_path):
    with press_after_the_first_step() as steps, pytest.raises(KeyboardInterrupt):
        recipes.run(name, smoke=True, folder=tmp_path, progress=False)
    assert len(steps) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_says_that_it_was_interrupted(tmp_path, capsys):
    with press_after_the_first_step():
        assert main(["one-head-reader", "--smoke", "--folder", str(tmp_path)]) == 130
    assert "one-head-reader was interrupted: nothing was written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A new folder for own runs, and a recipe that is done at once."""
    monkeypatch.setenv("TUTORIAL_RECIPES", str(tmp_path / "own"))
    monkeypatch.setattr(one_head_reader, "SETTINGS", one_head_reader.SMOKE)
    return tmp_path / "own"


def test_an_own_run_is_kept_apart_and_read_first(own, capsys):
    packaged = {path: path.read_bytes() for path in recipes.CHECKPOINTS.iterdir()}
    theirs = recipes.load_card("one-head-reader")
    assert theirs["read_from"] == "the package"
    assert capsys.readouterr().out == ""
    path = recipes.run("one-head-reader", progress=False)
    assert path == own / "one-head-reader.json"
    ours = recipes.load_card("one-head-reader")
    assert capsys.readouterr().out == f"one-head-reader: read from your own run, {path}\n"
    assert ours["read_from"] == f"your own run, {path}"
    assert ours["metric"] != theirs["metric"]
    weights = recipes.load_checkpoint("one-head-reader").state_dict()
    shipped = recipes.load_checkpoint("one-head-reader", recipes.CHECKPOINTS).state_dict()
    assert not torch.equal(weights["question"], shipped["question"])
    assert recipes.load_card("one-head-reader", recipes.CHECKPOINTS)["metric"] == theirs["metric"]
    assert {path: path.read_bytes() for path in recipes.CHECKPOINTS.iterdir()} == packaged


def test_a_maintainer_publishes_into_the_package(own, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "CHECKPOINTS", tmp_path / "package")
    assert main(["one-head-reader", "--publish"]) == 0
    assert (tmp_path / "package" / "one-head-reader.json").is_file()
    assert not own.exists()
    with pytest.raises(SystemExit):
        main(["one-head-reader", "--publish", "--folder", str(tmp_path)])
    with pytest.raises(ValueError, match="not to a folder"):
        recipes.run("one-head-reader", folder=tmp_path, publish=True)


def test_a_run_records_what_it_came_from(own):
    card = json.loads(recipes.run("one-head-reader", progress=False).read_text())
    assert card["schema"] == stored.SCHEMA
    assert card["recipe_sha256"] == recipes.RECIPES["one-head-reader"].sha256()
    assert card["versions"].keys() == {
        *("tutorial_lib", "python", "torch", "numpy", "scikit-learn", "threads", "cpu")
    }
    assert all(card["versions"].values())
    weights = (own / "one-head-reader.safetensors").read_bytes()
    assert card["weights_sha256"] == hashlib.sha256(weights).hexdigest()


def test_a_folder_that_cannot_be_written_shows_before_the_training(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(one_head_reader, "train", lambda *_: pytest.fail("trained"))
    with pytest.raises(OSError, match="file"):
        recipes.run("one-head-reader", smoke=True, folder=tmp_path / "file")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": None}, "settings is NoneType"),
        ({"schema": "1"}, "schema is str"),
        ({"schema": 0}, "it has schema 0, this version reads 1 to 2"),
        ({"schema": 3}, "it has schema 3, this version reads 1 to 2"),
        ({"bytes": True}, "bytes is bool"),
        ({"metric": [1]}, "metric is list"),
        ({"recipe": "mnist-vit"}, "it is one of 'mnist-vit'"),
        ({"bytes": 5}, "is damaged, or not what its card was written for"),
        ({"weights_sha256": "0"}, "is damaged, or not what its card was written for"),
    ],
)
def test_a_card_that_was_tampered_with_is_refused(own, change, message):
    path = recipes.run("one-head-reader", progress=False)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DamagedFileError, match=message):
        recipes.load_checkpoint("one-head-reader")


@pytest.mark.parametrize("name", ["count_parameters", "torch", "loading", "_named", "", None])
def test_weights_that_name_no_model_are_refused(own, name):
    path = recipes.run("one-head-reader", progress=False)
    weights = path.with_suffix(".safetensors")
    about = load_metadata(weights) | {"model": name}
    tensors = load_tensors(weights)
    save_tensors(weights, tensors, {key: text for key, text in about.items() if text is not None})
    content = weights.read_bytes()
    told = {"bytes": len(content), "weights_sha256": hashlib.sha256(content).hexdigest()}
    path.write_text(json.dumps(json.loads(path.read_text()) | told))
    with pytest.raises(DamagedFileError, match="which model it holds: make it again"):
        recipes.load_checkpoint("one-head-reader")


def test_a_table_must_have_rows(tmp_path):
    table = recipes.load_result("recall-distance")
    for rows in (None, {}, [3]):
        (tmp_path / "recall-distance.json").write_text(json.dumps(table | {"rows": rows}))
        with pytest.raises(DamagedFileError, match="recall-distance"):
            recipes.load_result("recall-distance", tmp_path)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_stored_model_is_a_checkpoint_of_its_class(name):
    model = recipes.load_checkpoint(name)
    again = getattr(models, type(model).__name__).load(recipes.CHECKPOINTS / f"{name}.safetensors")
    ours, theirs = model.state_dict(), again.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[key], theirs[key]) for key in ours)


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
    with pytest.raises(DamagedFileError, match=r"not usable JSON(.|\n)*make it again with"):
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
