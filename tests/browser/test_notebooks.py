"""Every notebook opens in JupyterLab and runs to its end; no explorer shows an exception."""

import pytest
from isolation import ROOT

pytestmark = pytest.mark.slow
NAMES = sorted(path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_runs_to_the_end(open_notebook, name):
    page = open_notebook(name)
    cells = page.run_all()
    counts = [cell["execution_count"] for cell in cells]
    assert None not in counts
    assert counts == sorted(counts)
    failed = [
        cell["source"]
        for cell in cells
        if any(output["output_type"] == "error" for output in cell["outputs"])
    ]
    assert failed == []
    assert page.complaints() == []
    page.screenshot(name.removesuffix(".ipynb"))
