"""Chapter 05: from a table of pairs to a GPT, one part at a time: what does each part buy?

Each step of the staircase is a model of characters with one part more. All get the same batches,
as many steps, the same optimizer and rate; three plays are held out, and only they are measured.
Five more models, beside the stairs, vary one of its parts.
"""

import math

import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models.blocks import FeedForward
from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.objectives import NextTokenBatches, mean_next_token_loss, next_token_loss
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET, decode, encode
from tutorial_lib.training import Muon, set_seed

LAYERS = {"n_heads": 1, "feed_forward": True, "norms": True, "n_layers": 3}
SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": ["Hamlet", "Henry V", "Twelfth Night"],
    "measured": 5000,  # the first characters of each play held out
    "context": 64,
    "d_model": 64,
    "batch_size": 16,
    "steps": 400,
    "lr": 1.6e-2,
    "stairs": [
        {"name": "table of pairs"},
        {"name": "+ one attention head", "n_heads": 1},
        {"name": "+ feed-forward", "n_heads": 1, "feed_forward": True},
        {"name": "+ norms, three layers", **LAYERS},
        {"name": "+ modern parts", "n_heads": 1, "n_layers": 3, "modern": True},
    ],
    "variations": [
        {"name": "one head, no shortcut", "n_heads": 1, "shortcuts": False},
        {"name": "one layer, norms", **LAYERS, "n_layers": 1},
        {"name": "three layers, no shortcuts", **LAYERS, "shortcuts": False},
        {"name": "three layers, no norms", **LAYERS, "norms": False},
        {"name": "three layers, four heads", **LAYERS, "n_heads": 4},
    ],
    "sample": {"prompt": "\nROMEO:\n", "length": 120, "temperature": 0.7},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "measured": 300,
    "context": 16,
    "d_model": 8,
    "steps": 3,
    "sample": SETTINGS["sample"] | {"length": 5},
}


class Stair(nn.Module):
    """A next-character model with the parts that are asked for: ids (B, T) to logits (B, T, V).

    Without heads it is a table: the logits depend on the last character alone.

    >>> Stair(n_heads=2, feed_forward=True, d_model=4, context=8)(encode("To be")[None]).shape
    torch.Size([1, 5, 70])
    """

    def __init__(
        self,
        n_heads=0,
        feed_forward=False,
        norms=False,
        shortcuts=True,
        n_layers=1,
        *,
        d_model,
        context,
    ):
        super().__init__()
        self.tokens = nn.Embedding(len(ALPHABET), d_model)
        self.positions = nn.Embedding(context, d_model) if n_heads else None
        sizes = (d_model, n_heads, feed_forward, norms, shortcuts)
        self.layers = nn.ModuleList(StairLayer(*sizes) for _ in range(n_layers if n_heads else 0))
        self.norm = nn.LayerNorm(d_model) if norms else nn.Identity()
        self.output = nn.Linear(d_model, len(ALPHABET))

    def forward(self, ids):
        """Return the logits of the token after each of ids."""
        x = self.tokens(ids)  # (B, T, D)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))  # (B, T, V)


class StairLayer(nn.Module):
    """Attention, then feed-forward if asked for; each is added to x, or replaces it."""

    def __init__(self, d_model, n_heads, feed_forward, norms, shortcuts):
        super().__init__()
        self.parts = nn.ModuleList([MultiHeadAttention(d_model, n_heads, causal=True)])
        if feed_forward:
            self.parts.append(FeedForward(d_model))
        norm = nn.LayerNorm if norms else nn.Identity
        self.norms = nn.ModuleList(norm(d_model) for _ in self.parts)
        self.shortcuts = shortcuts

    def forward(self, x):
        """Return (B, T, D) from x (B, T, D)."""
        for part, norm in zip(self.parts, self.norms, strict=True):
            x = x + part(norm(x)) if self.shortcuts else part(norm(x))
        return x


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return load_shakespeare().text.encode()


def build(stair, settings):
    """Return the untrained model of one stair or variation; "modern" asks for a ModernGPT."""
    sizes = {name: value for name, value in stair.items() if name not in ("name", "modern")}
    sizes |= {"d_model": settings["d_model"], "context": settings["context"]}
    if stair.get("modern"):
        return ModernGPTConfig(vocab_size=len(ALPHABET), **sizes).build()
    return Stair(**sizes)


def run(settings, progress=True):
    """Train all with every seed; a row has a model's bits per character and what it writes."""
    train, test = split(settings["held_out"], settings["held_out"], settings["measured"])
    rows = []
    for stair in settings["stairs"] + settings["variations"]:
        for seed in settings["seeds"]:
            set_seed(seed)
            model = build(stair, settings)
            row = {"stair": stair["name"], "seed": seed}
            rows.append(row | learn(model, seed, train, test, settings, progress))
    return {"rows": rows}


def split(unseen, measured, length):
    """Return the ids of all plays but the unseen, and of the beginning of each measured play."""
    plays = load_shakespeare().plays
    train = "\n".join(play.text for play in plays if play.title not in unseen)
    test = [play.text[:length] for play in plays if play.title in measured]
    return encode(train), [encode(text) for text in test]


def learn(model, seed, train, test, settings, progress=True):
    """Train a model on ids; return its parameters, bits per character on `test`, and a sample."""
    context = settings["context"]
    train_on_cpu(
        model,
        NextTokenBatches(train, settings["batch_size"], context, seed),
        next_token_loss,
        settings,
        progress,
        optimizer=Muon,
        seed=seed,
    )
    model.eval()
    nats = [mean_next_token_loss(model, ids, context) for ids in test]
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "bits_per_character": sum(nats) / len(nats) / math.log(2),
        "text": written(model, context, **settings["sample"]),
    }


@torch.no_grad()
def written(model, context, prompt, length, temperature):
    """Return what a model makes of a prompt, reading at most `context` characters at a time."""
    ids = encode(prompt)
    draw = torch.Generator().manual_seed(0)
    for _ in range(length):
        logits = model(ids[None, -context:])[0, -1]  # (V,)
        p = (logits / temperature).softmax(dim=-1)
        ids = torch.cat([ids, torch.multinomial(p, 1, generator=draw)])
    return decode(ids[len(prompt) :].tolist())
