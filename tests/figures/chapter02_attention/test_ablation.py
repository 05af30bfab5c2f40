import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter02_attention.ablation import SHOWN

TURNS = [0.4, 0.5, 0.5]
LOST = {f"L0H{n}": [0.2, 0.05 * (7 - n), 0.05 * (7 - n)] for n in range(9)}


def test_the_strongest_heads_have_a_row_and_so_have_those_of_interest():
    axes = figures.effects_in_pairs(LOST, TURNS, ["L0H0", "L0H7"], "Title").axes[0]
    named = [label.get_text() for label in axes.get_yticklabels()]
    assert named == [*(f"L0H{n}" for n in range(SHOWN)), "L0H7", "2 others, means"]
    lit = [to_hex(label.get_color()) == to_hex(style.ORANGE) for label in axes.get_yticklabels()]
    assert [name for name, orange in zip(named, lit, strict=True) if orange] == ["L0H0", "L0H7"]
    said = [text.get_text() for text in axes.texts]
    assert said[:2] == ["our sentence", "70 %"]
    assert said[-2:] == ["10 % to −10 %", "share of all turns"]


def test_the_pair_in_which_the_heads_were_found_is_not_in_the_mean():
    axes = figures.effects_in_pairs({"L0H0": [9.0, 0.1, 0.3]}, TURNS, ["L0H0"], "Title").axes[0]
    assert np.allclose(axes.lines[-1].get_xdata(), 0.2)
    said = figures.describe_effects_in_pairs(LOST, TURNS, ["L0H1"])
    assert said == (
        "9 heads from 70 % to -10 % of all turns in new pairs, 7 of them above 0: L0H1 60 %, "
        "place 2."
    )


@pytest.mark.parametrize(
    ("lit", "turns", "message"),
    [(["L9H9"], TURNS, "no effect is given for L9H9"), (["L0H0"], TURNS[:2], "2 pairs")],
)
def test_a_head_without_an_effect_and_a_pair_too_few_are_refused(lit, turns, message):
    with pytest.raises(ShapeError, match=message):
        figures.effects_in_pairs(LOST, turns, lit, "Title")
