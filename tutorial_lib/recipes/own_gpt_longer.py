"""Chapter 05: how far the GPT that `assemble()` builds comes when it trains for longer.

The library's twin of that model, the same sizes, vocabulary and text, for thousands of steps: what
the chapter has no time for. Three plays are held out, and only they are measured.
"""

import math

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import generate
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.objectives import NextTokenBatches, mean_next_token_loss, next_token_loss
from tutorial_lib.positions import sinusoidal
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": ["Hamlet", "Henry V", "Twelfth Night"],
    "measured": 5000,  # the first characters of each play held out
    "n_merges": 200,
    "sizes": {"context": 48, "d_model": 64, "n_layers": 2, "n_heads": 2},
    "batch_size": 16,
    "steps": 3000,
    "lr": 8e-3,
    "sample": {"prompt": "ROMEO:\n", "tokens": 160, "temperature": 0.7, "top_p": 0.9},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "measured": 400,
    "n_merges": 4,
    "sizes": {"context": 16, "d_model": 8, "n_layers": 1, "n_heads": 2},
    "steps": 3,
    "sample": SETTINGS["sample"] | {"tokens": 4},
}


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return load_shakespeare().text.encode()


def build(settings):
    """Return the untrained model: a small GPT with ReLU and sinusoids, which are not trained."""
    config = GPTConfig(256 + settings["n_merges"], activation="relu", **settings["sizes"])
    model = config.build()
    table = model.position_embedding.weight
    table.data = sinusoidal(config.context, config.d_model)
    table.requires_grad_(False)
    return model


def run(settings, progress=True):
    """Train with every seed; a row has the bits per character and a text."""
    plays = load_shakespeare().plays
    text = "\n".join(play.text for play in plays if play.title not in settings["held_out"])
    tokenizer = BPETokenizer.train(text[:50_000], vocab_size=256 + settings["n_merges"])
    ids = torch.tensor(tokenizer.encode(text))
    test = [
        play.text[: settings["measured"]] for play in plays if play.title in settings["held_out"]
    ]
    rows = [train_one(seed, tokenizer, ids, test, settings, progress) for seed in settings["seeds"]]
    return {"rows": rows}


def train_one(seed, tokenizer, ids, test, settings, progress=True):
    """Train one model and return its row."""
    set_seed(seed)
    model, context = build(settings), settings["sizes"]["context"]
    train_on_cpu(
        model,
        NextTokenBatches(ids, settings["batch_size"], context, seed),
        next_token_loss,
        settings,
        progress,
        optimizer=Muon,
        seed=seed,
    )
    model.eval()
    nats = characters = 0.0
    for text in test:
        pieces = tokenizer.encode("\n" + text)
        nats += mean_next_token_loss(model, pieces, context) * (len(pieces) - 1)
        characters += len(text)
    how = {key: settings["sample"][key] for key in ("temperature", "top_p")}
    prompt = tokenizer.encode(settings["sample"]["prompt"])
    written = generate(model, prompt, settings["sample"]["tokens"], seed=seed, **how)
    return {
        "seed": seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "bits_per_character": nats / characters / math.log(2),
        "text": tokenizer.decode(written),
    }
