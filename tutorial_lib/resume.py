"""The file a training run resumes from: weights, optimizer and random state in one safetensors.

Tensors are stored as tensors, everything else as JSON in the file's header: no pickle.
"""

import json
from pathlib import Path

import torch

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.weights import load_into, load_metadata, load_tensors, save_tensors


def save_run(path, model, optimizer, history, steps):
    """Write the state of a run to `path`, all or nothing.

    `history` is a dict of JSON values, `steps` the length of the whole run.
    """
    tensors = {"random.cpu": torch.get_rng_state()}
    if torch.cuda.is_initialized():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
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
        length, history, random_state = run["steps"], run["history"], tensors["random.cpu"]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise DamagedFileError(f"{path} is a safetensors file, but no saved run") from error
    if length != steps:
        raise ValueError(
            f"{path} belongs to a run of {length} steps, this one has {steps}: "
            "use the same number, or another checkpoint file"
        )
    load_into(model, _below("model.", tensors))
    saved = {key: _below(f"optimizer.{key}.", tensors) for key in ("step", "exp_avg", "exp_avg_sq")}
    for name, parameter in model.named_parameters():
        # Before its first gradient a parameter has no state, and then none was saved.
        state = {
            key: part[name].to(parameter.device) for key, part in saved.items() if name in part
        }
        if state:
            optimizer.state[parameter] = state
    torch.set_rng_state(random_state)
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return history


def _below(prefix, tensors):
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
