"""Chapter 10: a VisualBERT that reads a scene of emoji with its caption, or a question about it.

Its regions are the boxes of a scene. A small CNN, trained to name single objects, makes 32 numbers
of each, and its classifier is cut off; the four numbers of the box stand behind them. The reader
first fills in only the words that say who is where: told everything at once, it learned what is
there and never got beyond chance on where. Then it fills hidden words of all kinds, says whether a
caption is true of the scene, and answers questions, all three in every step. No fact of the
validation and test scenes is among those of training.
"""

import functools
import random
import re

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets.scenes import (
    ANSWERS,
    COUNTS,
    OBJECTS,
    RELATIONS,
    ask_scenes,
    crop_boxes,
    draw_scenes,
    object_of,
    scene_facts,
    with_article,
)
from tutorial_lib.models.scene_reader import MASK, PAD, SceneReaderConfig
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seed": 1,  # its heads point clearest; the table `scenes` has all three
    "scenes": 12_000,
    "eyes": {"steps": 300, "batch_size": 64, "lr": 3e-3},
    "sizes": {"d_model": 64, "n_layers": 4, "n_heads": 4, "d_features": 32},
    "lessons": [  # words hidden in captions, before there is anything to judge or to answer
        {"hidden": ["relation"], "steps": 1_000, "batch_size": 64},
        {"hidden": ["object", "relation", "number"], "steps": 400, "batch_size": 64},
    ],
    "steps": 2_000,
    "batch_size": 24,  # scenes a step: of each a caption with a gap, one to judge, and a question
    "lr": 3e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "scenes": 200,
    "eyes": SETTINGS["eyes"] | {"steps": 2, "batch_size": 8},
    "sizes": {"d_model": 8, "n_layers": 1, "n_heads": 2, "d_features": 8},
    "lessons": [lesson | {"steps": 2, "batch_size": 4} for lesson in SETTINGS["lessons"]],
    "steps": 2,
    "batch_size": 4,
}
MEASURED = 500  # scenes of the test part
# What can be wrong with a caption: two things have changed places, another relation stands there,
# a thing that is not in the scene, another number, or it is another scene's.
WRONG = ("exchanged", "relation", "object", "number", "another scene's")
KINDS = {"object": OBJECTS, "relation": RELATIONS, "number": COUNTS}  # of words
_PHRASES = {f"to the {way}": way for way in RELATIONS[:2]} | {way: way for way in RELATIONS[2:]}
_CUT = re.compile(f" ({'|'.join(_PHRASES)}) ")


def data_bytes():
    """Return the captions of the first training scenes, from which everything else follows."""
    return "\n".join(draw_scenes(1_000, 0).captions).encode()


# --- captions that are wrong --------------------------------------------------------------------


def wrong_captions(scenes, row, allowed=None, generator=random):
    """Return captions that are false of a scene, a dict: what is wrong (of `WRONG`) -> caption.

    allowed: the facts that they may state, None: all. In training these are the training facts,
    as for true captions: whether a fact was met before says nothing about its truth.
    """
    caption, facts, there = scenes.captions[row], scenes.facts[row], scenes.count(row)
    first, relation, second = facts[0]

    def may(*fact):
        return allowed is None or fact in allowed

    found = {}
    if len(facts) == 1:
        one, _, two = _CUT.split(caption)
        phrase = next(phrase for phrase, way in _PHRASES.items() if way == relation)
        if may(second, relation, first):
            found["exchanged"] = f"{two} {phrase} {one}"
        others = [said for said, way in _PHRASES.items() if way != relation]
        others = [said for said in others if may(first, _PHRASES[said], second)]
        if others:
            found["relation"] = f"{one} {generator.choice(others)} {two}"
        if there[second] == 1:
            new = [name for name in OBJECTS if name not in there and may(first, relation, name)]
            if new:
                found["object"] = f"{one} {phrase} {with_article(generator.choice(new))}"
    number = re.search(r"\b(two|three)\b", caption)
    if number:
        other = {"two": "three", "three": "two"}[number[0]]
        found["number"] = caption[: number.start()] + other + caption[number.end() :]
    for _ in range(20):
        other = scenes.captions[generator.randrange(len(scenes))]
        if {object_of(word) for word in other.split()} != {
            object_of(word) for word in caption.split()
        }:
            found["another scene's"] = other
            break
    return found


# --- seeing -------------------------------------------------------------------------------------


class Crops:
    """Endless batches (crops, objects) of single objects of scenes; every `iter` starts anew."""

    def __init__(self, scenes, settings, seed):
        self.scenes, self.settings, self.seed = scenes, settings, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        n = self.settings["batch_size"] // 2  # scenes of two objects or more
        while True:
            rows = torch.randint(len(self.scenes), (n,), generator=generator)
            there = self.scenes.present[rows]
            crops = crop_boxes(self.scenes.draw(rows.tolist()), self.scenes.boxes[rows])
            yield crops[there], self.scenes.objects[rows][there]


def eyes_loss(eyes, batch):
    """Return the cross-entropy of what is on the crops."""
    crops, objects = batch
    return F.cross_entropy(eyes.object_logits(crops), objects)


def regions_of(reader, scenes):
    """Return the regions (N, R, F + 4) of scenes, as the reader's eyes see them."""
    found = []
    with torch.no_grad():
        for rows in torch.arange(len(scenes)).split(250):
            crops = crop_boxes(scenes.draw(rows.tolist()), scenes.boxes[rows])
            found.append(reader.see(crops, scenes.boxes[rows]))
    return torch.cat(found)


# --- reading ------------------------------------------------------------------------------------


@functools.cache
def scene_words():
    """Return the words of captions of training scenes, and of questions about them, sorted."""
    scenes = draw_scenes(4_000, 0)
    texts = [*scenes.captions, *(asked.question for asked in ask_scenes(scenes, 0))]
    return sorted({word for text in texts for word in text.split()})


def build(settings, seed):
    """Return an untrained reader of `scene_words`."""
    set_seed(seed)
    words = scene_words()
    sizes = settings["sizes"] | {"n_objects": len(OBJECTS)}
    reader = begin(SceneReaderConfig.of(words, ANSWERS, **sizes).build())
    with torch.no_grad():  # boxes differ by a quarter of what features do
        reader.visual_projection.weight[:, -4:] *= 4
    return reader


def build_with(eyes, settings, seed):
    """Return an untrained reader that sees with these eyes."""
    reader = build(settings, seed)
    reader.eyes.load_state_dict(eyes.state_dict())
    return reader


def begin(model):
    """Give a model weights that fit its width: 0.02 is for models ten times as wide."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    return model


class SceneTexts:
    """Endless batches of scenes with texts; every `iter` starts from the seed.

    A batch is a dict: regions (B, R, F + 4), there (B, R), ids (3 B, T): captions with a gap,
    captions to judge, questions; gaps (B, T) and true (B, T): what is hidden; matches (B,): 0 for
    a true caption; answers (B,).
    """

    def __init__(self, reader, scenes, regions, settings, seed):
        self.scenes, self.regions, self.settings, self.seed = scenes, regions, settings, seed
        draw, allowed = random.Random(0), set(scene_facts(scenes.split))
        self.true = reader.encode(scenes.captions)
        self.words = reader.words
        self.kinds = {kind: telling_words(reader.words, kind) for kind in KINDS}  # each (V,)
        self.telling = torch.stack([*self.kinds.values()]).any(dim=0)[None]
        self.wrong, self.asked = [], [[] for _ in range(len(scenes))]
        for row in range(len(scenes)):
            wrong = wrong_captions(scenes, row, allowed, draw)
            near = [text for kind, text in wrong.items() if kind != WRONG[-1]]
            self.wrong.append(list(reader.encode(near or wrong.values())))
        for asked in ask_scenes(scenes, 0):
            question = reader.encode([asked.question])[0]
            self.asked[asked.row].append((question, ANSWERS.index(asked.answer)))

    def __iter__(self):
        draw, generator = random.Random(self.seed), torch.Generator().manual_seed(self.seed)
        while True:
            yield self.batch(self.drawn(self.settings["batch_size"], generator), draw, generator)

    def drawn(self, n, generator):
        """Return rows (n,) of scenes."""
        return torch.randint(len(self.scenes), (n,), generator=generator)

    def captions(self, hidden, batch_size):
        """Yield endless batches of captions alone, in each one word of one of the kinds hidden."""
        generator = torch.Generator().manual_seed(self.seed)
        kinds = torch.stack([self.kinds[kind] for kind in hidden])
        while True:
            rows = self.drawn(batch_size, generator)
            true, gaps = self.gapped(rows, kinds, generator)
            length = int((true != PAD).sum(dim=1).max())
            yield {
                "regions": self.regions[rows],
                "there": self.scenes.present[rows],
                "ids": true.masked_fill(gaps, MASK)[:, :length],
                "gaps": gaps[:, :length],
                "true": true[:, :length],
            }

    def gapped(self, rows, kinds, generator):
        """Return captions (B, T), and True where one word is hidden in each.

        Of the kinds (K, V) that a caption has, one is drawn, and of its words one.
        """
        true = self.true[rows]
        words = kinds[:, true]  # (K, B, T)
        drawn = torch.rand(words.shape[:2], generator=generator) * words.any(dim=-1)
        words = words[drawn.argmax(dim=0), torch.arange(len(true))]
        chances = torch.rand(true.shape, generator=generator) * words
        return true, chances == chances.amax(dim=1, keepdim=True)

    def batch(self, rows, draw, generator):
        """Return the batch of scenes rows (B,)."""
        true, gaps = self.gapped(rows, self.telling, generator)
        judged, matches, questions, answers = [], [], [], []
        for row in rows.tolist():
            matches.append(draw.randrange(2))
            judged.append(draw.choice(self.wrong[row]) if matches[-1] else self.true[row])
            question, answer = draw.choice(self.asked[row])
            questions.append(question)
            answers.append(answer)
        texts = [*true.masked_fill(gaps, MASK), *judged, *questions]
        ids = nn.utils.rnn.pad_sequence(texts, batch_first=True)
        ids = ids[:, : int((ids != PAD).sum(dim=1).max())]
        length = ids.size(1)
        return {
            "regions": self.regions[rows],
            "there": self.scenes.present[rows],
            "ids": ids,
            "gaps": F.pad(gaps, (0, length))[:, :length],
            "true": F.pad(true, (0, length))[:, :length],
            "matches": torch.tensor(matches),
            "answers": torch.tensor(answers),
        }


def telling_words(words, kind):
    """Return which of the words (V,) are objects, relations or numbers; kind is one of `KINDS`."""
    if kind == "object":
        return torch.tensor([object_of(word) is not None for word in words])
    first = {name.split()[0] for name in KINDS[kind]}  # "left" of "left of"
    return torch.tensor([word in first for word in words])


def read(model, ids, regions, there):
    """Return the hidden states of texts ids (B, T) beside regions; None: without a picture."""
    words = ids != PAD
    if regions is None:
        return model(ids, mask=words)
    return model(ids, regions, mask=torch.cat([words, there], dim=1))


def reading_loss(model, batch, blind=False):
    """Return the sum of three cross-entropies: hidden words, is it true, answers.

    blind: the model gets the texts alone.
    """
    regions = None if blind else batch["regions"].repeat(3, 1, 1)
    hidden = read(model, batch["ids"], regions, batch["there"].repeat(3, 1))
    gapped, judged, asked = hidden.chunk(3)
    return (
        _words_loss(model, gapped, batch)
        + F.cross_entropy(model.match_logits(judged), batch["matches"])
        + F.cross_entropy(model.answer_logits(asked), batch["answers"])
    )


def words_loss(model, batch, blind=False):
    """Return the cross-entropy of hidden words; blind: the model gets the texts alone."""
    hidden = read(model, batch["ids"], None if blind else batch["regions"], batch["there"])
    return _words_loss(model, hidden, batch)


def _words_loss(model, hidden, batch):
    gaps = batch["gaps"]
    words = model.mlm_logits(hidden[:, : gaps.size(1)][gaps])
    return F.cross_entropy(words, batch["true"][gaps])


def train_reader(reader, scenes, regions, settings, seed, progress=True, blind=False):
    """Train all of a reader but its eyes on scenes, lessons first; blind: on texts alone."""
    reader.eyes.requires_grad_(False)
    batches = SceneTexts(reader, scenes, regions, settings, seed)
    about = settings | {"seed": seed}
    for lesson in settings["lessons"]:
        some = batches.captions(lesson["hidden"], lesson["batch_size"])
        told = functools.partial(words_loss, blind=blind)
        train_on_cpu(reader, some, told, about | lesson, progress, optimizer=Muon)
    told = functools.partial(reading_loss, blind=blind)
    train_on_cpu(reader, batches, told, about, progress, optimizer=Muon)
    return reader.eval()


def with_eyes(settings, progress=True):
    """Return training scenes, a reader with trained eyes, and what these see of the scenes."""
    scenes = draw_scenes(settings["scenes"], settings["seed"])
    reader = build(settings, settings["seed"])
    batches = Crops(scenes, settings["eyes"], settings["seed"])
    about = settings["eyes"] | {"seed": settings["seed"]}
    train_on_cpu(reader.eyes, batches, eyes_loss, about, progress)
    reader.eval()
    return scenes, reader, regions_of(reader, scenes)


def train(settings, progress=True):
    """Train the eyes on single objects, then the reader on what they see."""
    scenes, seeing, regions = with_eyes(settings | {"seed": 0}, progress)  # as in `scenes`
    reader = build_with(seeing.eyes, settings, settings["seed"])
    return train_reader(reader, scenes, regions, settings, settings["seed"], progress)


# --- what is measured ---------------------------------------------------------------------------


class Measured:
    """Scenes on which readers are measured, with all that does not depend on the reader's weights.

    pictures: "its own", "another's" (of the scene before it) or "none".
    """

    def __init__(self, reader, n, seed, split):
        self.scenes = draw_scenes(n, seed, split)
        self.regions, self.there = regions_of(reader, self.scenes), self.scenes.present
        self.true = reader.encode(self.scenes.captions)
        self.questions = ask_scenes(self.scenes, 0)
        draw = random.Random(0)
        self.wrong = [wrong_captions(self.scenes, row, None, draw) for row in range(n)]
        self.words = reader.words
        self.gaps = {kind: self._gaps(kind) for kind in KINDS}

    def _gaps(self, kind):
        """Return rows (n,) of captions with a word of a kind, and in which position (n,) one is."""
        can = telling_words(self.words, kind)[self.true]  # (N, T)
        draw = torch.rand(can.shape, generator=torch.Generator().manual_seed(0))
        rows = can.any(dim=1).nonzero().flatten()
        return rows, (draw * can).argmax(dim=1)[rows]

    def read(self, model, ids, rows, picture="its own"):
        """Return the hidden states of ids (n, T) beside the pictures of the scenes rows (n,)."""
        found = []
        with torch.no_grad():
            for some, at in zip(ids.split(100), rows.split(100), strict=True):
                seen = (at - 1) % len(self.scenes) if picture == "another's" else at
                regions = None if picture == "none" else self.regions[seen]
                found.append(read(model, some, regions, self.there[seen])[:, : ids.size(1)])
        return torch.cat(found)

    def words_right(self, model, picture="its own"):
        """Return the share of single hidden words of each kind that the model fills in."""
        shares = {}
        for kind, (rows, at) in self.gaps.items():
            true = self.true[rows]
            gap = torch.arange(true.size(1)) == at[:, None]
            hidden = self.read(model, true.masked_fill(gap, MASK), rows, picture)
            shares[kind] = share_of_true(model.mlm_logits(hidden[gap]).argmax(dim=-1) == true[gap])
        return shares

    def answers_right(self, model, picture="its own"):
        """Return the share of questions of each kind that are answered right."""
        ids = model.encode([asked.question for asked in self.questions])
        rows = torch.tensor([asked.row for asked in self.questions])
        found = model.answer_logits(self.read(model, ids, rows, picture)).argmax(dim=-1)
        right = found == torch.tensor([ANSWERS.index(asked.answer) for asked in self.questions])
        kinds = [asked.kind for asked in self.questions]
        return {
            kind: share_of_true(right[torch.tensor([one == kind for one in kinds])])
            for kind in sorted(set(kinds))
        }

    def captions_right(self, score):
        """Return, for each kind of wrong caption, how often the true one scores higher.

        score(texts, rows): how well each text fits the scene in its row, (n,). Of two equal scores
        half count.
        """
        every = torch.arange(len(self.scenes))
        of_true = score(self.scenes.captions, every)
        shares = {}
        for kind in WRONG:
            rows = [row for row in every.tolist() if kind in self.wrong[row]]
            if rows:
                of_wrong = score([self.wrong[row][kind] for row in rows], torch.tensor(rows))
                more, same = of_true[rows] > of_wrong, of_true[rows] == of_wrong
                shares[kind] = share_of_true(more) + share_of_true(same) / 2
        return shares

    def matching(self, model, picture="its own"):
        """Return `captions_right` by a reader's judgement."""

        def score(texts, rows):
            logits = model.match_logits(self.read(model, model.encode(texts), rows, picture))
            return logits[:, 0] - logits[:, 1]

        return self.captions_right(score)


def evaluate(model):
    """Return shares of what is right on scenes with facts that training never showed."""
    test = Measured(model, MEASURED, 0, "test")
    found = {f"hidden {kind}": share for kind, share in test.words_right(model).items()}
    found |= {f"not {kind}": share for kind, share in test.matching(model).items()}
    return found | {f"asked {kind}": share for kind, share in test.answers_right(model).items()}
