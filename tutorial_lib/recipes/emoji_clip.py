"""Chapter 10: what CLIP needs to find emoji that it was never shown, and where it fails.

Frozen encoders (recipe `emoji-finder`, whose stored vectors are used here) with one head, from the
pictures to MiniLM's own space, with two, and with hidden layers, against a small CLIP from scratch,
on the same names and pictures. The control that must fail: names
shuffled among the pictures. The one that must succeed: pictures of concepts that training shows in
other skin tones. Then batches of 8 to 1,024 pictures, classes without training by one prompt and by
many, and pairs of sentences about scenes of which one is true: the same words in another order,
another number, a negation. Learning rates are chosen on the validation part with a seed of its own.
"""

import random

import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression

from tutorial_lib.datasets import draw_scenes, load_named_emoji
from tutorial_lib.datasets.scenes import COUNTS, OBJECTS, with_article
from tutorial_lib.models import CLIP, CLIPConfig
from tutorial_lib.models.picture_finder import PARTS
from tutorial_lib.objectives import contrastive_loss
from tutorial_lib.recipes import emoji_finder
from tutorial_lib.recipes.emoji_finder import (
    concept_numbers,
    learn,
    one_a_concept,
    read_names,
    read_pictures,
    recalls,
)
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import set_seed

END = "<|end|>"
CHOSEN_BY = ("concepts_of_texts_at_5", "texts_of_concepts_at_5")
LEARNING = ("d_joint", "d_hidden", "texts_stay", "dropout", "steps", "batch_size", "one_a_concept")
LEARNING = (*LEARNING, "weight_decay")
SETTINGS = {
    "seeds": [0, 1, 2],
    "choice_seed": 10,
    "ways": [
        "one head",
        "two heads",
        "hidden layers",
        "from scratch",
        "shuffled names",
        "another tone",
    ],
    "heads": {name: emoji_finder.SETTINGS[name] for name in LEARNING} | {"rates": [1e-3, 3e-3]},
    "d_hidden": 512,  # of "hidden layers"
    "tone": "medium-dark skin tone",  # that training leaves out, in "another tone"
    "scratch": {
        "sizes": {"image_size": 32, "patch_size": 8, "d_image": 64, "n_image_layers": 2}
        | {"n_image_heads": 4, "d_model": 64, "n_layers": 2, "n_heads": 4, "d_joint": 64},
        "context": 24,
        "vocab_size": 1_000,
        "steps": 300,
        "batch_size": 128,
        "rates": [1e-3, 3e-3],
        "weight_decay": 0.1,
    },
    "batch_sizes": [8, 32, 128, 512, 1024],
    "n_seen": 40_000,  # pictures, for every batch size
    "scenes": {"train": 600, "test": 400, "size": 112, "seed": 0},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "heads": SETTINGS["heads"] | {"steps": 2, "rates": [1e-3]},
    "d_hidden": 8,
    "scratch": SETTINGS["scratch"]
    | {"steps": 2, "batch_size": 8, "rates": [1e-3], "vocab_size": 300},
    "batch_sizes": [8],
    "n_seen": 16,
    "scenes": {"train": 8, "test": 60, "size": 56, "seed": 0},
}
# Nine classes, Unicode's groups, in words that may stand for them.
PROMPTS = {
    "Smileys & Emotion": ["face", "smiling face", "sad face", "heart", "emotion", "cat face"],
    "People & Body": ["person", "man", "woman", "hand", "part of the body", "people", "child"],
    "Animals & Nature": ["animal", "bird", "fish", "insect", "plant", "flower", "wild animal"],
    "Food & Drink": ["food", "drink", "fruit", "vegetable", "dish", "sweet food", "meal"],
    "Travel & Places": ["vehicle", "building", "place", "weather", "sky", "map", "time of day"],
    "Activities": ["sport", "game", "art", "celebration", "medal", "hobby", "toy"],
    "Objects": ["tool", "clothes", "office supply", "musical instrument", "device", "container"],
    "Symbols": ["symbol", "sign", "arrow", "button", "geometric shape", "letter", "punctuation"],
    "Flags": ["flag", "flag of a country", "national flag", "banner", "country"],
}
TEMPLATES = ["{}", "a picture of {}", "an emoji of {}", "a drawing of {}", "this is {}"]


class Emoji:
    """One part of the emoji: what the encoders made of names and pictures, and all the rest."""

    def __init__(self, finder, part, name):
        self.names, self.pictures = finder.stored(name)
        n = len(self.names)
        self.texts, self.groups, self.images = part.names[:n], part.groups[:n], part.images[:n]
        self.concepts = concept_numbers(part.concepts[:n])

    def of(self, rows):
        """Return names, pictures and concepts of some rows, as `learn` takes them."""
        return self.names[rows], self.pictures[rows], self.concepts[rows]


def run(settings, progress=True):
    """Choose rates, then measure recall of all ways and batch sizes, classes and sentences.

    `rows` has a row for each way and seed, `batches` for each size and seed, `classes` for each
    kind of prompt and seed, `sentences` for each question, training and seed; `choices` has every
    rate that was tried, with its mean recall on the validation part.
    """
    finder = load_checkpoint("emoji-finder")
    emoji = load_named_emoji(settings["scratch"]["sizes"]["image_size"])
    parts = {name: Emoji(finder, getattr(emoji, name), name) for name in PARTS}
    choices = []

    def choose(about, rates, learned):
        """Return the rate with which learned(rate, seed) finds most of the validation part."""
        tried = []
        for lr in rates:
            found = learned(lr, settings["choice_seed"])("validation")
            recall = sum(found[name] for name in CHOSEN_BY) / len(CHOSEN_BY)
            tried.append(about | {"lr": lr, "recall": recall})
            tell(tried[-1], progress)
        choices.extend(tried)
        return max(tried, key=lambda row: row["recall"])["lr"]

    rows, batches = [], []
    for name in settings["ways"]:
        way, rates = WAYS[name], settings["scratch" if name == "from scratch" else "heads"]["rates"]

        def learned(lr, seed, way=way):
            return way(parts, lr, seed, settings)

        lr = choose({"way": name}, rates, learned)
        for seed in settings["seeds"]:
            rows.append({"way": name, "seed": seed, "lr": lr} | learned(lr, seed)("test"))
            tell(rows[-1], progress)
    for size in settings["batch_sizes"]:
        batch = {"batch_size": size, "steps": max(1, settings["n_seen"] // size)}
        changed = settings | {"heads": settings["heads"] | batch}

        def learned(lr, seed, changed=changed):
            return one_head(parts, lr, seed, changed)

        lr = choose({"way": f"batches of {size}"}, settings["heads"]["rates"], learned)
        for seed in settings["seeds"]:
            batches.append(batch | {"seed": seed, "lr": lr} | learned(lr, seed)("test"))
            tell(batches[-1], progress)
    lr = next(row["lr"] for row in rows if row["way"] == "one head")
    return {
        "rows": rows,
        "batches": batches,
        "classes": classes(parts, lr, settings, progress),
        "sentences": sentences(parts, lr, settings, progress),
        "choices": choices,
    }


def with_heads(parts, rows, lr, seed, settings):
    """Return heads that learned these rows of the training part: pairs (name's row, picture's)."""
    train, (of_names, of_pictures) = parts["train"], rows
    pairs = (train.names[of_names], train.pictures[of_pictures], train.concepts[of_pictures])
    return learn(*pairs, settings["heads"] | {"lr": lr}, seed)


def measured(heads, parts):
    """Return score(part): the `recalls` of heads."""

    @torch.no_grad()
    def score(name):
        part = parts[name]
        return recalls(heads(part.names, part.pictures), part.concepts)

    return score


def one_head(parts, lr, seed, settings):
    """Both encoders frozen, a linear map from the pictures into MiniLM's own space."""
    rows = torch.arange(len(parts["train"].names))
    return measured(with_heads(parts, (rows, rows), lr, seed, settings), parts)


def two_heads(parts, lr, seed, settings, d_hidden=None):
    """Both encoders frozen, a linear map on each, to a space of their own."""
    heads = settings["heads"] | {"texts_stay": False, "d_hidden": d_hidden}
    return one_head(parts, lr, seed, settings | {"heads": heads})


def hidden_layers(parts, lr, seed, settings):
    """Both encoders frozen, a head with a hidden layer on each."""
    return two_heads(parts, lr, seed, settings, settings["d_hidden"])


def shuffled_names(parts, lr, seed, settings):
    """As one head, but each picture learns the name of another one."""
    n = len(parts["train"].names)
    names = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    return measured(with_heads(parts, (names, torch.arange(n)), lr, seed, settings), parts)


def another_tone(parts, lr, seed, settings):
    """As one head, without one skin tone; the test asks for training concepts in this tone."""
    of_tone = torch.tensor(
        [text.endswith(f": {settings['tone']}") for text in parts["train"].texts]
    )
    rows = (~of_tone).nonzero().flatten()
    heads = with_heads(parts, (rows, rows), lr, seed, settings)

    @torch.no_grad()
    def score(name):
        if name != "test":
            return measured(heads, parts)(name)
        names, pictures, concepts = parts["train"].of(of_tone)
        return recalls(heads(names, pictures), concepts)

    return score


def from_scratch(parts, lr, seed, settings):
    """A small CLIP that has seen nothing but the training part."""
    about, train = settings["scratch"], parts["train"]
    set_seed(seed)
    tokenizer = BPETokenizer.train("\n".join(train.texts), about["vocab_size"], [END])
    end = tokenizer.encode(END, allowed_special=[END])
    size = {"vocab_size": tokenizer.vocab_size, "context": about["context"], "end_id": end[0]}
    model = CLIP(CLIPConfig(**about["sizes"], **size))

    def ids(texts):
        rows = [tokenizer.encode(text)[: about["context"] - 1] + end for text in texts]
        longest = max(map(len, rows))
        return torch.tensor([row + end * (longest - len(row)) for row in rows])  # (N, T)

    train_ids = ids(train.texts)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=about["weight_decay"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, about["steps"])
    for _ in range(about["steps"]):
        rows = one_a_concept(train.concepts)[: about["batch_size"]]
        images = torch.stack([moved(image) for image in train.images[rows]])
        loss = contrastive_loss(model(2 * images - 1, train_ids[rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    model.eval()

    @torch.no_grad()
    def score(name):
        part = parts[name]
        pictures = torch.cat([model.image_vectors(2 * some - 1) for some in part.images.split(200)])
        return recalls(pictures @ model.text_vectors(ids(part.texts)).T, part.concepts)

    return score


def moved(image):
    """Return a picture (C, side, side) moved by up to 2 pixels each way; what comes in is white."""
    down, right = torch.randint(5, (2,)).tolist()
    side = image.size(-1)
    return F.pad(image, (2, 2, 2, 2), value=1.0)[:, down : down + side, right : right + side]


WAYS = {
    "one head": one_head,
    "two heads": two_heads,
    "hidden layers": hidden_layers,
    "from scratch": from_scratch,
    "shuffled names": shuffled_names,
    "another tone": another_tone,
}


@torch.no_grad()
def classes(parts, lr, settings, progress=True):
    """Return how often a test picture gets the group that it belongs to, without a label learned.

    By one prompt, the group's own name; by several words for each group, the mean of their vectors;
    and by these in several templates. Beside them the commonest group, and a classifier that
    learned the groups of all training pictures. balanced: the mean of the groups' own shares.
    """
    train, test = parts["train"], parts["test"]
    names = [*PROMPTS]
    labels = torch.tensor([names.index(group) for group in test.groups])
    prompts = {
        "one prompt": [[name.lower()] for name in names],
        "several words": [PROMPTS[name] for name in names],
        "words and templates": [
            [template.format(word) for template in TEMPLATES for word in PROMPTS[name]]
            for name in names
        ],
    }
    vectors = {way: [read_names(some) for some in texts] for way, texts in prompts.items()}
    rows = []

    def told(way, seed, said):
        right = said == labels
        balanced = [right[labels == label].double().mean() for label in labels.unique()]
        rows.append(
            {"way": way, "seed": seed, "accuracy": share_of_true(right)}
            | {"balanced": torch.stack(balanced).mean().item()}
        )
        tell(rows[-1], progress)

    everything = torch.arange(len(train.names))
    for seed in settings["seeds"]:
        with torch.enable_grad():
            heads = with_heads(parts, (everything, everything), lr, seed, settings)
        pictures = heads.image_vectors(test.pictures)  # (N, D)
        for way, of_groups in vectors.items():
            means = [heads.text_vectors(some).mean(dim=0) for some in of_groups]
            told(way, seed, (pictures @ F.normalize(torch.stack(means), dim=1).T).argmax(dim=1))
    commonest = names.index(max(names, key=train.groups.count))
    told("the commonest", None, torch.full_like(labels, commonest))  # nothing here is drawn
    classifier = LogisticRegression(C=100.0, max_iter=500)
    classifier.fit(
        F.normalize(train.pictures, dim=1).numpy(), [names.index(group) for group in train.groups]
    )
    found = classifier.predict(F.normalize(test.pictures, dim=1).numpy())
    told("a classifier with labels", None, torch.tensor(found))
    return rows


def sentences(parts, lr, settings, progress=True):
    """Return how often the true one of two sentences about a scene scores higher: chance is 0.5.

    With heads that learned the emoji's names, and with heads that learned captions of other scenes.
    alike: the mean cosine of the two sentences in MiniLM's own space.
    """
    about, vectors = settings["scenes"], {}
    for name in ("train", "test"):
        scenes = draw_scenes(about[name], about["seed"], name, about["size"])
        vectors[name] = (scenes, read_pictures(scenes.images, progress))
    scenes, pictures = vectors["test"]
    asked = {kind: pairs(scenes, kind) for kind in KINDS}
    read = {
        kind: tuple(read_names([row[side] for row in some]) for side in (1, 2))
        for kind, some in asked.items()
    }
    train_scenes, train_pictures = vectors["train"]
    captions = read_names(train_scenes.captions)
    numbers = concept_numbers(train_scenes.captions)
    everything, rows = torch.arange(len(parts["train"].names)), []
    for_captions = settings["heads"] | {"texts_stay": False}  # here the texts may move, too
    for seed in settings["seeds"]:
        trained = {
            "names": with_heads(parts, (everything, everything), lr, seed, settings),
            "captions": learn(captions, train_pictures, numbers, for_captions | {"lr": lr}, seed),
        }
        for learned, heads in trained.items():
            for kind, some in asked.items():
                with torch.no_grad():
                    seen = heads.image_vectors(pictures[[row[0] for row in some]])
                    true, false = (
                        (seen * heads.text_vectors(texts)).sum(dim=1) for texts in read[kind]
                    )
                alike = torch.cosine_similarity(*read[kind]).mean().item()
                rows.append(
                    {"learned": learned, "asked": kind, "seed": seed, "n": len(some)}
                    | {"right": share_of_true(true > false), "alike": alike}
                )
                tell(rows[-1], progress)
    return rows


KINDS = ("object", "order", "number", "negation")


def pairs(scenes, kind):
    """Return (row of the scene, true sentence, false sentence) for all scenes that allow it.

    "object": another object in place of the second; "order": the two objects exchanged; "number":
    two and three exchanged; "negation": whether there is an object, which half of them are.

    >>> pairs(draw_scenes(5, seed=0, split="test"), "order")[0][1:]
    ('a rose below an elephant', 'an elephant below a rose')
    """
    generator, found = random.Random(0), []
    for row, (caption, facts) in enumerate(zip(scenes.captions, scenes.facts, strict=True)):
        there = scenes.count(row)
        absent = generator.choice([name for name in OBJECTS if name not in there])
        (first, _, second), words = facts[0], caption.split()
        if kind == "negation":
            asked, sides = (absent, (2, 1)) if row % 2 else (first, (1, 2))
            said = ("", f"there is {with_article(asked)}", f"there is no {asked}")
            found.append((row, said[sides[0]], said[sides[1]]))
        elif kind == "number" and len(words) > 2 and (counted := {*words} & {*COUNTS[1:]}):
            (number,) = counted
            other = COUNTS[3 - COUNTS.index(number)]
            found.append((row, caption, caption.replace(number, other)))
        elif kind in ("object", "order") and len(facts) == 1 and sum(there.values()) == 2:
            middle = caption.removeprefix(with_article(first)).removesuffix(with_article(second))
            ends = (first, absent) if kind == "object" else (second, first)
            found.append((row, caption, f"{with_article(ends[0])}{middle}{with_article(ends[1])}"))
    return found


def data_bytes():
    """Return the emoji's names and splits and the hash of DINOv2's file, as bytes."""
    return emoji_finder.data_bytes()
