import numpy as np

from tutorial_lib.figures import style
from tutorial_lib.figures.placing import draw_grid, line_points, place_beside, write

FRAME = (0, 0, 100, 100)


def test_a_text_goes_where_no_line_or_other_text_is():
    level = [(0, 50), (100, 50)]
    ((x, y),) = place_beside([(50, 50)], [(20, 10)], FRAME, lines=[level])
    assert (x, y > 55) == (50, True)  # above, as the line leaves at both sides
    ((x, y),) = place_beside([(50, 50)], [(20, 10)], FRAME, [level], taken=[(0, 51, 100, 100)])
    assert (x, y < 45) == (50, True)


def test_two_points_on_one_spot_have_two_texts():
    one, other = place_beside([(50, 50), (50, 50)], [(20, 10)] * 2, FRAME)
    assert (np.abs(one - other) >= (20, 10)).any()


@style.styled
def broken():
    figure = style.blank(None, 4, 3)
    axes = figure.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    figure.draw_without_rendering()
    box = write(axes, "in the way", line_points(axes, (0.5, 0.5))[0], style.GREY)
    draw_grid(axes, [0.5, 1.0], [box])
    return [np.round(lines.get_segments()[0][:, 0], 2).tolist() for lines in axes.collections]


def test_a_pale_line_is_left_out_under_a_text():
    left, right, whole = broken()
    assert left[0] == 0 < left[1] < 0.5 < right[0] < right[1] == 1
    assert whole == [0, 1]
