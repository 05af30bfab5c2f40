import pytest

from tutorial_lib import figures
from tutorial_lib.recipes import load_result


def test_recall_is_the_mean_over_the_seeds_at_each_distance():
    rows = [
        {"model": model, "distance": k, "accuracy": value}
        for model, values in {
            "LSTM": {8: (1.0, 0.5), 4: (1.0, 1.0)},
            "attention": {4: (1, 1)},
        }.items()
        for k, of_k in values.items()
        for value in of_k
    ]
    said = figures.describe_recall_over_distance(rows)
    assert "LSTM 1.00 at 4, 0.75 at 8; attention 1.00 at 4" in said
    line = figures.recall_over_distance(rows).axes[0].lines[0]
    assert line.get_ydata().tolist() == [1.0, 0.75]


def test_what_chapter_02_says_of_the_recall():
    rows = load_result("recall-distance")["rows"]

    def of(model, distances):
        return [r["accuracy"] for r in rows if r["model"] == model and r["distance"] in distances]

    assert min(of("LSTM", (4, 8)) + of("attention", (4, 8))) > 0.99  # both are perfect
    assert sorted(value > 0.9 for value in of("LSTM", (16,))) == [False, False, True]
    assert max(of("LSTM", (32, 64, 128))) < 0.2  # chance is 0.1
    assert min(of("attention", (16, 32, 64, 128))) > 0.89


def test_what_chapter_02_says_of_eight_heads():
    rows = load_result("heads-and-initialisations")["rows"]
    runs = {}
    for row in rows:
        runs.setdefault((row["task"], row["heads"]), []).append(row["value"])
    assert sum(runs["hundreds digit", 1]) == pytest.approx(sum(runs["hundreds digit", 8]), abs=0.01)
    assert max(runs["all three digits", 1]) < min(runs["all three digits", 8])
    pairs = zip(runs["next character", 8], runs["next character", 1], strict=True)
    assert all(eight < one for eight, one in pairs)  # bits a character
    said = figures.describe_one_head_against_eight(rows)
    assert "next character" not in said
    assert "all three digits, 8 heads 0.001" in said
    dots = figures.one_head_against_eight(rows).axes[0].collections
    assert [len(one.get_offsets()) for one in dots] == [5] * 4
