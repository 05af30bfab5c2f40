"""Chapter 02: an LSTM against one attention layer, recalling a digit seen k steps ago.

The task. A row of black digits, one of them red; k tokens after the red one comes a question
mark, and the answer is the red digit. The attention layer finds it by its colour and needs no
positions; the LSTM has to notice it and then keep it in its state for k steps. Before the red
digit stand 0 to 7 black ones. Chance is 10 %. Each distance and seed trains a fresh pair of
models of nearly the same size, on the same batches, for the same number of steps.

Times are CPU time on one thread, so that a busy neighbour does not count.
"""

import statistics
import time
from functools import partial

import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.training import set_seed

SETTINGS = {
    "distances": [4, 8, 16, 32, 64, 128],
    "seeds": [0, 1, 2],
    "steps": 600,
    "batch_size": 64,
    "lstm_width": 31,
    "attention_width": 43,
    "lstm_lr": 1e-2,
    "attention_lr": 1e-2,
    "n_test": 1000,
}
SMOKE = SETTINGS | {"distances": [4], "seeds": [0], "steps": 3, "n_test": 50}

QUESTION = 20  # 0 to 9 are the black digits, 10 to 19 the red ones
MOST_BEFORE = 7


def sample(n, distance, generator, before=None):
    """Return tokens (B, T) and the red digits (B,); `before` black digits come first."""
    if before is None:
        before = int(torch.randint(MOST_BEFORE + 1, (), generator=generator))
    tokens = torch.randint(10, (n, before + distance + 1), generator=generator)  # (B, T)
    answers = tokens[:, before].clone()
    tokens[:, before] += 10
    tokens[:, -1] = QUESTION
    return tokens, answers


class TokenEmbedding(nn.Module):
    """A vector for the digit plus a vector for the colour (black, red, question mark)."""

    def __init__(self, width):
        super().__init__()
        self.digit = nn.Embedding(10, width)
        self.colour = nn.Embedding(3, width)

    def forward(self, tokens):
        """Return the vectors (B, T, D) of tokens (B, T)."""
        return self.digit(tokens % 10) + self.colour(tokens // 10)


class LSTMReader(nn.Module):
    """Embedding, one LSTM layer, and a linear map from its last state to ten digits."""

    def __init__(self, width):
        super().__init__()
        self.embedding = TokenEmbedding(width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.readout = nn.Linear(width, 10)

    def forward(self, tokens):
        """Return the scores of the ten digits (B, 10) for tokens (B, T)."""
        states, _ = self.lstm(self.embedding(tokens))  # (B, T, D)
        return self.readout(states[:, -1])


class AttentionReader(nn.Module):
    """Embedding, one attention layer, and a linear map from its last position to ten digits."""

    def __init__(self, width):
        super().__init__()
        self.embedding = TokenEmbedding(width)
        self.attention = MultiHeadAttention(width, n_heads=1)
        self.readout = nn.Linear(width, 10)

    def forward(self, tokens):
        """Return the scores of the ten digits (B, 10) for tokens (B, T)."""
        mixed = self.attention(self.embedding(tokens))  # (B, T, D)
        return self.readout(mixed[:, -1])


def run(settings, progress=True):
    """Train both models for each distance and seed; return the rows of the table."""
    kinds = {
        "LSTM": (partial(LSTMReader, settings["lstm_width"]), settings["lstm_lr"]),
        "attention": (
            partial(AttentionReader, settings["attention_width"]),
            settings["attention_lr"],
        ),
    }
    rows = [
        {"distance": distance, "model": name, "seed": seed}
        | _train(build, lr, distance, seed, settings, progress)
        for distance in settings["distances"]
        for seed in settings["seeds"]
        for name, (build, lr) in kinds.items()
    ]
    return {"rows": rows, "chance": 0.1}


def _train(build, lr, distance, seed, settings, progress):
    set_seed(seed)
    model = build()

    def batches():
        generator = torch.Generator().manual_seed(seed)
        while True:
            yield sample(settings["batch_size"], distance, generator)

    started = time.process_time()
    train_on_cpu(
        model,
        batches(),
        lambda model, batch: nn.functional.cross_entropy(model(batch[0]), batch[1]),
        settings,
        progress,
        lr=lr,
        seed=seed,
    )
    training = time.process_time() - started
    generator = torch.Generator().manual_seed(1_000_000 + seed)
    tokens, answers = sample(settings["n_test"], distance, generator, before=MOST_BEFORE)
    with torch.no_grad():
        found = model.eval()(tokens).argmax(-1)
    return {
        "accuracy": (found == answers).float().mean().item(),
        "parameters": sum(p.numel() for p in model.parameters()),
        "training_ms_per_step": round(1000 * training / settings["steps"], 2),
        "inference_ms_one": round(_milliseconds(model, tokens[:1]), 3),
        "inference_ms_batch": round(_milliseconds(model, tokens[: settings["batch_size"]]), 3),
    }


@torch.no_grad()
def _milliseconds(model, tokens, repeats=15):
    times = []
    for _ in range(repeats):
        started = time.process_time()
        model(tokens)
        times.append(time.process_time() - started)
    return 1000 * statistics.median(times)
