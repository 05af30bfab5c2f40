import pytest
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WORDS = ["the", "surgeon", "saw", "toby"]
STARTS, ENDS = [0.1, 0.2, 0.1, 0.6], [0.1, 0.6, 0.1, 0.2]


def squares(figure, edge):
    patches = [p for p in figure.axes[0].patches if type(p) is Rectangle]
    return [p for p in patches if style.to_hex(p.get_edgecolor()) == edge]


def test_pairs_in_the_wrong_order_and_long_ones_are_grey_and_have_no_number():
    for longest, fitting in ((1, 4), (2, 7), (4, 10)):
        figure = figures.span_pairs(STARTS, ENDS, longest, WORDS)
        assert len(squares(figure, style.CARD)) == 16 - fitting
        written = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
        assert len(written) == fitting + 1  # and the likeliest start with the likeliest end


def test_the_frames_are_about_the_crossed_pair_and_the_best_one():
    figure = figures.span_pairs(STARTS, ENDS, 3, WORDS)
    crossed, best = squares(figure, style.ORANGE)
    middle = [tuple(round(x) for x in p.get_center()) for p in (crossed, best)]
    assert middle == [(1, 3), (1, 1)]  # (end, start)
    assert "surgeon to surgeon, 0.12" in figures.describe_span_pairs(STARTS, ENDS, 3, WORDS)


def test_counts_must_agree():
    with pytest.raises(ShapeError, match="3 words, but 4 starts"):
        figures.span_pairs(STARTS, ENDS, 3, WORDS[:3])


def test_a_pair_must_be_allowed():
    for made in (figures.span_pairs, figures.describe_span_pairs):
        with pytest.raises(ShapeError, match="no pair of 4 words has 0 tokens or fewer"):
            made(STARTS, ENDS, 0, WORDS)
        with pytest.raises(ShapeError, match="starts must be a filled array"):
            made([], [], 3, [])
