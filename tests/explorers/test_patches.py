import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import PatchExplorer
from tutorial_lib.explorers.base import PageTheme
from tutorial_lib.figures import style

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
    assert "patches of 14: 4 tokens" in widget.words.value


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


def test_a_move_draws_one_picture_into_the_same_figure(monkeypatch):
    widget = PatchExplorer(PICTURES, 7)
    drawn = []
    png = style.png
    monkeypatch.setattr(style, "png", lambda figure: drawn.append(figure) or png(figure))
    for size in (4, 28, 14):
        widget.controls["patch_size"].value = size
    assert len(drawn) == 3
    assert len({id(figure) for figure in drawn}) == 1


def test_it_is_drawn_for_the_page_that_shows_it(monkeypatch):
    monkeypatch.setattr(PageTheme, "told", False)
    widget = PatchExplorer(PICTURES, 7)
    light = widget.image.value
    widget.theme.set_state({"dark": True})  # as the page says it
    assert widget.image.value != light
    assert "tl-dark-figure" in widget.image._dom_classes
    again = PatchExplorer(PICTURES, 7)
    assert again.image.value == widget.image.value  # the next one is right at once
    widget.theme.set_state({"dark": False})
    assert widget.image.value == light
    assert widget.image._dom_classes == ("tl-light-figure",)


def test_it_reads_as_text():
    assert repr(PatchExplorer(PICTURES, 7)) == "Patch explorer: run this cell"
