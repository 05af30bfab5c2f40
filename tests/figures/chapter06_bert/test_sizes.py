import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

SIZES = {"PlayBERT": (126_592, 772_831), "BERT-base": (23_440_896, 109_482_240), "tiny": (1, 50)}


def test_the_table_is_its_share_of_a_bar_of_one_length():
    (axes,) = figures.parameter_shares(SIZES, "How large is the table?").axes
    whole, tables = axes.patches[::2], axes.patches[1::2]
    assert {bar.get_width() for bar in whole} == {1}
    assert [bar.get_width() for bar in tables] == pytest.approx([0.1638, 0.2141, 0.02], abs=1e-4)
    assert {to_hex(bar.get_edgecolor()) for bar in tables} == {style.PINK}
    shown = [text.get_text() for text in axes.texts]
    assert shown[:6] == ["0.16", "0.8 million", "0.21", "109.5 million", "0.02", "0.0 million"]
    words = figures.describe_parameter_shares(SIZES, "How large is the table?")
    assert words.startswith("How large is the table? Share of the parameters in the token table: ")
    assert "BERT-base 0.21 of 109.5 million, tiny 0.02" in words


def test_a_share_is_within_its_part_or_beside_it():
    figure = figures.parameter_shares({f"{n}": (n, 100) for n in (0, 2, 7, 8, 100)})
    style.png(figure)
    (axes,) = figure.axes
    for table, share in zip(axes.patches[1::2], axes.texts[::2], strict=False):
        part, number = table.get_window_extent(), share.get_window_extent()
        within = part.x0 < number.x0 and number.x1 < part.x1
        assert within or number.x0 > part.x1
        assert within == (table.get_width() >= 0.08)


@pytest.mark.parametrize("sizes", [{}, {"a": (2, 1)}, {"a": (0, 0)}, {"a": (-1, 5)}])
def test_a_table_is_a_part_of_its_model(sizes):
    for made in (figures.parameter_shares, figures.describe_parameter_shares):
        with pytest.raises(ShapeError, match=r"at least one model|'a' is a part of its param"):
            made(sizes)
