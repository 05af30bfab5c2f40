"""Reading config.json, the sizes of a model in Hugging Face's spelling."""

from pathlib import Path

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import read_json
from tutorial_lib.models.blocks import ACTIVATIONS

_ACTIVATION_NAMES = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh"}


def read_config(path, model, required, fields, activation=None):
    """Return what fields(raw) makes of a config.json, the activation under its name with us.

    required: options that would change what is computed, and the value understood here, or a
    tuple of them, the family's own first;
    activation: the name of that option and what stands for it when a file leaves it out, as its
    family's own program has it: ("hidden_act", "gelu") for instance; None: the model has no choice.
    Raises MissingDataError without the file, DamagedFileError when it is damaged or asks for
    something that this model does not compute.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"{path.parent} holds no {path.name}")
    try:
        raw = read_json(path, dict)
        for name, value in required.items():
            allowed = value if isinstance(value, tuple) else (value,)
            if raw.get(name, allowed[0]) not in allowed:
                needed = " or ".join(map(repr, allowed))
                raise DamagedFileError(f"{path}: {name} is {raw[name]!r}, {model} needs {needed}")
        if activation is None:
            return fields(raw)
        option, default = activation
        theirs = raw.get(option, default)
        return fields(raw) | {"activation": known_activation(path, option, theirs)}
    except KeyError as error:
        raise DamagedFileError(f"{path} does not say {error}") from error
    except (AttributeError, TypeError, ZeroDivisionError) as error:
        raise DamagedFileError(f"{path} is no model configuration ({error})") from error


def known_activation(path, option, theirs):
    """Return our name of an activation, or raise DamagedFileError when we do not have it."""
    ours = _ACTIVATION_NAMES.get(theirs, theirs)
    if ours not in ACTIVATIONS:
        known = ", ".join(sorted({*ACTIVATIONS, *_ACTIVATION_NAMES}))
        raise DamagedFileError(f"{path}: {option} is {theirs!r}, known are {known}")
    return ours
