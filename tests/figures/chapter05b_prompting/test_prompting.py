import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, GREEN, INK, ORANGE

POINTS = {
    ("sums", "right", 0): {"mean": 0.1, "low": -0.2, "high": 0.4},
    ("sums", "right", 16): {"mean": 0.9, "low": 0.7, "high": 1.1},
    ("sums", "drawn", 16): {"mean": 0.3, "low": 0.2, "high": 0.4},
    ("words", "right", 0): {"mean": 0.5, "low": 0.5, "high": 0.5},
}
BASELINES = {"sums": (0.11, "always ten"), "words": (0.0, "copying")}
ROWS = [
    {"task": task, "differs": differs, "prompt": prompt, "accuracy": share}
    for task in ("sums", "words")
    for differs in ("order", "examples", "wording")
    for prompt, share in (("worst one", 0.2), ("middle", 0.4), ("best one", 0.7))
]


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
    said = [text.get_text() for text in sums.get_legend().get_texts()]
    assert said == ["right answers in the examples", "answers drawn blindly"]


def test_the_curves_in_words():
    assert figures.describe_prompting_curves(POINTS, BASELINES, {"sums": "Sums"}) == (
        "Share right by examples in the prompt. Sums: 0.10 after 0, 0.90 after 16, 0.30 after 16 "
        "with answers drawn blindly; always ten: 0.11. words: 0.50 after 0; copying: 0.00."
    )


def test_a_dot_for_each_prompt_and_names_for_the_best_and_the_worst_wording():
    figure = figures.prompt_spread(ROWS, "Words count", marks={"sums": 0.5})
    sums, words = figure.axes
    dots = [line for line in sums.lines if line.get_marker() == "o"]
    assert [sorted(line.get_xdata()) for line in dots] == [[0.2, 0.4, 0.7]] * 3
    assert [text.get_text() for text in words.texts] == ["worst one", "best one"]
    labels = [label.get_text() for label in words.get_yticklabels()]
    assert labels == ["other wording", "other examples", "other order"]
    assert len(sums.lines) == len(words.lines) + 1  # the mark


def test_the_spread_in_words():
    assert figures.describe_prompt_spread(ROWS[:4], {"sums": "Sums"}) == (
        "Sums, other order: 0.20 to 0.70 right. Sums, other examples: 0.20 to 0.20 right."
    )


def test_review_draws_shows_each_draw_and_their_means():
    rows = [
        {"examples": k, "answers": name, "accuracy": share}
        for name, shares in (("as they are", (0.2, 0.6)), ("calibrated", (0.5, 0.7)))
        for k in (0, 4)
        for share in shares
    ]
    (axes,) = figures.review_draws(rows, "Three draws").axes
    dots, means, *_ = axes.lines
    assert dots.get_ydata().tolist() == [0.2, 0.6, 0.2, 0.6]
    assert means.get_ydata() == pytest.approx([0.4, 0.4])
    assert [text.get_text() for text in axes.texts][:2] == ["as they are", "calibrated"]


def test_a_histogram_a_label_on_one_axis():
    figure = figures.likelihoods_by_label({"follows": [-2.0, -3.0], "does not": [-9.0] * 5})
    counts = [sum(bar.get_height() for bar in axes.patches) for axes in figure.axes]
    assert counts == [2, 5]
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()


def test_labels_keep_the_colours_of_the_latin_square():
    figure = figures.likelihoods_by_label({"contradiction": [-9.0], "entailment": [-2.0]})
    colours = [to_hex(axes.patches[0].get_facecolor()) for axes in figure.axes]
    assert colours == [ORANGE, GREEN]


def test_counting_is_black_and_what_starts_from_scratch_is_open():
    def stats(*means):
        return [{"mean": m, "lowest": m - 0.1, "highest": m + 0.1} for m in means]

    readers = {
        ("text", "from scratch"): stats(0.5, 0.6),
        ("text", "after stories"): stats(0.6, 0.7),
    }
    few, many = figures.fine_tuning(readers, [180, 720], [0.7, 0.8], "Counting wins").axes
    for axes, counted, highest in ((few, 0.7, 0.6), (many, 0.8, 0.7)):
        chance, black, _, stories, _, scratch = axes.lines
        assert chance.get_xdata()[0] == pytest.approx(1 / 3)
        assert black.get_xdata()[0] == counted
        assert black.get_color() == INK
        assert stories.get_xdata()[0] == highest
        assert stories.get_markerfacecolor() == stories.get_color() == ORANGE
        assert scratch.get_markerfacecolor() == "white"


def test_nothing_to_draw_is_named():
    with pytest.raises(ShapeError, match="at least one row"):
        figures.review_draws([])
    with pytest.raises(ShapeError, match="at least one label"):
        figures.likelihoods_by_label({})
    with pytest.raises(ShapeError, match="at least one point"):
        figures.prompting_curves({}, {})
    with pytest.raises(ShapeError, match="at least one row"):
        figures.prompt_spread([])


def test_a_task_alone_has_its_names_beside_its_lines():
    sums = {key: stats for key, stats in POINTS.items() if key[0] == "sums"}
    (axes,) = figures.prompting_curves(sums, BASELINES, "One task").axes
    assert [text.get_text() for text in axes.texts] == [
        "right answers in the examples",
        "answers drawn blindly",
        "always ten",
    ]
    assert axes.get_legend() is None
