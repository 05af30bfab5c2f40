"""Chapter 10: are the drawings of the chapter's writer what their captions say? A judge chooses.

The writer, the recipe `emoji-writer`, draws captions that its training never showed: new
combinations of a person or a hand and a skin tone, and new concepts. The judge is a CLIP of the
chapter's kind: DINOv2, MiniLM and two heads, which learn from the pictures that the writer has
learned from, as small as these. All that was chosen about it (two heads, how many steps, batches
of all pairs) was chosen on true pictures of the validation part and of other combinations; it has
seen no drawing. Three judges are trained, and each judges drawings of its own.

A judge has two captions to choose from. *Another thing*: the own one and that of another drawing;
only pairs of captions count that are less alike than the median pair, by MiniLM's vectors. *Another
tone*: the own one and the same thing in another skin tone. It also reads what must succeed, true
pictures, and these through the book, and what must fail, the drawings with their captions changed
round.
"""

import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_named_emoji
from tutorial_lib.datasets.wheels import DINOV2_SHA256
from tutorial_lib.recipes import emoji_finder, emoji_writer
from tutorial_lib.recipes.emoji_finder import concept_numbers, read_names, read_pictures
from tutorial_lib.recipes.emoji_writer import caption_ids, combinations_apart, encoded
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.recipes.written_emoji import one_of_each

SETTINGS = {
    "seeds": [0, 1, 2],
    "n_judged": 100,  # captions of each sort
    "heat": 0.5,
    "judge": emoji_finder.SETTINGS
    | {"texts_stay": False, "one_a_concept": False, "steps": 300, "n_pictures": None},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_judged": 6,
    "judge": SETTINGS["judge"] | {"side": 28, "steps": 2, "batch_size": 4, "n_pictures": 12},
}
TONES = ("light", "medium-light", "medium", "medium-dark", "dark")


def run(settings, progress=True):
    """Let the writer draw and judges choose; return the rows.

    `rows`: for each seed, sort of caption and sort of picture, in what share of the pairs the own
    caption fits better than another.
    """
    writer = load_checkpoint("emoji-writer")
    emoji = load_named_emoji(writer.config.image_size)
    seen, combined = combinations_apart(emoji.train.names, emoji_writer.SETTINGS["n_held_out"])
    n, side = settings["n_judged"], settings["judge"]["side"]
    seen = seen[: settings["judge"]["n_pictures"]]
    learned = read_enlarged(emoji.train.images[seen], side, progress)
    names, concepts = (
        [of[row] for row in seen] for of in (emoji.train.names, emoji.train.concepts)
    )
    names = read_names(names)
    rows = []
    for sort, part, chosen in (
        ("new combinations", emoji.train, combined[:n]),
        ("new concepts", emoji.test, one_of_each(emoji.test, n)),
    ):
        captions, images = [part.names[row] for row in chosen], part.images[chosen]
        true = read_enlarged(images, side, progress)
        through = read_enlarged(writer.paint(encoded(writer, images)), side, progress)
        changed = [*captions[n // 2 :], *captions[: n // 2]]
        for seed in settings["seeds"]:
            codes = writer.write(caption_ids(writer, captions), seed=seed, heat=settings["heat"])
            drawn = read_enlarged(writer.paint(codes), side, progress)
            numbers = concept_numbers(concepts)
            heads = emoji_finder.learn(names, learned, numbers, settings["judge"], seed)
            for pictures, vectors, wanted in (
                ("true", true, captions),
                ("true, through the book", through, captions),
                ("drawn", drawn, captions),
                ("drawn, captions changed round", drawn, changed),
            ):
                about = {"seed": seed, "captions": sort, "pictures": pictures}
                rows.append(about | choices(heads, vectors, wanted))
    return {"rows": rows}


def read_enlarged(pictures, side, progress=False):
    """Return what DINOv2 makes of small pictures (N, 3, height, width), enlarged: (N, 384)."""
    large = F.interpolate(pictures, size=(side, side), mode="bilinear").clamp(0, 1)
    return read_pictures(large, progress)


@torch.no_grad()
def choices(heads, pictures, names):
    """Return how often pictures (N, 384) that DINOv2 has read choose the own of two captions.

    another_thing: the other one is that of another picture, from the half of all pairs that MiniLM
    finds less alike; another_tone: it is the same thing in another skin tone (None without tones).
    """
    read = read_names(names)
    vectors = heads.image_vectors(pictures)
    scores = vectors @ heads.text_vectors(read).T  # (N, N), pictures x captions
    own = scores.diagonal()[:, None]
    found = {"another_thing": share_of_true((scores < own)[apart(read)]), "another_tone": None}
    tones = [in_other_tones(name) for name in names]
    if all(tones):
        others = read_names([name for four in tones for name in four])
        others = heads.text_vectors(others).unflatten(0, (-1, 4))  # (N, 4, d_joint)
        in_tones = torch.einsum("nd, ntd -> nt", vectors, others)
        found["another_tone"] = share_of_true(in_tones < own)
    return found


def apart(vectors):
    """Return which pairs of vectors (N, D) are less alike than the median pair: (N, N).

    >>> apart(torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])).int().tolist()
    [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """
    vectors = F.normalize(vectors, dim=1)
    cosines = vectors @ vectors.T
    others = ~torch.eye(len(cosines), dtype=torch.bool)
    return others & (cosines < cosines[others].median())


def in_other_tones(name):
    """Return a name in each of the other four skin tones; [] when it has none.

    >>> in_other_tones("ear: dark skin tone")[-1], in_other_tones("zebra")
    ('ear: medium-dark skin tone', [])
    """
    thing, _, own = name.partition(": ")
    tones = [f"{tone} skin tone" for tone in TONES]
    return [f"{thing}: {tone}" for tone in tones if tone != own] if own in tones else []


def data_bytes():
    """Return the emoji's names and splits and the hash of DINOv2's file, as bytes."""
    return emoji_writer.data_bytes() + DINOV2_SHA256.encode()
