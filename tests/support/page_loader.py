"""Load a page of tutorial_lib.pages from its source, whole or broken on purpose."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

import tutorial_lib

PAGES = Path(tutorial_lib.__file__).parent / "pages"


def load_page(name, old=None, new=None):
    """Return what the page defines; `old` stands in it exactly once and is replaced by `new`."""
    path = PAGES / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    if old is not None:
        assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {path.name}"
        source = source.replace(old, new)
    names = {"__name__": name, "__file__": str(path)}
    exec(compile(source, str(path), "exec"), names)
    return SimpleNamespace(**names)


def assert_agreement(agree, page, cases):
    """Call agree(page, *case) for each case: it raises where page and library differ."""
    for case in cases:
        agree(page, *case)


def assert_slip_shows(agree, name, old, new, cases):
    """A copy of the page with `old` replaced by `new` differs from the library in some case."""
    slip = load_page(name, old, new)
    with pytest.raises((AssertionError, KeyError, UnicodeDecodeError)):
        assert_agreement(agree, slip, cases)


def run_page(name, folder, *arguments):
    """Run a page as a program in a folder, without the package on the path; return how it went."""
    return subprocess.run(
        [sys.executable, PAGES / f"{name}.py", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": "", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )


def same_weights(page, ours):
    """Fill the page's model and ours with the same random weights, through both state dicts."""
    torch.manual_seed(1)
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in page.parameters():
            parameter.normal_(std=0.4)
    ours.load_state_dict(page.state_dict(), strict=True)
    page.load_state_dict(ours.state_dict(), strict=True)
    page.eval()
    ours.eval()


def assert_same_start(page, ours):
    """The untrained weights of both spread alike: same mean and deviation, name by name."""
    expected = ours.state_dict()
    for name, tensor in page.state_dict().items():
        if tensor.numel() > 500:
            assert_close(tensor.std(), expected[name].std(), rtol=0.15, atol=1e-4, msg=name)
        elif tensor.dim() == 1:  # biases and norms start at 0 and 1
            assert_close(tensor, expected[name], msg=name)
