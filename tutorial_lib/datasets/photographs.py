"""The two photographs that come with scikit-learn, for looking at patches of a real picture.

Both are CC-BY-2.0, from Flickr: `china` by danielbuechele, `flower` by vultilion.
"""

import hashlib
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from einops import rearrange
from PIL import Image, ImageOps, UnidentifiedImageError

from tutorial_lib.errors import DamagedFileError, MissingDataError

_AUTHORS = {"china": "danielbuechele", "flower": "vultilion"}


@dataclass(frozen=True, repr=False)
class Photograph:
    """One photograph: its name, image (3, H, W) of red, green, blue from 0 to 1, and credit.

    sha256 is that of the file: decoded pixels may differ a little between JPEG libraries.
    """

    name: str
    image: torch.Tensor = field(compare=False)
    credit: str
    sha256: str

    def __repr__(self):
        _, height, width = self.image.shape
        return f"Photograph({self.name!r}, {height} x {width})"


def load_photographs(size: int | None = None) -> tuple[Photograph, ...]:
    """Return the two photographs, whole (427 x 640) or their middle square at `size` x `size`.

    They are what `sklearn.datasets.load_sample_images` gives, without importing scikit-learn.
    Raises MissingDataError when scikit-learn or a picture is missing, DamagedFileError for a file
    that is no picture, ValueError for a size below 1.

    >>> load_photographs()
    (Photograph('china', 427 x 640), Photograph('flower', 427 x 640))
    >>> load_photographs(size=224)[1].image.shape
    torch.Size([3, 224, 224])
    """
    _check_size(size)
    return tuple(_read(name, author, size) for name, author in _AUTHORS.items())


def _path(name):
    package = importlib.util.find_spec("sklearn")
    if package is not None:
        path = Path(package.origin).parent / "datasets" / "images" / f"{name}.jpg"
        if path.is_file():
            return path
    raise MissingDataError(
        f"the photograph {name}.jpg of scikit-learn is missing: install the course's packages "
        "with\n    pip install -r requirements.txt"
    )


def load_picture(path, size: int = 448) -> Photograph:
    """Return a picture of your own: the middle square of an image file, at `size` x `size`.

    What a camera notes about how it was held is followed. Raises MissingDataError when there is no
    such file, DamagedFileError for one that is no picture or has too many pixels, ValueError for
    a size below 1.

    >>> load_picture(_path("flower"), size=28)
    Photograph('flower', 28 x 28)
    """
    _check_size(size)
    path = Path(path).expanduser()
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}")
    return _photograph(path, path.stem, "your own picture", size)


def _check_size(size):
    if size is not None and size < 1:
        raise ValueError(f"size is a number of pixels from 1 on, got {size}")


def _read(name, author, size):
    credit = f"{author} (Flickr), CC-BY-2.0"
    return _photograph(_path(name), name, credit, size, " of scikit-learn")


def _photograph(path, name, credit, size, whose=""):
    try:
        with Image.open(path) as picture:
            picture = ImageOps.exif_transpose(picture).convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise DamagedFileError(f"{path.name}{whose} is no picture: {error}") from error
    if size is not None:
        width, height = picture.size
        side = min(width, height)
        left, top = (width - side) // 2, (height - side) // 2
        box = (left, top, left + side, top + side)
        picture = picture.resize((size, size), Image.Resampling.LANCZOS, box=box)
    pixels = torch.from_numpy(np.array(picture))
    image = rearrange(pixels.float() / 255, "height width channel -> channel height width")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Photograph(name, image, credit, sha256)
