"""Chapter 05b: a small GPT that learns a made-up grammar from the examples in its prompt.

A `ModernGPT` reads nine words with their plurals, character by character, all of one made-up
grammar (`datasets.made_up_plurals`), and learns to predict the next character, nothing else. Each
sequence has another grammar, so the weights cannot know it: they can only learn to read it off
the examples. Measured are the plurals, on grammars and words held out.
"""

import random
from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets.made_up_plurals import (
    ALPHABET,
    ENDS,
    GIVES,
    Example,
    draw_examples,
    draw_grammar,
    last_ending,
)
from tutorial_lib.models.modern_gpt import ModernGPT, ModernGPTConfig
from tutorial_lib.objectives import IGNORED, next_token_loss, shifted
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seed": 0,
    "n_words": 9,  # in a sequence: eight examples and the word asked for
    "sizes": {"context": 128, "d_model": 64, "n_layers": 3, "n_heads": 4},
    "batch_size": 28,
    "steps": 800,
    "lr": 8e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {"sizes": SETTINGS["sizes"] | {"d_model": 8, "n_heads": 2}, "steps": 3}
ASKED = ("plural", "all")
MEASURED = 400  # sequences held out
MEASURED_SEED = 2026


class Answers(NamedTuple):
    """Sequences as a GPT reads them: inputs and targets (B, T), IGNORED where nothing is asked."""

    inputs: torch.Tensor
    targets: torch.Tensor


def answers(sequences, asked="plural"):
    """Return the Answers of sequences of Examples, padded on the right.

    asked: what is to be said: the "plural" with the sign that ends it, or "all" signs. Raises
    ValueError for another name.

    >>> inputs, targets = answers([[Example("wug", "wugib")]])
    >>> decode(inputs[0], ALPHABET), (targets[0] == IGNORED).tolist()
    ('wug wugib', [True, True, True, False, False, False, False, False, False])
    """
    if asked not in ASKED:
        raise ValueError(f"asked must be one of {', '.join(ASKED)}, got {asked!r}")
    inputs, targets = [], []
    for sequence in sequences:
        ids = encode("".join(example.text for example in sequence), ALPHABET)
        wanted = torch.cat([_wanted(example, asked) for example in sequence])
        before, after = shifted(ids)
        inputs.append(before)
        targets.append(after.where(wanted[1:], IGNORED))
    return Answers(
        pad_sequence(inputs, batch_first=True, padding_value=ALPHABET.index(ENDS)),
        pad_sequence(targets, batch_first=True, padding_value=IGNORED),
    )


def _wanted(example, asked):
    first = 0 if asked == "all" else len(example.word) + len(GIVES)
    return torch.arange(len(example.text)) >= first


def draw_sequences(n, n_words, generator, held_out=False):
    """Return n sequences of n_words Examples, each of a grammar of its own."""
    return [
        draw_examples(n_words, draw_grammar(generator, held_out), generator, held_out)
        for _ in range(n)
    ]


def held_out_sequences(n=MEASURED, n_words=SETTINGS["n_words"], seed=MEASURED_SEED):
    """Return the sequences that are measured: neither words nor endings were trained on."""
    return draw_sequences(n, n_words, random.Random(seed), held_out=True)


class Batches:
    """New grammars without end, as Answers; every `iter` starts again from the seed.

    All signs are to be said, as in any text, though most letters of a new word cannot be known.
    """

    def __init__(self, batch_size, n_words, seed=0):
        self.batch_size, self.n_words, self.seed = batch_size, n_words, seed

    def __iter__(self):
        generator = random.Random(self.seed)
        while True:
            yield answers(draw_sequences(self.batch_size, self.n_words, generator), asked="all")


def build(settings):
    """Return the untrained model."""
    return ModernGPT(ModernGPTConfig(vocab_size=len(ALPHABET), **settings["sizes"]))


def train(settings, progress=True):
    """Train a GPT on new grammars without end and return it."""
    set_seed(settings["seed"])
    model = build(settings)
    train_on_cpu(
        model,
        Batches(*(settings[name] for name in ("batch_size", "n_words", "seed"))),
        next_token_loss,
        settings,
        progress,
        optimizer=Muon,
    )
    return model.eval()


@torch.no_grad()
def accuracy_by_examples(model, sequences):
    """Return the share of answers that are right to the last sign, by the examples before: a list.

    sequences: of equally many Examples. One pass answers all words: a greedy answer is right
    exactly when each of its signs is the likeliest after the right ones.
    """
    inputs, targets = answers(sequences)
    # Not all sequences at once: their attention would be the most memory that chapter 05b needs.
    said = torch.cat([model(part).argmax(-1) for part in inputs.split(100)])
    wrong = (said != targets) & (targets != IGNORED)  # (B, T)
    before = (inputs == ALPHABET.index(ENDS)).cumsum(dim=1)  # examples that have ended
    n = len(sequences[0])
    failed = torch.stack([(wrong & (before == k)).any(dim=1) for k in range(n)])  # (n, B)
    return (1 - failed.double().mean(dim=1)).tolist()


@torch.no_grad()
def outcomes(model, sequences, n_examples):
    """Return how many answers after n_examples are "right", and how the others fail, a dict.

    "word miscopied": a letter of the word is wrong, and the ending may be, too; "wrong ending":
    the word is right. sequences and the one pass as in `accuracy_by_examples`.
    """
    inputs, targets = answers(sequences)
    said = model(inputs).argmax(-1)
    before = (inputs == ALPHABET.index(ENDS)).cumsum(dim=1)
    asked = (before == n_examples) & (targets != IGNORED)  # (B, T)
    found = {"right": 0, "wrong ending": 0, "word miscopied": 0}
    for sequence, row, signs, wanted in zip(sequences, asked, said, targets, strict=True):
        hits = (signs == wanted)[row]
        copied = hits[: len(sequence[n_examples].word)].all()
        found["right" if hits.all() else "wrong ending" if copied else "word miscopied"] += 1
    return found


@torch.no_grad()
def continue_prompt(model, prompt, longest=12):
    """Return the likeliest continuation of a prompt, up to the sign that ends an answer."""
    ids = encode(prompt, ALPHABET)[None]  # (1, T)
    said = ""
    while not said.endswith(ENDS) and len(said) < longest:
        ids = torch.cat([ids, model(ids)[:, -1:].argmax(-1)], dim=1)
        said = decode(ids[0], ALPHABET)[len(prompt) :]
    return said.removesuffix(ENDS)


def under_rule(model, sequences, rule):
    """Return what is right by number of examples when another rule deals out the two endings.

    rule(word) says which of the two a word gets; sequences with one ending are left out. Two lists:
    the model's share, and that of a reader who says the last ending again.
    """
    dealt = []
    for sequence in sequences:
        endings = sorted({example.ending for example in sequence})
        if len(endings) == 2:
            ruled = ((e.word, endings[0 if rule(e.word) else 1]) for e in sequence)
            dealt.append([Example(word, word + ending) for word, ending in ruled])
    return accuracy_by_examples(model, dealt), last_ending(dealt)


@torch.no_grad()
def ending_scores(model, sequences):
    """Return how much each head looks at the endings that tell the answer, (L, H), from 0 to 1.

    At the last letter of the word in the plural, the next thing to say is the ending. The score is
    the mean weight from there to the first letters of the endings behind words of the same kind.
    This is A B ... A', then B, as an induction head does it, with A and A' two words of one kind.
    """
    with capture_attention(model) as maps:
        model(answers(sequences).inputs)
    weights = torch.stack(list(maps), dim=1)  # (B, L, H, T, T)
    looks = [
        weights[b, :, :, asks, tell].sum(dim=-1)
        for b, sequence in enumerate(sequences)
        for asks, tell in _tellers(sequence)
    ]
    return torch.stack(looks).mean(dim=0)


def _tellers(sequence):
    """Yield (place that asks for an ending, places that tell it) for each answer that is told."""
    start, told = 0, {}
    for example in sequence:
        ending = start + 2 * len(example.word) + len(GIVES)
        if example.kind in told:
            yield ending - 1, list(told[example.kind])
        told.setdefault(example.kind, []).append(ending)
        start += len(example.text)


def evaluate(model):
    """Return the accuracy on held-out grammars and words behind 0, 1, 2, 4 and 8 examples."""
    accuracy = accuracy_by_examples(model, held_out_sequences())
    names = {0: "no example", 1: "1 example", 2: "2 examples", 4: "4 examples", 8: "8 examples"}
    return {name: accuracy[k] for k, name in names.items()}


def data_bytes():
    """Return the sequences measured and the first batch trained on, for the hash in the card."""
    drawn = draw_sequences(SETTINGS["batch_size"], SETTINGS["n_words"], random.Random(0))
    lines = ["".join(e.text for e in sequence) for sequence in held_out_sequences() + drawn]
    return "\n".join(lines).encode()
