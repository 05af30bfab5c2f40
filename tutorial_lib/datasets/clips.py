"""Clips: a handwritten digit or an emoji that moves for eight frames, and a sentence about it.

"a seven moves to the left quickly", "a ghost moves up slowly and grows". Each combination of thing,
direction and change of size belongs to one split; the speed is free. So every thing, direction and
change is learned from the training clips, and the test asks for combinations that were never
shown. The digits of a split are MNIST's of that split (CC-BY-SA-3.0); all emojis are designed by
OpenMoji, CC-BY-SA-4.0.
"""

import functools
import random
from dataclasses import dataclass
from itertools import product

import torch
from torch.nn.functional import interpolate

from tutorial_lib.datasets.emoji import draw_glyphs
from tutorial_lib.datasets.mnist import load_mnist
from tutorial_lib.datasets.scenes import with_article

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_EMOJI = {
    **{"ghost": "👻", "rocket": "🚀", "car": "🚗", "ball": "⚽", "balloon": "🎈", "frog": "🐸"},
    **{"fox": "🦊", "bee": "🐝", "crab": "🦀", "apple": "🍎", "star": "⭐", "tree": "🌳"},
}
THINGS = (*DIGITS, *_EMOJI)
DIRECTIONS = ("left", "right", "up", "down")
SPEEDS = ("slowly", "quickly")
CHANGES = ("", "grows", "shrinks")
N_FRAMES, SIDE = 8, 32

_STEPS = dict(zip(DIRECTIONS, ((-1, 0), (1, 0), (0, -1), (0, 1)), strict=True))
_PIXELS = {"slowly": 1, "quickly": 2}  # a frame
_SIDES = {"": (14, 14), "grows": (8, 18), "shrinks": (18, 8)}  # first and last, in pixels
_SPLITS = ("train", "validation", "test")
_SEED = 2026


@dataclass(frozen=True, repr=False, eq=False)
class Clips:
    """N clips: frames (N, 8, 3, 32, 32) of red, green, blue from 0 to 1 on white.

    captions: N texts; facts: for each clip its thing, direction, speed and change, words of THINGS,
    DIRECTIONS, SPEEDS and CHANGES (where "" is no change).
    """

    frames: torch.Tensor
    captions: tuple[str, ...]
    facts: tuple[tuple[str, str, str, str], ...]
    split: str

    def __len__(self):
        return len(self.captions)

    def __repr__(self):
        return f"Clips({len(self):,} of {N_FRAMES} frames of {SIDE} x {SIDE}, {self.split})"


def draw_clips(n: int, seed: int, split: str = "train") -> Clips:
    """Return n `Clips` whose combinations belong to `split`: "train", "validation" or "test".

    Raises ValueError for another split or n below 1, MissingDataError without the wheels.

    >>> clips = draw_clips(2, seed=0, split="test")
    >>> clips.captions[0]
    'a fox moves to the left quickly and shrinks'
    >>> clips.frames.shape
    torch.Size([2, 8, 3, 32, 32])
    """
    if n < 1:
        raise ValueError(f"expected one clip or more, got n = {n}")
    combinations = clip_combinations(split)
    things = {thing: [c for c in combinations if c[0] == thing] for thing in THINGS}
    generator = random.Random(f"{_SEED} {split} {seed}")
    frames, facts = [], []
    for _ in range(n):
        # The thing first: no digit is more frequent because more of its combinations are here.
        thing, direction, change = generator.choice(things[generator.choice(THINGS)])
        speed = generator.choice(SPEEDS)
        facts.append((thing, direction, speed, change))
        frames.append(_film(generator, split, *facts[-1]))
    return Clips(torch.stack(frames), tuple(map(_caption, facts)), tuple(facts), split)


@functools.cache
def clip_combinations(split: str) -> tuple[tuple[str, str, str], ...]:
    """Return all (thing, direction, change) that may occur in a split.

    Of the twelve of each thing, nine are for training, one is for validation, two for the test.

    >>> len(clip_combinations("test")) == 2 * len(THINGS)
    True
    """
    if split not in _SPLITS:
        raise ValueError(f"expected a split of {', '.join(_SPLITS)}, got {split!r}")
    generator = random.Random(_SEED)
    held_out = {"validation": [], "test": []}
    for thing in THINGS:  # the same number of each thing in each part, so that all are asked for
        of_thing = [(thing, *rest) for rest in product(DIRECTIONS, CHANGES)]
        generator.shuffle(of_thing)
        held_out["validation"].append(of_thing[0])
        held_out["test"] += of_thing[1:3]
    if split in held_out:
        return tuple(held_out[split])
    taken = {combination for part in held_out.values() for combination in part}
    return tuple(c for c in product(THINGS, DIRECTIONS, CHANGES) if c not in taken)


def _caption(fact):
    thing, direction, speed, change = fact
    where = f"to the {direction}" if direction in ("left", "right") else direction
    return f"{with_article(thing)} moves {where} {speed}" + (f" and {change}" if change else "")


def _film(generator, split, thing, direction, speed, change):
    """Return the frames (8, 3, 32, 32) of one clip."""
    largest = _picture(generator, split, thing)
    first, last = _SIDES[change]
    step = [_PIXELS[speed] * way for way in _STEPS[direction]]
    way = [pixels * (N_FRAMES - 1) for pixels in step]
    margin = max(first, last) / 2
    # The centre starts where the whole way stays inside.
    x, y = (generator.uniform(margin + max(0, -far), SIDE - margin - max(0, far)) for far in way)
    film = torch.ones(N_FRAMES, 3, SIDE, SIDE)
    for k, frame in enumerate(film):
        side = round(first + (last - first) * k / (N_FRAMES - 1))
        left, top = (
            min(max(round(at + k * pixels - side / 2), 0), SIDE - side)
            for at, pixels in zip((x, y), step, strict=True)
        )
        small = interpolate(largest[None], size=(side, side), mode="bilinear", antialias=True)[0]
        frame[:, top : top + side, left : left + side] = small
    return film


def _picture(generator, split, thing):
    if thing in _EMOJI:
        return _emoji()[thing]
    images, rows = _digits(split)
    return 1 - images[generator.choice(rows[DIGITS.index(thing)])].expand(3, -1, -1)


@functools.cache
def _emoji():
    return dict(zip(_EMOJI, draw_glyphs(_EMOJI.values(), 36), strict=True))


@functools.cache
def _digits(split):
    digits = getattr(load_mnist(), split)
    rows = [(digits.labels == digit).nonzero().flatten().tolist() for digit in range(10)]
    return digits.images, rows
