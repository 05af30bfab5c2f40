"""Chapter 03 in JupyterLab: sinusoids, turning hands, schemes side by side, made up and trained."""

import pytest

pytestmark = pytest.mark.slow
SCHEMES, TRAINED = ".tl-schemes >> nth=0", ".tl-schemes >> nth=1"  # section 3H's numbers
EXPLORERS = {
    "sinusoids": (".tl-sinusoids", "input[aria-label='Width d']", "ArrowRight"),
    "hands": (".tl-rotary", "input[aria-label='Move both by']", "ArrowRight"),
    "schemes": (SCHEMES, "input[aria-label='Shift both by']", "ArrowRight"),
    "trained": (TRAINED, "input[aria-label=Head]", "ArrowLeft"),
}
MADE_UP = "made up"


def test_the_explorers(open_chapter):
    lab = open_chapter("03_positional_encoding.ipynb", EXPLORERS, ("'steps': 300", "'steps': 3"))
    assert MADE_UP in lab.show(SCHEMES).inner_text()
    assert MADE_UP not in lab.show(TRAINED).inner_text()
