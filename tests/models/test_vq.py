"""The code book and its autoencoder: the nearest code, what has a gradient, which codes live."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models import CodeBook, VQAutoencoder, VQConfig

SMALL = {"image_size": 8, "halvings": 2, "d_hidden": 8, "n_residual": 1, "n_codes": 7, "width": 3}


def book_of(*vectors, commitment=0.25):
    """Return a CodeBook of these vectors that is not training."""
    book = CodeBook(len(vectors), len(vectors[0]), commitment).eval()
    book.vectors.data.copy_(torch.tensor(vectors))
    return book


def test_the_nearest_code_is_the_nearest():
    torch.manual_seed(0)
    book, x = CodeBook(50, 4).eval(), torch.randn(3, 5, 4)
    found = book(x)
    distances = torch.cdist(x.flatten(0, 1), book.vectors)
    assert torch.equal(found.codes.flatten(), distances.argmin(dim=1))
    assert_close(found.result, book.vectors[found.codes])
    assert found.codes.shape == (3, 5)


def test_what_each_part_of_the_loss_moves():
    """The gradient of the result passes to x unchanged; the book's own comes from its loss."""
    book = book_of([0.0, 0.0], [10.0, 0.0], commitment=0.5)
    x = torch.tensor([[1.0, 0.0], [7.0, 1.0]], requires_grad=True)
    found = book(x)
    weights = torch.tensor([[3.0, 5.0], [7.0, 11.0]])
    (found.result * weights).sum().backward()
    assert_close(x.grad, weights)
    assert book.vectors.grad is None  # the decoder's error does not move the codes
    x.grad = None
    book(x).loss.backward()
    apart = x.detach() - book.vectors.detach()[found.codes]  # [1, 0] and [-3, 1]
    assert_close(x.grad, 0.5 * 2 * apart / 4)  # the mean of 4 numbers
    assert_close(book.vectors.grad, -2 * apart / 4)  # each of the two codes has one input
    assert_close(found.loss, 1.5 * apart.square().mean())


def test_a_new_book_is_filled_by_its_first_batch():
    torch.manual_seed(0)
    book, x = CodeBook(6, 2), torch.randn(40, 2) + 100
    book(x)
    assert all((vector == x).all(dim=1).any() for vector in book.vectors)
    assert_close(book.use.sum(), torch.tensor(1.0))


def test_a_dead_code_starts_afresh_and_a_live_one_stays():
    torch.manual_seed(0)
    book = book_of([0.0, 0.0], [50.0, 50.0], [9.0, 9.0]).train()
    book.use.copy_(torch.tensor([0.5, 0.5, 0.004]))  # below 0.02 of a third
    x = torch.randn(20, 2)
    book(x)
    assert (book.vectors[2] == x).all(dim=1).any()
    assert book.vectors[1].tolist() == [50.0, 50.0]
    for _ in range(430):  # 0.99 ** 430 < 0.02: no input has come near it all the while
        book(x)
    assert (book.vectors[1] == x).all(dim=1).any()
    before = book.vectors.detach().clone()
    book.eval().use.zero_()
    book(x)
    assert torch.equal(book.vectors, before)  # only training changes the book
    assert not book.use.any()


def test_codes_there_and_back():
    torch.manual_seed(0)
    model = VQAutoencoder(VQConfig(**SMALL)).eval()
    images = torch.rand(2, 3, 8, 8)
    painted = model(images)
    assert painted.result.shape == images.shape
    assert 0 <= painted.result.min() <= painted.result.max() <= 1
    codes = model.encode(images)
    assert codes.shape == (2, 2, 2)
    assert torch.equal(codes, painted.codes)
    assert_close(model.decode(codes), painted.result)
    expected = F.mse_loss(painted.result, images) + painted.loss
    assert_close(model.loss(images), expected)


def test_it_learns_four_pictures_by_heart():
    torch.manual_seed(0)
    model = VQAutoencoder(VQConfig(**SMALL))
    images = (torch.rand(4, 3, 2, 2) > 0.5).float().repeat_interleave(4, 2).repeat_interleave(4, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(200):
        optimizer.zero_grad()
        model.loss(images).backward()
        optimizer.step()
    assert F.mse_loss(model.eval()(images).result, images) < 0.01  # before: about 0.25
    encoder = next(model.encoder.parameters())
    assert encoder.grad.abs().sum() > 0  # the gradient reached it through the book


def test_save_and_load(tmp_path):
    torch.manual_seed(0)
    model, images = VQAutoencoder(VQConfig(**SMALL)), torch.rand(3, 3, 8, 8)
    model(images)
    model.save(tmp_path / "vq.safetensors")
    again = VQAutoencoder.load(tmp_path / "vq.safetensors")
    assert again.config == model.config
    assert torch.equal(again.encode(images), model.eval().encode(images))
    assert torch.equal(again.book.use, model.book.use)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_codes": 0}, "n_codes must be a whole number of at least 1"),
        ({"image_size": 10}, "10 pixels cannot be halved 2 times"),
        ({"halvings": 0}, "halvings must be a whole number"),
    ],
)
def test_bad_sizes_are_named(change, message):
    with pytest.raises(ShapeError, match=message):
        VQConfig(**SMALL | change)
    with pytest.raises(ValueError, match="commitment must be a number of at least 0, got -1"):
        CodeBook(2, 2, commitment=-1)


def test_bad_input_is_named():
    model = VQAutoencoder(VQConfig(**SMALL)).eval()
    with pytest.raises(ShapeError, match=r"shape \(B, 3, 8, 8\), got \(1, 3, 16, 16\)"):
        model(torch.zeros(1, 3, 16, 16))
    with pytest.raises(VocabularyError, match="between 0 and 6, got 7"):
        model.decode(torch.full((1, 2, 2), 7))
    with pytest.raises(VocabularyError, match="between 0 and 6, got -1"):
        model.decode(torch.full((1, 2, 2), -1))
    with pytest.raises(ShapeError, match=r"codes must have shape \(B, 2, 2\), got \(1, 4\)"):
        model.decode(torch.zeros(1, 4, dtype=torch.long))
    with pytest.raises(ShapeError, match=r"torch\.long, at least one; got torch\.float32"):
        model.decode(torch.zeros(1, 2, 2))
    with pytest.raises(ShapeError, match=r"shape \(..., 3\), got torch.float32 \(2, 4\)"):
        model.book(torch.zeros(2, 4))
    with pytest.raises(ShapeError, match="x must be a tensor, got list"):
        model.book([[0.0, 0.0, 0.0]])
