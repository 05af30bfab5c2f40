import itertools

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter08a_bert_family.changes import CHANGES, COLUMNS


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_row_says_the_same_where_a_model_keeps_what_bert_has():
    axes = figures.bert_changes().axes[0]
    kept = sum(text is None for changes in CHANGES.values() for text in changes)
    assert texts(axes).count("the same") == kept == 7
    said = figures.describe_bert_changes()
    for model, changes in CHANGES.items():
        assert len(changes) == len(COLUMNS)
        if model != "BERT":
            assert all(text in said for text in changes if text)


WRITTEN = ["[CLS]", "to", "be", ",", "or", "[SEP]"]
HIDDEN = ["[CLS]", "[MASK]", "be", "[MASK]", "or", "[SEP]"]
FORGED = ["[CLS]", "to", "be", "thou", "or", "[SEP]"]


def test_what_was_replaced_and_what_was_drawn_as_it_was_look_different():
    above, below = figures.forged_line(WRITTEN, HIDDEN, FORGED, [0, 0.2, 0, 0.9, 0.6, 0]).axes
    bars = [style.to_hex(bar.get_facecolor()) for bar in below.patches]
    assert bars[3] == style.ORANGE
    assert bars[1] == style.GREEN
    assert {bars[at] for at in (0, 2, 4, 5)} == {style.BLUE}
    assert texts(above)[0::7] == ["written", "hidden", "forged"]
    said = figures.describe_forged_line(WRITTEN, HIDDEN, FORGED, [0, 0.2, 0, 0.9, 0.6, 0])
    assert "to, as it was (0.20); ,, now thou (0.90)" in said
    assert said.endswith("Suspected besides: or (0.60).")


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ShapeError, match=r"equally long, got \[6, 6, 5\]"):
        figures.forged_line(WRITTEN, HIDDEN, FORGED[:5], [0.1] * 6)


def test_a_dot_for_each_seed_and_a_line_for_the_baseline():
    panels = {"F1": {"untrained": [0.1, 0.2], "BERT": [0.5, 0.7]}, "accuracy": {"BERT": [0.9]}}
    first, second = figures.seed_dots(panels, baseline="untrained", lit=["BERT"]).axes
    dots = [line for line in first.lines if line.get_marker() == "o"]
    assert [list(line.get_xdata()) for line in dots] == [[0.1, 0.2], [0.5, 0.7]]
    assert [line.get_color() for line in dots] == [style.MUTED, style.ORANGE]
    dashed = [line for line in first.lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [pytest.approx(0.15)]
    assert texts(second) == ["0.90"]
    (axes,) = figures.seed_dots({"F1": {"BERT": [0.7, 0.7014]}}, form="{:.3f}").axes
    assert texts(axes) == ["0.701"]
    said = figures.describe_seed_dots({"F1": {"BERT": [0.7, 0.7014]}}, form="{:.3f}")
    assert said == "F1: BERT 0.701 (0.700 to 0.701)."
    with pytest.raises(ShapeError):
        figures.seed_dots({"F1": {"BERT": []}})


def test_no_number_stands_on_the_dashed_line():
    found = {"rule": [0.76, 0.8], "level": [0.75, 0.79], "behind": [0.6, 0.7]}
    figure = figures.seed_dots({"F1": found}, baseline="rule")
    figure.canvas.draw()
    (axes,) = figure.axes
    line = axes.transData.transform((0.78, 0))[0]
    for number in axes.texts:
        box = number.get_window_extent()
        assert not box.x0 < line < box.x1


def test_the_means_may_stand_in_a_column_beside_the_dots():
    found = {"rule": [0.76, 0.8], "level": [0.75, 0.79], "behind": [0.6, 0.7]}
    figure = figures.seed_dots({"F1": found}, baseline="rule", beside="mean")
    figure.canvas.draw()
    (axes,) = figure.axes
    assert texts(axes) == ["0.78", "0.77", "0.65", "mean"]
    panel, page = axes.get_window_extent(), figure.bbox
    boxes = [number.get_window_extent() for number in axes.texts]
    assert all(panel.x1 < box.x0 and box.x1 < page.x1 and box.y1 < page.y1 for box in boxes)


def test_rows_in_groups_have_a_gap_after_them_and_may_go_without_a_number():
    found = {name: [0.5, 0.6] for name in "abcd"}
    axes = figures.seed_dots({"F1": found}, group=2, unnamed=["a", "b"]).axes[0]
    steps = [high - low for low, high in itertools.pairwise(axes.get_yticks())]
    assert steps == [1, pytest.approx(1.6), 1]
    assert texts(axes) == ["0.55", "0.55"]


def test_the_numbers_below_do_not_run_into_one_another():
    panels = {name: {"BERT": [0.671, 0.7902, 0.8]} for name in ("AUC", "accuracy")}
    figure = figures.seed_dots(panels)
    figure.canvas.draw()
    for axes in figure.axes:
        low, high = axes.get_xlim()
        assert 3 <= sum(low <= tick <= high for tick in axes.get_xticks()) <= 6


def test_each_model_may_have_a_chance_of_its_own():
    figure = figures.seed_dots(
        {"recall": {"a": [0.5], "b": [0.3]}}, chance={"a": 0.1, "b": 0.2}, called="chance"
    )
    dashed = [line for line in figure.axes[0].lines if line.is_dashed()]
    assert [line.get_xdata()[0] for line in dashed] == [0.1, 0.2]
    assert "chance" in [text.get_text() for text in figure.axes[0].texts]
