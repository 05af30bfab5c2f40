"""Chapter 06: PlayGPT, the rival of PlayBERT that reads from one side.

As many layers, as wide, with the same pieces of words, from the same plays, and as many steps of
as many tokens. It is chapter 05's `ModernGPT`, and it reads speeches, each framed by [CLS] and
[SEP] as PlayBERT's gaps are. The dropout was chosen on two of the other plays, left out of the
training for that: without it the loss there rises again after half of the steps.
"""

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models.modern_gpt import ModernGPT, ModernGPTConfig
from tutorial_lib.objectives import mean_next_token_loss
from tutorial_lib.recipes.play_bert import SETTINGS as BERT_SETTINGS
from tutorial_lib.recipes.play_bert import data_bytes, read_tokenizer  # noqa: F401
from tutorial_lib.recipes.shakespeare_gpt import train_gpt
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.training import set_seed

SETTINGS = {
    "seed": 0,
    "held_out": BERT_SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "sizes": {**BERT_SETTINGS["sizes"], "dropout": 0.1},
    "batch_size": BERT_SETTINGS["tokens"] // BERT_SETTINGS["sizes"]["context"],
    "steps": BERT_SETTINGS["steps"],
    "lr": BERT_SETTINGS["lr"],
    "measured": 5_000,  # the first tokens of each play held out
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "plays": 1,
    "sizes": SETTINGS["sizes"] | {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "batch_size": 2,
    "steps": 2,
}


def train(settings, progress=True):
    """Train on all plays but those held out; model.tokenizer is PlayBERT's."""
    tokenizer = load_checkpoint("play-bert").tokenizer
    plays = [p for p in load_shakespeare().plays if p.title not in settings["held_out"]]
    set_seed(settings["seed"])
    model = ModernGPT(ModernGPTConfig(**settings["sizes"]))
    train_gpt(model, speeches(plays[: settings["plays"]], tokenizer), settings, progress)
    model.tokenizer = tokenizer
    return model


def speeches(plays, tokenizer):
    """Return the speeches of plays as one stream of ids (N,), each in its [CLS] and [SEP]."""
    ids = [tokenizer.encode(speech.text).ids for play in plays for speech in play.speeches]
    return torch.tensor([i for of_speech in ids for i in of_speech])


def evaluate(model):
    """Return the nats a token at the beginning of each play held out, their mean."""
    plays = [p for p in load_shakespeare().plays if p.title in SETTINGS["held_out"]]
    nats = [
        mean_next_token_loss(
            model, speeches([play], model.tokenizer)[: SETTINGS["measured"]], model.config.context
        )
        for play in plays
    ]
    return {"nats_per_token": sum(nats) / len(nats)}
