"""The reach of a position is where the gradients of stacked windows are not zero."""

import itertools

import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import reach
from tutorial_lib.models.windows import PatchMerging, ShiftedWindows
from tutorial_lib.positions import RelativeGrid


def reached_by_gradients(height, width, window, layers, row, column, shift, merge):
    """Which positions change what random layers make of one."""
    torch.manual_seed(0)
    d_model = 4
    image = torch.randn(1, height, width, d_model, dtype=torch.float64, requires_grad=True)
    x = image
    for layer in range(layers):
        if merge and layer and layer % 2 == 0:
            x = PatchMerging(d_model).double()(x)
            d_model, row, column = 2 * d_model, row // 2, column // 2
        windows = ShiftedWindows(
            MultiHeadAttention(d_model, 1),
            RelativeGrid(1, window, window),
            window,
            window // 2 if shift and layer % 2 else 0,
        )
        x = x + windows.double()(x)
    (x[0, row, column] @ torch.randn(d_model, dtype=torch.float64)).backward()
    return image.grad[0].abs().sum(dim=-1) > 0


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("shift", [False, True])
@pytest.mark.parametrize(
    ("height", "width", "window"),
    [(8, 8, 2), (8, 12, 4), (9, 7, 3), (7, 10, 4), (11, 13, 2), (5, 9, 6), (4, 4, 7), (6, 6, 1)],
)
def test_reach_is_where_the_gradients_are(height, width, window, shift, merge):
    places = {(0, 0), (height - 1, width - 1), (height // 2, width // 2), (1, width - 2)}
    for layers, (row, column) in itertools.product((0, 1, 2, 3, 5), places):
        state = (height, width, window, layers, row, column, shift, merge)
        assert torch.equal(reach(*state), reached_by_gradients(*state)), state


def test_each_layer_adds_and_takes_nothing_away():
    before = reach(28, 28, 7, 0, 14, 14)
    for layers, seen in enumerate((7, 14, 21, 28, 28), start=1):
        now = reach(28, 28, 7, layers, 14, 14)
        assert now.sum() == seen**2
        assert (now | before).equal(now)
        before = now
    assert reach(28, 28, 7, 8, 14, 14, shift=False).sum() == 49


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ((4, 4, 2, 1, 4, 0), "no row 4, column 0 after 1 layers of windows of 2 on a map of 4 x 4"),
        ((4, 4, 2, 1, 0, -1), "column -1"),
        ((4, 4, 0, 1, 0, 0), "windows of 0"),
        ((4, 4, 2, -1, 0, 0), "after -1 layers"),
        ((0, 4, 2, 1, 0, 0), "map of 0 x 4"),
    ],
)
def test_what_is_not_there(state, message):
    with pytest.raises(ShapeError, match=message):
        reach(*state)
