"""What the pictures of ELECTRA's training and of copied layers show, and what they refuse."""

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_a_word_that_was_drawn_as_it_was_counts_as_original():
    line = ["to", "be", "or"], [1, 2], ["be", "now"]
    said = figures.describe_electra_training(*line)
    assert "reads “to be now” and learns from every word: original, original, replaced" in said
    texts = [text.get_text() for text in figures.electra_training(*line).axes[0].texts]
    assert texts.count("[MASK]") == 2
    assert texts.count("original") == 2
    with pytest.raises(ShapeError, match="one drawn word is needed for each of 2 gaps"):
        figures.electra_training(["to", "be"], [0, 1], ["be"])


def test_layers_that_are_not_copied_have_no_arrow():
    figure = figures.copied_layers(4, [1, 3])
    arrows = [
        patch for patch in figure.axes[0].patches if type(patch).__name__ == "FancyArrowPatch"
    ]
    assert len(arrows) == 4  # two layers, tables and head
    with pytest.raises(ShapeError, match=r"layers 0 to 3, asked for \[4\]"):
        figures.copied_layers(4, [4])
