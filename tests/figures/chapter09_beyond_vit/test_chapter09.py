import numpy as np
import torch

from tutorial_lib import figures
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter09_beyond_vit.canvases import NO_INK
from tutorial_lib.models import Perceiver, PerceiverConfig, Swin, SwinConfig, count_parameters


def pixels(axes):
    return np.asarray(axes.images[0].get_array())


def titles(figure):
    return [axes.get_title(loc="center") for axes in figure.axes]


def test_the_roll_moves_parts_and_the_mask_holds_them_apart():
    before, after, mask = figures.rolled_windows(side=6, window=3, shift=1).axes
    assert np.array_equal(np.roll(pixels(before), (-1, -1), axis=(0, 1)), pixels(after))
    in_the_corner = pixels(after)[3:, 3:].flatten()
    assert np.array_equal(pixels(mask) == 1, in_the_corner[:, None] == in_the_corner)
    pairs = int((in_the_corner[:, None] == in_the_corner).sum())
    assert f"{pairs} of 81 pairs" in figures.describe_rolled_windows(side=6, window=3, shift=1)


def test_waves_get_finer_along_their_own_axis():
    panels = figures.wave_pictures(n_bands=3, finest=8, side=32).axes
    turns = []
    for axes in panels:
        values = pixels(axes)
        if np.allclose(values, values[:, :1]):  # the same in all columns: it says how far down
            turns.append((np.diff(np.sign(values[:, 0])) != 0).sum())
        else:
            assert np.allclose(values, values[:1])
    assert len(turns) == len(panels) / 2
    assert turns[1:] == sorted(turns[1:])
    assert turns[-1] > 2 * turns[1]


def test_a_canvas_stands_beside_the_truth_and_what_models_say():
    truth = torch.full((4, 4), NO_INK)
    truth[1, :2] = 7
    half = truth.clone()
    half[1, 0] = 3
    canvas = (truth != NO_INK).float()
    figure = figures.canvas_answers(canvas, truth, {"half right": half})
    assert titles(figure)[:3] == ["the canvas", "the truth", "half right: 50%"]
    shown = pixels(figure.axes[2])
    wrong = (shown == shown[1, 0]).all(axis=-1)  # the colour of the pixel that is wrong
    assert np.array_equal(wrong, (half != truth).numpy())
    said = figures.describe_canvas_answers(canvas, truth, {"half right": half})
    assert "half right is right on 50%" in said


def test_the_whole_swin_and_perceiver_are_drawn_from_the_models():
    sizes = {"image_size": 32, "patch_size": 2, "channels": 1, "window": 4, "n_classes": None}
    swin = Swin(SwinConfig(**sizes, d_model=8, depths=(1, 2), n_heads=(1, 2)))
    texts = " ".join(text.get_text() for text in figures.swin_stages(swin).axes[0].texts)
    assert "16 x 16 x 8" in texts
    assert "8 x 8 x 16" in texts
    assert "2 layers, 2 heads" in texts
    assert f"{count_parameters(swin.stages[1]):,} parameters" in texts
    sizes = {"d_input": 3, "n_latents": 5, "d_latent": 8, "d_query": 4, "d_output": 1}
    perceiver = Perceiver(PerceiverConfig(**sizes))
    said = figures.describe_perceiver_parts(perceiver, 1_000, 70)
    for number in ("1,000", "5 latents", "70"):
        assert number in said
    texts = " ".join(
        text.get_text() for text in figures.perceiver_parts(perceiver, 1_000, 70).axes[0].texts
    )
    assert "5,000 scores a head" in texts
    assert "350 scores a head" in texts


def test_a_mark_frames_one_position_of_each_picture():
    pictures = {"a": torch.zeros(5, 7, 3), "b": torch.ones(5, 7)}
    row = figures.picture_row(pictures, "Two", mark=(1, 4))
    for axes in row.axes:
        (frame,) = axes.patches
        assert frame.get_bbox().bounds == (3.5, 0.5, 1, 1)  # left, top, width, height
    assert not figures.picture_row({"a": torch.zeros(5, 7, 3)}, "One").axes[0].patches


def test_pictures_in_a_row_are_coloured_by_what_they_hold():
    colour, signed = np.zeros((4, 6, 3)), np.array([[-2.0, 1.0]])
    figure = figures.picture_row({"a": colour, "b": signed, "c": signed.clip(0)}, "Three")
    assert titles(figure) == ["a", "b", "c"]
    first, second, third = (axes.images[0] for axes in figure.axes)
    assert first.get_array().shape == (4, 6, 3)
    assert second.get_clim() == (-2, 2)
    assert second.get_cmap() is style.SIGNED
    assert third.get_clim() == (0, 1)
