import pytest
from lab import Lab


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """A JupyterLab server on a copy of the notebooks."""
    with Lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def open_notebook(lab, chromium):
    """`open_notebook(name, theme="light", **size)` -> LabPage; closed with its kernel."""
    opened = []

    def opener(name, theme="light", **size):
        opened.append(lab.open_notebook(chromium, name, theme, **size))
        return opened[-1]

    yield opener
    for page in opened:
        page.close()
