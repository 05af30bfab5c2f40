import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

VOCABULARY = ["a", "b", " "]
SHARES = [[0.1, 0.7, 0.2], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]]


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def frames(figure):
    return [p for p in figure.axes[0].patches if p.get_facecolor()[3] == 0]


def test_guesses_stand_below_each_token_the_likeliest_first():
    figure = figures.guessed_tokens(["a", "b", "a"], SHARES, VOCABULARY, n_best=2)
    assert words(figure) == [
        *("read", "1.", "2.", "comes"),
        *("a", "b", "␣", "b"),
        *("b", "␣", "b", "a"),  # of two equal ones the later; a comes
        *("a", "a", "␣"),  # nothing comes after the last
    ]


def test_a_right_guess_is_framed_and_the_shade_is_its_probability():
    figure = figures.guessed_tokens(["a", "b", "a"], SHARES, VOCABULARY, n_best=2)
    assert [frame.get_xy()[0] // 1 for frame in frames(figure)] == [0.0]
    shades = [patch.get_alpha() for patch in figure.axes[0].patches if patch.get_alpha()]
    assert np.square(shades[:3]) == pytest.approx([0.7, 0.2, 0.7])


def test_a_long_text_is_broken_into_lines():
    shares = np.full((65, 3), 1 / 3)
    figure = figures.guessed_tokens(["a"] * 65, shares, VOCABULARY)
    assert words(figure).count("read") == 3
    assert figure.get_size_inches()[0] < 12.5
    assert style.png(figure).startswith(b"\x89PNG")


def test_a_token_without_a_place_has_no_probability():
    figure = figures.guessed_tokens(["a", "z"], SHARES[:2], VOCABULARY, n_best=1)
    assert words(figure)[-3] == "z"


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match=r"2 tokens and a vocabulary of 3 .* got \(3, 3\)"):
        figures.guessed_tokens(["a", "b"], SHARES, VOCABULARY)
