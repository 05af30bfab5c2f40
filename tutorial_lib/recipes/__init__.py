"""Trainings too long for a notebook: each recipe leaves a result file or a checkpoint.

`python -m tutorial_lib.recipes` lists them, `python -m tutorial_lib.recipes NAME` runs one. A
notebook reads what they left with `load_result` or `load_checkpoint` and shows the command that
makes it with `command`.
"""

import hashlib
import json
import platform
import time
from pathlib import Path

import torch

from tutorial_lib import __version__
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import load_into, load_tensors, save_tensors, write_text
from tutorial_lib.recipes.registry import RECIPES
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import fit

PACKAGE = Path(__file__).parent.parent
RESULTS = PACKAGE / "results"
CHECKPOINTS = PACKAGE / "checkpoints"


def command(name):
    """Return the command that makes a result or checkpoint.

    >>> command("recall-distance")
    'python -m tutorial_lib.recipes recall-distance'
    """
    return f"python -m tutorial_lib.recipes {_recipe(name).name}"


def run(name, smoke=False, folder=None, progress=True):
    """Run a recipe and return the path of the JSON file it wrote.

    `smoke` runs a tiny size that shows only that it works; it needs a `folder` of its own.
    """
    recipe = _recipe(name)
    if smoke and folder is None:
        raise ValueError("a smoke run needs a folder, so that it cannot replace the real result")
    folder = Path(folder or (RESULTS if recipe.kind == "table" else CHECKPOINTS))
    folder.mkdir(parents=True, exist_ok=True)
    module = recipe.load()
    settings = module.SMOKE if smoke else module.SETTINGS
    wall, cpu = time.perf_counter(), time.process_time()
    about = {"recipe": name, "about": recipe.about, "command": command(name), "settings": settings}
    if recipe.kind == "table":
        made = module.run(settings, progress)
    else:
        model = module.train(settings, progress)
        model.to(getattr(torch, settings.get("stored_as", "float32")))
        path = folder / f"{name}.safetensors"
        save_tensors(path, model.state_dict(), {"recipe": name})
        if hasattr(model, "tokenizer"):
            model.tokenizer.save(_tokenizer_path(name, folder))
        made = {
            "seed": settings["seed"],
            "data_sha256": hashlib.sha256(module.data_bytes()).hexdigest(),
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "bytes": path.stat().st_size,
            "metric": module.evaluate(model.float()),  # of the rounded weights, as stored
        }
    seconds = {
        "seconds": round(time.perf_counter() - wall, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
    }
    path = folder / f"{name}.json"
    text = json.dumps(about | made | seconds | {"versions": _versions()}, indent=1)
    write_text(path, text + "\n")
    return path


def train_on_cpu(model, batches, loss, settings, progress=True, **options):
    """Train a recipe's model as `fit` does and return its History.

    steps, lr and seed come from settings where it has them; options go to `fit` and win.
    On the CPU, beside a GPU too: a recipe must leave the same on every machine.

    >>> error = lambda model, x: (model(x) - 3 * x).square().mean()
    >>> settings = {"steps": 300, "lr": 0.1, "batch_size": 2}
    >>> train_on_cpu(torch.nn.Linear(1, 1), [torch.ones(2, 1)], error, settings, progress=False)
    History(300 steps, last loss 0.000, finished)
    """
    chosen = {name: settings[name] for name in ("steps", "lr", "seed") if name in settings}
    return fit(model, batches, loss, device="cpu", progress=progress, **(chosen | options))


def load_result(name, folder=None):
    """Return a stored table as a dict: `rows`, `settings`, `command`, `seconds`, `versions`, ...

    Raises MissingDataError when the recipe has not been run.

    >>> load_result("recall-distance")["rows"][0]["distance"]
    4
    """
    return _stored(name, "table", Path(folder or RESULTS))


def summarise(rows, by, value):
    """Return, for each combination of the columns `by`, a dict of the mean, lowest, highest and n.

    >>> rows = [{"k": 4, "seed": 0, "share": 0.5}, {"k": 4, "seed": 1, "share": 1.0}]
    >>> summarise(rows, by=["k"], value="share")
    {(4,): {'mean': 0.75, 'lowest': 0.5, 'highest': 1.0, 'n': 2}}
    """
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in by), []).append(row[value])
    return {
        key: {
            "mean": sum(values) / len(values),
            "lowest": min(values),
            "highest": max(values),
            "n": len(values),
        }
        for key, values in groups.items()
    }


def share_of_true(answers):
    """Return which share of a boolean tensor of any shape is true, as a number.

    >>> share_of_true(torch.tensor([True, False, True, True]))
    0.75
    """
    return answers.cpu().double().mean().item()  # not every accelerator has float64


def load_card(name, folder=None):
    """Return the card of a checkpoint: recipe, seed, data hash, size, metric, settings.

    >>> load_card("one-head-reader")["metric"]
    {'accuracy': 0.64}
    """
    return _stored(name, "checkpoint", Path(folder or CHECKPOINTS))


def load_checkpoint(name, folder=None):
    """Return the trained model of a checkpoint, in evaluation mode.

    Raises MissingDataError when the recipe has not been run, DamagedFileError when its files do
    not fit the model.

    >>> model = load_checkpoint("one-head-reader")
    >>> type(model).__name__
    'OneHeadReader'
    """
    folder = Path(folder or CHECKPOINTS)
    card = load_card(name, folder)
    model = _recipe(name).load().build(card["settings"])
    load_into(model, load_tensors(folder / f"{name}.safetensors"))
    if _tokenizer_path(name, folder).is_file():
        read = getattr(_recipe(name).load(), "read_tokenizer", BPETokenizer.load)
        model.tokenizer = read(_tokenizer_path(name, folder))
    return model.eval()


def _tokenizer_path(name, folder):
    return folder / f"{name}.tokenizer.json"


def _recipe(name):
    if name not in RECIPES:
        raise ValueError(f"no recipe {name!r}; there are: {', '.join(RECIPES)}")
    return RECIPES[name]


def _stored(name, kind, folder):
    recipe = _recipe(name)
    if recipe.kind != kind:
        raise ValueError(f"{name} leaves a {recipe.kind}, not a {kind}")
    path = folder / f"{name}.json"
    if not path.is_file():
        raise MissingDataError(f"{path.name} is missing: make it with\n    {command(name)}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFileError(
            f"{path.name} is damaged ({error}): make it again with\n    {command(name)}"
        ) from error


def _versions():
    return {
        "tutorial_lib": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
