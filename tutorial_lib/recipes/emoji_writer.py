"""Chapter 10: a GPT that writes emoji, code by code, after a caption.

First two small networks and a book of 256 codes learn to make a picture of 32 x 32 pixels of a grid
of 8 x 8 codes, and back. Without the book first, so that the encoder's vectors mean something; then
the book starts as their 256 centres (k-means), and all three learn on together. Started at random
the book used about 40 of its codes. Then a GPT learns to go on with the codes of a picture after
its name.

Two sorts of captions are held out. New combinations: training shows the rest of the name and the
skin tone, never both. New concepts: those of the test part.
"""

import math
import random
import re

import torch
import torch.nn.functional as F
from sklearn.cluster import KMeans
from torch import nn

from tutorial_lib.datasets import load_named_emoji
from tutorial_lib.models import PictureWriterConfig
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import set_seed

SETTINGS = {
    "seed": 0,
    "sizes": {
        "image_size": 32,
        "halvings": 2,
        "d_hidden": 48,
        "n_residual": 1,
        "n_codes": 256,
        "width": 32,
        "caption_length": 20,
        "d_model": 96,
        "n_layers": 3,
        "n_heads": 4,
    },
    "n_tokens": 800,
    "n_held_out": 150,  # combinations
    "without the book": {"steps": 1_500, "batch_size": 16, "lr": 1e-2},
    "with the book": {"steps": 3_000, "batch_size": 16, "lr": 3e-3},
    "writing": {"steps": 1_600, "batch_size": 32, "lr": 3e-3},
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "sizes": SETTINGS["sizes"] | {"d_hidden": 4, "n_codes": 8, "d_model": 8, "n_layers": 1},
    "n_tokens": 300,
    "without the book": {"steps": 2, "batch_size": 4, "lr": 1e-2},
    "with the book": {"steps": 2, "batch_size": 4, "lr": 5e-3},
    "writing": {"steps": 2, "batch_size": 4, "lr": 3e-3},
}
_HELD_OUT_SEED = 2026  # the same combinations for every seed of a training


def train(settings, progress=True):
    """Return a PictureWriter that has learned its code book, and then to write."""
    emoji = load_named_emoji(settings["sizes"]["image_size"])
    seen, _ = combinations_apart(emoji.train.names, settings["n_held_out"])
    autoencoder = learn_book(emoji.train.images[seen], settings, progress)
    return learn_to_write(autoencoder, emoji.train, seen, settings, progress)


def combinations_apart(names, n_held_out):
    """Return the rows of names to learn from, and those of new combinations with a skin tone.

    Of "woman pilot" at most one skin tone is held out; the others, and that tone of all others,
    are learned from.

    >>> combinations_apart(["bee", "ear: dark skin tone", "ear: light skin tone"], 1)[0]
    tensor([0, 1])
    """
    toned = {}
    for row, name in enumerate(names):
        base, _, tone = name.partition(": ")
        if re.fullmatch(r"(light|medium-light|medium|medium-dark|dark) skin tone", tone):
            toned.setdefault(base, []).append(row)
    generator = random.Random(_HELD_OUT_SEED)
    bases = [base for base, rows in toned.items() if len(rows) > 1]
    chosen = generator.sample(bases, min(n_held_out, len(bases)))
    held_out = sorted(generator.choice(toned[base]) for base in chosen)
    seen = sorted(set(range(len(names))) - set(held_out))
    return torch.tensor(seen), torch.tensor(held_out)


def learn_book(images, settings, progress=True):
    """Return a VQAutoencoder that has learned pictures (N, 3, side, side): networks, then book."""
    set_seed(settings["seed"])
    model = build(settings).autoencoder
    start_networks(model)
    learn_without_book(model, images, settings | settings["without the book"], progress)
    start_book(model, images, settings["seed"])
    about = settings | settings["with the book"]
    batches = Shuffled((images,), about)
    train_on_cpu(model, batches, lambda model, batch: model.loss(batch[0]), about, progress)
    return model.eval()


def learn_without_book(model, images, settings, progress=True):
    """Train a VQAutoencoder's networks on pictures, no vector of which is replaced by a code."""

    def loss(model, batch):
        return F.mse_loss(model.paint(model.cells(batch[0])), batch[0])

    train_on_cpu(model, Shuffled((images,), settings), loss, settings, progress)
    return model.eval()


@torch.no_grad()
def start_networks(model):
    """Start a VQAutoencoder's convolutions as He et al. (2015) do: colours arrive sooner."""
    for layer in model.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
        elif isinstance(layer, nn.ConvTranspose2d):
            # Each output sums over every channel, and a quarter of the 4 x 4 weights (stride 2).
            n_inputs = layer.in_channels * 4
            nn.init.normal_(layer.weight, std=math.sqrt(2 / n_inputs))
            nn.init.zeros_(layer.bias)


@torch.no_grad()
def start_book(model, images, seed, n_pictures=400, n_vectors=12_000):
    """Let a VQAutoencoder's codes begin at the centres of what its encoder makes of images."""
    generator = torch.Generator().manual_seed(seed)
    some = torch.randperm(len(images), generator=generator)[:n_pictures]
    vectors = model.cells(images[some]).flatten(0, 2)  # (N, D)
    vectors = vectors[torch.randperm(len(vectors), generator=generator)[:n_vectors]]
    n_codes = model.config.n_codes
    means = KMeans(n_codes, n_init=1, max_iter=10, random_state=seed).fit(vectors.numpy())
    model.book.vectors.copy_(torch.from_numpy(means.cluster_centers_))
    counts = torch.from_numpy(means.labels_).long().bincount(minlength=n_codes)
    model.book.use.copy_(counts / len(vectors))


def learn_to_write(autoencoder, part, rows, settings, progress=True):
    """Return a PictureWriter with this autoencoder, its GPT trained on some rows of NamedEmoji."""
    set_seed(settings["seed"])
    names = [part.names[row] for row in rows]
    tokenizer = BPETokenizer.train("\n".join(names), settings["n_tokens"])
    writer = build(settings)
    writer.autoencoder = autoencoder.requires_grad_(False)
    writer.tokenizer = tokenizer
    captions, codes = caption_ids(writer, names), encoded(writer, part.images[rows])
    about = settings["writing"] | {"seed": settings["seed"]}
    batches = Shuffled((captions, codes), about)
    train_on_cpu(writer, batches, lambda model, batch: model.loss(*batch), about, progress)
    writer.autoencoder.requires_grad_(True)
    return writer.eval()


def build(settings):
    """Return a PictureWriter of the settings' sizes with random weights."""
    # Token 0 is padding, so those of the tokenizer are one higher.
    return PictureWriterConfig(vocab_size=settings["n_tokens"] + 1, **settings["sizes"]).build()


class Shuffled:
    """Endless batches of tensors that belong together, each time in a new order."""

    def __init__(self, tensors, settings):
        self.tensors, self.settings = tensors, settings

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.settings["seed"])
        while True:
            order = torch.randperm(len(self.tensors[0]), generator=generator)
            for rows in order.split(self.settings["batch_size"]):
                yield tuple(tensor[rows] for tensor in self.tensors)


def caption_ids(writer, names):
    """Return names as the writer reads them, (N, caption_length); long ones are cut."""
    length = writer.config.caption_length
    ids = [[token + 1 for token in writer.tokenizer.encode(name)][:length] for name in names]
    return writer.padded(ids)


@torch.no_grad()
def encoded(writer, images):
    """Return the codes (N, side, side) of pictures."""
    return torch.cat([writer.autoencoder.encode(some) for some in images.split(200)])


@torch.no_grad()
def evaluate(writer):
    """Return how well the book paints unseen pictures, and what a caption is worth to the GPT.

    Errors are mean squares of colours from 0 to 1, on the test part; beside the book's, that of the
    mean training picture. Nats are for each code of a held-out picture: after its own caption, and
    after another one of the same sort; for combinations also after its own with another skin tone.
    """
    emoji = load_named_emoji(writer.config.image_size)
    error, codes = reconstruction(writer.autoencoder, emoji.test.images)
    seen, combined = combinations_apart(emoji.train.names, SETTINGS["n_held_out"])
    mean = emoji.train.images[seen].mean(0)
    names = [emoji.train.names[row] for row in combined]
    pictures = encoded(writer, emoji.train.images[combined])
    return {
        "error": error,
        "error_of_the_mean": F.mse_loss(
            mean.expand_as(emoji.test.images), emoji.test.images
        ).item(),
        "codes_used": len(codes.unique()),
        **{
            f"nats_of_combinations_{sort}": value
            for sort, value in nats(writer, names, pictures).items()
        },
        "nats_of_combinations_other_tone": nats_after(writer, other_tones(names), pictures),
        **{
            f"nats_of_concepts_{sort}": value
            for sort, value in nats(writer, emoji.test.names, codes).items()
        },
    }


@torch.no_grad()
def reconstruction(autoencoder, images):
    """Return the mean square error of pictures through the book, and their codes."""
    found = [autoencoder(some) for some in images.split(200)]
    painted = torch.cat([some.result for some in found])
    return F.mse_loss(painted, images).item(), torch.cat([some.codes for some in found])


def nats(writer, names, codes):
    """Return the nats of codes after their own captions, and after those moved on by a half."""
    half = len(names) // 2
    others = [*names[half:], *names[:half]]
    return {
        "own": nats_after(writer, names, codes),
        "shuffled": nats_after(writer, others, codes),
    }


@torch.no_grad()
def nats_after(writer, names, codes):
    """Return the mean nats a code of codes (N, side, side) after names."""
    captions = caption_ids(writer, names)
    parts = zip(captions.split(200), codes.split(200), strict=True)
    return torch.cat([writer.nats(*part) for part in parts]).mean().item()


def other_tones(names):
    """Return names with another skin tone each: the darkest for the light ones, and so on.

    >>> other_tones(["ear: dark skin tone", "ear: medium-light skin tone"])
    ['ear: light skin tone', 'ear: dark skin tone']
    """
    other = {
        "light": "medium-dark",
        "medium-light": "dark",
        "medium": "light",
        "medium-dark": "medium-light",
        "dark": "light",
    }
    parts = [re.fullmatch(r"(.*: )(\S+)( skin tone)", name).groups() for name in names]
    return [base + other[tone] + end for base, tone, end in parts]


def data_bytes():
    """Return the names, concepts and splits of the emoji as bytes, for their hash in the card."""
    return load_named_emoji(16).fingerprint.encode()
