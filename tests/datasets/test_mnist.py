import gzip

import pytest
import torch

from tutorial_lib.datasets import load_mnist, mnist
from tutorial_lib.errors import DamagedFileError

FINGERPRINT = "434d4570387d0d36adf982a3e4bb31752b89ad12445677d63ecac79f0a6f28e9"


@pytest.fixture(scope="module")
def splits():
    return load_mnist()


def test_the_split_is_the_fixed_one(splits):
    assert repr(splits) == "Splits(train 3,500, validation 500, test 1,000)"
    assert splits.fingerprint == FINGERPRINT


def test_shapes_and_values(splits):
    for part in splits:
        assert part.images.shape == (len(part), 1, 28, 28)
        assert part.images.dtype == torch.float32
        assert part.labels.dtype == torch.int64
        assert part.images.min() == 0
        assert part.images.max() == 1
    assert repr(splits.test) == "Digits(1,000 pictures of 28 x 28)"


def test_each_part_holds_as_many_of_each_digit(splits):
    for part, count in zip(splits, (350, 50, 100), strict=True):
        assert part.labels.bincount().tolist() == [count] * 10


def test_every_start_of_a_part_is_balanced_but_not_sorted(splits):
    for n in (10, 100, 700):
        assert splits.train.select(slice(n)).labels.bincount().tolist() == [n // 10] * 10
    rounds = splits.train.labels.view(-1, 10)
    assert len(rounds.unique(dim=0)) > 300


def test_no_picture_is_in_two_parts(splits):
    pictures = torch.cat([part.images for part in splits]).flatten(1)
    assert len(pictures.unique(dim=0)) == 5_000


def test_pictures_are_upright_and_match_their_labels(splits):
    # The ink of a mean zero is a ring: dark in the middle, bright left and right of it; that of a
    # mean one is a stroke. A mean seven is heavy at the top, so the pictures are upright.
    train = splits.train
    zero, one, seven = (train.images[train.labels == digit].mean(0)[0] for digit in (0, 1, 7))
    assert zero[14, 14] < 0.1 < 0.4 < zero[14].max()
    assert one[14, 14] > 0.7
    assert seven[6:12, 6:14].mean() > 2 * seven[16:22, 6:14].mean()


def test_select_takes_slices_indices_and_masks(splits):
    test = splits.test
    assert torch.equal(test.select([3, 1]).labels, test.labels[[3, 1]])
    assert len(test.select(test.labels == 4)) == 100


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"not compressed", "BadGzipFile"),
        (gzip.compress(b"1,2,3\n"), r"got a table of shape \(3,\)"),
        (gzip.compress(b"1,x\n"), "ValueError"),
        (gzip.compress((b"0," * 784 + b"7\n") * 5_000), "500 of each digit"),
    ],
    ids=["plain", "one row", "letters", "one digit"],
)
def test_a_foreign_file_is_refused(monkeypatch, tmp_path, contents, message):
    path = tmp_path / "mnist_5k.csv.gz"
    path.write_bytes(contents)
    monkeypatch.setattr(mnist, "wheel_file", lambda *arguments: path)
    with pytest.raises(DamagedFileError, match=message):
        load_mnist()
