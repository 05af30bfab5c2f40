"""Scenes: two to four emoji in one picture, with boxes, captions from a grammar, and questions.

A caption states one or two facts (object, relation, object): "a cat to the left of an apple",
"two dogs above a car", "a cat to the left of an apple and above a car". Each fact belongs to one
split, together with its mirror image: the picture of (cat, left of, apple) is that of (apple,
right of, cat). So all objects and all relations are learned from the training scenes, and the test
asks for combinations that were never shown. All emojis are designed by OpenMoji, CC-BY-SA-4.0.
"""

import functools
import random
from dataclasses import dataclass
from itertools import combinations

import torch
from torch.nn.functional import grid_sample

from tutorial_lib.datasets.emoji import draw_glyphs
from tutorial_lib.errors import ShapeError

# name -> emoji; every one a single word, and no two that could be taken for each other
_EMOJI = {
    **{"dog": "🐶", "cat": "🐈", "horse": "🐎", "cow": "🐄", "pig": "🐖", "elephant": "🐘"},
    **{"camel": "🐫", "monkey": "🐒", "fox": "🦊", "lion": "🦁", "frog": "🐸", "snake": "🐍"},
    **{"turtle": "🐢", "whale": "🐋", "octopus": "🐙", "crab": "🦀", "butterfly": "🦋"},
    **{"bee": "🐝", "chicken": "🐔", "duck": "🦆", "owl": "🦉", "penguin": "🐧"},
    **{"apple": "🍎", "pear": "🍐", "banana": "🍌", "lemon": "🍋", "strawberry": "🍓"},
    **{"carrot": "🥕", "egg": "🥚", "cake": "🎂", "cookie": "🍪", "burger": "🍔"},
    **{"tree": "🌳", "rose": "🌹", "cactus": "🌵", "mushroom": "🍄"},
    **{"car": "🚗", "bus": "🚍", "bicycle": "🚲", "boat": "⛵", "rocket": "🚀", "tractor": "🚜"},
    **{"house": "🏠", "chair": "🪑", "ball": "⚽", "clock": "⏰", "key": "🔑", "hat": "🎩"},
    **{"shoe": "👟", "book": "📗", "guitar": "🎸", "drum": "🥁", "balloon": "🎈", "bell": "🔔"},
    **{"candle": "🕯", "hammer": "🔨", "star": "⭐", "cloud": "☁", "ghost": "👻", "crown": "👑"},
}
OBJECTS = tuple(_EMOJI)
RELATIONS = ("left of", "right of", "above", "below")
COUNTS = ("one", "two", "three")
ANSWERS = ("yes", "no", *COUNTS, *OBJECTS)
MOST = 4  # emoji in a scene

_OTHER_WAY = dict(zip(RELATIONS, ("right of", "left of", "below", "above"), strict=True))
_ODD_PLURALS = {"butterfly": "butterflies", "strawberry": "strawberries", "octopus": "octopuses"}
_PLURALS = {
    name: _ODD_PLURALS.get(name, name + ("es" if name.endswith(("x", "s")) else "s"))
    for name in OBJECTS
}
_SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}
_SIDES = (0.24, 0.27, 0.30)  # of an emoji, as shares of the picture's side
_SEED = 2026


@dataclass(frozen=True, repr=False, eq=False)
class Scenes:
    """N scenes. Their pictures are drawn when `images` is read, and kept.

    boxes (N, 4, 4): left, top, right, bottom of the ink of up to four emoji, from 0 to 1, in no
    order that tells which one the caption names first; present (N, 4): True where there is one;
    objects (N, 4): indices into OBJECTS, -1 where there is none. captions: N texts. facts: for each
    scene the (object, relation, object) of its caption. squares (N, 4, 3): left, top and side of
    the square that each emoji is drawn in. size: of the pictures, in pixels.
    """

    boxes: torch.Tensor
    present: torch.Tensor
    objects: torch.Tensor
    captions: tuple[str, ...]
    facts: tuple[tuple[tuple[str, str, str], ...], ...]
    squares: torch.Tensor
    split: str
    size: int

    def __len__(self):
        return len(self.captions)

    def __repr__(self):
        return f"Scenes({len(self):,} of {self.size} x {self.size}, {self.split})"

    @functools.cached_property
    def images(self):
        """The pictures (N, 3, size, size): red, green, blue from 0 to 1 on white."""
        return self.draw(range(len(self)))

    def draw(self, rows) -> torch.Tensor:
        """Return the pictures (len(rows), 3, size, size) of some scenes only: one batch's."""
        images = torch.ones(len(rows), 3, self.size, self.size)
        for image, row in zip(images, rows, strict=True):
            for index, square in zip(self.objects[row].tolist(), self.squares[row], strict=True):
                if index >= 0:
                    left, top, side = square.tolist()
                    place = image[:, top : top + side, left : left + side]
                    place.copy_(torch.minimum(place, _glyphs(side)[index]))
        return images

    def count(self, row: int) -> dict[str, int]:
        """Return how many of each object there are in one scene."""
        names = [OBJECTS[index] for index in self.objects[row].tolist() if index >= 0]
        return {name: names.count(name) for name in dict.fromkeys(names)}


@dataclass(frozen=True)
class SceneQuestion:
    """A question on the scene at index `row`, its answer (one of ANSWERS), and its kind.

    Kinds are "what", "how many", "is there" and "where".
    """

    row: int
    question: str
    answer: str
    kind: str


def draw_scenes(n: int, seed: int, split: str = "train", size: int = 96) -> Scenes:
    """Return n `Scenes` whose facts all belong to `split`: "train", "validation" or "test".

    Of ten scenes, four hold two emoji, two hold three different ones with two facts, and four a
    group of two or three alike. Raises ValueError for another split, for n below 1 and for a size
    outside 48..512 pixels, MissingDataError without the wheel.

    >>> scenes = draw_scenes(3, seed=0, split="test")
    >>> scenes.captions[0]
    'a rose below an elephant'
    >>> scenes.images.shape
    torch.Size([3, 3, 96, 96])
    """
    _check(n, split, size)
    generator = random.Random(f"{_SEED} {split} {seed}")
    facts_of = _facts_by_first(split)
    rows = [_scene(generator, facts_of, size) for _ in range(n)]
    captions, facts, placed = zip(*rows, strict=True)
    objects = [_padded([OBJECTS.index(name) for name, *_ in row], -1) for row in placed]
    squares = [_padded([square for _, *square in row], [0, 0, 0]) for row in placed]
    boxes = [_padded([_box(*emoji) for emoji in row], [0, 0, 0, 0]) for row in placed]
    objects = torch.tensor(objects)
    return Scenes(
        torch.tensor(boxes, dtype=torch.float32) / size,
        objects >= 0,
        objects,
        captions,
        facts,
        torch.tensor(squares),
        split,
        size,
    )


def ask_scenes(scenes: Scenes, seed: int) -> tuple[SceneQuestion, ...]:
    """Return three or four questions a scene, such that the text of a question tells little.

    "is there" and "where" questions are true as often as not; "how many" questions, which not
    every scene gets, are answered equally often by each number. A training question never asks
    for a fact that belongs to another split.

    >>> for asked in ask_scenes(draw_scenes(1, seed=0), seed=0):
    ...     print(asked.question, asked.answer)
    what is to the left of the camel ? cow
    is there a cow ? yes
    are the cows above the camel ? no
    """
    generator = random.Random(f"{_SEED} questions {seed}")
    split_of = _split_of_facts()
    asked = []
    counts = {number: [] for number in COUNTS}
    for row in range(len(scenes)):
        there = scenes.count(row)
        first, relation, second = generator.choice(scenes.facts[row])
        if generator.random() < 0.5:
            first, relation, second = second, _OTHER_WAY[relation], first
        question = f"what is {_phrase(relation)} the {_noun(second, there)} ?"
        asked.append(SceneQuestion(row, question, first, "what"))

        yes = generator.random() < 0.5
        name = generator.choice([name for name in OBJECTS if (name in there) == yes])
        question = f"is there {with_article(name)} ?"
        asked.append(SceneQuestion(row, question, "yes" if yes else "no", "is there"))

        yes = generator.random() < 0.5
        wrong = [
            other
            for other in RELATIONS
            if other != relation
            and (scenes.split != "train" or split_of[_upright(first, other, second)] == "train")
        ]
        if wrong:
            said = relation if yes else generator.choice(wrong)
            question = f"{_be(first, there)} the {_noun(first, there)} {_phrase(said)} the "
            question += f"{_noun(second, there)} ?"
            asked.append(SceneQuestion(row, question, "yes" if yes else "no", "where"))

        name = generator.choice([*there])
        question = f"how many {_PLURALS[name]} are there ?"
        number = COUNTS[there[name] - 1]
        counts[number].append(SceneQuestion(row, question, number, "how many"))
    fewest = min(map(len, counts.values()))
    for some in counts.values():
        asked += generator.sample(some, fewest)
    return tuple(sorted(asked, key=lambda question: question.row))


def with_article(name: str) -> str:
    """Return one thing as a caption names it.

    >>> with_article("egg"), with_article("cat")
    ('an egg', 'a cat')
    """
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def object_of(word: str) -> int | None:
    """Return the index in OBJECTS of a word of a caption, singular or plural, or None.

    >>> OBJECTS[object_of("cats")], object_of("above")
    ('cat', None)
    """
    return _INDEX.get(word)


def crop_boxes(images: torch.Tensor, boxes: torch.Tensor, size: int = 32) -> torch.Tensor:
    """Cut boxes out of pictures and bring them to one size: (N, R, C, size, size).

    images (N, C, height, width); boxes (N, R, 4): left, top, right, bottom from 0 to 1. A box of
    zeros is padding, and gives a white crop. Each crop is a square around its box, so that nothing
    is stretched; beyond the picture it is white. Raises ShapeError for other shapes, ValueError
    for a box outside the picture or one whose right or bottom is not beyond its left or top.

    >>> scenes = draw_scenes(2, seed=0)
    >>> crop_boxes(scenes.images, scenes.boxes).shape
    torch.Size([2, 4, 3, 32, 32])
    """
    if images.dim() != 4 or boxes.dim() != 3 or boxes.shape[::2] != (len(images), 4):
        raise ShapeError(
            "expected images (N, C, height, width) and boxes (N, R, 4), "
            f"got {tuple(images.shape)} and {tuple(boxes.shape)}"
        )
    check_boxes(boxes)
    n, regions = boxes.shape[:2]
    left, top, right, bottom = boxes.flatten(0, 1).unbind(-1)
    height, width = images.shape[2:]
    half = torch.maximum((right - left) * width, (bottom - top) * height) / 2
    steps = (torch.arange(size) + 0.5) / size * 2 - 1
    x = ((left + right)[:, None] + 2 * half[:, None] / width * steps) - 1  # from -1 to 1
    y = ((top + bottom)[:, None] + 2 * half[:, None] / height * steps) - 1
    grid = torch.stack(
        [x[:, None, :].expand(-1, size, -1), y[:, :, None].expand(-1, -1, size)], dim=-1
    )
    white = 1 - images.repeat_interleave(regions, 0)  # outside, grid_sample gives 0
    crops = 1 - grid_sample(white, grid, align_corners=False)
    crops[half == 0] = 1
    return crops.unflatten(0, (n, regions))


def check_boxes(boxes: torch.Tensor):
    """Raise ValueError unless all boxes (..., 4) are zeros or lie inside the picture.

    >>> check_boxes(torch.tensor([[0.1, 0.1, 1.2, 0.5]]))
    Traceback (most recent call last):
        ...
    ValueError: a box is left, top, right, bottom from 0 to 1, got 0.10, 0.10, 1.20, 0.50
    """
    flat = boxes.reshape(-1, 4)
    wrong = ~((flat >= 0) & (flat <= 1)).all(1)
    wrong |= (flat[:, 2:] <= flat[:, :2]).any(1) & (flat != 0).any(1)
    if wrong.any():
        got = ", ".join(f"{value:.2f}" for value in flat[wrong][0].tolist())
        raise ValueError(f"a box is left, top, right, bottom from 0 to 1, got {got}")


def scene_facts(split: str) -> tuple[tuple[str, str, str], ...]:
    """Return all facts (object, relation, object) that may occur in a split, mirrored ones too.

    >>> len(scene_facts("test"))
    1416
    """
    _check(1, split, 96)
    upright = [fact for fact, part in _split_of_facts().items() if part == split]
    return tuple(both for a, way, b in upright for both in ((a, way, b), (b, _OTHER_WAY[way], a)))


def _check(n, split, size):
    if split not in _SHARES:
        raise ValueError(f"expected a split of {', '.join(_SHARES)}, got {split!r}")
    if n < 1:
        raise ValueError(f"expected one scene or more, got n = {n}")
    if not 48 <= size <= 512:
        raise ValueError(f"size is a number of pixels from 48 to 512, got {size}")


def _upright(first, relation, second):
    """The one of a fact and its mirror image that says "left of" or "above"."""
    if relation in ("left of", "above"):
        return (first, relation, second)
    return (second, _OTHER_WAY[relation], first)


@functools.cache
def _split_of_facts():
    facts = [
        fact
        for pair in combinations(OBJECTS, 2)
        for first, second in (pair, pair[::-1])
        for fact in ((first, "left of", second), (first, "above", second))
    ]
    random.Random(_SEED).shuffle(facts)
    n_held_out = round(_SHARES["test"] * len(facts))
    splits = ["test"] * n_held_out + ["validation"] * n_held_out
    return dict(zip(facts, splits + ["train"] * (len(facts) - len(splits)), strict=True))


@functools.cache
def _facts_by_first(split):
    facts = {name: [] for name in OBJECTS}
    for first, relation, second in scene_facts(split):
        facts[first].append((relation, second))
    return facts


def _scene(generator, facts_of, size):
    """Return caption, facts and (object, left, top, side) of each emoji, in a random order."""
    first = generator.choice(OBJECTS)
    relation, second = generator.choice(facts_of[first])
    shape = generator.random()
    if shape < 0.2:
        across = RELATIONS[2:] if relation in RELATIONS[:2] else RELATIONS[:2]
        others = [(r, name) for r, name in facts_of[first] if r in across and name != second]
        if others:
            way, third = generator.choice(others)
            facts = ((first, relation, second), (first, way, third))
            one, two, three = map(with_article, (first, second, third))
            caption = f"{one} {_phrase(relation)} {two} and {_phrase(way)} {three}"
            return caption, facts, _corner(generator, facts, size)
    numbers = [1, 1]
    if shape >= 0.6:
        numbers[generator.randrange(2)] = generator.choice([2, 3])
    fact = (first, relation, second)
    said = [
        with_article(name) if number == 1 else f"{COUNTS[number - 1]} {_PLURALS[name]}"
        for name, number in zip((first, second), numbers, strict=True)
    ]
    caption = f"{said[0]} {_phrase(relation)} {said[1]}"
    return caption, (fact,), _two_groups(generator, fact, numbers, size)


def _two_groups(generator, fact, numbers, size):
    first, relation, second = fact
    near, far = generator.uniform(0.18, 0.28), generator.uniform(0.72, 0.82)
    along = (near, far) if relation in ("left of", "above") else (far, near)
    widest = max(numbers)
    margin = 0.17 * widest
    middle = generator.uniform(margin, 1 - margin) if widest < 3 else 0.5
    spots = []
    for name, number, place in zip((first, second), numbers, along, strict=True):
        centre = min(max(middle + generator.uniform(-0.06, 0.06), 0.17 * number), 1 - 0.17 * number)
        side = generator.choice(_SIDES)
        for k in range(number):
            across = centre + (k - (number - 1) / 2) * 0.32
            wobble = place + generator.uniform(-0.02, 0.02)
            spot = (wobble, across) if relation in RELATIONS[:2] else (across, wobble)
            spots.append((name, *spot, side))
    return _placed(generator, spots, size)


def _corner(generator, facts, size):
    """The first object in a corner, one beside it, the other above or below it."""
    first = facts[0][0]
    sideways, upright = sorted(facts, key=lambda fact: RELATIONS.index(fact[1]))
    left, right = (lambda: generator.uniform(0.2, 0.28)), (lambda: generator.uniform(0.72, 0.8))
    x, other_x = (left, right) if sideways[1] == "left of" else (right, left)
    y, other_y = (left, right) if upright[1] == "above" else (right, left)
    spots = [
        (name, a(), b(), generator.choice(_SIDES))
        for name, a, b in ((first, x, y), (sideways[2], other_x, y), (upright[2], x, other_y))
    ]
    return _placed(generator, spots, size)


def _placed(generator, spots, size):
    placed = []
    for name, x, y, share in spots:
        side = round(share * size)
        left, top = (min(max(round(at * size - side / 2), 0), size - side) for at in (x, y))
        placed.append((name, left, top, side))
    generator.shuffle(placed)
    return placed


def _box(name, left, top, side):
    """left, top, right, bottom of an emoji's ink, in pixels of the picture."""
    ink = _ink(OBJECTS.index(name), side)
    return [start + inside for start, inside in zip((left, top, left, top), ink, strict=True)]


def _padded(values, padding):
    return values + [padding] * (MOST - len(values))


@functools.cache
def _glyphs(side):
    return draw_glyphs(_EMOJI.values(), side)


@functools.cache
def _ink(index, side):
    """left, top, right, bottom of what is drawn of an emoji, in pixels of its square."""
    ink = (_glyphs(side)[index] < 0.95).any(0)
    rows, columns = ink.any(1).nonzero(), ink.any(0).nonzero()
    return columns.min().item(), rows.min().item(), columns.max().item() + 1, rows.max().item() + 1


def _phrase(relation):
    return f"to the {relation}" if relation in RELATIONS[:2] else relation


def _be(name, there):
    return "is" if there[name] == 1 else "are"


def _noun(name, there):
    return name if there[name] == 1 else _PLURALS[name]


_INDEX = {name: index for index, name in enumerate(OBJECTS)} | {
    plural: index for index, plural in enumerate(_PLURALS.values())
}
