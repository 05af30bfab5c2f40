import subprocess
import sys

import pytest


@pytest.mark.parametrize("name", ["BERT", "GPT", "ModernGPT", "ViT", "Transformer"])
def test_a_model_is_imported_quickly(name):
    code = (
        "import torch, time; start = time.process_time(); "
        f"from tutorial_lib.models import {name}; print(time.process_time() - start)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(2)]  # fmt: skip
    assert min(float(run.stdout) for run in runs) < 0.3
