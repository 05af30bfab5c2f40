"""Chapter 10: a small VideoBERT on clips of digits and emoji that move, and sentences about them.

A small CNN, trained to say what a single frame shows and where, makes a vector of each frame and is
frozen. K-means turns the vectors into frame tokens: each stands for a thing of about one size at
about one place. The VideoBERT fills gaps in rows of words and frame tokens, and is measured on
combinations of thing, direction and change that training never showed.

Rows of part "caption to frames": frames filled in one after the other. "frames to caption": the
words of a caption that tell something are hidden. "next frames": the second half of a clip. `given`
says what the model sees; "nothing" of the other side is the baseline. `of_tokens` is the control
that must succeed: the same reading of the true tokens, without a model.
"""

import random

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets.clips import (
    CHANGES,
    DIRECTIONS,
    N_FRAMES,
    SIDE,
    SPEEDS,
    THINGS,
    draw_clips,
)
from tutorial_lib.models import FrameTokens, VideoBERTConfig
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.training import set_seed

PAD, CLS, SEP, MASK = range(4)
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "an", "moves", "to", "the", "and")
WORDS += (*THINGS, *DIRECTIONS, *SPEEDS, *CHANGES[1:])
KINDS = {"thing": THINGS, "direction": DIRECTIONS, "speed": SPEEDS, "change": CHANGES[1:]}
SETTINGS = {
    "seeds": [0, 1, 2],
    "clips": 5_000,
    "eyes": {"steps": 800, "batch_size": 64, "lr": 3e-3, "d_features": 24},
    "frame_tokens": 400,
    "clustered": 10_000,  # frames
    "sizes": {"d_model": 64, "n_layers": 3, "n_heads": 4},
    "steps": 1_500,
    "batch_size": 48,
    "lr": 3e-3,
    "measured": 500,
}


class FrameEyes(nn.Module):
    """A small CNN: frames (N, 3, 32, 32) -> vectors (N, F); from these, what is shown and where."""

    def __init__(self, d_features):
        super().__init__()
        layers, width = [], 3
        for wider in (16, 32, 32):
            convolution = nn.Conv2d(width, wider, 3, stride=2, padding=1, bias=False)
            layers += [convolution, nn.BatchNorm2d(wider), nn.ReLU()]
            width = wider
        norm = nn.LayerNorm(d_features, elementwise_affine=False)
        self.layers = nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * width, d_features), norm)
        self.what = nn.Linear(d_features, len(THINGS))
        self.where = nn.Linear(d_features, 3)  # middle, across and down, and larger side

    def forward(self, frames):
        """Return the vectors."""
        return self.layers(frames)


def places(frames):
    """Return where the ink of frames (N, 3, 32, 32) is, (N, 3): middle x and y, and side, pixels."""
    ink = (frames < 0.8).any(dim=1)  # (N, 32, 32)
    found = []
    for axis in (1, 2):  # columns, then rows
        line = ink.any(dim=axis).float()  # (N, 32)
        first, last = line.argmax(dim=1), SIDE - line.flip(1).argmax(dim=1)
        found.append(torch.stack([(first + last) / 2, (last - first).float()], dim=-1))
    (x, wide), (y, high) = (one.unbind(-1) for one in found)
    return torch.stack([x, y, torch.maximum(wide, high)], dim=-1)


class Frames:
    """Endless batches of single frames of clips: what and where."""

    def __init__(self, clips, size, seed):
        self.frames, self.size, self.seed = clips.frames.flatten(0, 1), size, seed
        self.what = torch.tensor([THINGS.index(fact[0]) for fact in clips.facts])
        self.what = self.what.repeat_interleave(N_FRAMES)

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            rows = torch.randint(len(self.what), (self.size,), generator=generator)
            frames = self.frames[rows]
            yield frames, self.what[rows], places(frames)


def frame_loss(eyes, batch):
    """Return how wrong the eyes are about what frames show, and where."""
    frames, what, where = batch
    vectors = eyes(frames)
    middle = torch.tensor([SIDE / 2, SIDE / 2, 12.0])
    missed = F.mse_loss(eyes.where(vectors), (where - middle) / 6)
    return F.cross_entropy(eyes.what(vectors), what) + missed


def vectors_of(eyes, clips):
    """Return the vectors of the frames of clips, (N, 8, F)."""
    with torch.no_grad():
        found = [eyes(some) for some in clips.frames.flatten(0, 1).split(500)]
    return torch.cat(found).unflatten(0, (-1, N_FRAMES))


def encode(captions):
    """Return ids (N, T) of captions with [CLS], [SEP] and padding."""
    rows = [[CLS, *map(WORDS.index, caption.split()), SEP] for caption in captions]
    longest = 12
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


class Rows:
    """Endless batches (words, frames, hidden): of each row other parts are hidden."""

    def __init__(self, words, frames, settings, seed):
        self.words, self.frames, self.settings, self.seed = words, frames, settings, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        size = self.settings["batch_size"]

        def rand(*shape):
            return torch.rand(*shape, generator=generator)

        while True:
            rows = torch.randint(len(self.words), (size,), generator=generator)
            words, frames = self.words[rows], self.frames[rows]
            of_words, of_frames = 1.5 * rand(size, 1), 1.5 * rand(size, 1)
            both = of_words.minimum(of_frames) > 1  # nothing would be left
            of_frames = torch.where(both, 0.5, of_frames)
            no_words = (rand(words.shape) < of_words) & (words > MASK)
            no_frames = rand(frames.shape) < of_frames
            first = 1 + (7 * rand(size, 1)).long()
            later = torch.arange(N_FRAMES) >= first  # hidden: from some frame on
            no_frames = torch.where(rand(size, 1) < 0.5, later, no_frames)
            yield words, frames, torch.cat([no_words, no_frames], dim=1)


def logits_with_gaps(model, words, frames, hidden):
    """Return the joint logits (B, T + 8, V) where hidden (B, T + 8) stands [MASK]."""
    ids, segments = model.join(words, frames)
    real = torch.cat([words != PAD, torch.ones_like(frames, dtype=torch.bool)], dim=1)
    return ids, model(ids.masked_fill(hidden, MASK), segments, real)


def gap_loss(model, batch):
    """Return the cross-entropy of what is hidden."""
    ids, states = logits_with_gaps(model, *batch)
    hidden = batch[-1]
    return F.cross_entropy(model.mlm_logits(states[hidden]), ids[hidden])


def begin(model):
    """Give layers and tables weights that fit their width."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    return model


def portraits(clips, tokens, k):
    """Return what tokens (N, 8) stand for: the commonest thing (k,), mean place and side (k, 3)."""
    what = torch.tensor([THINGS.index(fact[0]) for fact in clips.facts]).repeat_interleave(N_FRAMES)
    flat = tokens.flatten()
    counts = torch.zeros(k, len(THINGS)).index_put_(
        (flat, what), torch.ones(len(flat)), accumulate=True
    )
    sums = torch.zeros(k, 3).index_add_(0, flat, places(clips.frames.flatten(0, 1)))
    return counts.argmax(dim=1), sums / counts.sum(dim=1, keepdim=True).clamp(min=1)


def told_by(tokens, what, where):
    """Return what rows of tokens (N, 8) show: indices of thing, direction, speed and change."""
    things = what[tokens].mode(dim=1).values
    x, y, side = where[tokens].unbind(-1)  # (N, 8) each
    time = torch.arange(N_FRAMES) - (N_FRAMES - 1) / 2
    slopes = [(line * time).sum(dim=1) / time.square().sum() for line in (x, y, side)]
    across, down, growth = slopes
    sideways = across.abs() > down.abs()
    direction = torch.where(sideways, (across > 0).long(), 2 + (down > 0).long())
    quick = torch.maximum(across.abs(), down.abs()) > 1.5
    change = torch.where(growth > 0.7, 1, torch.where(growth < -0.7, 2, 0))
    return {"thing": things, "direction": direction, "speed": quick.long(), "change": change}
