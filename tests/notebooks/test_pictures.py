"""A picture in a notebook that looks another way is noticed, one that moved by a hair is not."""

import base64
import io

import numpy as np
import pytest
from pictures import difference
from PIL import Image

from tutorial_lib.figures import style
from tutorial_lib.figures.charts import bar_chart


def stored(figure):
    return base64.b64encode(style.small_png(figure)).decode()


def chart(values=None, title="Ours reads more digits"):
    return bar_chart(values or {"ours": 0.7, "theirs": 0.4}, "share", title)


def test_the_same_picture_passes_with_all_its_colours_or_few():
    figure = chart()
    many = base64.b64encode(style.png(figure)).decode()
    assert difference(stored(figure), many) == ""


def test_a_picture_shifted_by_a_pixel_passes():
    picture = np.asarray(Image.open(io.BytesIO(style.png(chart()))).convert("RGB"))
    shifted = Image.fromarray(np.roll(picture, 1, axis=1))
    buffer = io.BytesIO()
    shifted.save(buffer, "PNG")
    assert difference(stored(chart()), base64.b64encode(buffer.getvalue()).decode()) == ""


@pytest.mark.parametrize(
    "other",
    [
        {"values": {"ours": 0.7, "theirs": 0.7}},
        {"title": "Theirs"},
        {"values": {"ours": 0.7, "theirs": 0.4, "nobody's": 0.1}},
    ],
    ids=["a value", "the title", "one bar more"],
)
def test_another_picture_is_noticed(other):
    assert "a picture has changed" in difference(stored(chart()), stored(chart(**other)))
