import pytest
import torch
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.datasets.drawings import draw_strokes, like_mnist
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, ORANGE

INK = draw_strokes([[(0.5, 0.1), (0.5, 0.9)]])
PICTURE = like_mnist(INK)
EVEN = torch.full((49,), 0.01)
FIVE = torch.tensor([0.1, 0, 0, 0, 0, 0.7, 0.2, 0, 0, 0])


def test_the_four_stages():
    figure = figures.drawn_digit(INK, PICTURE, FIVE, EVEN, 7, 3)
    drawn, read, bars, look = figure.axes
    torch.testing.assert_close(torch.tensor(drawn.images[0].get_array().data), 1 - INK)
    torch.testing.assert_close(torch.tensor(read.images[0].get_array().data), 1 - PICTURE[0])
    assert [bar.get_width() for bar in bars.patches] == pytest.approx(FIVE.tolist())
    assert [to_hex(bar.get_facecolor()) for bar in bars.patches] == [
        ORANGE if digit == 5 else BLUE for digit in range(10)
    ]
    assert look.images[0].get_array().shape == (7, 7)
    assert "28 x 28" in read.get_xlabel()
    assert "112 x 112" in drawn.get_xlabel()


def test_a_drawing_wider_than_high_is_shown_whole():
    drawn = figures.drawn_digit(INK[20:90], PICTURE, FIVE, EVEN, 7, 3).axes[0]
    assert drawn.get_xlim() == (-0.5, 111.5)
    assert drawn.get_ylim() == (69.5, -0.5)
    assert not [*drawn.get_xticks(), *drawn.get_yticks()]


@pytest.mark.parametrize(
    ("probabilities", "said"),
    [(FIVE, "5 (0.70), then 6 (0.20)"), (FIVE.flip(0), "4 (0.70), then 3 (0.20)")],
)
def test_what_is_read_is_said(probabilities, said):
    given = INK, PICTURE, probabilities, EVEN, 7, 3
    assert figures.drawn_digit(*given).get_suptitle() == f"The drawing is read as {said}"
    assert f"read as {said}; " in figures.describe_drawn_digit(*given)


def test_where_it_looks_is_said():
    ground = torch.zeros(49)
    ground[0] = 1
    words = figures.describe_drawn_digit(INK, PICTURE, FIVE, ground, 7, 3)
    assert words.endswith("0.00 of the look is on patches with ink.")
    figure = figures.drawn_digit(INK, PICTURE, FIVE, ground, 7, 3)
    assert figure.axes[3].get_xlabel() == "0.00 of it on ink\ndarkest tile: 1.00"


@pytest.mark.parametrize("draw", [figures.drawn_digit, figures.describe_drawn_digit])
def test_what_does_not_fit_is_named(draw):
    with pytest.raises(ShapeError, match=r"ink must be \(height, width\), got \(1, 112, 112\)"):
        draw(INK[None], PICTURE, FIVE, EVEN, 7, 3)
    with pytest.raises(ShapeError, match=r"\(1, side, side\), got shape \(28, 28\)"):
        draw(INK, PICTURE[0], FIVE, EVEN, 7, 3)
    with pytest.raises(ShapeError, match=r"probabilities must be \(classes,\).* got \(2, 5\)"):
        draw(INK, PICTURE, FIVE.view(2, 5), EVEN, 7, 3)
    with pytest.raises(ShapeError, match=r"two or more, got \(1,\)"):
        draw(INK, PICTURE, FIVE[:1], EVEN, 7, 3)
    with pytest.raises(ShapeError, match=r"\(16,\), one weight a patch, got \(49,\)"):
        draw(INK, PICTURE, FIVE, EVEN, 7)
