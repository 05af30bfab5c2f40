from itertools import islice

import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.datasets import load_mnist
from tutorial_lib.positions import grid_positions
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.ask_anywhere import SETTINGS, PointBatches, ask, shrink, values_at
from tutorial_lib.recipes.asked_digits import asked_digits, see_digits


def test_values_at_the_middles_of_pixels_are_the_pixels():
    images = load_mnist().test.images[:3]
    assert_close(values_at(images, grid_positions(28, 28)), images.flatten(1))


def test_a_batch_asks_for_what_is_there():
    images = load_mnist().train.images[:64]
    small, points, values = next(iter(PointBatches(images, SETTINGS)))
    assert small.shape == (32, 1, 14, 14)
    assert points.shape == (128, 2)
    assert values.shape == (32, 128)
    assert points.min() < -0.9
    assert points.max() > 0.9
    again, _, others = list(islice(PointBatches(images, SETTINGS), 2))[1]
    assert not torch.equal(small, again)
    assert not torch.equal(values, others)


def test_the_checkpoint_knows_more_than_what_it_read():
    model, images = load_checkpoint("ask-anywhere"), load_mnist().test.images[:60]
    small = shrink(images)
    bicubic = F.interpolate(small, (28, 28), mode="bicubic").clamp(0, 1)
    assert F.mse_loss(ask(model, small), images) < 0.7 * F.mse_loss(bicubic, images)


def test_what_the_explorers_show_is_what_the_model_says():
    model, images = load_checkpoint("ask-anywhere"), load_mnist().test.images[:2]
    answered = asked_digits(model, images, names=["one", "other"], sides=(14, 28))
    assert [each["name"] for each in answered] == ["one", "other"]
    assert_close(torch.tensor(answered[1]["answers"][28]), ask(model, shrink(images))[1, 0])
    seen = see_digits(model, images)[1]
    assert_close(seen.answer, ask(model, shrink(images))[1, 0], atol=1e-5, rtol=1e-4)
    assert_close(seen.reads.flatten(2).sum(dim=-1), torch.ones(seen.reads.shape[:2]))
