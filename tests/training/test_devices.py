import random

import numpy as np
import pytest
import torch

from tutorial_lib.training import get_device, set_seed


def test_set_seed_reaches_all_three():
    draws = []
    for _ in range(2):
        set_seed(3)
        draws.append((random.random(), np.random.rand(), torch.rand(()).item()))
    assert draws[0] == draws[1]


def test_device(monkeypatch):
    monkeypatch.setenv("TUTORIAL_DEVICE", "cpu")
    assert get_device() == torch.device("cpu")
    monkeypatch.setenv("TUTORIAL_DEVICE", "abacus")
    with pytest.raises(ValueError, match=r"is 'abacus', but this machine has: .*cpu"):
        get_device()
    monkeypatch.delenv("TUTORIAL_DEVICE")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert get_device() == torch.device("cuda")


def test_mps_is_taken_only_when_asked_for(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.delenv("TUTORIAL_DEVICE", raising=False)
    assert get_device() == torch.device("cpu")
    monkeypatch.setenv("TUTORIAL_DEVICE", "mps")
    assert get_device() == torch.device("mps")
