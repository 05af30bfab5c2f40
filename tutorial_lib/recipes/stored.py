"""What recipes left: tables and checkpoints, the learner's own or those of the package."""

import hashlib
import os
from pathlib import Path

import platformdirs

from tutorial_lib import models
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import load_metadata, read_json
from tutorial_lib.models.base import Model
from tutorial_lib.recipes.registry import RECIPES
from tutorial_lib.tokenizers import BPETokenizer

PACKAGE = Path(__file__).parent.parent
RESULTS = PACKAGE / "results"
CHECKPOINTS = PACKAGE / "checkpoints"

# Of tables and cards. Those of schema 1 come from runs that recorded neither the hash of the recipe
# and of a table's data nor NumPy, scikit-learn and the processor: these are unknown, and absent.
SCHEMA = 2

# What every file says, and of what type; then what tables and cards say besides.
ALWAYS = {
    "schema": int,
    "recipe": str,
    "about": str,
    "command": str,
    "settings": dict,
    "seconds": (int, float),
    "cpu_seconds": (int, float),
    "versions": dict,
}
BESIDES = {
    "table": {"rows": list},
    "checkpoint": {
        "seed": int,
        "data_sha256": str,
        "weights_sha256": str,
        "parameters": int,
        "bytes": int,
        "metric": dict,
    },
}


def own_folder():
    """Return the folder of your own runs: TUTORIAL_RECIPES, or one in the user's data folder."""
    named = os.environ.get("TUTORIAL_RECIPES")
    return Path(named) if named else Path(platformdirs.user_data_dir("tutorial_lib", False), "runs")


def package_folder(kind):
    """Return the folder of the package's own tables or checkpoints."""
    return RESULTS if kind == "table" else CHECKPOINTS


def find_recipe(name):
    """Return the Recipe of a name. Raises ValueError for one that is not there."""
    if name not in RECIPES:
        raise ValueError(f"no recipe {name!r}; there are: {', '.join(RECIPES)}")
    return RECIPES[name]


def command(name):
    """Return the command that makes a result or checkpoint.

    >>> command("recall-distance")
    'python -m tutorial_lib.recipes recall-distance'
    """
    return f"python -m tutorial_lib.recipes {find_recipe(name).name}"


def load_result(name, folder=None):
    """Return a stored table as a dict: `rows`, `settings`, `command`, `seconds`, `versions`, ...

    That of your own run if there is one, and then a line says so; else that of the package, or
    the one in `folder`. `read_from` says which.
    Raises MissingDataError when the recipe has not been run, DamagedFileError for a file that is
    none of its tables.

    >>> table = load_result("recall-distance")
    >>> table["rows"][0]["distance"], table["read_from"]
    (4, 'the package')
    """
    return _stored(name, "table", folder)[0]


def load_card(name, folder=None):
    """Return the card of a checkpoint: recipe, seed, data hash, size, metric, settings.

    Whose card, and errors, as for `load_result`.

    >>> load_card("one-head-reader")["metric"]
    {'accuracy': 0.64}
    """
    return _stored(name, "checkpoint", folder)[0]


def load_checkpoint(name, folder=None):
    """Return the trained model of a checkpoint, in evaluation mode.

    Whose checkpoint, and errors, as for `load_result`; DamagedFileError also when the weights are
    not those of the card.

    >>> model = load_checkpoint("one-head-reader")
    >>> type(model).__name__
    'OneHeadReader'
    """
    card, folder = _stored(name, "checkpoint", folder)
    path = folder / f"{name}.safetensors"
    if not path.is_file():
        raise MissingDataError(f"{path} is missing: make it with\n    {command(name)}")
    if path.stat().st_size != card["bytes"] or sha256(path) != card["weights_sha256"]:
        raise DamagedFileError(
            f"{path} is damaged, or not what its card was written for: make both again with\n"
            f"    {command(name)}"
        )
    model = _class_in(path, name).load(path)
    if tokenizer_path(name, folder).is_file():
        read = getattr(find_recipe(name).load(), "read_tokenizer", BPETokenizer.load)
        model.tokenizer = read(tokenizer_path(name, folder))
    return model


def tokenizer_path(name, folder):
    """Return where the tokenizer of a checkpoint is, if it has one."""
    return folder / f"{name}.tokenizer.json"


def sha256(path):
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _class_in(path, name):
    """Return the class of the model that a file says it holds."""
    kind = getattr(models, load_metadata(path).get("model", ""), None)
    if not (isinstance(kind, type) and issubclass(kind, Model)):
        raise DamagedFileError(
            f"{path} does not say which model it holds: make it again with\n    {command(name)}"
        )
    return kind


def _stored(name, kind, folder):
    """Return what the JSON file of a recipe holds, checked, and its folder."""
    recipe = find_recipe(name)
    if recipe.kind != kind:
        raise ValueError(f"{name} leaves a {recipe.kind}, not a {kind}")
    if folder is not None:
        folder, source = Path(folder), str(folder)
    elif (own_folder() / f"{name}.json").is_file():
        folder = own_folder()
        source = f"your own run, {folder / name}.json"
        print(f"{name}: read from {source}")
    else:
        folder, source = package_folder(kind), "the package"
    path = folder / f"{name}.json"
    if not path.is_file():
        raise MissingDataError(f"{path} is missing: make it with\n    {command(name)}")
    try:
        content = read_json(path, dict)
        _check(content, path, name, ALWAYS | BESIDES[kind])
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}; make it again with\n    {command(name)}") from error
    return content | {"read_from": source}, folder


def _check(content, path, name, wanted):
    """Raise DamagedFileError where a table or card lacks something or has it of another type."""
    faults = [
        f"{key} is {'missing' if key not in content else type(content[key]).__name__}"
        for key, kind in wanted.items()
        if not isinstance(content.get(key), kind) or isinstance(content[key], bool)
    ]
    if not faults and content["recipe"] != name:
        faults = [f"it is one of {content['recipe']!r}"]
    if not faults and content["schema"] not in range(1, SCHEMA + 1):
        faults = [f"it has schema {content['schema']}, this version reads 1 to {SCHEMA}"]
    if not faults and not all(isinstance(row, dict) for row in content.get("rows", ())):
        faults = ["a row is no object"]
    if faults:
        raise DamagedFileError(f"{path} is damaged: {', '.join(faults)}")
