import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.recipes import load_result


def few(ahead):
    """Two seeds, 10 and 50 labels; `ahead` is the gain from hidden patches in each pair."""
    pairs = [(n, seed) for n in (10, 50) for seed in (0, 1)]
    rows = []
    for (n, seed), gain in zip(pairs, ahead, strict=True):
        about = {"n_labels": n, "seed": seed, "validation_accuracy": 0.5}
        rows.append(about | {"start": "random", "accuracy": 0.7 + n / 500})
        rows.insert(0, about | {"start": "hidden patches", "accuracy": 0.7 + n / 500 + gain})
    return rows


def cnn(gaps):
    """One seed, for each number of pictures how far the CNN is ahead."""
    return [
        {"model": model, "n_images": n, "seed": 0, "accuracy": 0.8 + (model == "CNN") * gap}
        for model in ("ViT", "CNN")
        for n, gap in gaps.items()
    ]


def test_a_dot_for_each_seed_and_a_line_through_the_means():
    axes = figures.few_labels(few([0.02, 0.04, 0.0, 0.0])).axes[0]
    first, second = (line for line in axes.lines if line.get_linestyle() == "-")
    assert list(first.get_ydata()) == pytest.approx([0.75, 0.8])
    assert list(second.get_ydata()) == pytest.approx([0.72, 0.8])
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert list(dots[0].get_xdata()) == [10, 10]
    assert list(dots[0].get_ydata()) == pytest.approx([0.74, 0.76])
    assert [text.get_text() for text in axes.texts] == ["hidden patches first", "from scratch"]
    assert list(axes.get_xticks()) == [10, 50]


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        ([0.02, 0.04, -0.01, -0.01], "better in 2 of 4 pairs, +0.010 on the mean"),
        ([-0.02, -0.04, -0.01, 0.0], "better in 0 of 4 pairs, -0.018 on the mean"),
    ],
)
def test_pairs_are_compared_seed_by_seed(ahead, said):
    rows = few(ahead)
    said = f"Hidden patches first: {said}"
    assert figures.few_labels(rows).axes[0].get_title(loc="left") == said
    assert figures.few_labels(rows[::-1]).axes[0].get_title(loc="left") == said
    assert f"{said}." in figures.describe_few_labels(rows)


@pytest.mark.parametrize(
    ("recipe", "name", "said"),
    [("hidden-patches", "few_labels", " of 9 pairs"), ("vit-against-cnn", "against_cnn", "CNN is")],
)
def test_the_stored_tables_are_drawn(recipe, name, said):
    rows = load_result(recipe)["rows"]
    draw, describe = getattr(figures, name), getattr(figures, f"describe_{name}")
    title = draw(rows).axes[0].get_title(loc="left")
    assert said in title
    assert title in describe(rows)
    assert "validation digits" in describe(rows, "validation_accuracy")


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


@pytest.mark.parametrize("draw", [figures.few_labels, figures.describe_few_labels])
def test_a_missing_run_is_named(draw):
    with pytest.raises(ShapeError, match="same n_labels and seeds, got 3 and 4"):
        draw(few([0.1] * 4)[1:])
    with pytest.raises(ShapeError, match="got 0 and 0"):
        draw([])


@pytest.mark.parametrize("draw", [figures.against_cnn, figures.describe_against_cnn])
def test_a_missing_model_is_named(draw):
    rows = [row for row in cnn({100: 0.1}) if row["model"] == "ViT"]
    with pytest.raises(ShapeError, match="'ViT' and 'CNN' with the same n_images"):
        draw(rows)


@pytest.mark.parametrize(
    ("name", "rows"), [("few_labels", few([0.1] * 4)), ("against_cnn", cnn({100: 0.1}))]
)
def test_another_measure_is_named(name, rows):
    said = "measure must be one of 'validation_accuracy', 'accuracy', got 'seed'"
    for draw in (getattr(figures, name), getattr(figures, f"describe_{name}")):
        with pytest.raises(ValueError, match=said):
            draw(rows, "seed")


def test_a_band_is_the_range_over_seeds():
    rows = [
        {"model": model, "pixels": n, "seed": seed, "accuracy": 0.9 - n / 10 * fails + seed / 50}
        for model, fails in (("ViT", 1), ("CNN", 0))
        for n in (0, 2)
        for seed in (0, 1)
    ]
    axes = figures.over_seeds(rows, "model", "pixels", "pixels", "Pushed").axes[0]
    assert [line.get_ydata().round(3).tolist() for line in axes.lines[:2]] == [
        [0.91, 0.71],
        [0.91, 0.91],
    ]
    assert axes.collections[0].get_paths()[0].vertices[:, 1].min().round(3) == 0.7
    said = figures.describe_over_seeds(rows, "model", "pixels")
    assert "ViT at 2: 0.71 (0.70 to 0.72)" in said
