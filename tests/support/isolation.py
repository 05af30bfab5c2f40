"""The surroundings in which tests and notebooks run: offline, on the CPU, with empty folders."""

import importlib.util
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = ROOT / "tests" / "offline"


def isolate(folder):
    """Change this process and those it starts, so that nothing depends on the machine.

    Progress, own runs of recipes and downloaded models live in new folders under `folder`, the
    device is the CPU and every connection but those to this machine is refused (see
    tests/offline).
    """
    for name in ("TUTORIAL_PROGRESS", "TUTORIAL_RECIPES", "HF_HOME", "IPYTHONDIR"):
        os.environ[name] = str(Path(folder) / name.lower())
        os.makedirs(os.environ[name])
    os.environ["TUTORIAL_DEVICE"] = "cpu"
    # Waiting threads that spin make a step several times slower on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    others = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    if str(OFFLINE) not in others:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(OFFLINE), *others])
    spec = importlib.util.spec_from_file_location("offline", OFFLINE / "sitecustomize.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
