"""One training loop for every model of the course, and the history it leaves.

`loop` opens with the step, `update`, and holds `fit`. Seeds and devices are in `devices`, learning
rates in `schedules`, the record of a run in `history`, the files that a run resumes from in
`resume`, what a run draws by chance in `randomness`, Ctrl-C in `interrupts`.
"""

from tutorial_lib.training.devices import get_device, set_seed
from tutorial_lib.training.history import History, NonFiniteLossError
from tutorial_lib.training.interrupts import all_or_nothing, held_back, uninterrupted
from tutorial_lib.training.loop import fit, update
from tutorial_lib.training.muon import Muon, orthogonalise
from tutorial_lib.training.randomness import own_stream, random_state, set_random_state, untouched
from tutorial_lib.training.resume import load_run, save_run
from tutorial_lib.training.schedules import warmup_cosine, warmup_inverse_root

__all__ = [
    "History",
    "Muon",
    "NonFiniteLossError",
    "all_or_nothing",
    "fit",
    "get_device",
    "held_back",
    "load_run",
    "orthogonalise",
    "own_stream",
    "random_state",
    "save_run",
    "set_random_state",
    "set_seed",
    "uninterrupted",
    "untouched",
    "update",
    "warmup_cosine",
    "warmup_inverse_root",
]
