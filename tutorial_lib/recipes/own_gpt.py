"""Chapter 05: the GPT that `assemble()` builds, trained for longer than a chapter has time for.

The library's twin of that model: the same sizes, the same vocabulary, sinusoids for positions, no
biases in the attention. So its weights fit into a learner's own functions.
"""

import math

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.objectives import NextTokenBatches, mean_next_token_loss, next_token_loss
from tutorial_lib.positions import sinusoidal
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seed": 0,
    "held_out": ["Hamlet", "Henry V", "Twelfth Night"],
    "measured": 5000,  # the first characters of each play held out
    "n_merges": 200,
    "sizes": {"context": 48, "d_model": 64, "n_layers": 2, "n_heads": 2},
    "batch_size": 16,
    "steps": 3000,
    "lr": 8e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "n_merges": 4,
    "sizes": {"context": 16, "d_model": 8, "n_layers": 1, "n_heads": 2},
    "steps": 3,
}


def data_bytes():
    """Return the plays as bytes, for their hash in the card."""
    return load_shakespeare().text.encode()


def build(settings):
    """Return the untrained model; what `assemble()` does not train is not trained here either."""
    config = GPTConfig(256 + settings["n_merges"], activation="relu", **settings["sizes"])
    model = config.build()
    model.position_embedding.weight.data = sinusoidal(config.context, config.d_model)
    fixed = [model.position_embedding.weight]
    for block in model.blocks:
        fixed += [block.attention.qkv.bias, block.attention.output.bias]
    for parameter in fixed:
        parameter.requires_grad_(False)
    return model


def train(settings, progress=True):
    """Train on all plays but those held out; the tokenizer comes with the model."""
    plays = load_shakespeare().plays
    text = "\n".join(play.text for play in plays if play.title not in settings["held_out"])
    tokenizer = BPETokenizer.train(text[:50_000], vocab_size=256 + settings["n_merges"])
    set_seed(settings["seed"])
    model = build(settings)
    ids = torch.tensor(tokenizer.encode(text))
    context = settings["sizes"]["context"]
    batches = NextTokenBatches(ids, settings["batch_size"], context, settings["seed"])
    train_on_cpu(model, batches, next_token_loss, settings, progress, optimizer=Muon)
    model.tokenizer = tokenizer
    return model.eval()


def evaluate(model):
    """Return the bits per character at the beginning of each play held out."""
    nats = characters = 0.0
    for play in load_shakespeare().plays:
        if play.title in SETTINGS["held_out"]:
            text = play.text[: SETTINGS["measured"]]
            pieces = model.tokenizer.encode("\n" + text)
            nats += mean_next_token_loss(model, pieces, model.config.context) * (len(pieces) - 1)
            characters += len(text)
    return {"bits_per_character": nats / characters / math.log(2)}
