import numpy as np
import pytest
from crowded_texts import crowded, nearest_dot

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

PANELS = {
    "numbers, the clue on the right": {
        "NumberBERT": [(1, 1.00)],
        "your NumberBERT": [(1, 0.93)],
        "GPT": [(1, 0.17), (62, 1.00)],
    },
    "plays": {"PlayBERT": [(1, 0.30)], "PlayGPT": [(1, 0.23), (245, 0.42)]},
}
TITLE = "In one pass the BERT wins; with a pass for each word, the GPT"
COLOURS = {"NumberBERT": style.BLUE, "GPT": style.PINK, "PlayGPT": style.PINK}
TABLE = {"plays": {"table of both neighbours": 0.21}}


def test_each_point_has_its_name_and_share_beside_it():
    figure = figures.by_passes(PANELS, TITLE, COLOURS, TABLE)
    assert crowded(figure) == []
    for axes, (panel, by) in zip(figure.axes, PANELS.items(), strict=True):
        assert axes.get_title() == panel
        points = {f"{name} {y:.2f}": (x, y) for name, row in by.items() for x, y in row}
        dots = [line.get_xydata() for line in axes.lines if line.get_marker() == "o"]
        assert np.concatenate(dots).tolist() == [[*point] for point in points.values()]
        found = {
            text.get_text(): nearest_dot(axes, text)
            for text in axes.texts
            if text.get_text() in points
        }
        assert found == points
        assert axes.get_xscale() == "log"
        assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10", "100"]
    (dashed,) = (line for axes in figure.axes for line in axes.lines if line.get_marker() != "o")
    assert dashed.get_ydata()[0] == 0.21
    assert dashed.axes is figure.axes[1]


def test_a_colour_holds_for_points_and_texts():
    axes, _ = figures.by_passes(PANELS, TITLE, COLOURS).axes
    assert [line.get_color() for line in axes.lines] == [
        style.BLUE,
        style.ORANGE,
        *2 * [style.PINK],
    ]
    inks = {text.get_text(): text.get_color() for text in axes.texts}
    assert inks["GPT 0.17"] == inks["GPT 1.00"] == style.PINK


@pytest.mark.parametrize("low", [0.0, 0.2, 0.98])
@pytest.mark.parametrize("most", [2, 80, 4000])
def test_texts_stay_apart_whatever_the_numbers(low, most):
    panel = {"a BERT": [(1, low)], "a GPT": [(most, 1.0), (1, low)], "yours": [(1, low / 2 + 0.5)]}
    figure = figures.by_passes({"alone": panel}, "t", references={"alone": {"a table": low + 0.02}})
    assert [one for one in crowded(figure) if " is on " in one or " is cut" in one] == []


def test_a_dark_page_and_the_same_figure_again():
    figure = figures.by_passes(PANELS, TITLE, references=TABLE)
    style.darken(figure)
    assert {text.get_color() for axes in figure.axes for text in axes.texts}.isdisjoint(style.DARK)
    assert figures.by_passes(PANELS, TITLE, references=TABLE, figure=figure) is figure
    assert crowded(figure) == []


def test_the_description_has_every_number():
    assert figures.describe_by_passes(PANELS, TITLE, TABLE) == (
        f"{TITLE}. Share of gaps filled. Numbers, the clue on the right: NumberBERT 1.00 in 1 "
        "pass; your NumberBERT 0.93 in 1 pass; GPT 0.17 in 1 pass, 1.00 in 62 passes. Plays: "
        "PlayBERT 0.30 in 1 pass; PlayGPT 0.23 in 1 pass, 0.42 in 245 passes; for comparison: "
        "table of both neighbours 0.21."
    )


ONE = {"plays": {"GPT": [(1, 0.2)]}}


@pytest.mark.parametrize(
    ("panels", "options", "message"),
    [
        ({}, {}, "one or two panels, got 0"),
        (dict.fromkeys("abc", ONE["plays"]), {}, "one or two panels, got 3"),
        ({"plays": {}}, {}, "panel 'plays' of by_passes needs at least one name"),
        ({"plays": {"GPT": []}}, {}, "'GPT' in 'plays' needs at least one"),
        ({"plays": {"GPT": [(0, 0.2)]}}, {}, "reads the text once or more, got 0 passes"),
        ({"plays": {"GPT": [(1, 20)]}}, {}, "share of 'GPT' in 'plays' is from 0 to 1, got 20"),
        (ONE, {"colours": {"BERT": style.BLUE}}, "no name 'BERT', only GPT"),
        (ONE, {"references": {"numbers": {"a": 0.1}}}, "no panel 'numbers', only plays"),
        (ONE, {"references": {"plays": {"a table": 2}}}, "reference 'a table' is from 0 to 1"),
    ],
)
def test_what_does_not_fit_is_refused(panels, options, message):
    with pytest.raises(ShapeError, match=message):
        figures.by_passes(panels, "t", **options)
