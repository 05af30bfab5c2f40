import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.recipes import load_result


def cnn(gaps):
    """One seed, for each number of pictures how far the CNN is ahead."""
    return [
        {"model": model, "n_images": n, "seed": 0, "accuracy": 0.8 + (model == "CNN") * gap}
        for model in ("ViT", "CNN")
        for n, gap in gaps.items()
    ]


@pytest.mark.parametrize(
    ("gaps", "said"),
    [
        (
            {100: 0.1, 1000: 0.05, 3500: 0.01},
            "The CNN is ahead by 0.100 with 100 pictures, by 0.010 with 3,500",
        ),
        (
            {100: 0.1, 3500: -0.02},
            "The CNN is ahead by 0.100 with 100 pictures, the ViT is ahead by 0.020 with 3,500",
        ),
        ({300: -0.1}, "The ViT is ahead by 0.100 with 300 pictures"),
    ],
)
def test_who_is_ahead_is_said_for_the_fewest_and_the_most(gaps, said):
    rows = cnn(gaps)
    assert figures.against_cnn(rows).axes[0].get_title(loc="left") == said
    assert f"{said}." in figures.describe_against_cnn(rows)


def test_numbers_of_pictures_stand_on_a_log_axis():
    axes = figures.against_cnn(cnn({100: 0.1, 3500: 0.01})).axes[0]
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100", "3,500"]
    assert "CNN: 0.900 with 100 (0.900 to 0.900), 0.810 with 3,500" in (
        figures.describe_against_cnn(cnn({100: 0.1, 3500: 0.01}))
    )


@pytest.mark.parametrize("draw", [figures.against_cnn, figures.describe_against_cnn])
def test_a_missing_model_is_named(draw):
    rows = [row for row in cnn({100: 0.1}) if row["model"] == "ViT"]
    with pytest.raises(ShapeError, match="'ViT' and 'CNN' with the same n_images"):
        draw(rows)


def test_a_dot_for_each_seed_and_a_line_through_the_means():
    rows = [row | {"seed": 1, "accuracy": row["accuracy"] + 0.04} for row in cnn({100: 0, 300: 0})]
    axes = figures.against_cnn(rows + cnn({100: 0.1, 300: 0.06})).axes[0]
    first, second = (line for line in axes.lines if line.get_linestyle() == "-")
    assert list(first.get_ydata()) == pytest.approx([0.82, 0.82])
    assert list(second.get_ydata()) == pytest.approx([0.87, 0.85])
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert list(dots[0].get_xdata()) == [100, 100]
    assert list(dots[0].get_ydata()) == pytest.approx([0.8, 0.84])
    assert [text.get_text() for text in axes.texts] == ["ViT", "CNN"]


def test_the_stored_table_is_drawn():
    rows = load_result("vit-against-cnn")["rows"]
    title = figures.against_cnn(rows).axes[0].get_title(loc="left")
    assert "CNN is" in title
    assert title in figures.describe_against_cnn(rows)
    assert "validation digits" in figures.describe_against_cnn(rows, "validation_accuracy")


@pytest.mark.parametrize("draw", [figures.against_cnn, figures.describe_against_cnn])
def test_a_missing_run_and_another_measure_are_named(draw):
    with pytest.raises(ShapeError, match="same n_images and seeds, got 1 and 2"):
        draw(cnn({100: 0.1, 300: 0.1})[1:])
    with pytest.raises(ShapeError, match="got 0 and 0"):
        draw([])
    with pytest.raises(ValueError, match="'accuracy', got 'seed'"):
        draw(cnn({100: 0.1}), "seed")
