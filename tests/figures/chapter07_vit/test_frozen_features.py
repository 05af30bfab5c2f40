import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError

LEVEL = {"DINOv2": 0.5, "pixels": 0.3, "ViT": 0.4}


def rows(**levels):
    return [
        {"task": task, "way": way, "n_labels": n, "seed": seed, "accuracy": level + n / 200}
        for task in ("digits", "emoji")
        for way, level in (LEVEL | levels).items()
        for n in (5, 50)
        for seed in (0, 1)
    ]


def test_lines_are_means_and_dots_are_seeds():
    figure = figures.frozen_features(rows())
    assert len(figure.axes) == 2
    lines = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
    assert lines["linear on our DINOv2"] == pytest.approx([0.525, 0.75])
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in dots] == [2] * 6
    assert len({line.get_xdata()[0] for line in dots}) == 6  # none on top of another


def test_the_title_is_what_was_measured():
    assert figures.frozen_features(rows()).get_suptitle() == (
        "With 5 labels a class our DINOv2 leads by 0.10 on digits, by 0.10 on emoji"
    )
    mixed = [row for row in rows(ViT=0.8) if row["task"] == "digits"]
    mixed += [row for row in rows() if row["task"] == "emoji"]
    assert figures.frozen_features(mixed).get_suptitle() == (
        "With 5 labels a class our DINOv2 is behind by 0.30 on digits, leads by 0.10 on emoji"
    )


def test_words():
    said = figures.describe_frozen_features(rows())
    assert "groups of emoji, linear on pixels: 0.33 with 5 (0.33 to 0.33), 0.55 with 50" in said


def test_rows_that_are_missing():
    with pytest.raises(ShapeError, match="got none"):
        figures.frozen_features([])
    some = [row for row in rows() if (row["way"], row["n_labels"]) != ("ViT", 50)]
    with pytest.raises(ShapeError, match="no row of digits, ViT with 50 labels a class"):
        figures.frozen_features(some)
