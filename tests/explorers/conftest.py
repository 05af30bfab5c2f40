import pytest
from explorer_page import ExplorerPage


@pytest.fixture
def open_explorer(chromium):
    """`open_explorer(widget, dark=False, width=1100)` -> ExplorerPage; no page error may remain."""
    opened = []

    def opener(widget, dark=False, width=1100, height=900):
        page = chromium.new_page(viewport={"width": width, "height": height})
        opened.append(ExplorerPage(page, widget))
        return opened[-1].show(dark)

    yield opener
    for explorer in opened:
        explorer.page.close()
        assert explorer.errors == []
