import itertools

import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

TOKENS = ["[CLS]", "[MASK]", "two", "[SEP]", "drei", "zwei", "[SEP]"]
SEGMENTS = [0, 0, 0, 0, 1, 1, 1]
WEIGHTS = [0.1, 0.0, 0.06, 0.0, 0.8, 0.04, 0.0]


def test_a_line_goes_from_the_gap_to_what_it_looks_at_in_the_other_text():
    figure = figures.looks_across([(WEIGHTS, TOKENS, SEGMENTS, 1)] * 2, "Across", ["one", "two"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["one", "two"]
    for axes in figure.axes:
        boxes = {text.get_text(): text.get_position() for text in axes.texts}
        (line,) = axes.lines  # not within the first text, and 0.04 is too little
        (start, end), (high, low) = line.get_data()
        assert (start, end) == (boxes["[MASK]"][0], boxes["drei"][0])
        assert boxes["[MASK]"][1] > high > low > boxes["drei"][1]
        assert "0.80" in boxes
    assert style.png(figure)
    words = figures.describe_looks_across(WEIGHTS, TOKENS, SEGMENTS, 1)
    assert words.endswith("token 2, “[MASK]”, looks across at “drei” 0.80.")


def test_the_gap_is_blue_its_clue_green_and_the_line_between_them_thick():
    weights = [0.1, 0.0, 0.06, 0.0, 0.3, 0.28, 0.0]
    (axes,) = figures.looks_across([(weights, TOKENS, SEGMENTS, 1)]).axes
    edges = [to_hex(box.get_edgecolor()) for box in axes.patches]
    assert edges == [style.MUTED, style.BLUE, *[style.MUTED] * 2, style.GREEN, *[style.MUTED] * 2]
    thick, thin = axes.lines
    assert thick.get_linewidth() > 2 * thin.get_linewidth()
    assert (thick.get_color(), thin.get_color()) == (style.BLUE, style.MUTED)


def test_with_within_what_it_looks_at_in_its_own_text_has_an_arc_above():
    weights = [0.02, 0.4, 0.5, 0.0, 0.06, 0.0, 0.0]
    (axes,) = figures.looks_across([(weights, TOKENS, SEGMENTS, 1)], within=True).axes
    arc, across = axes.lines
    assert arc.get_linewidth() > 2 * across.get_linewidth()
    assert max(arc.get_ydata()) > 1.5
    orange = [to_hex(box.get_edgecolor()) == style.ORANGE for box in axes.patches]
    assert orange.index(True) == TOKENS.index("two")
    words = figures.describe_looks_across(weights, TOKENS, SEGMENTS, 1, within=True)
    assert words.endswith("“[MASK]”, looks at “two” 0.50, “drei” 0.06.")


def test_a_gap_that_looks_at_nothing_has_no_clue():
    (axes,) = figures.looks_across([([0.2] * 4 + [0.01] * 3, TOKENS, SEGMENTS, 1)]).axes
    assert not axes.lines
    assert style.GREEN not in [to_hex(box.get_edgecolor()) for box in axes.patches]


def test_the_boxes_of_a_row_do_not_overlap_and_both_rows_have_one_middle():
    (axes,) = figures.looks_across([(WEIGHTS, TOKENS, SEGMENTS, 1)]).axes
    assert sum(axes.get_xlim()) == pytest.approx(0)
    for height in (1.0, 0.0):
        row = sorted(
            (box.get_x(), box.get_x() + box.get_width())
            for box in axes.patches
            if abs(box.get_y() + box.get_height() / 2 - height) < 0.01
        )
        assert len(row) > 2
        assert all(end < start for (_, end), (start, _) in itertools.pairwise(row))
        assert row[0][0] + row[-1][1] == pytest.approx(0)


@pytest.mark.parametrize(
    ("panel", "named"),
    [
        ((WEIGHTS[1:], TOKENS, SEGMENTS, 1), "a weight and a segment, 0 or 1, for each token"),
        ((WEIGHTS, TOKENS, [*SEGMENTS[:-1], 2], 1), "0 or 1, for each token"),
        ((WEIGHTS, TOKENS, [*SEGMENTS[:-1], -1], 1), "0 or 1, for each token"),
        ((WEIGHTS, TOKENS, SEGMENTS, 4), "in the first text, got 4"),
        ((WEIGHTS, TOKENS, SEGMENTS, 9), "in the first text, got 9"),
    ],
)
def test_what_does_not_fit_is_refused(panel, named):
    with pytest.raises(ShapeError, match=named):
        figures.looks_across([panel])
    with pytest.raises(ShapeError, match="at least one panel"):
        figures.looks_across([])
    with pytest.raises(ShapeError, match="a caption for each, got 1 panels and 2 captions"):
        figures.looks_across([(WEIGHTS, TOKENS, SEGMENTS, 1)], "T", ["one", "two"])
