"""Trainings too long for a notebook: each recipe leaves a result file or a checkpoint.

`python -m tutorial_lib.recipes` lists them, `python -m tutorial_lib.recipes NAME` runs one. A
notebook reads what they left with `load_result` or `load_checkpoint` and shows the command that
makes it with `command`. `registry` lists the recipes, `running` runs them, `stored` reads.
"""

from tutorial_lib.recipes.measures import by_seed, confidence, share_of_true, summarise, wins
from tutorial_lib.recipes.pretrained import load_dinov2, load_smollm2, load_writer
from tutorial_lib.recipes.registry import RECIPES
from tutorial_lib.recipes.running import run, train_on_cpu
from tutorial_lib.recipes.stored import (
    CHECKPOINTS,
    RESULTS,
    command,
    load_card,
    load_checkpoint,
    load_result,
    own_folder,
)

__all__ = [
    "CHECKPOINTS",
    "RECIPES",
    "RESULTS",
    "by_seed",
    "command",
    "confidence",
    "load_card",
    "load_checkpoint",
    "load_dinov2",
    "load_result",
    "load_smollm2",
    "load_writer",
    "own_folder",
    "run",
    "share_of_true",
    "summarise",
    "train_on_cpu",
    "wins",
]
