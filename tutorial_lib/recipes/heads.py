"""Chapter 02: one attention head against eight of equal size and cost, five initialisations each.

D is the same for both, so the eight heads are D/8 wide, and parameters and multiplications are
equal. Three tasks, each with one attention layer and a linear map:

- the hundreds digit of a number in words, with positions: one thing to find;
- all three digits of the number at once: several things to find, in different places;
- the next character of Shakespeare, in plays held out from the training.

Numbers are measured on held-out numbers. Both sides take the same steps on the same batches.
"""

import math
import time

import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, padding_mask
from tutorial_lib.datasets import load_shakespeare, numbers_in_words
from tutorial_lib.positions import LearnedPositions, sinusoidal
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.training import set_seed

SETTINGS = {
    "heads": [1, 8],
    "seeds": [0, 1, 2, 3, 4],
    "d_model": 64,
    "numbers": {"steps": 600, "batch_size": 60, "lr": 1e-2},
    "shakespeare": {
        "steps": 600,
        "batch_size": 24,
        "lr": 1e-2,
        "context": 64,
        "held_out": ["Hamlet", "Henry V", "Twelfth Night"],
        "n_test": 500,
    },
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "numbers": SETTINGS["numbers"] | {"steps": 3},
    "shakespeare": SETTINGS["shakespeare"] | {"steps": 3, "n_test": 2},
}


def data_bytes():
    """Return the plays and the numbers in words as bytes, for their hash in the table."""
    numbers = numbers_in_words()
    words = " ".join(" ".join(numbers.words(i)) for i in range(len(numbers)))
    return load_shakespeare().text.encode() + words.encode()


class DigitReader(nn.Module):
    """One learned question looks at the words of a number and reads `n_digits` of its digits."""

    def __init__(self, vocab_size, d_model, n_heads, n_digits):
        super().__init__()
        self.n_digits = n_digits
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.question = nn.Parameter(torch.randn(d_model))
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.readout = nn.Linear(d_model, n_digits * 10)

    def forward(self, ids, lengths):
        """Return the scores (B, digits, 10) for words ids (B, S), padded on the right."""
        x = self.embedding(ids)  # (B, S, D)
        x = x + sinusoidal(*x.shape[1:], device=x.device)
        question = self.question.expand(len(x), 1, -1)  # (B, 1, D)
        mask = padding_mask(lengths, ids.size(1))
        found = self.attention(question, context=x, mask=mask)  # (B, 1, D)
        return self.readout(found[:, 0]).unflatten(-1, (self.n_digits, 10))


class CharacterModel(nn.Module):
    """One causal attention layer that predicts the next character."""

    def __init__(self, vocab_size, d_model, n_heads, context):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = LearnedPositions(context, d_model)
        self.attention = MultiHeadAttention(d_model, n_heads, causal=True)
        self.norm = nn.LayerNorm(d_model)
        self.readout = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        """Return the scores of the next character (B, T, V) for ids (B, T)."""
        x = self.embedding(ids) + self.positions(ids.size(1))  # (B, T, D)
        return self.readout(self.norm(x + self.attention(x)))


def run(settings, progress=True):
    """Train every pair of heads and seed on the three tasks; return the rows of the table."""
    tasks = [
        NumberTask("hundreds digit", 1, settings),
        NumberTask("all three digits", 3, settings),
        CharacterTask("next character", settings),
    ]
    return {
        "rows": [
            _train(task, heads, seed, progress)
            for task in tasks
            for heads in settings["heads"]
            for seed in settings["seeds"]
        ]
    }


def _train(task, heads, seed, progress):
    set_seed(seed)
    model = task.model(heads)
    started = time.process_time()
    train_on_cpu(model, task.batches(seed), task.loss, task.settings, progress, seed=seed)
    cpu_seconds = time.process_time() - started
    return {
        "task": task.name,
        "heads": heads,
        "seed": seed,
        "measure": task.measure,
        "value": task.evaluate(model.eval()),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "cpu_ms_per_step": round(1000 * cpu_seconds / task.settings["steps"], 2),
    }


class NumberTask:
    """Read the first `n_digits` digits of a number in words; measured on held-out numbers."""

    measure = "share of held-out numbers read right"

    def __init__(self, name, n_digits, settings):
        self.name = name
        self.n_digits = n_digits
        self.d_model = settings["d_model"]
        self.settings = settings["numbers"]
        self.training, self.held_out = numbers_in_words().split()

    def model(self, heads):
        """Return an untrained reader."""
        return DigitReader(len(self.training.vocabulary), self.d_model, heads, self.n_digits)

    def batches(self, seed):
        """Yield batches (ids, lengths, digits) for ever; digits is (B, n_digits)."""
        generator = torch.Generator().manual_seed(seed)
        while True:
            order = torch.randperm(len(self.training), generator=generator)
            for rows in order.split(self.settings["batch_size"]):
                batch = self.training.select(rows)
                yield batch.ids, batch.lengths, self.digits(batch.values)

    def digits(self, values):
        """Return the wanted digits (B, n_digits) of numbers (B,)."""
        places = torch.tensor([100, 10, 1])[: self.n_digits]
        return values[:, None] // places % 10

    def loss(self, model, batch):
        """Return the mean cross-entropy over the digits."""
        ids, lengths, digits = batch
        return nn.functional.cross_entropy(model(ids, lengths).flatten(0, 1), digits.flatten())

    @torch.no_grad()
    def evaluate(self, model):
        """Return the share of held-out numbers of which every wanted digit is right."""
        data = self.held_out
        found = model(data.ids, data.lengths).argmax(-1)  # (B, n_digits)
        return (found == self.digits(data.values)).all(dim=1).float().mean().item()


class CharacterTask:
    """Predict the next character of Shakespeare; measured in plays held out."""

    measure = "bits per character, held-out plays"

    def __init__(self, name, settings):
        self.name = name
        self.d_model = settings["d_model"]
        self.settings = settings["shakespeare"]
        corpus = load_shakespeare()
        self.index = {character: i for i, character in enumerate(sorted(set(corpus.text)))}
        held_out = set(self.settings["held_out"])
        self.training = self.encode(p.text for p in corpus.plays if p.title not in held_out)
        self.held_out = self.encode(p.text for p in corpus.plays if p.title in held_out)

    def encode(self, texts):
        """Return the ids (N,) of the characters of some texts."""
        return torch.tensor([self.index[character] for text in texts for character in text])

    def model(self, heads):
        """Return an untrained language model."""
        return CharacterModel(len(self.index), self.d_model, heads, self.settings["context"])

    def batches(self, seed):
        """Yield random windows (B, T + 1) for ever."""
        generator = torch.Generator().manual_seed(seed)
        while True:
            yield self.windows(self.training, self.settings["batch_size"], generator)

    def windows(self, ids, n, generator):
        """Return n random windows of T + 1 characters."""
        length = self.settings["context"] + 1
        return ids.unfold(0, length, 1)[
            torch.randint(len(ids) - length + 1, (n,), generator=generator)
        ]

    def loss(self, model, windows):
        """Return the mean cross-entropy of the next character, in nats."""
        scores = model(windows[:, :-1])  # (B, T, V)
        return nn.functional.cross_entropy(scores.flatten(0, 1), windows[:, 1:].flatten())

    @torch.no_grad()
    def evaluate(self, model):
        """Return the bits per character over fixed windows of the held-out plays."""
        generator = torch.Generator().manual_seed(0)
        windows = self.windows(self.held_out, self.settings["n_test"], generator)
        return self.loss(model, windows).item() / math.log(2)
