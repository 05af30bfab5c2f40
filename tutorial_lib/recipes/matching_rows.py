"""Chapter 10: does a row tell who is where when it learns from matching alone, as towers do?

The reader of `scene-reader` also fills gaps and answers questions. This row does not: like the
towers "with the lesson" of `scenes` it first chooses, in as many steps, between a caption and the
one that says the opposite, then between a caption and a near miss. Same scenes, same eyes, same
measure; words and regions meet in every layer, those of the towers at the end.
"""

import functools

import torch
import torch.nn.functional as F

from tutorial_lib.recipes import scenes as table
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.recipes.scene_reader import Measured, build_with, read, with_eyes
from tutorial_lib.training import Muon

SETTINGS = table.SETTINGS
SMOKE = table.SMOKE

data_bytes = table.data_bytes


def choosing_loss(row, captions, regions, there):
    """Return the cross-entropy of choosing the first of two captions, ids (B, T) each."""
    scores = []
    for ids in captions:
        logits = row.match_logits(read(row, ids, regions, there))
        scores.append(logits[:, 0] - logits[:, 1])
    return F.cross_entropy(torch.stack(scores, dim=1), torch.zeros(len(regions), dtype=torch.long))


def opposites_loss(row, batch, opposite):
    """Return `choosing_loss` of the true caption and the one that says the opposite."""
    captions = table.with_opposites(batch, opposite)
    return choosing_loss(row, captions, batch["regions"], batch["there"])


def near_misses_loss(row, batch):
    """Return `choosing_loss` of the true caption and a near miss; batch: of `ScenePairs`, told."""
    ids, regions, there = batch
    return choosing_loss(row, ids.chunk(2), regions, there)


def train_row(eyes, scenes, regions, settings, seed, progress=True):
    """Return a VisualBERT that has learned from matching alone, in the steps of the towers."""
    row = build_with(eyes, settings, seed)
    row.eyes.requires_grad_(False)
    about = settings | settings["towers"] | {"seed": seed}
    batches = table.ScenePairs(row, scenes, regions, about, seed, told=True)
    first, *others = settings["lessons"]
    loss = functools.partial(opposites_loss, opposite=table.opposites(row.words))
    some = batches.captions(first["hidden"], first["batch_size"])
    train_on_cpu(row, some, loss, about | first, progress, optimizer=Muon)
    about["steps"] = settings["steps"] + sum(other["steps"] for other in others)
    train_on_cpu(row, batches, near_misses_loss, about, progress, optimizer=Muon)
    return row.eval()


def run(settings, progress=True):
    """Train a row for each seed; return what it makes of wrong captions, as `scenes` does."""
    scenes, seeing, regions = with_eyes(settings | {"seed": 0}, progress)
    test = Measured(seeing, settings["measured"], 0, "test")
    rows = []
    for seed in settings["seeds"]:
        row = train_row(seeing.eyes, scenes, regions, settings, seed, progress)
        rows.append({"model": "row, matching alone", "seed": seed})
        rows[-1] |= table.rounded(test.matching(row))
        tell(rows[-1], progress)
    return {"rows": rows}
