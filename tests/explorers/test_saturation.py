import pytest

from tutorial_lib.explorers import SaturationExplorer
from tutorial_lib.explorers.base import PageTheme
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter02_attention.head_width import WIDTHS


def test_every_control_from_end_to_end_changes_the_picture():
    widget = SaturationExplorer()
    pictures = {bytes(widget.image.value)}
    moves = [("d", WIDTHS[0]), ("d", WIDTHS[-1]), ("n_keys", 2), ("n_keys", 64), ("scaled", True)]
    for name, value in moves:
        widget.controls[name].value = value
        assert bytes(widget.image.value[:4]) == b"\x89PNG"
        pictures.add(bytes(widget.image.value))
    assert len(pictures) == 6
    assert "Head width 512, 64 keys, scores divided by the square root of d" in widget.words.value


def test_the_slider_stops_at_its_ends():
    widget = SaturationExplorer()
    for asked, kept in ((1, 2), (1000, 64)):
        widget.controls["n_keys"].value = asked
        assert widget.controls["n_keys"].value == kept


def test_the_same_setting_shows_the_same_picture():
    assert SaturationExplorer(seed=2).image.value == SaturationExplorer(seed=2).image.value
    assert SaturationExplorer(seed=2).image.value != SaturationExplorer(seed=3).image.value


def test_a_move_draws_one_picture_into_the_same_figure(monkeypatch):
    widget = SaturationExplorer(n_keys=64)
    drawn = []
    png = style.png
    monkeypatch.setattr(style, "png", lambda figure: drawn.append(figure) or png(figure))
    for width in (WIDTHS[0], WIDTHS[-1], 2):
        widget.controls["d"].value = width
    assert len(drawn) == 3
    assert len({id(figure) for figure in drawn}) == 1


def test_it_is_drawn_for_the_page_that_shows_it(monkeypatch):
    monkeypatch.setattr(PageTheme, "told", False)
    widget = SaturationExplorer()
    light = widget.image.value
    widget.theme.set_state({"dark": True})  # as the page says it
    assert widget.image.value != light
    assert "tl-dark-figure" in widget.image._dom_classes
    assert SaturationExplorer().image.value == widget.image.value  # the next one is right at once
    widget.theme.set_state({"dark": False})
    assert widget.image.value == light
    assert widget.image._dom_classes == ("tl-light-figure",)


def test_a_width_off_the_slider_is_named():
    with pytest.raises(ValueError, match=r"d must be one of 1, 2, 4, .*, got 100"):
        SaturationExplorer(d=100)


def test_it_reads_as_text():
    assert repr(SaturationExplorer()) == "Saturation explorer: run this cell"
