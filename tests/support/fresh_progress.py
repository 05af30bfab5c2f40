"""A pytest plugin: each notebook starts with no progress, whatever the tests before it solved."""

import os
import tempfile

import pytest


# First, because the setup of a notebook's first cell starts its kernel.
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Give a notebook's kernel a progress folder of its own."""
    if getattr(item, "cell_num", None) == 0:
        before = os.environ["TUTORIAL_PROGRESS"]
        os.environ["TUTORIAL_PROGRESS"] = tempfile.mkdtemp(dir=os.path.dirname(before))
