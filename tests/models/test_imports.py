"""A model is imported in no time, because it brings little along."""

import subprocess
import sys


def test_a_model_brings_no_other_library_than_torch_two_small_ones_and_four_rooms():
    code = """
import sys, torch
before = set(sys.modules)
from tutorial_lib.models import BERT, GPT, ModernGPT, Transformer, ViT
print(*{name for name in set(sys.modules) - before})
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = [name.split(".") for name in run.stdout.split()]
    libraries = {name[0] for name in names}
    assert libraries <= {"tutorial_lib", "einops", "safetensors"}
    rooms = {name[1] for name in names if name[0] == "tutorial_lib" and name[1:]}
    assert rooms == {"attention", "errors", "files", "lazy", "models", "positions"}
