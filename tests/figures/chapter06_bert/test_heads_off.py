import pytest

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.heads_off import heads_off

LOOKED, LEFT = [[0.1, 0.5], [0.2, 0.6]], [[0.9, 0.7], [0.9, 0.8]]
LABELS = ("looks", "left", "It matters")


def test_lit_heads_stand_at_their_numbers():
    (axes,) = heads_off(LOOKED, LEFT, 0.95, *LABELS, lit=[(1, 1)]).axes
    spots = [tuple(dots.get_offsets()[0]) for dots in axes.collections]
    assert spots == [(0.1, 0.9), (0.5, 0.7), (0.2, 0.9), (0.6, 0.8)]
    inks = [style.to_hex(dots.get_facecolor()[0]) for dots in axes.collections]
    assert inks == [style.GREY, style.GREY, style.GREY, style.BLUE]
    assert axes.texts[1].get_text() == "layer 1, head 1"


@pytest.mark.parametrize("looked", [LOOKED, [[0, 0], [0, 0]]])
@pytest.mark.parametrize("whole", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("left", [LEFT, [[0.8, 0.8], [0.8, 0.8]]])
def test_each_dot_is_inside_whatever_the_numbers(looked, left, whole):
    (axes,) = heads_off(looked, left, whole, *LABELS).axes
    (start, end), (low, high) = axes.get_xlim(), axes.get_ylim()
    for dots in axes.collections:
        ((x, y),) = dots.get_offsets()
        assert start <= x < end
        assert low < y < high
    assert low < whole < high


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="one number a head"):
        heads_off(LOOKED, LEFT[:1], 0.95, *LABELS)
    with pytest.raises(ShapeError, match=r"head \(2, 0\) is not in 2 layers of 2"):
        heads_off(LOOKED, LEFT, 0.95, *LABELS, lit=[(2, 0)])
