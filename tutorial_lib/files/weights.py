"""Tensors in and out: safetensors files, also sharded; strict about names and shapes.

Only safetensors are read. Pickled weights (.bin, .pt) can run code when they are opened.
"""

import hashlib
import re
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch.overrides import TorchFunctionMode

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files.atomic import replacing
from tutorial_lib.files.foreign_names import ForeignNames
from tutorial_lib.files.json_files import read_json

__all__ = [
    "ForeignNames",
    "Unfilled",
    "check_fit",
    "load_into",
    "load_metadata",
    "load_tensors",
    "save_tensors",
]

CHECKSUM = "sha256"  # its name among the metadata
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"


def load_tensors(folder_or_file):
    """Return a dict from name to tensor from a .safetensors file, or a folder that holds one.

    A folder holds model.safetensors, or model.safetensors.index.json and the shards it names.
    Raises MissingDataError when there is nothing to read, DamagedFileError when a file is
    truncated, is no safetensors file, does not hold what the index promises, or is no longer what
    `save_tensors` wrote. Files of other programs have no checksum that would show the last.
    """
    path = Path(folder_or_file)
    if path.is_dir():
        if (path / WEIGHTS).is_file():
            return _read(path / WEIGHTS)
        if (path / INDEX).is_file():
            return _read_shards(path / INDEX)
        pickled = sorted(p.name for p in path.iterdir() if p.suffix in (".bin", ".pt", ".pth"))
        note = f"; {pickled[0]} is pickled and is not opened" if pickled else ""
        raise MissingDataError(f"{path} holds neither {WEIGHTS} nor {INDEX}{note}")
    if not path.is_file():
        raise MissingDataError(f"there is no file or folder {path}")
    return _read(path)


def save_tensors(path, tensors, metadata=None):
    """Write tensors (a dict by name) to a .safetensors file, all or nothing.

    metadata is a dict of strings, read back by `load_metadata`; a checksum of all that is written
    is added. The file appears under its name only when it is complete, so an interrupted save
    leaves the old one as it was.
    """
    # Clones: safetensors refuses tensors that share memory, as tied weights do.
    copies = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    metadata = dict(metadata or {})
    content = save(copies, metadata | {CHECKSUM: checksum(copies, metadata)})
    # Not by save_file: it has a temporary file of its own, which nobody would remove after a kill.
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def load_metadata(path):
    """Return the strings that were stored beside the tensors, {} when there are none."""
    with _opened(path) as file:
        metadata = file.metadata() or {}
    metadata.pop(CHECKSUM, None)
    return metadata


def checksum(tensors, metadata):
    """Return the SHA-256 of names, shapes, dtypes and numbers of tensors, and of the metadata.

    >>> checksum({"a": torch.zeros(2)}, {})[:8]
    'adeec4e3'
    """
    sums = hashlib.sha256()
    for name, text in sorted(metadata.items()):
        sums.update(repr((name, text)).encode())
    for name, tensor in sorted(tensors.items()):
        sums.update(repr((name, str(tensor.dtype), tuple(tensor.shape))).encode())
        sums.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy())
    return sums.hexdigest()


class Unfilled(TorchFunctionMode):
    """Inside this `with` block new layers skip their random start: a file will fill them.

    Saves the time of drawing numbers that are overwritten, and leaves the seed untouched.

    >>> with Unfilled():
    ...     layer = torch.nn.Linear(1000, 1000)
    >>> layer.weight.shape
    torch.Size([1000, 1000])
    """

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Call every function but those of torch.nn.init."""
        kwargs = kwargs or {}
        if getattr(function, "__module__", None) == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return function(*args, **kwargs)


def load_into(model, tensors, foreign_names=None, progress=None):
    """Copy tensors into the parameters of a model, names and shapes being strict.

    tensors: a dict by name, of tensors or of what unpacks itself with `copy_to`, as a PackedTensor
    of a GGUF does; foreign_names: a ForeignNames when the names are another program's. progress:
    what a progress bar says beside itself; None for no bar.
    Raises DamagedFileError that lists every missing, surplus and misshapen tensor, and those
    without floating point where the model computes with it.

    >>> load_into(torch.nn.Linear(1, 1), {"weight": torch.ones(1, 2)})
    Traceback (most recent call last):
    ...
    tutorial_lib.errors.DamagedFileError: these weights do not fit Linear
      missing (1): bias
      wrong shape (1): weight is (1, 2), the model needs (1, 1)
    """
    if foreign_names is not None:
        tensors = foreign_names.rename(tensors)
    places = _places(model, foreign_names)
    _compare(type(model).__name__, places, tensors)
    with torch.no_grad():
        for part, place in _shown(places.items(), progress):
            if isinstance(tensors[part], torch.Tensor):
                place.copy_(tensors[part])
            else:
                tensors[part].copy_to(place)


def _shown(entries, progress):
    """Return the entries, with a progress bar if it is to say something."""
    if progress is None:
        return entries
    from tqdm.auto import tqdm  # here: only large files need it

    return tqdm(entries, desc=progress, unit=" tensors", delay=5)  # quick files need none


def check_fit(model, tensors, foreign_names=None):
    """Raise DamagedFileError where `load_into` would; the model stays as it is.

    It may be on the "meta" device, where sizes cost no memory.

    >>> with torch.device("meta"):
    ...     huge = torch.nn.Linear(10**9, 10**6, bias=False)
    >>> check_fit(huge, {"weight": torch.ones(1, 1)})
    Traceback (most recent call last):
    ...
    tutorial_lib.errors.DamagedFileError: these weights do not fit Linear
      wrong shape (1): weight is (1, 1), the model needs (1000000, 1000000000)
    """
    if foreign_names is not None:
        tensors = foreign_names.rename(tensors)
    _compare(type(model).__name__, _places(model, foreign_names), tensors)


def _places(model, foreign_names):
    """Return {name in the file: the part of the model that it fills}."""
    ours = model.state_dict()
    if foreign_names is None:
        return ours
    return {
        part: place
        for name, tensor in ours.items()
        for part, place in zip(foreign_names.of(name), foreign_names.cut(name, tensor), strict=True)
    }


def _compare(model, places, tensors):
    wanted, found = (
        {name: tuple(tensor.shape) for name, tensor in some.items()} for some in (places, tensors)
    )
    faults = {
        "missing": sorted(wanted.keys() - found.keys()),
        "surplus": sorted(found.keys() - wanted.keys()),
        "wrong shape": [
            f"{name} is {found[name]}, the model needs {wanted[name]}"
            for name in sorted(wanted.keys() & found.keys())
            if wanted[name] != found[name]
        ],
        "no floating point": [
            f"{name} is {tensors[name].dtype}"
            for name in sorted(wanted.keys() & found.keys())
            if places[name].is_floating_point() and not tensors[name].is_floating_point()
        ],
    }
    lines = [
        f"  {kind} ({len(names)}): {', '.join(names)}" for kind, names in faults.items() if names
    ]
    if lines:
        raise DamagedFileError("\n".join([f"these weights do not fit {model}", *lines]))


def _opened(path):
    try:
        return safe_open(path, "pt")
    except FileNotFoundError as error:
        raise MissingDataError(f"there is no file {path}") from error
    except (SafetensorError, OSError) as error:
        raise DamagedFileError(
            f"{path} is truncated or no safetensors file ({error}); fetch or save it again"
        ) from error


def _read(path):
    with _opened(path) as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no dict)
    wanted = metadata.pop(CHECKSUM, None)
    if wanted is not None and wanted != checksum(tensors, metadata):
        raise DamagedFileError(
            f"{path} is no longer what was written to it (its checksum differs); "
            "fetch or save it again"
        )
    return tensors


def _read_shards(index):
    try:
        places = read_json(index, dict)["weight_map"]
        files = sorted(set(places.values()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFileError(f"{index} is no index of shards ({error!r})") from error
    tensors = {}
    for file in files:
        # A name with a folder in it could point anywhere on the disk.
        if not re.fullmatch(r"\w[\w.-]*\.safetensors", str(file)):
            raise DamagedFileError(f"{index} must name plain .safetensors files, got {file!r}")
        shard = _read(index.parent / file)
        promised = {name for name, place in places.items() if place == file}
        if shard.keys() != promised:
            raise DamagedFileError(
                f"{index} and {file} disagree about: {', '.join(sorted(promised ^ shard.keys()))}"
            )
        tensors |= shard
    return tensors
