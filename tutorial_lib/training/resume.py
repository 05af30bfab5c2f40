"""The file a training run resumes from: weights, optimizer and random state in one safetensors.

Tensors are stored as tensors, everything else as JSON in the file's header: no pickle.
"""

import json
from collections import defaultdict
from pathlib import Path

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import load_into, load_metadata, load_tensors, save_tensors
from tutorial_lib.training.randomness import random_state, set_random_state


def save_run(path, model, optimizer, history, steps):
    """Write the state of a run to `path`, all or nothing.

    `history` is a dict of JSON values, `steps` the length of the whole run. The random state is
    that of the CPU and of the model's device.
    """
    states = random_state(_device(model))
    tensors = {f"random.{name}": state for name, state in states.items()}
    tensors |= {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"optimizer.{key}.{name}"] = value
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save_tensors(path, tensors, {"run": json.dumps({"steps": steps, "history": history})})


def load_run(path, model, optimizer, steps):
    """Put a saved run's state back into `model` and `optimizer` and return its history dict.

    Raises DamagedFileError when the file is not a saved run or is one of another model,
    ValueError when it belongs to a run of another length (its schedule would not fit).
    """
    tensors = load_tensors(path)
    try:
        run = json.loads(load_metadata(path)["run"])
        length, history, _ = run["steps"], run["history"], tensors["random.cpu"]  # none may lack
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise DamagedFileError(f"{path} is a safetensors file, but no saved run") from error
    if length != steps:
        raise ValueError(
            f"{path} belongs to a run of {length} steps, this one has {steps}: "
            "use the same number, or another checkpoint file"
        )
    load_into(model, _below("model.", tensors))
    saved = defaultdict(dict)  # by parameter, then by key: saved["0.bias"]["exp_avg"]
    for place, value in _below("optimizer.", tensors).items():
        key, name = place.split(".", 1)
        saved[name][key] = value
    names = {parameter: name for name, parameter in model.named_parameters()}
    trained = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    # Before its first gradient a parameter has no state, and then none was saved.
    state = {i: saved[names[p]] for i, p in enumerate(trained) if names.get(p) in saved}
    # The optimizer itself knows what goes to which device: most count their steps on the CPU.
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})
    set_random_state(_below("random.", tensors), _device(model))
    return history


def _below(prefix, tensors):
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _device(model):
    return next(model.parameters()).device
