"""Seeds and devices: the two lines at the top of every notebook."""

import os
import random

import numpy as np
import torch


def set_seed(seed):
    """Seed Python's, NumPy's and PyTorch's random numbers, those of a GPU included."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def get_device():
    """Return the device to work on: TUTORIAL_DEVICE where it is set, else cuda, else the CPU.

    Apple's mps is taken only when TUTORIAL_DEVICE asks for it: nobody has tried the course there.
    Raises ValueError when TUTORIAL_DEVICE names something that this machine does not have.
    """
    present = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    wanted = os.environ.get("TUTORIAL_DEVICE")
    if not wanted:
        return torch.device("cuda" if present["cuda"] else "cpu")
    if not present.get(wanted.split(":")[0]):
        there = ", ".join(name for name, is_there in present.items() if is_there)
        raise ValueError(f"TUTORIAL_DEVICE is {wanted!r}, but this machine has: {there}")
    return torch.device(wanted)
