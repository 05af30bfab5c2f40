import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, ORANGE

POINTS = {
    ("sums", "right", 0): {"mean": 0.1, "low": -0.2, "high": 0.4},
    ("sums", "right", 16): {"mean": 0.9, "low": 0.7, "high": 1.1},
    ("sums", "drawn", 16): {"mean": 0.3, "low": 0.2, "high": 0.4},
    ("words", "right", 0): {"mean": 0.5, "low": 0.5, "high": 0.5},
}
BASELINES = {"sums": (0.11, "always ten"), "words": (0.0, "copying")}


def test_a_panel_for_each_task_with_means_intervals_and_baseline():
    figure = figures.prompting_curves(POINTS, BASELINES, "Examples help", names={"sums": "Sums"})
    sums, words, *_ = figure.axes
    assert [axes.get_title() for axes in (sums, words)] == [
        "Sums\n(dashed: always ten)",
        "words\n(dashed: copying)",
    ]
    assert figure._suptitle.get_text() == "Examples help"
    right, drawn = (container.lines[0] for container in sums.containers)
    assert (right.get_color(), drawn.get_color()) == (BLUE, ORANGE)
    assert right.get_ydata().tolist() == [0.1, 0.9]
    assert drawn.get_xdata().tolist() == [1.2]  # beside the blue bar, not on it
    assert [label.get_text() for label in sums.get_xticklabels()] == ["0", "16"]
    (bars,) = sums.containers[0].lines[2]
    ends = [sorted(y for _, y in line) for line in bars.get_segments()]
    assert ends == [pytest.approx([0.0, 0.4]), pytest.approx([0.7, 1.0])]  # shares end at 0 and 1
    assert sums.lines[0].get_ydata()[0] == 0.11
    said = [text.get_text() for text in words.get_legend().get_texts()]
    assert said == ["right answers in the examples", "answers drawn blindly"]


def test_the_curves_in_words():
    assert figures.describe_prompting_curves(POINTS, BASELINES, {"sums": "Sums"}) == (
        "Share right by examples in the prompt. Sums: 0.10 after 0, 0.90 after 16, 0.30 after 16 "
        "with answers drawn blindly; always ten: 0.11. words: 0.50 after 0; copying: 0.00."
    )


def test_nothing_to_draw_is_named():
    with pytest.raises(ShapeError, match="at least one point"):
        figures.prompting_curves({}, {})


def test_a_task_alone_has_its_names_beside_its_lines():
    sums = {key: stats for key, stats in POINTS.items() if key[0] == "sums"}
    (axes,) = figures.prompting_curves(sums, BASELINES, "One task").axes
    assert [text.get_text() for text in axes.texts] == [
        "right answers in the examples",
        "answers drawn blindly",
        "always ten",
    ]
    assert axes.get_legend() is None
