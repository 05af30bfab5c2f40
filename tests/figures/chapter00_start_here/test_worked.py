import pytest
import torch
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WORDS = ["it", "was", "too"]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_product_names_its_rows_columns_parts_and_sizes():
    q, k = torch.randn(3, 64), torch.randn(3, 64)
    step = (("queries", q), "@", ("keys", k.T, WORDS), "=", ("scores", q @ k.T, WORDS))
    figure = figures.worked_step("It fits", WORDS, *step, row=0)
    shown = texts(figure)
    assert shown.count("too") == 3
    assert {"@", "=", "queries", "3 × 64", "64 × 3", "3 × 3"} <= set(shown)
    assert "queries (3 × 64) @ keys (64 × 3)" in figures.describe_worked_step("x", WORDS, *step)
    style.png(figure)


def test_ids_are_written_out_and_what_is_hidden_is_crossed_out():
    assert "982" in texts(
        figures.worked_step("", WORDS, ("ids", torch.tensor([[504], [1], [982]])))
    )
    hidden = torch.zeros(3, 3).masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf)
    figure = figures.worked_step("", WORDS, ("scores", hidden))
    assert len(figure.axes[0].lines) == 2 * 3


def test_what_is_added_shares_one_scale():
    one, ten = torch.ones(3, 2), 10 * torch.ones(3, 2)

    def strengths(sign):
        figure = figures.worked_step("", WORDS, ("a", one), sign, ("b", ten))
        squares = [p for p in figure.axes[0].patches if isinstance(p, Rectangle) and p.get_alpha()]
        squares = squares[: one.numel() + ten.numel()]  # after them comes the bar of colours
        return {round(square.get_alpha(), 2) for square in squares}

    assert strengths("+") == {0.1, 1.0}
    assert strengths("→") == {1.0}


def test_the_largest_number_of_the_framed_row_is_written_out():
    scores = torch.tensor([[1.0, 2.0, -9.0], [-torch.inf, 0.25, 0.125], [0.0, 0.0, 0.0]])
    for row, said in ((0, "2.0"), (1, "0.25")):
        step = (("x", torch.ones(3, 3)), "→", ("scores", scores, WORDS))
        shown = texts(figures.worked_step("", WORDS, *step, row=row))
        assert {said, "full colour: 1", "full colour: 9", "above 0", "below 0"} <= set(shown)


def test_a_picture_ends_where_its_last_part_ends():
    few, many = (figures.worked_step("", WORDS, ("x", torch.ones(3, n))) for n in (1, 11))
    assert few.get_figwidth() < many.get_figwidth() < 6


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ShapeError, match="'x' must be a matrix"):
        figures.worked_step("", WORDS, ("x", torch.ones(3)))
