"""Chapter 10: does DINOv2's one vector of a picture tell which of two things is on the left?

Some pairs of things are drawn by lot. Of each pair there are scenes like those of the chapter, with
one of the two on the left and the other on the right, as often this way as that. A linear
classifier, logistic regression, learns from the vectors of some scenes of the pair, and is asked
about others. The control that must fail: the same with the answers of its training shuffled.
"""

import random
from itertools import combinations

import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression

from tutorial_lib.datasets.scenes import OBJECTS, Scenes
from tutorial_lib.datasets.wheels import DINOV2_SHA256
from tutorial_lib.recipes.emoji_finder import read_pictures
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.recipes.measures import share_of_true

SETTINGS = {"seed": 0, "pairs": 6, "learned": 150, "asked": 50, "side": 112, "C": 100.0}
SMOKE = SETTINGS | {"pairs": 2, "learned": 8, "asked": 4, "side": 56}


def run(settings, progress=True):
    """Return for each pair the share of new scenes in which the left thing is told: `rows`."""
    generator = random.Random(settings["seed"])
    n, rows = settings["learned"], []
    for pair in generator.sample([*combinations(OBJECTS, 2)], settings["pairs"]):
        scenes = side_by_side(pair, n + settings["asked"], generator, settings["side"])
        first = torch.tensor([fact[0][0] == pair[0] for fact in scenes.facts])
        vectors = F.normalize(read_pictures(scenes.images, progress), dim=1)
        shuffled = first[:n].tolist()
        generator.shuffle(shuffled)
        shares = {}
        for name, answers in (("right", first[:n].tolist()), ("shuffled", shuffled)):
            probe = LogisticRegression(C=settings["C"], max_iter=500)
            probe.fit(vectors[:n].numpy(), answers)
            said = torch.from_numpy(probe.predict(vectors[n:].numpy()))
            shares[name] = share_of_true(said == first[n:])
        rows.append({"pair": [*pair], "n": settings["asked"]} | shares)
        tell(rows[-1], progress)
    return {"rows": rows}


def side_by_side(pair, n, generator, size):
    """Return n `Scenes` of a pair of things, one on the left, each of them as often as the other.

    >>> scenes = side_by_side(("cat", "dog"), 4, random.Random(0), 96)
    >>> sorted(scenes.captions)[1:3]
    ['a cat to the left of a dog', 'a dog to the left of a cat']
    """
    turned = [row % 2 == 1 for row in range(n)]
    generator.shuffle(turned)
    facts, squares, objects = [], [], []
    for other_way in turned:
        left, right = pair[::-1] if other_way else pair
        facts.append(((left, "left of", right),))
        objects.append([OBJECTS.index(left), OBJECTS.index(right)])
        placed = []
        for across in ((0.18, 0.28), (0.72, 0.82)):
            side = round(generator.choice((0.24, 0.27, 0.3)) * size)
            middles = generator.uniform(*across) * size, generator.uniform(0.2, 0.8) * size
            corner = [min(max(round(at - side / 2), 0), size - side) for at in middles]
            placed.append([*corner, side])
        squares.append(placed)
    objects, squares = torch.tensor(objects), torch.tensor(squares)
    boxes = torch.cat([squares[..., :2], squares[..., :2] + squares[..., 2:]], dim=-1) / size
    captions = tuple(f"a {one} to the left of a {two}" for ((one, _, two),) in facts)
    split = "drawn in pairs"
    return Scenes(boxes, objects >= 0, objects, captions, tuple(facts), squares, split, size)


def data_bytes():
    """Return the names of the things and the hash of DINOv2's file, as bytes."""
    return "\n".join(OBJECTS).encode() + DINOV2_SHA256.encode()
