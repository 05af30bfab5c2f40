"""The file a training run resumes from: weights, optimizer and random state in one safetensors.

Tensors are stored as tensors, everything else as JSON in the file's header: no pickle. All that a
file holds is compared with the model and the optimizer before any of it is used.
"""

import copy
import json
import math
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

import torch

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import (
    check_fit,
    load_into,
    load_metadata,
    load_tensors,
    parse_json,
    save_tensors,
)
from tutorial_lib.training.history import History
from tutorial_lib.training.randomness import random_state, set_random_state

# Of the optimizer's settings: the rate changes at every step, and these others change how a step
# is computed, not what comes out.
NOT_COMPARED = {"params", "lr", "initial_lr", "fused", "foreach", "capturable", "differentiable"}


def save_run(path, model, optimizer, history, steps):
    """Write the state of a run to `path`, all or nothing.

    history is the `History` so far, `steps` the length of the whole run. The random state is that
    of the CPU and of the model's device.
    """
    states = random_state(_device(model))
    tensors = {f"random.{name}": state for name, state in states.items()}
    tensors |= {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"optimizer.{key}.{name}"] = value
    run = {"steps": steps, "history": vars(history), "optimizer": _described(model, optimizer)}
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save_tensors(path, tensors, {"run": json.dumps(run)})


def load_run(path, model, optimizer, steps):
    """Put a saved run's state back into `model` and `optimizer` and return its `History`.

    Raises DamagedFileError when the file is not a saved run or is one of another model,
    ValueError when it belongs to a run of another length (its schedule would not fit) or with
    another optimizer. Then model, optimizer and random numbers are as they were.
    """
    tensors = load_tensors(path)
    text = load_metadata(path).get("run")
    if text is None:
        raise DamagedFileError(f"{path} is a safetensors file, but no saved run")
    # What a learner's own evaluation found may be NaN.
    run = parse_json(text, f"the run in {path}", dict, nan=True)
    missing = [key for key in ("steps", "history", "optimizer") if key not in run]
    if missing:
        raise DamagedFileError(f"{path} is no saved run, it lacks: {', '.join(missing)}")
    if type(run["steps"]) is not int:
        raise DamagedFileError(f"{path} should count its steps, it has {run['steps']!r} of them")
    if run["steps"] != steps:
        raise ValueError(
            f"{path} belongs to a run of {run['steps']} steps, this one has {steps}: "
            "use the same number, or another checkpoint file"
        )
    history = _history(path, run["history"], steps)
    weights = _below("model.", tensors)
    check_fit(model, weights)
    ours = _described(model, optimizer)
    if run["optimizer"] != ours:
        difference = _difference(run["optimizer"], ours)
        raise ValueError(
            f"{path} belongs to a run with another optimizer: {difference}. Use the same one, or "
            "another checkpoint file"
        )
    states = _below("random.", tensors)
    _check_random(path, states, random_state(_device(model)))
    saved = defaultdict(dict)  # by parameter, then by key: saved["0.bias"]["exp_avg"]
    for place, value in _below("optimizer.", tensors).items():
        key, _, name = place.partition(".")
        saved[name][key] = value
    names = {parameter: name for name, parameter in model.named_parameters()}
    trained = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    _check_state(path, saved, optimizer, [names.get(parameter) for parameter in trained])

    load_into(model, weights)
    # Before its first gradient a parameter has no state, and then none was saved.
    state = {i: saved[names[p]] for i, p in enumerate(trained) if names.get(p) in saved}
    # The optimizer itself knows what goes to which device: most count their steps on the CPU.
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})
    set_random_state(states, _device(model))
    return history


def _described(model, optimizer):
    """Return what an optimizer is, in JSON values: its kind, its settings, and what it moves."""
    names = {parameter: name for name, parameter in model.named_parameters()}
    groups = [
        {
            "parameters": [names.get(parameter) for parameter in group["params"]],
            "settings": {
                key: getattr(value, "__qualname__", value)  # a setting may be a function
                for key, value in group.items()
                if key not in NOT_COMPARED
            },
        }
        for group in optimizer.param_groups
    ]
    return json.loads(json.dumps({"kind": type(optimizer).__name__, "groups": groups}, default=str))


def _difference(theirs, ours):
    """Say in a few words where the descriptions of two optimizers differ.

    >>> group = {"parameters": ["bias"], "settings": {"weight_decay": 0.0}}
    >>> other = group | {"settings": {"weight_decay": 0.1}}
    >>> _difference({"kind": "AdamW", "groups": [group]}, {"kind": "AdamW", "groups": [other]})
    'weight_decay was 0.0, here it is 0.1'
    """
    try:
        if theirs["kind"] != ours["kind"]:
            return f"{theirs['kind']}, here it is {ours['kind']}"
        for was, now in zip(theirs["groups"], ours["groups"], strict=True):
            for key in was["settings"].keys() | now["settings"].keys():
                before, here = was["settings"].get(key), now["settings"].get(key)
                if before != here:
                    return f"{key} was {before}, here it is {here}"
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    return "it moves other parameters, or in other groups"


def _history(path, found, steps):
    """Return the History of a file; DamagedFileError when it is none of a run of so many steps."""
    try:
        history = History(**found)
        numbers = [*history.loss, *history.lr, *history.gradient_norm, history.seconds]
        usable = (
            found.keys() == {field.name for field in fields(History)}
            and all(type(number) in (int, float) and math.isfinite(number) for number in numbers)
            and len(history.loss) == len(history.lr) == len(history.gradient_norm) <= steps
            and isinstance(history.evaluations, list)
            and all(type(row["step"]) is int for row in history.evaluations)
        )
    except (AttributeError, KeyError, TypeError, OverflowError):
        usable = False
    if not usable:
        raise DamagedFileError(f"{path} holds no history of a run of {steps} steps")
    return history


def _check_random(path, states, now):
    """Raise DamagedFileError for states of the random numbers that could not be put back."""
    usable = "cpu" in states and all(
        states[name].dtype == state.dtype and states[name].shape == state.shape
        for name, state in now.items()
        if name in states
    )
    try:
        if usable:
            torch.Generator().set_state(states["cpu"])
    except RuntimeError:
        usable = False
    if not usable:
        raise DamagedFileError(f"{path} holds no state of the random numbers that fits")


def _check_state(path, saved, optimizer, names):
    """Raise DamagedFileError unless the saved tensors are those that this optimizer keeps.

    Its fused steps would read and write beyond a tensor that is too small.
    """
    faults = [f"{name} is no parameter of it" for name in sorted(saved.keys() - set(names))]
    for name, kept in zip(names, _kept_by(optimizer), strict=True):
        if name not in saved:
            continue
        wanted, found = (
            {key: (tuple(tensor.shape), tensor.dtype) for key, tensor in some.items()}
            for some in (kept, saved[name])
        )
        for key in sorted(wanted.keys() | found.keys()):
            if wanted.get(key) != found.get(key):
                words = [
                    "missing" if one is None else f"{one[0]} of {one[1]}"
                    for one in (found.get(key), wanted.get(key))
                ]
                faults.append(f"{key} of {name} is {words[0]}, it should be {words[1]}")
    if faults:
        raise DamagedFileError(
            f"{path} does not fit its optimizer, {type(optimizer).__name__}:\n  "
            + "\n  ".join(faults[:5])
        )


def _kept_by(optimizer):
    """Return the tensors that an optimizer keeps for each parameter: those of a step of a copy."""
    trial = copy.deepcopy(optimizer)
    parameters = [parameter for group in trial.param_groups for parameter in group["params"]]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    trial.step()
    return [trial.state[parameter] for parameter in parameters]


def _below(prefix, tensors):
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _device(model):
    return next(model.parameters()).device
