import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import load_mnist
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import DigitExplorer
from tutorial_lib.explorers.digits import MOST_POINTS, looked_at
from tutorial_lib.interpret import rollout
from tutorial_lib.models import ViT, ViTConfig
from tutorial_lib.recipes import load_checkpoint

ONE = [[[0.5, 0.15], [0.5, 0.85]]]
ZERO = [
    [[0.5 + 0.25 * math.sin(a / 4), 0.5 - 0.35 * math.cos(a / 4)] for a in range(27)],
]
SEVEN = [[[0.25, 0.2], [0.75, 0.2], [0.45, 0.85]]]


@pytest.fixture(scope="module")
def model():
    return load_checkpoint("mnist-vit")


@pytest.fixture(scope="module")
def digits():
    return load_mnist().test


@pytest.fixture
def explorer(model, digits):
    return DigitExplorer(model, digits)


def read(explorer):
    return int(np.argmax(explorer.answer["probabilities"]))


@pytest.mark.parametrize(("strokes", "digit"), [(ONE, 1), (ZERO, 0), (SEVEN, 7)])
def test_drawn_digits_are_read(explorer, strokes, digit):
    explorer.strokes = strokes
    assert read(explorer) == digit
    # Small and in a corner it is the same digit.
    explorer.strokes = [[[0.6 + 0.3 * x, 0.05 + 0.3 * y] for x, y in s] for s in strokes]
    explorer.pen = 0.03
    assert read(explorer) == digit


def test_an_empty_paper_has_no_answer(explorer):
    assert explorer.answer == {}
    explorer.strokes = ONE
    assert explorer.answer["label"] is None
    explorer.strokes = []
    assert explorer.answer == {}


def test_a_test_digit_is_read_as_it_is(explorer, model, digits):
    explorer.example = 17
    with torch.no_grad():
        expected = model(digits.images[17:18]).softmax(-1)[0]
    assert_close(torch.tensor(explorer.answer["probabilities"]), expected, atol=1e-4, rtol=0)
    assert explorer.answer["label"] == digits.labels[17]
    picture = np.frombuffer(explorer.answer["picture"], np.uint8).reshape(28, 28) / 255
    assert_close(torch.tensor(picture).float(), digits.images[17, 0], atol=3e-3, rtol=0)


def test_what_is_looked_at(model, digits):
    with torch.no_grad(), capture_attention(model) as maps:
        model(digits.images[:1])
    found = torch.from_numpy(looked_at(maps).copy()).float()
    layers, heads = model.config.n_layers, model.config.n_heads
    assert found.shape == (1 + layers, 1 + heads, model.config.n_patches)
    assert_close(found[0, 3], rollout(maps)[0, 0, 1:], atol=1e-3, rtol=0)
    assert_close(found[2, 1], maps[1][0, 0, 0, 1:], atol=1e-3, rtol=0)
    assert_close(found[3, 0], maps[2][0].mean(0)[0, 1:], atol=1e-3, rtol=0)
    everyone = torch.full((1, 2, 4, 4), 0.25)
    assert_close(
        torch.from_numpy(looked_at([everyone], "mean").copy()).sum(-1), torch.ones(2, 3).half()
    )
    with pytest.raises(ValueError, match="pooling must be one of 'cls', 'mean', got 'max'"):
        looked_at([everyone], "max")


@pytest.mark.parametrize(
    "strokes",
    [
        [[]],
        [[[0.5, 0.5]]],
        [[[-3.0, 0.5], [9.0, 0.5]]],
        [[[float("nan"), 0.5], [0.5, float("inf")]]],
        [[["a", None]]],
        [[[0.5], [0.1, 0.2, 0.3], 7]],
        [[[i / 9_999, 0.5] for i in range(9_999)]],
    ],
)
def test_odd_strokes_are_drawn_as_far_as_they_can_be(explorer, strokes):
    explorer.strokes = strokes
    assert sum(map(len, explorer.strokes)) <= MOST_POINTS
    assert all(0 <= v <= 1 for stroke in explorer.strokes for point in stroke for v in point)


def test_too_many_points_are_told(explorer):
    explorer.strokes = [[[0.5, 0.5]] * (MOST_POINTS + 1)]
    assert explorer.note == "Only the first 4,000 points are kept."
    explorer.strokes = ONE
    assert explorer.note == ""


def test_every_control_goes_to_both_ends(explorer):
    explorer.strokes = ONE
    for name, values in {
        "pen": (-1.0, 0.0, 9.0, float("nan")),
        "example": (10**6, -7, 0),
        "layer": (99, -99),
        "head": (99, -99),
    }.items():
        for value in values:
            setattr(explorer, name, value)
    assert (explorer.layer, explorer.head, explorer.example) == (-1, -1, 0)
    assert 0 < explorer.pen <= 0.2
    explorer.example = 10**6
    assert explorer.example == explorer.n_examples - 1


def test_other_models_are_named(digits):
    sizes = {"image_size": 8, "patch_size": 4, "d_model": 4, "n_layers": 1, "n_heads": 1}
    with pytest.raises(ShapeError, match="got 3 channels, 8 pixels and 1000 classes"):
        DigitExplorer(ViT(ViTConfig(**sizes)), digits)


def test_several_models_read_the_same_drawing(model, digits):
    torch.manual_seed(0)
    sizes = {"image_size": 28, "patch_size": 7, "channels": 1, "n_classes": 10, "d_model": 8}
    other = ViT(ViTConfig(**sizes, n_layers=3, n_heads=4)).eval()
    explorer = DigitExplorer({"fresh": other, "trained": model}, digits, example=3)
    with torch.no_grad():
        digit = model(digits.images[3:4]).argmax().item()
    assert explorer.answer["side"] == 4
    ((name, said, probability),) = explorer.answer["others"]
    assert (name, said) == ("trained", digit)
    assert probability > 0.5
    explorer.reader = 9  # the last one
    assert explorer.answer["side"] == model.config.patches_a_side == 7
    assert read(explorer) == digit
    assert [name for name, *_ in explorer.answer["others"]] == ["fresh"]
    with pytest.raises(ValueError, match="at least one model"):
        DigitExplorer({}, digits)
    flat = ViT(ViTConfig(**sizes, n_layers=1, n_heads=4))
    with pytest.raises(ShapeError, match=r"the first, \[3, 4\], got \[1, 4\]"):
        DigitExplorer({"trained": model, "flat": flat}, digits)


def test_it_reads_as_text(explorer):
    assert repr(explorer) == "Draw a digit: run this cell"
