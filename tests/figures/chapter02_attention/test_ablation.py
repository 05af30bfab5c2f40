import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

EFFECTS = {"L0H0": 0.1, "L0H1": 0.24, "L0H2": -0.1, "L0H3": 0.02}


def test_the_effects_of_all_heads_are_sorted_and_those_of_interest_named():
    axes = figures.effects_sorted(EFFECTS, ["L0H0"], "lost", "Title").axes[0]
    assert [round(bar.get_height()) for bar in axes.patches] == [24, 10, 2, -10]
    lit = [to_hex(bar.get_facecolor()) == to_hex(style.ORANGE) for bar in axes.patches]
    assert lit == [False, True, False, False]
    assert [text.get_text() for text in axes.texts] == ["L0H1 24 %", "L0H0 10 %", "L0H2 −10 %"]
    said = figures.describe_effects_sorted(EFFECTS, ["L0H0"])
    assert said == "4 heads from 24 % to -10 %, 3 of them above 0: L0H0 10 %, place 2."


def test_a_head_without_an_effect_is_refused():
    with pytest.raises(ShapeError, match="no effect is given for L9H9"):
        figures.effects_sorted(EFFECTS, ["L9H9"], "lost", "Title")
