import io

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from tutorial_lib import figures
from tutorial_lib.figures import style


def luminance(colour):
    parts = matplotlib.colors.to_rgb(colour)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", [style.INK, style.MUTED])
def test_text_stands_out_from_the_card(colour):
    assert (luminance(style.CARD) + 0.05) / (luminance(colour) + 0.05) > 4.5


@pytest.mark.parametrize("colour", sorted({*style.DARK} - {style.CARD, style.GRID}))
def test_what_is_dark_stands_out_from_the_dark_card(colour):
    assert (luminance(style.DARK[colour]) + 0.05) / (luminance(style.DARK[style.CARD]) + 0.05) > 4.5


def test_a_darkened_figure_keeps_no_colour_of_the_light_one():
    @style.styled
    def draw(figure=None):
        figure = style.blank(figure, 3, 2)
        axes = figure.subplots()
        axes.plot([1, 1000], [1, 2], "o-", color=style.BLUE, markeredgecolor=style.PINK)
        axes.vlines([1, 2], 0, 1, colors=[style.ORANGE, "black"])
        axes.bar([3], [1], facecolor="none", edgecolor=style.GREEN)
        axes.set_xscale("log")  # with small ticks, which matplotlib makes late
        style.headline(figure, "a finding")
        return figure

    figure = draw()
    light = style.png(figure)
    style.darken(figure)
    dark = style.png(figure)
    colours = {
        matplotlib.colors.to_hex(colour)
        for artist in figure.findobj()
        for part in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
        for colour in matplotlib.colors.to_rgba_array(getattr(artist, f"get_{part}", list)())
        if colour[3]
    }
    assert {"#000000", *style.DARK.values()} - {style.DARK[style.GRID]} <= colours
    assert colours.isdisjoint(style.DARK)
    pixels = np.asarray(Image.open(io.BytesIO(dark)).convert("RGB")).reshape(-1, 3)
    assert (pixels == 17).all(axis=1).mean() > 0.7  # the dark card
    assert not (pixels == [253, 252, 249]).all(axis=1).any()
    assert style.png(draw(figure)) == light  # the figure is used again on a light page


def test_the_style_ends_with_the_figure():
    before = matplotlib.rcParams["font.size"], matplotlib.rcParams["axes.spines.top"]

    @style.styled
    def draw():
        return matplotlib.rcParams["axes.spines.top"]

    assert draw() is False
    assert (matplotlib.rcParams["font.size"], matplotlib.rcParams["axes.spines.top"]) == before


def test_a_wiped_figure_is_the_same_object_without_its_axes():
    figure = style.blank(width=3, height=2)
    figure.subplots()
    assert style.blank(figure, width=4, height=2) is figure
    assert figure.axes == []
    assert tuple(figure.get_size_inches()) == (4, 2)


def test_a_picture_is_png_bytes_and_equal_for_an_equal_figure():
    def picture():
        return style.png(figures.attention_matrix([[1.0]], ["x"]))

    assert picture().startswith(b"\x89PNG")
    assert picture() == picture()


def test_a_figure_is_shown_with_its_alt_text(capsys):
    figure = style.blank(width=2, height=1)
    with pytest.raises(ValueError, match="needs an alt text"):
        figures.show(figure, "  ")
    figures.show(figure, "An empty card.")
    assert "Figure: An empty card." in capsys.readouterr().out


def test_a_dollar_sign_is_drawn_as_it_is():
    figure = figures.attention_matrix([[1.0]], ["a$b$"], title="$5 and $6")
    style.png(figure)
    labels = [*figure.axes[0].get_yticklabels(), *figure.axes[0].get_xticklabels()]
    assert {label.get_text() for label in labels} == {"a$b$"}
    assert not any(text.get_parse_math() for text in figure.findobj(Text) if text.get_text())


def test_unknown_names_are_named():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = figures.nothing
    assert "attention_matrix" in dir(figures)
