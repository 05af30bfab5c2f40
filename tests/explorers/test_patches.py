import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import PatchExplorer

PICTURES = {
    "steps": torch.linspace(0, 1, 784).view(1, 28, 28),
    "grey": torch.full((3, 28, 28), 0.5),
}


def test_every_control_from_end_to_end_changes_the_picture():
    widget = PatchExplorer(PICTURES, patch_size=7)
    pictures = {bytes(widget.image.value)}
    moves = [("patch_size", 4), ("shuffled", True), ("patch_size", 28), ("shuffled", False)]
    for name, value in [*moves, ("patch_size", 14), ("picture", "grey")]:
        widget.controls[name].value = value
        assert bytes(widget.image.value[:4]) == b"\x89PNG"
        pictures.add(bytes(widget.image.value))
    assert len(pictures) == 6  # one patch cannot be shuffled
    assert "14 x 14" not in widget.words.value
    assert "Patches of 14: 4 tokens" in widget.words.value


def test_a_shuffle_is_the_same_every_time():
    one, two = (PatchExplorer(PICTURES, 4, shuffled=True) for _ in range(2))
    assert one.image.value == two.image.value
    assert PatchExplorer(PICTURES, 4, shuffled=True, seed=1).image.value != one.image.value
    assert sorted(one.order(4).tolist()) == list(range(49))


def test_what_cannot_be_shown_is_named():
    with pytest.raises(ValueError, match="at least one picture"):
        PatchExplorer({})
    with pytest.raises(ValueError, match=r"one of \(4, 7, 14, 28\), got 5"):
        PatchExplorer(PICTURES, patch_size=5)
    with pytest.raises(ShapeError, match=r"one side, got \[14, 28\] pixels"):
        PatchExplorer(PICTURES | {"small": torch.zeros(1, 14, 14)}, 7)


def test_it_reads_as_text():
    assert repr(PatchExplorer(PICTURES, 7)) == "Patch explorer: run this cell"
