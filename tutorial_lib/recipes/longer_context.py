"""Chapter 03: a rotary GPT reads texts four times as long as those it was trained on.

Small GPTs with rotary positions learn Shakespeare's characters in short windows and read held-out
plays in longer ones. Their angles are then changed without any training, in the ways that are used
for large models (`WAYS`): positions squeezed into the trained range (Chen et al. 2023), a larger
base ("NTK-aware"), and, pair by pair, something between both (YaRN, Peng et al. 2023). Each is
measured once more after a short training at the new length. A row holds the mean loss of one
stretch of positions, in bits per character.
"""

import copy
import math

import torch
from torch.nn.functional import cross_entropy

from tutorial_lib.attention import RotaryAttention
from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import evaluating
from tutorial_lib.errors import ShapeError
from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.objectives import NextTokenBatches, next_token_loss
from tutorial_lib.positions import turning_angles
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET, encode
from tutorial_lib.training import Muon, set_seed

WAYS = ("unchanged", "interpolated", "larger base", "YaRN")
TURNS = (1, 4)  # YaRN: a pair with so many turns in the trained length is kept, in part and whole

SETTINGS = {
    "seeds": [0, 1, 2],
    "sizes": {"d_model": 128, "n_layers": 3, "n_heads": 4},
    "trained": 64,
    "factor": 4,
    "batch_size": 16,
    "steps": 800,
    "lr": 1e-2,
    "tuning": {"batch_size": 4, "steps": 100, "lr": 3e-3},
    "n_test": 200,
    "stretch": 16,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "sizes": {"d_model": 16, "n_layers": 1, "n_heads": 2},
    "steps": 3,
    "tuning": SETTINGS["tuning"] | {"steps": 2},
    "n_test": 4,
}


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return load_shakespeare().text.encode()


def split():
    """Return the ids of the plays to learn from (N,) and of every eighth, held out (M,)."""
    plays = load_shakespeare().plays
    parts = [play for at, play in enumerate(plays) if at % 8], plays[::8]
    return tuple(torch.as_tensor(encode("\n".join(p.text for p in part))) for part in parts)


def stretched(width, way, factor, trained, base=10_000):
    """Return the angle of each pair of a head a position, (K/2,), for texts `factor` times longer.

    interpolated: all angles over the factor, so that the new positions fall between the trained
    ones (Chen et al. 2023). larger base: such that the slowest pair turns by its old angle over
    the factor, the fastest as before ("NTK-aware"). YaRN: pairs that turn 4 times or more within
    the trained length stay, those that do not complete one turn are interpolated, and a ramp lies
    between (Peng et al. 2023, section 3.2; for texts of thousands of tokens they take 32 turns in
    place of 4; their temperature of the scores is left out).
    Raises ShapeError for another way.

    >>> stretched(4, "interpolated", 2, trained=64)
    tensor([0.5000, 0.0050])
    >>> stretched(4, "larger base", 2, trained=64)
    tensor([1.0000, 0.0050])
    """
    if way not in WAYS:
        raise ShapeError(f"the ways are {', '.join(WAYS)}, got {way!r}")
    if way == "larger base":
        base *= factor ** (width / (width - 2))
    angles = turning_angles(1, width, start=1, base=base)[0]  # (K/2,)
    if way == "interpolated":
        angles = angles / factor
    elif way == "YaRN":
        turns = trained * angles / (2 * math.pi)
        few, many = TURNS
        kept = ((turns - few) / (many - few)).clamp(0, 1)
        angles = kept * angles + (1 - kept) * angles / factor
    return angles.float()


class StretchedAttention(RotaryAttention):
    """RotaryAttention whose pairs turn by `angles` (K/2,) a position, which may be changed."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads, causal=True)
        angles = turning_angles(1, d_model // n_heads, start=1)[0].float()
        self.register_buffer("angles", angles, persistent=False)

    def project(self, x, context=None, cache=None):
        """Return turned queries (B, H, T, K) and keys, and values (B, H, S, K)."""
        q, k, v = super(RotaryAttention, self).project(x)  # (B, H, T, K) each
        turn = torch.arange(x.size(1))[:, None] * self.angles  # (T, K/2)
        return turned(q, turn), turned(k, turn), v


def turned(x, turn):
    """Return x (..., T, K) with pair i of position t turned by turn[t, i]; neighbours pair."""
    first, second, cos, sin = x[..., 0::2], x[..., 1::2], turn.cos(), turn.sin()
    pairs = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return pairs.flatten(-2)


def build(settings):
    """Return a ModernGPT, untrained, with room for the longer texts."""
    sizes = settings["sizes"]
    longest = settings["trained"] * settings["factor"]
    model = ModernGPTConfig(vocab_size=len(ALPHABET), context=longest, **sizes).build()
    for block in model.blocks:
        layer = StretchedAttention(sizes["d_model"], sizes["n_heads"])
        layer.load_state_dict(block.attention.state_dict())
        block.attention = layer
    return model


def stretch(model, way, settings):
    """Return a copy of the model whose heads turn in this way."""
    changed = copy.deepcopy(model)
    for block in changed.blocks:
        layer = block.attention
        width = layer.angles.numel() * 2
        layer.angles.copy_(stretched(width, way, settings["factor"], settings["trained"]))
    return changed


def train(model, ids, length, settings, seed, progress=True):
    """Train the model on windows of so many characters."""
    batches = NextTokenBatches(ids, settings["batch_size"], length, seed)
    train_on_cpu(model, batches, next_token_loss, settings, progress, optimizer=Muon, seed=seed)
    return model


@torch.no_grad()
def bits_by_position(model, ids, settings):
    """Return the mean bits per character at each position of long windows: (longest,)."""
    longest = settings["trained"] * settings["factor"]
    generator = torch.Generator().manual_seed(1_000_000)  # the same windows for every model
    first = torch.randint(len(ids) - longest - 1, (settings["n_test"], 1), generator=generator)
    windows = ids[first + torch.arange(longest + 1)]  # (B, 1 + longest)
    nats = []
    with evaluating(model):
        for part in windows.split(50):
            logits = model(part[:, :-1])  # (B, T, V)
            nats.append(cross_entropy(logits.mT, part[:, 1:], reduction="none"))
    return torch.cat(nats).mean(0) / math.log(2)


def rows_of(model, way, seed, ids, settings):
    """Return a row for each stretch of positions."""
    bits = bits_by_position(model, ids, settings).view(-1, settings["stretch"]).mean(1)
    return [
        {"way": way, "seed": seed, "first": at * settings["stretch"], "bits": number}
        for at, number in enumerate(bits.tolist())
    ]


def run(settings, progress=True):
    """Train one GPT a seed, read in every way, train on at the new length; return the rows."""
    learned, held_out = split()
    longest = settings["trained"] * settings["factor"]
    rows = []
    for seed in settings["seeds"]:
        set_seed(seed)
        model = train(build(settings), learned, settings["trained"], settings, seed, progress)
        for way in WAYS:
            rows += rows_of(stretch(model, way, settings), way, seed, held_out, settings)
        for way in WAYS:
            tuned = stretch(model, way, settings)
            train(tuned, learned, longest, settings["tuning"], seed, progress)
            rows += rows_of(tuned, f"{way}, then trained", seed, held_out, settings)
    return {"rows": rows}
