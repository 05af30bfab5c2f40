"""Chapter 10: what a VisualBERT learns from scenes, measured on facts that training never showed.

Part "reading": hidden words of captions and questions, by the reader of `scene_reader` beside the
scene's own picture, another's, and none; beside its own on new scenes of training's facts, the
control that must succeed; and by a "blind" reader, trained alike on the texts alone.
Part "matching": of two captions one is true of the scene; which? By the reader, with pictures as
above, and by two towers, CLIP's kind: one reads the caption, one the regions, and they meet in one
product. "towers" saw other scenes' captions as wrong ones, as CLIP does; "towers, told what is
wrong" the same wrong captions as the reader; "towers, with the lesson" these too, in as many steps
as the reader, after its first lesson: which relation stands here? They choose between it and its
opposite. Recall is of the right one among 100 captions.
Part "pointing": the head that looks most from a word to its region, chosen on the validation
scenes: `share` of its weight on regions that is on the right one, `chance` the same for equal
weights; "hidden" if the word is. Part "silenced": with these heads, or as many others, at zero.
"""

import functools
import random

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets.scenes import object_of
from tutorial_lib.interpret import Zero, intervene
from tutorial_lib.interpret.induction import heads_by
from tutorial_lib.models.scene_reader import CLS, MASK, PAD
from tutorial_lib.recipes import scene_reader
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.recipes.scene_reader import (
    Measured,
    SceneTexts,
    build,
    build_with,
    train_reader,
    with_eyes,
)
from tutorial_lib.training import Muon

SETTINGS = scene_reader.SETTINGS | {
    "seeds": [0, 1, 2],
    "measured": 500,  # scenes
    "silenced": 3,  # heads at once
    "random_draws": 5,
    "towers": {"steps": 600, "batch_size": 32, "lr": 3e-3},
}
SMOKE = (
    SETTINGS
    | scene_reader.SMOKE
    | {"seeds": [0], "measured": 100, "silenced": 1, "random_draws": 1}
    | {"towers": {"steps": 1, "batch_size": 4, "lr": 1e-3}}
)
del SETTINGS["seed"], SETTINGS["stored_as"], SMOKE["stored_as"]
TOWERS = (  # name, told what is wrong, with the lesson
    ("towers", False, False),
    ("towers, told what is wrong", True, False),
    ("towers, with the lesson", True, True),
)

data_bytes = scene_reader.data_bytes


# --- two towers ---------------------------------------------------------------------------------


class Towers(nn.Module):
    """CLIP's kind: a tower for texts, a tower for regions, one vector each, and their products."""

    def __init__(self, settings, seed):
        super().__init__()
        self.texts, self.scenes = build(settings, seed), build(settings, seed + 1)
        self.log_scale = nn.Parameter(torch.tensor(10.0).log())

    def text_vectors(self, ids):
        """Return one vector of length 1 a text, (B, D)."""
        return F.normalize(
            self.texts.pooled(scene_reader.read(self.texts, ids, None, None)), dim=-1
        )

    def scene_vectors(self, regions, there):
        """Return one vector of length 1 a scene, (B, D): of [CLS] beside its regions."""
        ids = torch.full((len(regions), 1), CLS)
        hidden = scene_reader.read(self.scenes, ids, regions, there)
        return F.normalize(self.scenes.pooled(hidden), dim=-1)

    def scores(self, ids, regions, there):
        """Return how well each scene fits each text, (scenes, texts)."""
        scale = self.log_scale.exp().clamp(max=100)
        return scale * self.scene_vectors(regions, there) @ self.text_vectors(ids).T


class ScenePairs(SceneTexts):
    """Endless batches (ids, regions, there); told: wrong captions of the scenes follow the true."""

    def __init__(self, *about, told):
        super().__init__(*about)
        self.told = told

    def batch(self, rows, draw, generator):
        """Return the batch of scenes rows (B,)."""
        texts = [*self.true[rows]]
        if self.told:
            texts += [draw.choice(self.wrong[row]) for row in rows.tolist()]
        ids = nn.utils.rnn.pad_sequence(texts, batch_first=True)
        ids = ids[:, : int((ids != PAD).sum(dim=1).max())]
        return ids, self.regions[rows], self.scenes.present[rows]


def towers_loss(towers, batch):
    """Return the mean of two cross-entropies: which text fits the scene, which scene the text?"""
    scores = towers.scores(*batch)  # (B, B), or (B, 2 B)
    own = torch.arange(len(scores))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores[:, : len(own)].T, own)) / 2


def opposites(words):
    """Return which word stands in another one's place to say the opposite, (V,): numbers of words.

    >>> opposites(["left", "a", "right", "below", "above"])
    tensor([2, 1, 0, 4, 3])
    """
    turned = {"left": "right", "right": "left", "above": "below", "below": "above"}
    return torch.tensor([words.index(turned.get(word, word)) for word in words])


def with_opposites(batch, opposite):
    """Return the true captions (B, T) of a batch, and those that say the opposite.

    opposite (V,): numbers of words, as `opposites` gives them.
    """
    return batch["true"], torch.where(batch["gaps"], opposite[batch["true"]], batch["true"])


def opposites_loss(towers, batch, opposite):
    """Return the cross-entropy of the true caption and the one that says the opposite.

    opposite (V,): numbers of words, as `opposites` gives them.
    """
    captions = with_opposites(batch, opposite)
    scenes = towers.scene_vectors(batch["regions"], batch["there"])
    scores = [(scenes * towers.text_vectors(ids)).sum(dim=-1) for ids in captions]
    logits = towers.log_scale.exp().clamp(max=100) * torch.stack(scores, dim=1)
    return F.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long))


def train_towers(scenes, regions, settings, seed, told, progress, lesson=False):
    """Return trained Towers; lesson: the reader's first comes first, and as many steps as its."""
    towers = Towers(settings, seed)
    about = settings | settings["towers"] | {"seed": seed}
    batches = ScenePairs(towers.texts, scenes, regions, about, seed, told=told)
    for part in (towers.texts, towers.scenes):
        part.eyes.requires_grad_(False)
    if lesson:
        first, *others = settings["lessons"]
        loss = functools.partial(opposites_loss, opposite=opposites(towers.texts.words))
        some = batches.captions(first["hidden"], first["batch_size"])
        train_on_cpu(towers, some, loss, about | first, progress, optimizer=Muon)
        about["steps"] = settings["steps"] + sum(other["steps"] for other in others)
    train_on_cpu(towers, batches, towers_loss, about, progress, optimizer=Muon)
    return towers.eval()


def towers_matching(towers, test):
    """Return `captions_right` of Towers, and how often the right one of 100 captions is first."""
    with torch.no_grad():
        seen = towers.scene_vectors(test.regions, test.there)

        def score(texts, rows):
            return (seen[rows] * towers.text_vectors(towers.texts.encode(texts))).sum(dim=-1)

        shares = test.captions_right(score)
        texts = towers.text_vectors(test.true[:100])
        first = (seen[:100] @ texts.T).argmax(dim=1)
    captions = test.scenes.captions
    right = [captions[one] == captions[at] for at, one in enumerate(first.tolist())]
    return shares | {"recall": share_of_true(torch.tensor(right))}


# --- heads that point ---------------------------------------------------------------------------


def words_with_regions(test):
    """Return rows, positions (n,) and regions (n, R) of words for exactly one object each.

    regions: True where the object lies; only words whose object is in the scene once.
    """
    rows, positions, regions = [], [], []
    objects = test.scenes.objects
    for row, caption in enumerate(test.scenes.captions):
        for at, word in enumerate(caption.split()):
            index = object_of(word)
            if index is not None and (objects[row] == index).sum() == 1:
                rows.append(row)
                positions.append(at + 1)  # [CLS] comes first
                regions.append(objects[row] == index)
    return torch.tensor(rows), torch.tensor(positions), torch.stack(regions)


def pointing(model, test, hidden):
    """Return the share of each head's weight on regions that is on the right one, (L, H); chance.

    hidden: the word is replaced by [MASK].
    """
    rows, positions, right = words_with_regions(test)
    every = torch.arange(len(rows))
    ids = test.true[rows].clone()
    if hidden:
        ids[every, positions] = MASK
    with capture_attention(model) as maps, torch.no_grad():
        scene_reader.read(model, ids, test.regions[rows], test.there[rows])
    weights = torch.stack(list(maps))[:, every, :, positions, ids.size(1) :]  # (n, L, H, R)
    shares = (weights * right[:, None, None]).sum(dim=-1) / weights.sum(dim=-1)
    return shares.mean(dim=0), (1 / test.there[rows].sum(dim=1)).mean().item()


def heads_by_pointing(model, test, hidden):
    """Return all (layer, head) of a model, that which points best first."""
    shares, _ = pointing(model, test, hidden)
    return heads_by(shares)


def pointing_rows(model, name, validation, test):
    """Return the rows of part "pointing" of a model, and its maps (L, H) as lists."""
    rows, maps = [], {}
    for hidden in (False, True):
        layer, head = heads_by_pointing(model, validation, hidden)[0]
        shares, chance = pointing(model, test, hidden)
        rows.append(
            {"part": "pointing", "model": name, "hidden": hidden, "layer": layer, "head": head}
            | {"share": round(shares[layer, head].item(), 4), "chance": round(chance, 4)}
            | {"mean_share": round(shares.mean().item(), 4)}
        )
        maps["hidden" if hidden else "read"] = [
            [round(share, 4) for share in row] for row in shares.tolist()
        ]
    return rows, maps


def silenced_rows(model, validation, test, settings):
    """Return the rows of part "silenced": no head, those that point best, as many others."""
    heads = heads_by_pointing(model, validation, hidden=True)
    n, draw = settings["silenced"], random.Random(0)
    chosen = [("none", []), ("pointing", heads[:n])]
    chosen += [
        ("others", draw.sample(heads[n:] or heads, n)) for _ in range(settings["random_draws"])
    ]
    return [
        {"part": "silenced", "which": which, "heads": named(some)}
        | rounded(right_without(model, test, some))
        for which, some in chosen
    ]


def right_without(model, test, heads):
    """Return the shares of words and of answers that are right with these heads at zero."""
    with intervene(model, *(Zero(layer, head) for layer, head in heads)):
        return test.words_right(model) | test.answers_right(model)


def named(heads):
    """Return the names of heads (layer, head), sorted.

    >>> named([(3, 0), (2, 1)])
    '2.1 3.0'
    """
    return " ".join(f"{layer}.{head}" for layer, head in sorted(heads))


# --- the runs -----------------------------------------------------------------------------------


def rounded(shares):
    """Return a dict of shares with four digits."""
    return {name: round(share, 4) for name, share in shares.items()}


def run(settings, progress=True):
    """Train and measure. `maps` has, by seed, the shares of all heads of the reader (L, H)."""
    scenes, seeing, regions = with_eyes(settings | {"seed": 0}, progress)
    n = settings["measured"]
    validation, test = (Measured(seeing, n, 0, split) for split in ("validation", "test"))
    known = Measured(seeing, n, 1, "train")
    rows, maps = [], {}

    def add(about, shares, seed):
        rows.append(about | {"seed": seed} | rounded(shares))
        tell(rows[-1], progress)

    def reading(model, name, picture, measured, seed):
        about = {"part": "reading", "model": name, "picture": picture}
        about["facts"] = "of training" if measured is known else "new"
        shares = measured.words_right(model, picture) | measured.answers_right(model, picture)
        add(about, shares, seed)
        add(about | {"part": "matching"}, measured.matching(model, picture), seed)

    for seed in settings["seeds"]:
        reader = build_with(seeing.eyes, settings, seed)
        untrained = pointing_rows(reader.eval(), "untrained", validation, test)[0]
        train_reader(reader, scenes, regions, settings, seed, progress)
        for picture in ("its own", "another's", "none"):
            reading(reader, "reader", picture, test, seed)
        reading(reader, "reader", "its own", known, seed)
        found, maps[str(seed)] = pointing_rows(reader, "reader", validation, test)
        rows += [row | {"seed": seed} for row in untrained + found]
        rows += [row | {"seed": seed} for row in silenced_rows(reader, validation, test, settings)]
        blind = build(settings, seed)
        train_reader(blind, scenes, regions, settings, seed, progress, blind=True)
        reading(blind, "blind", "none", test, seed)
        for name, told, lesson in TOWERS:
            towers = train_towers(scenes, regions, settings, seed, told, progress, lesson)
            about = {"part": "matching", "model": name, "picture": "its own", "facts": "new"}
            add(about, towers_matching(towers, test), seed)
    return {"rows": rows, "maps": maps}
