import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.mnist_vit import (
    SMOKE,
    DigitBatches,
    accuracy,
    build,
    disturb,
    learn_and_measure,
    some_digits,
    train,
)


@pytest.fixture(scope="module")
def digits():
    return load_mnist()


def a_stroke(row, column):
    """One picture (1, 1, 28, 28) with a square of 4 x 4 pixels at that place."""
    image = torch.zeros(1, 1, 28, 28)
    image[..., row : row + 4, column : column + 4] = 1
    return image


def middle(image):
    """The centre of the ink, as (row, column)."""
    places = torch.arange(28.0) + 0.5
    ink = image[0, 0]
    return (ink.sum(1) @ places / ink.sum()).item(), (ink.sum(0) @ places / ink.sum()).item()


@pytest.mark.parametrize("seed", range(4))
def test_moving_stays_inside_its_limit_and_keeps_the_ink(seed):
    before = a_stroke(8, 16)
    generator = torch.Generator().manual_seed(seed)
    after = disturb(before, turn=0, resize=0, move=3, generator=generator)
    steps = [new - old for new, old in zip(middle(after), middle(before), strict=True)]
    assert all(abs(step) <= 3.01 for step in steps)
    assert any(abs(step) > 0.1 for step in steps)
    assert after.sum().item() == pytest.approx(16, rel=1e-3)


def test_turning_goes_round_the_middle_of_the_picture():
    before = a_stroke(12, 22)  # 10 pixels to the right of the middle
    images = before.expand(20, -1, -1, -1)
    generator = torch.Generator().manual_seed(0)
    after = disturb(images, turn=30, resize=0, move=0, generator=generator)
    rows = []
    for image in after:
        row, column = (place - 14 for place in middle(image[None]))
        assert (row**2 + column**2) ** 0.5 == pytest.approx(10, abs=0.3)
        rows.append(row)
    # 10 sin(30 degrees) either way
    assert -5.2 <= min(rows) < -2
    assert 2 < max(rows) <= 5.2


def test_resizing_changes_how_much_ink_there_is():
    generator = torch.Generator().manual_seed(0)
    images = a_stroke(12, 12).expand(200, -1, -1, -1)
    ink = disturb(images, turn=0, resize=0.5, move=0, generator=generator).sum(dim=(1, 2, 3))
    # The side is from 0.5 to 1.5 of what it was.
    assert 0.2 * 16 < ink.min() < 0.4 * 16
    assert 2 * 16 < ink.max() < 2.4 * 16


def test_each_picture_is_changed_by_its_own_amount():
    images = a_stroke(8, 16).expand(2, -1, -1, -1)
    first, second = disturb(images, generator=torch.Generator().manual_seed(0))
    assert not torch.equal(first, second)


def test_batches_start_from_the_seed_and_show_every_picture(digits):
    part = digits.train.select(slice(120))
    batches = DigitBatches(part, SMOKE)
    first, second, third = (batch for batch, _ in zip(batches, range(3), strict=False))
    assert [len(labels) for _, labels in (first, second, third)] == [50, 50, 20]
    seen = torch.cat([labels for _, labels in (first, second, third)])
    assert torch.equal(seen.bincount(), part.labels.bincount())
    again = next(iter(batches))
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1], again[1])
    other = next(iter(DigitBatches(part, SMOKE | {"seed": 1})))
    assert not torch.equal(first[1], other[1])


def test_only_the_training_part_is_trained_on(digits, monkeypatch):
    seen = []
    monkeypatch.setattr(mnist_vit, "DigitBatches", lambda part, _: seen.append(part) or [])
    with pytest.raises(ValueError, match="batches ended"):
        train(SMOKE, progress=False)
    (part,) = seen
    assert torch.equal(part.images, digits.train.images)


def test_some_digits_are_balanced_and_others_for_each_seed(digits):
    digits = digits.train
    for n_images in (100, 300, 1_000):
        parts = [some_digits(digits, n_images, seed) for seed in (0, 1, 2)]
        for part in parts:
            assert part.labels.bincount().tolist() == [n_images // 10] * 10
        assert not torch.equal(parts[0].images, parts[1].images)
    assert len(some_digits(digits, len(digits), 1)) == len(digits)  # round the end
    assert torch.equal(some_digits(digits, 1_000, 4).images[0], digits.images[500])


def test_measuring_says_what_was_trained(digits):
    model = build(SMOKE)
    found = learn_and_measure(model, digits.train, SMOKE, progress=False)
    assert not model.training
    assert found["parameters"] == sum(weight.numel() for weight in model.parameters())
    assert found["accuracy"] == accuracy(model, digits.test)
    assert found["validation_accuracy"] == accuracy(model, digits.validation)


def test_accuracy_counts_what_is_right(digits):
    part = digits.test.select(slice(300))

    def always_three(images):
        return torch.eye(10)[3].expand(len(images), -1)

    assert accuracy(always_three, part) == pytest.approx(0.1)


def test_the_checkpoint_reads_digits(digits):
    card = recipes.load_card("mnist-vit")
    assert card["metric"]["accuracy"] >= 0.97
    assert card["bytes"] < 2**20
    assert accuracy(recipes.load_checkpoint("mnist-vit"), digits.test) >= 0.97


def test_the_checkpoint_bears_a_digit_that_is_moved(digits):
    model = recipes.load_checkpoint("mnist-vit")
    images = digits.test.images.roll((2, -2), dims=(2, 3))
    moved = type(digits.test)(images, digits.test.labels)
    assert accuracy(model, moved) > 0.93
    assert accuracy(build(SMOKE).eval(), moved) < 0.3


def test_the_attention_of_the_checkpoint_can_be_looked_at(digits):
    model = recipes.load_checkpoint("mnist-vit")
    with torch.no_grad(), capture_attention(model) as maps:
        model(digits.test.images[:2])
    n_layers, n_heads = (model.config.n_layers, model.config.n_heads)
    length = model.config.n_patches + int(model.config.pooling == "cls")
    assert [tuple(layer.shape) for layer in maps] == [(2, n_heads, length, length)] * n_layers
