"""Chapter 05b in JupyterLab: the heads of the in-context model, by keyboard."""

import pytest

pytestmark = pytest.mark.slow
ROOT = ".tl-attention"
HEAD, LAYER = "input[aria-label=Head]", "input[aria-label=Layer]"
EXPLORERS = {"induction": (ROOT, HEAD, "ArrowRight")}


def test_the_explorer(open_chapter):
    lab = open_chapter("05b_prompting.ipynb", EXPLORERS)
    for control, key in ((LAYER, "End"), (HEAD, "End"), (HEAD, "ArrowLeft")):
        lab.press(ROOT, control, key)
    lab.screenshot("05b_induction_last", lab.show(ROOT))  # it looks at the ending that tells
    assert lab.complaints() == []
