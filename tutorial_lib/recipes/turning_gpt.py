"""Chapter 03: a small rotary GPT whose queries and keys turn by a function that can be swapped."""

import copy

import torch

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.decoding import evaluating
from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.objectives import NextTokenBatches, next_token_loss
from tutorial_lib.recipes import longer_context, train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET, decode
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "sizes": {"d_model": 128, "n_layers": 3, "n_heads": 4},
    "trained": 64,
    "factor": 4,
    "batch_size": 16,
    "steps": 400,
    "lr": 1e-2,
    "n_test": 100,
}


class TurningAttention(MultiHeadAttention):
    """Causal self-attention whose queries and keys (B, H, T, K) go through `turn` first."""

    def __init__(self, d_model, n_heads, turn):
        super().__init__(d_model, n_heads, causal=True)
        self.turn = turn

    def project(self, x, context=None, cache=None):
        """Return turned queries (B, H, T, K) and keys, and values (B, H, S, K)."""
        q, k, v = super().project(x)  # (B, H, T, K) each
        return self.turn(q), self.turn(k), v


def train(turn, seed=0, settings=SETTINGS, progress=True):
    """Train a GPT on short windows of Shakespeare's plays; its heads turn by `turn`."""
    learned, _ = longer_context.split()
    set_seed(seed)
    sizes, longest = settings["sizes"], settings["trained"] * settings["factor"]
    model = ModernGPTConfig(vocab_size=len(ALPHABET), context=longest, **sizes).build()
    for block in model.blocks:
        layer = TurningAttention(sizes["d_model"], sizes["n_heads"], turn)
        layer.load_state_dict(block.attention.state_dict())
        block.attention = layer
    batches = NextTokenBatches(learned, settings["batch_size"], settings["trained"], seed)
    train_on_cpu(model, batches, next_token_loss, settings, progress, optimizer=Muon, seed=seed)
    return model


def turned_by(model, turn):
    """Return a copy of the model, its weights as they are, whose heads turn by `turn`."""
    other = copy.deepcopy(model)
    for block in other.blocks:
        block.attention.turn = turn
    return other


class ShownLast(torch.nn.Module):
    """A model that is shown only the last `kept` characters before each one that it predicts."""

    def __init__(self, model, kept):
        super().__init__()
        self.model, self.kept = model, kept

    def forward(self, ids):
        """Return the scores (B, T, V) of ids (B, T), each from at most `kept` characters."""
        first = self.model(ids[:, : self.kept])  # (B, kept, V)
        later = [self.model(part)[:, -1:] for part in ids[:, 1:].unfold(1, self.kept, 1).unbind(1)]
        return torch.cat([first, *later], dim=1)


def bits_by_position(model, settings=SETTINGS):
    """Return the mean bits per character at each position of long, held-out windows: (T,)."""
    _, held_out = longer_context.split()
    return longer_context.bits_by_position(model, held_out, settings)


@torch.no_grad()
def write_on(model, n=100, given=150, temperature=0.7, seed=0):
    """Return n characters that a model writes after the first `given` of the held-out plays."""
    _, held_out = longer_context.split()
    ids = held_out[None, :given]
    generator = torch.Generator().manual_seed(seed)
    with evaluating(model):
        for _ in range(n):
            chances = (model(ids)[:, -1] / temperature).softmax(dim=-1)  # (1, V)
            ids = torch.cat([ids, chances.multinomial(1, generator=generator)], dim=1)
    return decode(ids[0, given:].tolist())
