import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_tokens_ids_and_the_way_out_are_drawn():
    table = torch.randn(9, 4)
    figure = figures.pipeline(["a", " b"], [3, 8], table, "2 layers", {" c": 0.75})
    shown = {text.get_text() for text in figure.axes[0].texts}
    assert {"a b", "a", "·b", "3", "8", "2 layers", "·c", "75.0 %"} <= shown
    with pytest.raises(ShapeError, match="as many ids"):
        figures.pipeline(["a"], [9], table)
