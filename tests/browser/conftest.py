import pytest
from lab import Lab
from page_checks import faint


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab server on a copy of the notebooks, one for all browser tests."""
    with Lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def open_notebook(chromium, lab):
    """`open_notebook(name, theme="light", **size)` -> LabPage; closed with its kernel."""
    opened = []

    def opener(name, theme="light", **size):
        opened.append(lab.open_notebook(chromium, name, theme, **size))
        return opened[-1]

    yield opener
    for page in opened:
        page.close()


@pytest.fixture(params=["its explorers", pytest.param("all cells", marks=pytest.mark.sweep)])
def open_chapter(request, open_notebook):
    """`open_chapter(name, explorers, shorter)` -> a LabPage on which every explorer was moved, in
    the light and, without running anything again, in the dark theme.

    explorers: name -> (selector, its control, a key), one for each that the notebook shows. Only
    the cells that they need have run; in `make test-all` the whole notebook as well. shorter: a
    piece of these cells' training, as (old, new), see `LabPage.run_explorers`.
    """

    def opener(name, explorers, shorter=None):
        page = open_notebook(name, width=1400, height=1300)
        run_to_the_end(page) if request.param == "all cells" else page.run_explorers(shorter)
        assert len(explorers) == len(page.explorer_cells)
        for theme in ("light", "dark"):
            page.use_theme(theme)
            for label, (root, control, key) in explorers.items():
                explorer = page.show(root)
                page.press(root, control, key)
                page.screenshot(f"{name.split('_')[0]}_{label}_{theme}", explorer)
            assert faint(page.page) == []
        assert page.complaints() == []
        return page

    return opener


def run_to_the_end(page):
    """Run all cells: each has run, in order, and none has failed."""
    cells = page.run_all()
    counts = [cell["execution_count"] for cell in cells]
    assert None not in counts
    assert counts == sorted(counts)
    kinds = [output["output_type"] for cell in cells for output in cell["outputs"]]
    assert "error" not in kinds
