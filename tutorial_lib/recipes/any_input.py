"""Chapter 09: a Perceiver does not care in which order its inputs come, or of which kind they are.

Digits are read at 14 x 14 pixels.

Part "order": their 196 pixels come row by row, or in one random order, the same for every
picture. Each pixel carries its true place as Fourier features, for all models (Jaegle et al. 2021,
table 2). The control: a Perceiver that is told wrong places, others for each batch.

Part "clues": the upper half of a picture, the first letter of the digit's name as bytes of a text,
or both; one Perceiver with one classifier for all three. A letter alone cannot tell two from three,
four from five, six from seven.
"""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models import Perceiver, PerceiverConfig, ViT, ViTConfig, count_parameters
from tutorial_lib.positions import fourier_features, grid_positions
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.ask_anywhere import READ, shrink
from tutorial_lib.recipes.masks_and_students import tell, train
from tutorial_lib.recipes.mnist_vit import DigitBatches, digit_loss
from tutorial_lib.recipes.vit_against_cnn import small_cnn
from tutorial_lib.training import set_seed

SIDE = READ  # pixels along a side of what is read
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
CLUES = ("text", "picture", "both")
SETTINGS = {
    "seeds": [0, 1, 2],
    "models": ["Perceiver", "ViT", "CNN", "Perceiver, wrong places"],
    "cpu_seconds": {"order": 60, "clues": 90},  # of a training, on one thread
    "perceiver": {"n_latents": 32, "d_latent": 64, "n_layers": 2, "n_rounds": 2, "n_read_heads": 4},
    "vit": {"patch_size": 2, "d_model": 64, "n_layers": 3, "n_heads": 4},
    "bands": 6,
    "d_input": 32,  # of what is read where there are two kinds
    "lr": 3e-3,
    "batch_size": 32,
    **{name: mnist_vit.SETTINGS[name] for name in ("turn", "resize", "move")},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "cpu_seconds": {"order": 0.05, "clues": 0.05},
    "perceiver": SETTINGS["perceiver"] | {"n_latents": 4, "d_latent": 8},
    "vit": SETTINGS["vit"] | {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "d_input": 8,
    "batch_size": 4,
}

data_bytes = mnist_vit.data_bytes


def places(settings, rows=SIDE):
    """Return the Fourier features of the upper rows of a picture, (rows · 14, 2 + 4 bands)."""
    features = fourier_features(grid_positions(SIDE, SIDE), settings["bands"], SIDE)
    return features[: rows * SIDE]


def perceiver(d_input, settings):
    """Return an untrained Perceiver of ten classes, with weights that fit its width."""
    sizes = settings["perceiver"] | {"d_input": d_input, "d_read_qk": settings["d_input"]}
    return _begun(Perceiver(PerceiverConfig(**sizes, n_classes=10)))


def _begun(model):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
    if isinstance(model, Perceiver):
        nn.init.normal_(model.latents)
    return model


# --- the order of the pixels --------------------------------------------------------------------


class InOrder(nn.Module):
    """A classifier of pictures (B, 1, 28, 28) whose pixels come in an order (196,).

    Each brings its place along, of places (196, C), or wrongly another's. flat: the body reads a
    row of pixels (B, 196, 1 + C), not a map (B, 1 + C, 14, 14).
    """

    def __init__(self, body, order, places, wrongly=False, flat=False):
        super().__init__()
        self.body, self.order, self.places = body, order, places
        self.wrongly, self.flat = wrongly, flat

    def forward(self, images):
        """Return logits (B, 10)."""
        places = self.places[torch.randperm(SIDE**2)] if self.wrongly else self.places
        pixels = shrink(images).flatten(1)[..., None]  # (B, 196, 1)
        pixels = torch.cat([pixels, places.expand(len(images), -1, -1)], dim=-1)[:, self.order]
        return self.body(pixels if self.flat else pixels.mT.unflatten(-1, (SIDE, SIDE)))


def build_in_order(name, order, settings, seed):
    """Return an untrained InOrder of a model's name, for "rows" or "shuffled" pixels."""
    set_seed(seed)
    told = places(settings)
    channels = 1 + told.size(-1)
    kind = {"flat": name.startswith("Perceiver"), "wrongly": name.endswith("wrong places")}
    if kind["flat"]:
        body = perceiver(channels, settings)
    elif name == "ViT":
        sizes = settings["vit"] | {"image_size": SIDE, "channels": channels, "n_classes": 10}
        body = _begun(ViT(ViTConfig(**sizes)))
    else:
        body = small_cnn()
        body[0] = nn.Conv2d(channels, body[0].out_channels, kernel_size=3, padding=1, bias=False)
    at = torch.arange(SIDE**2)
    if order == "shuffled":
        at = torch.randperm(SIDE**2, generator=torch.Generator().manual_seed(0))
    return InOrder(body, at, told, **kind)


def share_right(model, digits):
    """Return the share of the `Digits` that a model names."""
    with torch.no_grad():
        found = torch.cat([model(images).argmax(dim=-1) for images in digits.images.split(50)])
    return round((found == digits.labels).float().mean().item(), 4)


# --- two kinds of clues -------------------------------------------------------------------------


class Clues(nn.Module):
    """One Perceiver that reads bytes, pixels or both: batches (texts, images), either may be None.

    texts (B, T) bytes; images (B, 1, 28, 28), of which it sees the upper half.
    """

    def __init__(self, settings, longest=24):
        super().__init__()
        width = settings["d_input"]
        where = places(settings, SIDE // 2)
        self.register_buffer("where", where)
        self.bytes = nn.Embedding(256, width)
        self.order = nn.Embedding(longest, width)  # where a byte stands
        self.pixels = nn.Linear(1 + where.size(-1), width)
        self.body = perceiver(width, settings)

    def forward(self, texts, images):
        """Return logits (B, 10)."""
        read = []
        if texts is not None:
            read.append(self.bytes(texts) + self.order.weight[: texts.size(1)])
        if images is not None:
            pixels = shrink(images)[:, 0, : SIDE // 2].flatten(1)[..., None]  # (B, 98, 1)
            where = self.where.expand(len(images), -1, -1)
            read.append(self.pixels(torch.cat([pixels, where], dim=-1)))
        return self.body(torch.cat(read, dim=1))


def texts_of(labels):
    """Return a text about each of labels (B,), as bytes (B, T).

    >>> bytes(texts_of(torch.tensor([4]))[0].tolist()).decode()
    'it begins with f'
    """
    texts = [list(f"it begins with {NAMES[label][0]}".encode()) for label in labels.tolist()]
    return torch.tensor(texts)


def given(digits, clue, names=None):
    """Return what Clues reads of `Digits`; names: the labels that the texts are about, if others.

    clue: "text", "picture" or "both".
    """
    texts = None if clue == "picture" else texts_of(digits.labels if names is None else names)
    return texts, None if clue == "text" else digits.images


class ClueBatches:
    """Endless batches of digits with one of the CLUES each time; every `iter` starts anew."""

    def __init__(self, digits, settings):
        self.batches, self.seed = DigitBatches(digits, settings), settings["seed"]

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        for images, labels in self.batches:
            clue = CLUES[torch.randint(3, (), generator=generator).item()]
            yield *given(type(self.batches.digits)(images, labels), clue), labels


def clue_loss(model, batch):
    """Return the cross-entropy of the digits for a batch of ClueBatches."""
    texts, images, labels = batch
    return F.cross_entropy(model(texts, images), labels)


def clue_scores(model, digits):
    """Return the share of the `Digits` named from each of the CLUES, and from clues that disagree.

    `believes_text` and `believes_picture`: where the text is about a digit with another letter, the
    share of answers that begin with the text's letter, and of those that are the picture's digit.
    """
    initials = torch.tensor([ord(name[0]) for name in NAMES])
    lies = (digits.labels + 5) % 10  # another letter for each of the ten
    answers = {}
    with torch.no_grad():
        for name in (*CLUES, "lie"):
            found = given(digits, *(("both", lies) if name == "lie" else (name,)))
            answers[name] = model(*found).argmax(dim=-1)
    right = {name: (answers[name] == digits.labels).float() for name in answers}
    right["believes_text"] = (initials[answers["lie"]] == initials[lies]).float()
    right["believes_picture"] = right.pop("lie")
    return {name: round(share.mean().item(), 4) for name, share in right.items()}


def best_by_letter(digits):
    """Return the share of the `Digits` that the commonest digit of each letter is."""
    counts = torch.bincount(digits.labels, minlength=10).tolist()
    letters = {name[0] for name in NAMES}
    most = (
        max(n for n, name in zip(counts, NAMES, strict=True) if name[0] == letter)
        for letter in letters
    )
    return sum(most) / len(digits)


# --- the runs -----------------------------------------------------------------------------------


def run(settings, progress=True):
    """Train and measure: rows of part "order" and rows of part "clues"."""
    splits, rows = load_mnist(), []
    for name in settings["models"]:
        for order in ("rows", "shuffled"):
            for seed in settings["seeds"]:
                model = build_in_order(name, order, settings, seed)
                batches = DigitBatches(splits.train, settings | {"seed": seed})
                seconds = settings["cpu_seconds"]["order"]
                took = train(model, batches, digit_loss, seconds, settings["lr"], seed)
                about = {"part": "order", "model": name, "order": order, "seed": seed}
                about["parameters"] = count_parameters(model)
                rows.append(about | took | {"test_accuracy": share_right(model, splits.test)})
                tell(rows[-1], progress)
    for seed in settings["seeds"]:
        set_seed(seed)
        model = Clues(settings)
        batches = ClueBatches(splits.train, settings | {"seed": seed})
        seconds = settings["cpu_seconds"]["clues"]
        took = train(model, batches, clue_loss, seconds, settings["lr"], seed)
        about = {"part": "clues", "seed": seed, "parameters": count_parameters(model)}
        rows.append(about | took | clue_scores(model, splits.test))
        tell(rows[-1], progress)
    return {"rows": rows, "best_by_letter": round(best_by_letter(splits.test), 4)}
