"""Running a recipe: the whole training or nothing, then its files."""

import hashlib
import importlib.metadata
import json
import platform
import time
from pathlib import Path

import torch

from tutorial_lib import __version__
from tutorial_lib.files import check_writable, write_text
from tutorial_lib.recipes.stored import (
    SCHEMA,
    command,
    find_recipe,
    own_folder,
    package_folder,
    sha256,
    tokenizer_path,
)
from tutorial_lib.training import all_or_nothing, fit, uninterrupted


def run(name, smoke=False, folder=None, progress=True, publish=False):
    """Run a recipe and return the path of the JSON file it wrote.

    It is written to `own_folder()`, where `load_result` and `load_checkpoint` look first; to
    `folder` if one is given; or, by publish, into the package, for those who maintain it. `smoke`
    runs a tiny size that shows only that it works; it needs a `folder` of its own.
    Raises KeyboardInterrupt after Ctrl-C, and then nothing has been written.
    """
    recipe = find_recipe(name)
    if smoke and folder is None:
        raise ValueError("a smoke run needs a folder, so that it cannot replace the real result")
    if publish and folder is not None:
        raise ValueError("publish writes into the package, not to a folder")
    if folder is None:
        folder = package_folder(recipe.kind) if publish else own_folder()
    folder = Path(folder)
    path = folder / f"{name}.json"
    check_writable(path)
    module = recipe.load()
    settings = module.SMOKE if smoke else module.SETTINGS
    wall, cpu = time.perf_counter(), time.process_time()
    about = {
        "schema": SCHEMA,
        "recipe": name,
        "about": recipe.about,
        "command": command(name),
        "settings": settings,
        "recipe_sha256": recipe.sha256(),
        "data_sha256": _data_sha256(module),
    }
    with all_or_nothing():
        if recipe.kind == "table":
            model, made = None, module.run(settings, progress)
        else:
            model = module.train(settings, progress)
            model.to(getattr(torch, settings.get("stored_as", "float32")))
            made = {
                "seed": settings["seed"],
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
                "metric": module.evaluate(model.float()),  # of the rounded weights, as stored
            }
    about |= {
        "seconds": round(time.perf_counter() - wall, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "versions": _versions(),
    }
    with uninterrupted():
        if model is not None:
            made |= _save(model, name, folder, settings)
        write_text(path, json.dumps(about | made, indent=1) + "\n")
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


def _data_sha256(module):
    """Return the hash of what a recipe learns from; None where it makes that up by itself."""
    if not hasattr(module, "data_bytes"):
        return None
    return hashlib.sha256(module.data_bytes()).hexdigest()


def _save(model, name, folder, settings):
    """Write weights and tokenizer; return what the card says of the file."""
    path = folder / f"{name}.safetensors"
    model.to(getattr(torch, settings.get("stored_as", "float32")))
    model.save(path)
    if hasattr(model, "tokenizer"):
        model.tokenizer.save(tokenizer_path(name, folder))
    return {"bytes": path.stat().st_size, "weights_sha256": sha256(path)}


def _versions():
    return {
        "tutorial_lib": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": importlib.metadata.version("numpy"),
        "scikit-learn": importlib.metadata.version("scikit-learn"),
        "threads": torch.get_num_threads(),
        "cpu": _cpu(),
    }


def _cpu():
    """Return the name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model n"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
