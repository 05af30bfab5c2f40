import itertools

import pytest
from crowded_texts import crowded, nearest_dot
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

TESTS = ["hidden, found", "visible, named", "wrong, corrected"]
MASKS = {
    "all [MASK]": [0.42, 0.40, 0.36],
    "90 % [MASK], 10 % stay": [0.42, 0.95, 0.19],
    "80/10/10": [0.42, 0.87, 0.33],
}
RUNS = {"A": [0.42, 0.40, 0.36], "B": [0.41, 1.00, 0.02]}
ORDERS = {"your NumberBERT": [0.81, 0.82, 0.91], "NumberBERT": [0.76, 0.91, 0.98]}
LONG = "Letters that stay are trusted; random ones bring back some doubt"
SHARES = st.integers(0, 100).map(lambda n: n / 100)


def numbers(axes):
    return sorted(text.get_text() for text in axes.texts if text.get_text()[1:2] == ".")


@pytest.mark.parametrize("scores", [MASKS, RUNS, ORDERS])
def test_each_share_stands_at_its_dot_and_each_name_at_its_end(scores):
    (axes,) = figures.profiles(scores, TESTS, LONG).axes
    assert crowded(axes.figure) == []
    for line, shares in zip(axes.lines, scores.values(), strict=True):
        assert line.get_xydata().tolist() == [list(dot) for dot in enumerate(shares)]
    by_test = [
        {f"{share:.2f}" for share in column} for column in zip(*scores.values(), strict=True)
    ]
    assert numbers(axes) == sorted(itertools.chain.from_iterable(by_test))  # equal ones once
    inks = {text.get_text(): text.get_color() for text in axes.texts}
    for line, name in zip(axes.lines, scores, strict=True):
        assert inks[name] == line.get_color()
    for text in axes.texts:
        if text.get_text() in scores:
            assert text.get_window_extent().x0 > axes.transData.transform((2, 0))[0]
        elif len(by_test[0]) > 1 or text.get_text() != "0.42":  # three dots on one spot
            assert f"{nearest_dot(axes, text)[1]:.2f}" == text.get_text()


def test_names_at_the_end_have_the_order_of_their_shares():
    ends = {"low": [0.5, 0.30], "high": [0.5, 0.33], "middle": [0.5, 0.31], "same": [0.5, 0.31]}
    (axes,) = figures.profiles(ends, TESTS[:2], "Close").axes
    assert crowded(axes.figure) == []
    heights = {t.get_text(): t.get_window_extent().y0 for t in axes.texts}
    assert heights["high"] > heights["middle"] > heights["same"] > heights["low"]
    assert numbers(axes) == ["0.30", "0.31", "0.33", "0.50"]
    shared = next(text for text in axes.texts if text.get_text() == "0.31")
    assert shared.get_color() == style.INK


@settings(max_examples=6, deadline=None)
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=5))
def test_the_texts_of_two_tests_never_meet(rows):
    scores = {f"model {n}": row for n, row in enumerate(rows)}
    figure = figures.profiles(scores, TESTS[:2], "Two tests")
    assert [one for one in crowded(figure) if " is on " in one or " is cut" in one] == []


def test_colours_hold_for_lines_and_pale_grey_is_darker_in_letters():
    (axes,) = figures.profiles(RUNS, TESTS, "t", {"A": style.GREY, "B": style.PINK}).axes
    assert [line.get_color() for line in axes.lines] == [style.GREY, style.PINK]
    inks = {text.get_text(): text.get_color() for text in axes.texts}
    assert (inks["A"], inks["B"], inks["1.00"]) == (style.MUTED, style.PINK, style.PINK)


def test_four_tests_with_long_names_and_a_dark_page():
    scores = {"one": [0.0, 1.0, 0.5, 0.5], "two": [1.0, 0.0, 0.52, 0.0]}
    figure = figures.profiles(scores, ["a test with a long name " + n for n in "abcd"], "t")
    assert crowded(figure) == []
    style.darken(figure)
    assert {text.get_color() for text in figure.axes[0].texts}.isdisjoint(style.DARK)
    assert figures.profiles(RUNS, TESTS, "again", figure=figure) is figure
    assert crowded(figure) == []


def test_the_description_has_every_share():
    words = figures.describe_profiles(
        ORDERS, ["all at once", "from the left", "surest first"], "Is it?"
    )
    assert words == (
        "Is it? Shares in the tests: all at once; from the left; surest first. "
        "your NumberBERT: 0.81, 0.82, 0.91. NumberBERT: 0.76, 0.91, 0.98."
    )


@pytest.mark.parametrize(
    ("scores", "tests", "colours", "message"),
    [
        ({}, TESTS, None, "at least one name"),
        (RUNS, TESTS[:1], None, r"2 to 4 tests, got \['hidden, found'\]"),
        (RUNS, "abc", None, "2 to 4 tests, got 'abc'"),
        (RUNS, TESTS[:2], None, r"'A' needs a share for each of 2 tests, got shape \(3,\)"),
        ({"A": [42, 40, 36]}, TESTS, None, r"shares of 'A' are from 0 to 1, got \[42"),
        ({"A": [0.1, float("nan"), 0]}, TESTS, None, "shares of 'A' are from 0 to 1"),
        (RUNS, TESTS, {"C": style.BLUE}, "no 'C' to colour, only A, B"),
    ],
)
def test_what_does_not_fit_is_refused(scores, tests, colours, message):
    with pytest.raises(ShapeError, match=message):
        figures.profiles(scores, tests, "t", colours)
