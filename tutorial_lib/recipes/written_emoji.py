"""Chapter 10: does a GPT that writes emoji draw what the caption says? Three seeds, with controls.

Each seed trains a code book and a GPT as `emoji-writer` does, in fewer steps. Then captions that
training never showed are written: new combinations of a person or a hand and a skin tone, and new
concepts. The judge is the chapter's own CLIP, the recipe `emoji-finder`, which took no part in the
training; but it has learned all training pictures by name, those of the new combinations too, and
only the new concepts are new to it. Which of all captions fits a drawing best, its own? It also
reads what must succeed, the true pictures through the book, and what must fail, the drawings with
their captions changed round. Beside them stands what copying would give: the training picture whose
name shares most words with the caption, not through the book.
"""

import random

import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_named_emoji
from tutorial_lib.datasets.wheels import DINOV2_SHA256
from tutorial_lib.objectives import recall_at
from tutorial_lib.recipes import emoji_writer
from tutorial_lib.recipes.emoji_finder import first_of_each, read_names, read_pictures
from tutorial_lib.recipes.emoji_writer import (
    caption_ids,
    combinations_apart,
    encoded,
    learn_book,
    learn_to_write,
    learn_without_book,
    reconstruction,
    start_networks,
)
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.training import set_seed

SETTINGS = emoji_writer.SETTINGS | {
    "seeds": [0, 1, 2],
    "n_judged": 50,  # captions of each sort
    "heat": 0.8,
    "side": 112,  # pixels of what DINOv2 reads
    "without the book": {"steps": 1_000, "batch_size": 16, "lr": 1e-2},
    "with the book": {"steps": 1_500, "batch_size": 16, "lr": 3e-3},
    "writing": {"steps": 1_200, "batch_size": 32, "lr": 3e-3},
}
SMOKE = emoji_writer.SMOKE | {
    **{name: SETTINGS[name] for name in ("heat",)},
    "seeds": [0],
    "n_judged": 6,
    "side": 28,
}


def run(settings, progress=True):
    """Train with each seed and let the finder judge; return the rows.

    `rows`: for each seed, sort of caption and sort of picture, how often the own caption fits best
    of all captions of the sort, or is one of the best five.
    `books`: the error of pictures through the book, beside the mean picture and the same networks
    without a book. `nats`: what the caption is worth. `copies`: how near the drawings are to
    training pictures.
    """
    emoji = load_named_emoji(settings["sizes"]["image_size"])
    seen, combined = combinations_apart(emoji.train.names, settings["n_held_out"])
    judge = Judge(settings["side"])
    asked = {}
    for sort, part, chosen in (
        ("new combinations", emoji.train, combined[: settings["n_judged"]]),
        ("new concepts", emoji.test, one_of_each(emoji.test, settings["n_judged"])),
    ):
        names, images = [part.names[row] for row in chosen], part.images[chosen]
        nearest = nearest_caption(names, [emoji.train.names[row] for row in seen])
        copied = judge.pictures(emoji.train.images[seen][nearest])
        asked[sort] = (names, images, judge.captions(names), copied)
    rows, books, nats, copies = [], [], [], []
    for seed in settings["seeds"]:
        about = settings | {"seed": seed}
        autoencoder = learn_book(emoji.train.images[seen], about, progress)
        writer = learn_to_write(autoencoder, emoji.train, seen, about, progress)
        set_seed(seed)
        plain = emoji_writer.build(settings).autoencoder  # as many steps, and no book
        start_networks(plain)
        steps = sum(settings[f"{way} the book"]["steps"] for way in ("without", "with"))
        longer = about | settings["without the book"] | {"steps": steps}
        learn_without_book(plain, emoji.train.images[seen], longer, progress)
        books.append({"seed": seed} | compare_books(autoencoder, plain, emoji, seen))
        nats.append({"seed": seed} | emoji_writer.evaluate(writer))
        known = encoded(writer, emoji.train.images[seen])
        for sort, (names, images, captions, copied) in asked.items():
            codes = writer.write(caption_ids(writer, names), seed=seed, heat=settings["heat"])
            drawn = judge.pictures(writer.paint(codes))
            through = judge.pictures(writer.paint(encoded(writer, images)))
            half = len(names) // 2
            for pictures, vectors, wanted in (
                ("drawn", drawn, captions),
                ("drawn, captions changed round", drawn, captions.roll(half, dims=0)),
                ("true, through the book", through, captions),
                ("of the nearest caption", copied, captions),
            ):
                found = judged(vectors @ wanted.T)
                rows.append({"seed": seed, "captions": sort, "pictures": pictures} | found)
            copies.append({"seed": seed, "captions": sort} | copying(codes, known, images, writer))
    return {"rows": rows, "books": books, "nats": nats, "copies": copies}


def one_of_each(part, n):
    """Return rows of n different concepts of NamedEmoji, drawn at random."""
    rows = first_of_each(part.concepts)
    return torch.tensor(random.Random(0).sample(rows, min(n, len(rows))))


def nearest_caption(names, known):
    """Return for each name the row of the known one that shares most words with it.

    Shared words count by the share of them among all words of both (Jaccard).

    >>> nearest_caption(["red apple"], ["red heart", "apple", "green apple"])
    tensor([1])
    """
    words = [set(name.replace(":", "").split()) for name in known]

    def best(name):
        own = set(name.replace(":", "").split())
        return max(range(len(known)), key=lambda row: len(own & words[row]) / len(own | words[row]))

    return torch.tensor([best(name) for name in names])


class Judge:
    """The finder of the chapter says how well captions fit pictures, enlarged to `side` pixels."""

    def __init__(self, side):
        self.side, self.heads = side, load_checkpoint("emoji-finder").two_heads.eval()

    @torch.no_grad()
    def pictures(self, pictures):
        """Return pictures (N, 3, height, width) in the finder's space: (N, d_joint)."""
        large = F.interpolate(pictures, size=(self.side, self.side), mode="bilinear").clamp(0, 1)
        return self.heads.image_vectors(read_pictures(large, progress=False))

    @torch.no_grad()
    def captions(self, names):
        """Return captions in the finder's space: (N, d_joint)."""
        return self.heads.text_vectors(read_names(names))


def judged(scores):
    """Return how often the own caption is the first, and among the first five, of scores (N, N)."""
    return {
        "own_at_1": recall_at(scores, 1),
        "own_at_5": recall_at(scores, min(5, len(scores))),
        "chance_at_1": 1 / len(scores),
    }


@torch.no_grad()
def compare_books(autoencoder, plain, emoji, seen):
    """Return errors on the test part, and how many codes are used, and how evenly (perplexity)."""
    images = emoji.test.images
    error, codes = reconstruction(autoencoder, images)
    without = torch.cat([plain.paint(plain.cells(some)) for some in images.split(200)])
    mean = emoji.train.images[seen].mean(0).expand_as(images)
    shares = codes.flatten().bincount(minlength=autoencoder.config.n_codes) / codes.numel()
    entropy = -(shares * shares.clamp(min=1e-9).log()).sum()
    return {
        "error": error,
        "error_without_a_book": F.mse_loss(without, images).item(),
        "error_of_the_mean": F.mse_loss(mean, images).item(),
        "codes_used": len(codes.unique()),
        "codes_as_if_used_alike": entropy.exp().item(),
    }


def nearest_known(codes, known):
    """Return for codes (N, side, side) the share that the nearest of known (M, side, side) has too.

    Beside it the rows of known, both (N,).

    >>> known = torch.tensor([[[0, 0], [0, 0]], [[1, 2], [0, 0]]])
    >>> nearest_known(torch.tensor([[[1, 2], [3, 4]]]), known)
    (tensor([0.5000]), tensor([1]))
    """
    same = (codes.flatten(1)[:, None] == known.flatten(1)[None]).float().mean(-1)  # (N, M)
    return tuple(same.max(dim=1))


@torch.no_grad()
def copying(codes, known, images, writer):
    """Return how near drawings (their codes) are to training pictures (known: their codes).

    copies: the share of drawings of which at least 62 of 64 codes are those of one training
    picture; same_codes: how many are on the average, in the nearest; the same of the true pictures.
    """
    true = encoded(writer, images)
    found = {}
    for name, some in (("drawn", codes), ("true", true)):
        shares, _ = nearest_known(some, known)
        found[f"{name}_copies"] = share_of_true(shares >= 62 / 64)
        found[f"{name}_same_codes"] = shares.mean().item()
    found["drawn_codes_as_the_true"] = (codes == true).float().mean().item()
    return found


def data_bytes():
    """Return the emoji's names and splits and the hash of DINOv2's file, as bytes."""
    return emoji_writer.data_bytes() + DINOV2_SHA256.encode()
