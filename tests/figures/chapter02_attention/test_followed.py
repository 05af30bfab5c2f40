import numpy as np
import pytest
from matplotlib.colors import to_rgba

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WORDS = ["a", "b", "c"]
BACK = np.eye(3)[[0, 0, 1]]  # each looks at the word just before


def arcs(figure):
    """The colours of the arcs: what was drawn without a fill of its own."""
    kinds = (to_rgba(style.BLUE), to_rgba(style.ORANGE))
    return [kinds.index(p.get_edgecolor()) for p in figure.axes[0].patches if p.get_zorder() == 2]


def test_arcs_back_are_blue_and_others_are_not_and_each_has_its_numbers():
    rows = {"in order": ([0, 1, 2], BACK), "turned": ([2, 1, 0], BACK)}
    figure = figures.positions_followed(WORDS, rows, "Title")
    assert arcs(figure) == [0, 0, 1, 0]  # "a" has number 2 and looks at itself; "c", 0, has none
    said = [text.get_text() for text in figure.axes[0].texts]
    assert [one for one in said if "→" in one] == ["1 → 0", "2 → 1", "2 → 2", "1 → 2"]
    said = figures.describe_positions_followed(WORDS, rows)
    assert said == (
        "in order: b (1) looks at a (0), c (2) looks at b (1). "
        "turned: a (2) looks at a (2), b (1) looks at a (2)."
    )


@pytest.mark.parametrize("numbers", [[0, 1], [0, 1, 1]])
def test_each_word_needs_a_number_of_its_own(numbers):
    with pytest.raises(ShapeError, match="a number each"):
        figures.positions_followed(WORDS, {"odd": (numbers, BACK)}, "Title")
