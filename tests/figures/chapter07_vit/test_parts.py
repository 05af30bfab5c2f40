import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.recipes import load_result

BY_VALUE = {
    "positions": {"none": (0.7, 0.72), "learned": (0.9, 0.94), "relative": (0.93, 0.95)},
    "pooling": {"cls": (0.95, 0.97), "mean": (0.9, 0.96)},
    "patches": {"7": (0.9, 0.9), "7, 3 shared": (0.96, 0.98)},
}


def rows(**changed):
    table = BY_VALUE | changed
    return [
        {
            "choice": choice,
            "value": value,
            "seed": seed,
            "patches": 16 if value == "7" else 49,
            "validation_accuracy": share,
            "accuracy": share - 0.1,
        }
        for choice, values in table.items()
        for value, shares in values.items()
        for seed, share in enumerate(shares)
    ]


def test_a_dot_for_each_seed_and_a_bar_at_the_mean_best_first():
    figure = figures.vit_choices(rows(), "positions")
    (axes,) = figure.axes
    drawn = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert [list(line.get_xdata()) for line in drawn[::2]] == [
        [0.93, 0.95],
        [0.9, 0.94],
        [0.7, 0.72],
    ]
    assert [line.get_xdata()[0] for line in drawn[1::2]] == pytest.approx([0.94, 0.92, 0.71])
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["relative", "learned, 1-D", "none"]
    assert [text.get_text() for text in axes.texts] == ["0.94", "0.92", "0.71"]
    assert "validation digits" in axes.get_xlabel()


def test_patches_say_how_many_they_are():
    labels = figures.vit_choices(rows(), "patches").axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == [
        "7 pixels, 3 shared: 49 patches",
        "7 pixels: 16 patches",
    ]


@pytest.mark.parametrize(
    ("choice", "changed", "said"),
    [
        ("pooling", {}, "[CLS]: 0.960 read right; mean of the patches: 0.930; the seeds overlap"),
        (
            "pooling",
            {"pooling": {"cls": (0.8, 0.8), "mean": (0.9, 0.9)}},
            "Mean of the patches: 0.900 read right; [CLS]: 0.800",
        ),
        (
            "positions",
            {},
            "Relative: 0.940 read right; none: 0.710; 1 other overlaps with the best",
        ),
        ("patches", {"patches": {"7": (0.9,)}}, "7 pixels: 0.900 read right"),
    ],
)
def test_the_title_says_which_is_best_and_whether_seeds_tell(choice, changed, said):
    table = rows(**changed)
    assert figures.vit_choices(table, choice).get_suptitle() == said
    assert f"{said}." in figures.describe_vit_choices(table, choice)


def test_the_stored_table_has_a_name_for_every_value():
    stored = load_result("vit-choices")["rows"]
    for choice, n_values in (("pooling", 2), ("patches", 3), ("positions", 6)):
        labels = figures.vit_choices(stored, choice).axes[0].get_yticklabels()
        assert len({label.get_text() for label in labels}) == n_values
        assert not any("_" in label.get_text() for label in labels)


def test_the_test_part_only_when_asked_for():
    figure = figures.vit_choices(rows(), "pooling", measure="accuracy")
    assert figure.get_suptitle().startswith("[CLS]: 0.860")
    assert "test digits" in figure.axes[0].get_xlabel()


def test_half_a_line_below_a_name():
    labels = figures.vit_choices(rows(), "positions", about={"none": "a heap"}).axes[0]
    said = [label.get_text() for label in labels.get_yticklabels()]
    assert said == ["relative", "learned, 1-D", "none\na heap"]


@pytest.mark.parametrize("draw", [figures.vit_choices, figures.describe_vit_choices])
def test_a_choice_without_rows_is_named(draw):
    with pytest.raises(ShapeError, match="'depth'; there are: patches, pooling, positions"):
        draw(rows(), "depth")
    with pytest.raises(ShapeError, match="there are: none"):
        draw([], "pooling")


@pytest.mark.parametrize("draw", [figures.vit_choices, figures.describe_vit_choices])
def test_another_measure_is_named(draw):
    said = "measure must be one of 'validation_accuracy', 'accuracy', got 'seed'"
    with pytest.raises(ValueError, match=said):
        draw(rows(), "pooling", "seed")
