import warnings

import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

TEXT = "Sir, [MASK] [MASK] a fool."
BEST = [("is", 0.5), ("am", 0.25)]


def chips(axes):
    """The place of each gap, and of the orange frame around one, in pixels."""
    gaps, frames = [], []
    for patch in axes.patches:
        if to_hex(patch.get_edgecolor()) == style.ORANGE:
            frames.append(patch.get_window_extent())
        elif to_hex(patch.get_edgecolor()) == style.BLUE:
            gaps.append(patch.get_window_extent())
    return gaps, frames


def bars(axes, colour):
    """How long each bar is, in pixels, row by row."""
    found = [one for one in axes.patches if to_hex(one.get_facecolor()) == colour]
    return [bar.get_window_extent().width for bar in found if bar.get_height() < 0.15]


def shown(axes):
    return [text.get_text() for text in axes.texts]


def test_the_gap_that_is_asked_for_has_the_frame():
    for which in (0, 1):
        figure = figures.gap_guesses([(TEXT, which, {"PlayBERT": BEST})], "Two gaps")
        (axes,) = figure.axes
        style.png(figure)
        gaps, (frame,) = chips(axes)
        assert len(gaps) == 2
        inside = [frame.x0 < gap.x0 < gap.x1 < frame.x1 for gap in gaps]
        assert inside == [place == which for place in range(2)]
        assert gaps[0].x1 < frame.x0 or frame.x1 < gaps[1].x0


def test_bars_are_as_long_as_the_probabilities_and_each_says_its_own():
    blocks = [(TEXT, 0, {"one": BEST, "two": [("a", 1.0)]}), ("so ___!", 0, {"two": [("b", 0.0)]})]
    (axes,) = figures.gap_guesses(blocks).axes
    (track,) = {round(length, 6) for length in bars(axes, style.PALE_GREY)}
    shares = [length / track for length in bars(axes, style.BLUE)]
    assert shares == pytest.approx([0.5, 0.25, 1.0, 0.0])
    assert shown(axes)[5:] == [
        *("one", "is", "0.50", "am", "0.25", "two", "a", "1.00"),
        *("so", "", "!", "two", "b", "0.00"),
    ]
    words = figures.describe_gap_guesses(blocks)
    assert "a fool.”, gap 1: one “is” 0.50, “am” 0.25; two “a” 1.00." in words
    assert words.endswith("“so ___!”: two “b” 0.00.")


def test_two_models_whose_names_begin_alike_are_both_drawn():
    guesses = {"a model trained for an hour": BEST, "a model trained for a day": BEST[:1]}
    (axes,) = figures.gap_guesses([(TEXT, 0, guesses)]).axes
    assert shown(axes).count("a model trained…") == 2
    words = figures.describe_gap_guesses([(TEXT, 0, guesses)])
    assert "for an hour “is” 0.50, “am” 0.25; a model trained for a day “is” 0.50." in words


def test_three_texts_of_one_model_are_no_taller_than_a_paragraph():
    figure = figures.gap_guesses([(TEXT, 0, {"PlayBERT": BEST})] * 3, "Three texts")
    width, height = figure.canvas.get_width_height()
    assert 830 <= width <= 990
    assert height <= 310


def test_no_two_texts_touch_and_all_are_within_the_picture():
    odd = [("😀", 0.5), ("extraordinarily", 0.3), ("שלום", 0.0), ("$x$", 0.2)]
    text = "A very long text, " * 15 + "with <b> and [MASK].[MASK]! and\n" + "x" * 400
    blocks = [(text, 1, {"a model with a very long name": odd, "b": [("a", 1)]})]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = figures.gap_guesses(blocks * 2)
        style.png(figure)
    (axes,) = figure.axes
    assert min(bars(axes, style.PALE_GREY)) > 0.5 * style.DPI
    places = [text.get_window_extent() for text in axes.texts if text.get_text()]
    _, frames = chips(axes)
    width, height = figure.canvas.get_width_height()
    for i, place in enumerate(places):
        assert 0 < place.x0 < place.x1 < width
        assert 0 < place.y0 < place.y1 < height
        assert not any(place.overlaps(other) for other in places[i + 1 :])
        inside = [frame.containsx(place.x0) and frame.containsx(place.x1) for frame in frames]
        assert any(inside) or not any(map(place.overlaps, frames))


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ((TEXT, 2, {"m": BEST}), "got 2 for 2 in"),
        ((TEXT, -1, {"m": BEST}), "got -1 for 2 in"),
        (("no gap", 0, {"m": BEST}), "got 0 for 0 in 'no gap'"),
        ((TEXT, 0, {}), "1 to 4 guesses of each model, got {}"),
        ((TEXT, 0, {"m": []}), "1 to 4 guesses of each model, got {'m': 0}"),
        ((TEXT, 0, {"m": BEST * 3}), "1 to 4 guesses of each model, got {'m': 6}"),
        ((TEXT, 0, {"m": [("a", 1.5)]}), "between 0 and 1, got 1.5"),
        ((TEXT, 0, {"m": [("a", float("nan"))]}), "between 0 and 1, got nan"),
    ],
)
def test_what_cannot_be_drawn_is_refused(block, named):
    for draw in (figures.gap_guesses, figures.describe_gap_guesses):
        with pytest.raises(ShapeError, match=named):
            draw([block])


def test_no_text_is_refused():
    with pytest.raises(ShapeError, match="at least one text"):
        figures.gap_guesses([])


def test_the_bars_of_a_model_have_its_colour():
    blocks = [("so [MASK] is", 0, {"yours": [("it", 0.5)], "ours": [("he", 0.25)]})]
    (axes,) = figures.gap_guesses(blocks, colours={"yours": "#ff0000"}).axes
    bars = [p.get_facecolor() for p in axes.patches if type(p).__name__ == "Rectangle"]
    assert bars[1] == (1, 0, 0, 1) != bars[3]
