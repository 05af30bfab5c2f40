import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WORDS = ["it", "was", "too"]
BLUE, ORANGE, INK, CARD = map(to_rgb, (style.BLUE, style.ORANGE, style.INK, style.CARD))


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def images(figure):
    """Return the painted tables: colours (R, C, 3), and left, right, bottom, top in inches."""
    return [(image.get_array(), image.get_extent()) for image in figure.axes[0].images]


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


def test_a_large_table_is_painted_whole():
    q, k = torch.randn(3, 64), torch.randn(3, 64)
    step = (("queries", q), "@", ("keys", k.T), "=", ("scores", q @ k.T))
    (queries, wide), (keys, tall) = images(figures.worked_step("", WORDS, *step))
    assert (queries.shape, keys.shape) == ((3, 64, 3), (64, 3, 3))
    assert wide[1] - wide[0] == pytest.approx(tall[3] - tall[2])

    table = torch.randn(3, 576).numpy()
    ((painted, _),) = images(figures.worked_step("", WORDS, ("vectors", table)))
    assert painted.shape == (3, 576, 3)
    blue = painted[..., 2] > painted[..., 0]
    strong = np.abs(table) > 0.3  # what is near 0 has the card's colour
    assert (blue == (table > 0))[strong].all()
    assert painted[np.unravel_index(table.argmax(), table.shape)].tolist() == pytest.approx(BLUE)
    assert painted[np.unravel_index(table.argmin(), table.shape)].tolist() == pytest.approx(ORANGE)


def test_a_dot_shows_the_largest_of_its_numbers():
    neurons = torch.zeros(2, 1536)
    neurons[0], neurons[1, 59], neurons[1, 1514] = 4, -4, 4
    ((painted, _),) = images(figures.worked_step("", ["a", "b"], ("neurons", neurons)))
    assert (painted[0] == BLUE).all()
    at = np.flatnonzero((painted[1] != CARD).any(axis=-1)).tolist()  # dots of 2 or 3 neurons
    assert at == pytest.approx([59 * 576 / 1536, 1514 * 576 / 1536], abs=1)
    assert [painted[1, i].tolist() for i in at] == [list(ORANGE), list(BLUE)]


def test_wide_tables_stand_below_one_another_each_with_its_rows_and_frame():
    a, b = torch.randn(2, 3, 576)
    figure = figures.worked_step("", WORDS, ("a", a), "+", ("b", b), "=", ("sum", a + b), row=1)
    ends = [extent for _, extent in images(figure)]
    assert [left for left, *_ in ends] == [ends[0][0]] * 3
    assert ends[0][2] > ends[1][3] > ends[1][2] > ends[2][3]
    shown = texts(figure)
    assert shown.count("was") == 3
    assert {"+", "=", "a", "b", "sum"} <= set(shown)
    (full,) = {text for text in shown if text.startswith("full colour")}  # one scale for all
    assert float(full.split()[-1]) == pytest.approx(
        float((a + b)[1].abs().quantile(0.98)), rel=0.05
    )
    frames = [p for p in figure.axes[0].patches if p.get_edgecolor()[:3] == INK]
    middles = [(bottom + top) / 2 for *_, bottom, top in ends]
    assert [p.get_y() + p.get_height() / 2 for p in frames] == pytest.approx(middles)
    style.png(figure)


def test_the_colours_of_a_strip_are_scaled_for_the_framed_row_or_as_asked():
    table = torch.ones(3, 576)
    table[0] *= 1000  # the first token of a text
    for look, said in (({"row": 1}, "1"), ({}, "1e+03"), ({"row": 1, "top": 4}, "4")):
        shown = texts(figures.worked_step("", WORDS, ("vectors", table), **look))
        assert f"full colour: {said}" in shown


def test_scores_are_apart_by_the_sign_of_their_products():
    rows, vector = torch.tensor([[1.0, 2.0, 3.0], [4.0, 2.0, 0.0]]), torch.tensor([2.0, -0.5, 1.0])
    step = (["far", "the"], ("rows", rows), ("vector", vector))
    figure = figures.worked_scores("It fits", *step, row=0)
    assert texts(figure)[-6:] == ["−1", "+5", "4.0", "−1", "+8", "7.0"]
    bars = [p for p in figure.axes[0].patches if p.get_facecolor()[:3] in (BLUE, ORANGE)]
    lengths = [bar.get_width() / bars[-4].get_width() for bar in bars[-4:]]
    assert lengths == pytest.approx([1, 5, 1, 8])
    assert "far +5 −1 = 4.0, the +8 −1 = 7.0." in figures.describe_worked_scores("x", *step)
    with pytest.raises(ShapeError, match="do not fit"):
        figures.worked_scores("", ["far", "the"], ("rows", rows), ("vector", vector[:2]))
    style.png(figure)


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ShapeError, match="'x' must be a matrix"):
        figures.worked_step("", WORDS, ("x", torch.ones(3)))
