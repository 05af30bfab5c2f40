"""Chapter 05: what does size buy? The same text, the same steps, models from small to large.

The checkpoint's kind of model, a `ModernGPT` trained by `Muon`, in four sizes. All read the same
batches; three plays are held out, and only they are measured.
"""

from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.recipes import staircase
from tutorial_lib.recipes.modern_parts import split
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET
from tutorial_lib.recipes.staircase import data_bytes, learn
from tutorial_lib.training import set_seed

__all__ = ["SETTINGS", "SMOKE", "data_bytes", "run"]

SAME = ("seeds", "held_out", "measured", "context", "batch_size", "steps", "lr", "sample")
SETTINGS = {name: staircase.SETTINGS[name] for name in SAME} | {
    "sizes": [
        {"d_model": 8, "n_layers": 1, "n_heads": 1},
        {"d_model": 24, "n_layers": 1, "n_heads": 2},
        {"d_model": 48, "n_layers": 2, "n_heads": 4},
        {"d_model": 96, "n_layers": 3, "n_heads": 4},
    ],
}
SMOKE = {name: staircase.SMOKE[name] for name in SAME} | {
    "sizes": [{"d_model": 8, "n_layers": 1, "n_heads": 2}],
}


def run(settings, progress=True):
    """Train every size with every seed; a row has parameters, bits per character, and a text."""
    train, test = split(settings["held_out"], settings["held_out"], settings["measured"])
    rows = []
    for sizes in settings["sizes"]:
        for seed in settings["seeds"]:
            set_seed(seed)
            config = ModernGPTConfig(len(ALPHABET), settings["context"], **sizes)
            row = {"d_model": sizes["d_model"], "n_layers": sizes["n_layers"], "seed": seed}
            rows.append(row | learn(config.build(), seed, train, test, settings, progress))
    return {"rows": rows}
