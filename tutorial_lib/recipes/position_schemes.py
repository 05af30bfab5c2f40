"""Chapter 03: six ways to say where a token stands, three questions that need to know it.

The data are windows of Shakespeare's letters (a to z and the space), each behind a start token.
One attention layer and three linear readouts answer three questions at every letter:

- "three back": which letter stood three places before?
- "last vowel": which vowel came last before this letter?
- "seen before": has this letter occurred in the window already?

Each scheme is trained with and without a causal mask on windows of one length, and tested on
letters of held-out plays: in windows of that length ("inside"), and in the second half of
windows twice as long ("beyond"). Of "seen before" the score is the mean of the two recalls, so a
reader that always says yes gets one half.
"""

import re
from functools import cache

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from tutorial_lib.attention import MultiHeadAttention, RotaryAttention
from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import evaluating
from tutorial_lib.positions import LearnedPositions, RelativePositions, SinusoidalPositions, alibi
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.training import set_seed

SCHEMES = ("none", "sinusoidal", "learned", "relative", "rotary", "ALiBi")
QUESTIONS = ("three back", "last vowel", "seen before")
LETTERS = " abcdefghijklmnopqrstuvwxyz"
START = len(LETTERS)
VOWELS = "aeiou"
UNASKED = -100  # cross_entropy passes over these

SETTINGS = {
    "schemes": list(SCHEMES),
    "seeds": [0, 1, 2],
    "length": 48,
    "reach": 16,
    "d_model": 64,
    "n_heads": 4,
    "steps": 1000,
    "batch_size": 64,
    "lr": 1e-2,
    "n_test": 400,
}
SMOKE = SETTINGS | {"schemes": ["none", "learned"], "seeds": [0], "steps": 3, "n_test": 20}


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return load_shakespeare().text.encode()


@cache
def letters():
    """Return the letters of the plays as ids: for training (N,) and held out (M,)."""
    ids = {letter: number for number, letter in enumerate(LETTERS)}
    plays = load_shakespeare().plays
    held_out = plays[::8]
    kept = [play for play in plays if play not in held_out]
    texts = (
        re.sub("[^a-z]+", " ", " ".join(p.text for p in part).lower()) for part in (kept, held_out)
    )
    return tuple(torch.tensor([ids[letter] for letter in text]) for text in texts)


def windows(text, n, length, generator):
    """Return n random windows of a text of ids, each behind the start token: (n, 1 + length)."""
    first = torch.randint(len(text) - length, (n, 1), generator=generator)
    tokens = text[first + torch.arange(length)]  # (B, length)
    return nn.functional.pad(tokens, (1, 0), value=START)  # (B, T)


def answers(tokens):
    """Return the right answers (3, B, T) to the questions, UNASKED where there is none."""
    length = tokens.size(1)
    back = torch.full_like(tokens, UNASKED)
    back[:, 4:] = tokens[:, 1:-3]  # the start token is no letter

    place = torch.arange(length)
    vowels = torch.tensor([LETTERS.index(vowel) for vowel in VOWELS])
    last = torch.where(torch.isin(tokens, vowels), place, -1).cummax(dim=1).values
    last = nn.functional.pad(last[:, :-1], (1, 0), value=-1)  # strictly before
    vowel = torch.where(last >= 0, tokens.gather(1, last.clamp(min=0)), UNASKED)

    same = tokens[:, :, None] == tokens[:, None, :]  # (B, T, T)
    seen = (same & (place[None] < place[:, None])).any(dim=-1).long()
    seen[:, 0] = UNASKED
    return torch.stack([back, vowel, seen])


class LetterReader(nn.Module):
    """One attention layer, told about positions by one of the schemes, and three readouts.

    `context` is the longest window (only learned positions need to know it); `reach` is the
    farthest offset with a number of its own in the relative scheme.

    >>> LetterReader("rotary")(torch.zeros(2, 5, dtype=torch.long))[0].shape
    torch.Size([2, 5, 28])
    """

    def __init__(self, scheme, causal=False, d_model=64, n_heads=4, context=97, reach=16):
        super().__init__()
        if scheme not in SCHEMES:
            raise ValueError(f"no scheme {scheme!r}; there are: {', '.join(SCHEMES)}")
        self.scheme = scheme
        self.embedding = nn.Embedding(START + 1, d_model)
        self.added = self.bias = None
        if scheme == "learned":
            self.added = LearnedPositions(context, d_model)
        elif scheme == "sinusoidal":
            self.added = SinusoidalPositions(context, d_model)
        elif scheme == "relative":
            self.bias = RelativePositions(n_heads, reach)
        attention = RotaryAttention if scheme == "rotary" else MultiHeadAttention
        self.attention = attention(d_model, n_heads, causal=causal)
        sizes = (START + 1, START + 1, 2)
        self.readouts = nn.ModuleList(nn.Linear(d_model, size) for size in sizes)

    def forward(self, tokens):
        """Return the scores of the answers for tokens (B, T): (B, T, 28) twice and (B, T, 2)."""
        x = self.embedding(tokens)  # (B, T, D)
        length = tokens.size(1)
        if self.added is not None:
            x = x + self.added(length)
        bias = None
        if self.bias is not None:
            bias = self.bias(length)  # (H, T, S)
        elif self.scheme == "ALiBi":
            bias = alibi(self.attention.n_heads, length, device=tokens.device)
        mixed = self.attention(x, bias=bias)  # (B, T, D)
        return [readout(mixed) for readout in self.readouts]


def letters_loss(model, tokens):
    """Return the mean cross-entropy of the three answers for windows (B, T)."""
    right = answers(tokens.cpu()).to(tokens.device)
    parts = zip(model(tokens), right, strict=True)
    return sum(cross_entropy(s.flatten(0, 1), r.flatten(), ignore_index=UNASKED) for s, r in parts)


@torch.no_grad()
def score(model, tokens, first=0):
    """Return the share of right answers to each question, from position `first` on."""
    right = answers(tokens)[..., first:]  # (3, B, T)
    with evaluating(model):
        found = torch.stack([scores.argmax(-1) for scores in model(tokens)])[..., first:]
    shares = [(found[q] == right[q])[right[q] != UNASKED].float().mean().item() for q in range(2)]
    recalls = [(found[2] == right[2])[right[2] == truth].float().mean() for truth in (0, 1)]
    return dict(zip(QUESTIONS, [*shares, (sum(recalls) / 2).item()], strict=True))


def train(scheme, causal, seed, settings, progress=True):
    """Train one reader on windows of the training plays and return it."""
    text, _ = letters()
    names = ("d_model", "n_heads", "reach")
    sizes = {name: settings[name] for name in names}
    set_seed(seed)
    model = LetterReader(scheme, causal, context=1 + 2 * settings["length"], **sizes)

    def batches():
        generator = torch.Generator().manual_seed(seed)
        while True:
            yield windows(text, settings["batch_size"], settings["length"], generator)

    train_on_cpu(model, batches(), letters_loss, settings, progress, seed=seed)
    return model


def measure(model, settings):
    """Return the scores of a reader on held-out plays, {"inside": ..., "beyond": ...}."""
    _, text = letters()
    generator = torch.Generator().manual_seed(1_000_000)  # the same windows for every reader
    n, length = settings["n_test"], settings["length"]
    return {
        "inside": score(model, windows(text, n, length, generator)),
        "beyond": score(model, windows(text, n, 2 * length, generator), first=1 + length),
    }


def run(settings, progress=True):
    """Train every scheme with each mask and seed; return the rows of the table."""
    rows = []
    for scheme in settings["schemes"]:
        for causal in (False, True):
            for seed in settings["seeds"]:
                scores = measure(train(scheme, causal, seed, settings, progress), settings)
                rows += [
                    {"scheme": scheme, "causal": causal, "seed": seed, "question": question}
                    | {where: scores[where][question] for where in scores}
                    for question in QUESTIONS
                ]
    return {"rows": rows}
