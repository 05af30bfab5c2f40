"""IPython in the test's own process: it runs cells as a kernel does, and starts at once."""

import atexit

import pytest


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """An IPython that `get_ipython` returns while the test runs."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    yield shell
    # What the shell does at the end but for collecting garbage, which takes longer than a test.
    shell.restore_sys_module_state()
    atexit.unregister(shell.atexit_operations)
    InteractiveShell.clear_instance()
