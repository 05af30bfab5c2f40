"""From a name to a folder: weights that lie on the disk, or come from the Hugging Face hub."""

import re
from pathlib import Path

from tutorial_lib.errors import MissingDataError

# Weights, configurations and vocabularies; never pickled files, which can run code.
TEXT_FILES = ("*.json", "*.txt", "*.bpe")
FILES = ("*.safetensors", *TEXT_FILES)
SECONDS_TO_WAIT = 5


def resolve(name_or_folder, revision=None, files=FILES):
    """Return the folder of a model: a folder as it is, a hub name from the cache or the hub.

    revision is a branch, tag or commit of the hub; a commit is safest, since it cannot move.
    files: patterns of the names that are fetched; TEXT_FILES leaves the weights out.
    Raises MissingDataError when there is no such folder, the hub has no such name, or the hub
    cannot be reached and the cache does not hold it.

    >>> resolve(".").is_dir()
    True
    """
    folder = Path(name_or_folder).expanduser()
    if folder.is_dir():
        return folder
    name = str(name_or_folder)
    if folder.exists():
        raise MissingDataError(f"{name} is a file; give the folder that holds it")
    if not re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", name):
        raise _no_name(name)
    return _download(name, revision, files)


def _download(name, revision, files):
    # Imported here: nobody who stays offline should wait for it.
    import httpx2
    from huggingface_hub import errors, snapshot_download

    where = f"{name} (revision {revision})" if revision else name
    try:
        folder = snapshot_download(
            name,
            revision=revision,
            allow_patterns=list(files),
            ignore_patterns=["*/*"],  # only the top folder: the rest is for other programs
            etag_timeout=SECONDS_TO_WAIT,
        )
    except errors.HFValidationError as error:  # "a--b", "x.git": its rules are longer than ours
        raise _no_name(name) from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
        raise MissingDataError(
            f"there is no folder {name}, and the hub has no public model {where}"
        ) from error
    except (OSError, httpx2.HTTPError) as error:  # a proxy's refusal is no OSError
        raise MissingDataError(
            f"there is no folder {name}; as a name on the hub, {where} is not in the cache and "
            "the hub cannot be reached. Connect once and run this again, or give a folder that "
            "holds config.json and model.safetensors"
        ) from error
    return Path(folder)


def _no_name(name):
    return MissingDataError(f"there is no folder {name}, and a name on the hub looks different")
