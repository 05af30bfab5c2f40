import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, ORANGE, png


def rows():
    return [
        {
            "norm": norm,
            "warmup": warmup,
            "seed": seed,
            "encoder_gradients": [1.0 + seed, 2.0],
            "decoder_gradients": [3.0, 4.0 + (norm == "post")],
            "loss": [4.0, 3.0 + seed],
        }
        for norm in ("post", "pre")
        for warmup in (0, 100)
        for seed in (0, 1)
    ]


def test_gradients_are_means_over_seeds_by_layer():
    figure = figures.gradient_norms(rows(), "Post-norm is steep")
    encoder, decoder = figure.axes
    np.testing.assert_allclose(encoder.lines[0].get_ydata(), [1.5, 2.0])
    assert [line.get_color() for line in encoder.lines] == [ORANGE, BLUE]
    np.testing.assert_allclose(decoder.lines[0].get_ydata(), [3.0, 5.0])
    assert [text.get_text() for text in decoder.texts] == ["post-norm", "pre-norm"]
    low, high = encoder.get_ylim()
    assert (low, high > 5) == (0, True)


def test_losses_have_a_line_for_each_norm_and_warm_up():
    figure = figures.loss_curves(rows(), "Warm-up helps", every=20)
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == [
        "pre-norm, no warm-up",
        "post-norm, no warm-up",
        "pre-norm, 100 steps of warm-up",
        "post-norm, 100 steps of warm-up",
    ]
    assert axes.lines[0].get_xdata().tolist() == [20, 40]
    assert axes.lines[0].get_ydata().tolist() == [4.0, 3.5]
    assert [line.get_color() for line in axes.lines[:4]] == [BLUE, ORANGE, BLUE, ORANGE]
    assert [line.get_linestyle() for line in axes.lines[:4]] == ["--", "--", "-", "-"]
    assert png(figure)


def test_without_rows_there_is_nothing_to_draw():
    for draw in (figures.gradient_norms, figures.loss_curves):
        with pytest.raises(ShapeError, match="at least one"):
            draw([])
