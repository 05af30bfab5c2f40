import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.attention import MultiHeadAttention, attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter02_attention.heads import head_steps


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_head_is_drawn_as_attention_computes_it():
    q, k, v, mask = *torch.randn(3, 4, 6), torch.ones(4, 4).tril().bool()
    steps = head_steps(q, q, k, v, mask)
    mixed, weights = attention(q[None, None], k[None, None], v[None, None], mask)
    torch.testing.assert_close(steps["weights"], weights[0, 0])
    torch.testing.assert_close(steps["output"], mixed[0, 0])
    figure = figures.head_diagram(torch.randn(4, 8), q, k, v, mask, words=list("abcd"))
    assert {"(T, D) = (4, 8)", "(S, K) = (4, 6)", "(T, S) = (4, 4)", "a"} <= set(words(figure))


def test_small_matrices_have_their_numbers_in_square_cells_of_one_scale():
    eye = torch.eye(3)
    figure = figures.head_diagram(eye, 2 * eye[:, :2], eye[:, :2], eye)
    assert {"2", "1.41", "0.67"} <= set(words(figure))  # a query, a score (2 / √2), a weight
    plain = figures.head_diagram(torch.randn(3, 8), *torch.randn(3, 3, 8), words=list("abc"))
    assert not [word for word in words(plain) if word.lstrip("-").replace(".", "", 1).isdecimal()]


def test_what_does_not_fit_together_is_refused():
    x = torch.randn(2, 8)
    with pytest.raises(ShapeError, match="a head needs"):
        figures.head_diagram(x, x, torch.randn(3, 8), torch.randn(3, 8))


def test_the_heads_of_a_layer_are_drawn_with_the_shapes_it_made():
    figure = figures.multi_head_diagram(MultiHeadAttention(12, 6), torch.randn(1, 5, 12))
    shown = words(figure)
    assert {"head 0", "head 5", "⋮", "· W_o\n12 × 12", "(T, K) = (5, 2)"} <= set(shown)
    assert "head 3" not in shown
    assert all(shown.count(name) == 3 for name in ("queries", "keys", "values"))
    assert shown.count("(T, K) = (5, 2)") == 2  # of the queries and of a head's output
    assert shown.count("5") == 2  # below its output, and in the row of heads
    assert "(T, D) = (5, 12)" in shown


def test_the_heads_to_draw_can_be_chosen():
    layer, x = MultiHeadAttention(12, 6), torch.randn(1, 5, 12)
    shown = words(figures.multi_head_diagram(layer, x, heads=[2, 3]))
    assert [word for word in shown if word.startswith("head ")] == ["head 2", "head 3"]
    assert "⋮" not in shown
