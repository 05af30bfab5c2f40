"""Chapter 05: a GPT that writes scenes in Shakespeare's manner, one character at a time.

A `ModernGPT` trained with `Muon` on 35 plays; three plays are held out, one of each kind, and
only they are measured.
"""

import math
from typing import ClassVar

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import repeated_share
from tutorial_lib.errors import VocabularyError
from tutorial_lib.models.modern_gpt import ModernGPT, ModernGPTConfig
from tutorial_lib.objectives import NextTokenBatches, mean_next_token_loss, next_token_loss
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.training import Muon, set_seed

# All the plays use these; the position of a character is its id.
ALPHABET = "\n !\"&',-.24568:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz—"

SETTINGS = {
    "seed": 0,
    "held_out": ["Hamlet", "Henry V", "Twelfth Night"],
    "measured": 5000,  # the first characters of each play held out
    "sizes": {"context": 256, "d_model": 128, "n_layers": 4, "n_heads": 4},
    "batch_size": 6,
    "steps": 1600,
    "lr": 8e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "sizes": {"context": 16, "d_model": 8, "n_layers": 2, "n_heads": 2},
    "steps": 3,
}


def encode(text, alphabet=ALPHABET):
    """Return the ids (N,) of the characters of a text.

    Raises VocabularyError for a character that is not in the alphabet.

    >>> encode("\\nA!")
    tensor([ 0, 17,  2])
    """
    place = {character: i for i, character in enumerate(alphabet)}
    try:
        return torch.tensor([place[character] for character in text], dtype=torch.long)
    except KeyError as error:
        raise VocabularyError(
            f"{error.args[0]!r} is not among the {len(alphabet)} characters"
        ) from error


def decode(ids, alphabet=ALPHABET):
    """Return the text that ids stand for.

    >>> decode(encode("To be"))
    'To be'
    """
    return "".join(alphabet[i] for i in ids)


class CharacterTokenizer:
    """The characters of an alphabet as a tokenizer like the others: an id is a position in it.

    >>> tokenizer = CharacterTokenizer()
    >>> tokenizer.decode(tokenizer.encode("To be"))
    'To be'
    """

    special_tokens: ClassVar[dict] = {}

    def __init__(self, alphabet=ALPHABET):
        self.alphabet = alphabet
        self.vocab_size = len(alphabet)

    def encode(self, text):
        """Return the list of the ids of a text. Raises VocabularyError for other characters."""
        return encode(text, self.alphabet).tolist()

    def decode(self, ids):
        """Return the text that ids stand for."""
        return decode(ids, self.alphabet)

    def token_bytes(self, token_id):
        """Return the bytes of one token."""
        return self.alphabet[token_id].encode()


def build(settings):
    """Return the untrained model."""
    return ModernGPT(ModernGPTConfig(vocab_size=len(ALPHABET), **settings["sizes"]))


def train(settings, progress=True, checkpoint=None):
    """Train on all plays but those held out; checkpoint as in `train_gpt`."""
    plays = load_shakespeare().plays
    text = "\n".join(play.text for play in plays if play.title not in settings["held_out"])
    set_seed(settings["seed"])
    return train_gpt(build(settings), encode(text), settings, progress, checkpoint)


def train_gpt(model, ids, settings, progress=True, checkpoint=None, save_every=100):
    """Train a GPT on a stream of ids (N,) with Muon and return it; checkpoint as in `fit`."""
    train_on_cpu(
        model,
        NextTokenBatches(ids, settings["batch_size"], model.config.context, settings["seed"]),
        next_token_loss,
        settings,
        progress,
        optimizer=Muon,
        checkpoint=checkpoint,
        checkpoint_every=save_every,
    )
    return model.eval()


def evaluate(model):
    """Return the bits per character at the beginning of each play held out."""
    n = SETTINGS["measured"]
    nats = [
        mean_next_token_loss(model, encode(play.text[:n]), model.config.context)
        for play in load_shakespeare().plays
        if play.title in SETTINGS["held_out"]
    ]
    return {"bits_per_character": sum(nats) / len(nats) / math.log(2)}


@torch.no_grad()
def bits_and_repeats(model, ways, n_given):
    """Return what `model` finds of texts, and how much they repeat: two dicts by way of writing.

    ways maps a name to ids of equally long texts, (B, T); the first n_given characters were given
    and do not count. The first dict has the bits per character, the second the mean share of runs
    of three words that occurred in their text before, in percent.
    """
    bits, repeats = {}, {}
    for name, rows in ways.items():
        ids = torch.as_tensor(rows)  # (B, T)
        log_p = model(ids[:, :-1]).log_softmax(dim=-1).gather(-1, ids[:, 1:, None])  # (B, T - 1, 1)
        bits[name] = -log_p[:, n_given - 1 :].mean().item() / math.log(2)
        shares = [repeated_share(decode(row[n_given:].tolist())) for row in ids]
        repeats[name] = 100 * sum(shares) / len(shares)
    return bits, repeats


def data_bytes():
    """Return the plays as bytes, for their hash in the card."""
    return load_shakespeare().text.encode()
