"""Chapter 05: what rotary positions, RMSNorm, squared ReLU and Muon buy in the same time.

A GPT of 2019 and a `ModernGPT`, each trained by AdamW and by Muon, on the characters of 35 plays;
three plays are held out, and only they are measured. The four sides get the same processor time,
not the same steps: the step counts are in the ratio of the measured times of one step. First, each
side chooses its learning rate by shorter runs, with a seed and plays used for nothing else.
"""

import math
import time

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.objectives import NextTokenBatches, mean_next_token_loss, next_token_loss
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET, encode
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": ["Hamlet", "Henry V", "Twelfth Night"],
    "measured": 5000,  # the first characters of each play held out
    "sizes": {"context": 128, "d_model": 128, "n_layers": 4, "n_heads": 4},
    "batch_size": 8,
    "sides": [
        {"model": "GPT", "optimizer": "AdamW", "steps": 600},
        {"model": "GPT", "optimizer": "Muon", "steps": 430},
        {"model": "ModernGPT", "optimizer": "AdamW", "steps": 515},
        {"model": "ModernGPT", "optimizer": "Muon", "steps": 390},
    ],
    "rates": {"AdamW": [1.5e-3, 3e-3, 6e-3, 1.2e-2], "Muon": [4e-3, 8e-3, 1.6e-2]},
    "choice": {"plays": ["Macbeth", "As You Like It"], "seed": 10, "share_of_steps": 0.4},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "measured": 300,
    "sizes": {"context": 16, "d_model": 8, "n_layers": 1, "n_heads": 2},
    "sides": [side | {"steps": 5} for side in SETTINGS["sides"]],
}
CONFIGS = {"GPT": GPTConfig, "ModernGPT": ModernGPTConfig}
OPTIMIZERS = {"AdamW": None, "Muon": Muon}


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return load_shakespeare().text.encode()


def run(settings, progress=True):
    """Choose each side's learning rate, then train it with every seed; return both as rows.

    `choices` has a row for each side and rate tried, `rows` one for each side and seed.
    """
    choices, rows = [], []
    for side in settings["sides"]:
        tried = try_rates(side, settings, progress)
        best = min(tried, key=lambda row: row["bits_per_character"])["lr"]
        choices += tried
        data = split(settings["held_out"], settings["held_out"], settings["measured"])
        rows += [
            train_side(side | {"lr": best}, seed, data, settings, progress)
            for seed in settings["seeds"]
        ]
    return {"rows": rows, "choices": choices}


def try_rates(side, settings, progress=True):
    """Return a row for each learning rate, measured on plays kept for this choice alone."""
    choice = settings["choice"]
    unseen = settings["held_out"] + choice["plays"]
    data = split(unseen, choice["plays"], settings["measured"])
    steps = max(1, round(side["steps"] * choice["share_of_steps"]))
    return [
        train_side(side | {"steps": steps, "lr": lr}, choice["seed"], data, settings, progress)
        for lr in settings["rates"][side["optimizer"]]
    ]


def split(unseen, measured, length):
    """Return the ids of all plays but the unseen, and of the beginning of each measured play."""
    plays = load_shakespeare().plays
    train = "\n".join(play.text for play in plays if play.title not in unseen)
    test = [play.text[:length] for play in plays if play.title in measured]
    return encode(train), [encode(text) for text in test]


def train_side(side, seed, data, settings, progress=True):
    """Train one side and return its row: bits per character, parameters, processor seconds."""
    train, test = data
    set_seed(seed)
    sizes = settings["sizes"]
    model = CONFIGS[side["model"]](vocab_size=len(ALPHABET), **sizes).build()
    started = time.process_time()
    train_on_cpu(
        model,
        NextTokenBatches(train, settings["batch_size"], sizes["context"], seed),
        next_token_loss,
        side,
        progress,
        optimizer=OPTIMIZERS[side["optimizer"]],
        seed=seed,
    )
    seconds = time.process_time() - started
    nats = [mean_next_token_loss(model.eval(), ids, sizes["context"]) for ids in test]
    return {
        "model": side["model"],
        "optimizer": side["optimizer"],
        "seed": seed,
        "lr": side["lr"],
        "steps": side["steps"],
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "cpu_seconds": round(seconds, 1),
        "bits_per_character": sum(nats) / len(nats) / math.log(2),
    }
