import matplotlib
import pytest
from matplotlib.text import Text

from tutorial_lib import figures
from tutorial_lib.figures import style


def luminance(colour):
    parts = matplotlib.colors.to_rgb(colour)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", [style.INK, style.MUTED])
def test_text_stands_out_from_the_card(colour):
    assert (luminance(style.CARD) + 0.05) / (luminance(colour) + 0.05) > 4.5


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
