"""Chapter 03 in JupyterLab: sinusoids, turning hands, schemes side by side."""

import pytest

pytestmark = pytest.mark.slow
EXPLORERS = {
    "sinusoids": (".tl-sinusoids", "input[aria-label='Width d']", "ArrowRight"),
    "hands": (".tl-rotary", "input[aria-label='Move both by']", "ArrowRight"),
    "schemes": (".tl-schemes", "input[aria-label='Shift both by']", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("03_positional_encoding.ipynb", EXPLORERS)
    assert "made up" in lab.show(".tl-schemes").inner_text()
