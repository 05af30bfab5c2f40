"""Chapter 10: a VisualBERT that reads scenes of emoji with their captions and questions about them.
"""

import random
import re

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets.scenes import (
    ANSWERS,
    OBJECTS,
    RELATIONS,
    ask_scenes,
    crop_boxes,
    draw_scenes,
    object_of,
    scene_facts,
)
from tutorial_lib.models.scene_reader import CLS, MASK, PAD, SEP, SceneReaderConfig
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.training import set_seed

SETTINGS = {
    "seed": 0,
    "scenes": 12_000,
    "eyes": {"steps": 500, "batch_size": 64, "lr": 3e-3},
    "sizes": {"d_model": 64, "n_layers": 3, "n_heads": 4, "d_features": 32},
    "steps": 2_000,
    "batch_size": 24,  # scenes; of each a masked caption, one that is true or not, and a question
    "hidden": 0.25,  # of the words of a masked caption
    "lr": 3e-3,
    "stored_as": "float16",
}
WRONG = ("exchanged", "relation", "object", "number")
_PHRASES = {"to the left of": "left of", "to the right of": "right of", "above": "above", "below": "below"}
_CUT = re.compile(r" (to the left of|to the right of|above|below) ")


def wrong_captions(scenes, row, allowed=None, generator=random):
    """Return the wrong captions of a scene, a dict kind -> text."""
    caption = scenes.captions[row]
    there = scenes.count(row)
    parts = _CUT.split(caption)
    found = {}
    ok = lambda a, r, b: allowed is None or (a, r, b) in allowed
    facts = scenes.facts[row]
    if len(facts) == 1:
        (first, relation, second), (one, phrase, two) = facts[0], parts
        if ok(second, relation, first):
            found["exchanged"] = f"{two} {phrase} {one}"
        others = [p for p, r in _PHRASES.items() if r != relation and ok(first, r, second)]
        if others:
            found["relation"] = f"{one} {generator.choice(others)} {two}"
    single = [(i, name) for i, name in enumerate((f[0] for f in facts[:1])) if there[name] == 1]
    # another object in place of the first or second
    at = generator.randrange(2)
    name = (facts[0][0], facts[0][2])[at]
    if there[name] == 1:
        a, r, b = facts[0]
        new = [o for o in OBJECTS if o not in there and ok(*((o, r, b) if at == 0 else (a, r, o)))
               and (at == 1 or len(facts) == 1 or ok(o, *facts[1][1:]))]
        o = generator.choice(new)
        old = re.compile(rf"\ban? {name}\b")
        found["object"] = old.sub(f"{'an' if o[0] in 'aeiou' else 'a'} {o}", caption)
    if " two " in f" {caption}":
        found["number"] = caption.replace("two ", "three ")
    elif "three " in caption:
        found["number"] = caption.replace("three ", "two ")
    return found


def regions_of(reader, scenes):
    """Return regions (N, R, F + 4) of scenes, drawn some at a time."""
    found = []
    with torch.no_grad():
        for rows in torch.arange(len(scenes)).split(250):
            crops = crop_boxes(scenes.draw(rows.tolist()), scenes.boxes[rows])
            found.append(reader.see(crops, scenes.boxes[rows]))
    return torch.cat(found)


def eye_loss(eyes, batch):
    crops, labels = batch
    return F.cross_entropy(eyes.object_logits(crops), labels)


class CropBatches:
    def __init__(self, scenes, size, seed):
        self.scenes, self.size, self.seed = scenes, size, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            rows = torch.randint(len(self.scenes), (self.size // 2,), generator=generator)
            crops = crop_boxes(self.scenes.draw(rows.tolist()), self.scenes.boxes[rows])
            there = self.scenes.present[rows]
            yield crops[there], self.scenes.objects[rows][there]


def build(settings, scenes):
    """Return the untrained reader, whose words are those of the training scenes."""
    texts = [*scenes.captions, *(asked.question for asked in ask_scenes(scenes, 0))]
    words = sorted({word for text in texts for word in text.split()})
    model = SceneReaderConfig.of(words, ANSWERS, n_objects=len(OBJECTS), **settings["sizes"]).build()
    return begin(model)


def begin(model):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    return model


class SceneTexts:
    """What a reader trains on."""

    def __init__(self, reader, scenes, regions, settings, seed):
        self.scenes, self.regions, self.settings, self.seed = scenes, regions, settings, seed
        draw = random.Random(0)
        allowed = set(scene_facts(scenes.split))
        self.true = reader.encode(scenes.captions)
        wrong = [wrong_captions(scenes, row, allowed, draw) for row in range(len(scenes))]
        self.wrong = [[reader.encode([text])[0] for text in some.values()] for some in wrong]
        self.asked = {}
        for q in ask_scenes(scenes, 0):
            self.asked.setdefault(q.row, []).append((reader.encode([q.question])[0], ANSWERS.index(q.answer)))

    def __iter__(self):
        draw = random.Random(self.seed)
        generator = torch.Generator().manual_seed(self.seed)
        size = self.settings["batch_size"]
        while True:
            rows = torch.randint(len(self.scenes), (size,), generator=generator)
            true = self.true[rows]
            hidden = (torch.rand(true.shape, generator=generator) < self.settings["hidden"]) & (true > MASK)
            said, matches, asked, answers = [], [], [], []
            for row in rows.tolist():
                right = not self.wrong[row] or draw.random() < 0.5
                said.append(self.true[row] if right else draw.choice(self.wrong[row]))
                matches.append(0 if right else 1)
                q, a = draw.choice(self.asked[row])
                asked.append(q)
                answers.append(a)
            texts = [*true.masked_fill(hidden, MASK), *said, *asked]
            ids = nn.utils.rnn.pad_sequence(texts, batch_first=True)
            ids = ids[:, : (ids != PAD).any(dim=0).sum()]
            T = ids.size(1)
            hidden, true = F.pad(hidden, (0, T))[:, :T], F.pad(true, (0, T))[:, :T]
            there = self.scenes.present[rows]
            yield ids, self.regions[rows], there, hidden, true, torch.tensor(matches), torch.tensor(answers)


def read(model, ids, regions, there):
    """Hidden states."""
    if regions is None:
        return model(ids, None, mask=ids != PAD)
    return model(ids, regions, mask=torch.cat([ids != PAD, there], dim=1))


def reading_loss(model, batch, blind=False):
    ids, regions, there, hidden, true, matches, answers = batch
    n = len(regions)
    states = read(model, ids, None if blind else regions.repeat(3, 1, 1), there.repeat(3, 1))
    words = F.cross_entropy(model.mlm_logits(states[:n, : ids.size(1)][hidden]), true[hidden])
    match = F.cross_entropy(model.match_logits(states[n : 2 * n]), matches)
    answer = F.cross_entropy(model.answer_logits(states[2 * n :]), answers)
    return words + match + answer
