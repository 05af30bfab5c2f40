import torch
from torch.testing import assert_close

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models.windows import ShiftedWindows
from tutorial_lib.recipes import load_result, picture_costs, summarise
from tutorial_lib.recipes.canvases import canvas_loss
from tutorial_lib.recipes.wider_windows import SETTINGS, CroppedBatches, build, without_steps


def test_a_crop_keeps_pixels_and_labels_together():
    images, labels = next(iter(CroppedBatches(load_mnist().train, SETTINGS, 0)))
    assert images.shape == (32, 1, 28, 28)
    assert labels.shape == (32, 28, 28)
    inked = labels != 10
    assert images[:, 0][inked].min() > images[:, 0][~inked].max() - 1e-6


def test_the_first_gradients_are_finite_though_much_is_black():
    batch = next(iter(CroppedBatches(load_mnist().train, SETTINGS, 2)))
    for name in SETTINGS["models"]:
        model = build(name, SETTINGS, 2)
        canvas_loss(model, batch).backward()
        norms = [weight.grad.norm() for weight in model.parameters() if weight.grad is not None]
        assert 0 < torch.stack(norms).norm() < 100


@torch.no_grad()
def test_wider_windows_hold_the_same_weights_and_see_further():
    for name in SETTINGS["models"]:
        model = build(name, SETTINGS, 0).eval()
        images = torch.rand(1, 1, 56, 56)
        kept, wider = model.with_window(7), model.with_window(14)
        assert kept.head is model.head
        assert wider.head is model.head
        assert_close(kept.body.patch_embedding.projection.weight,
                     model.body.patch_embedding.projection.weight)  # fmt: skip
        moved = images.clone()
        moved[..., 20:26, 20:26] = 0  # another window of 7 positions, the same one of 14
        gaps = [(m.body.features(moved)[0] - m.body.features(images)[0])[..., 0, 0].abs().max()
                for m in (kept, wider)]  # fmt: skip
        assert gaps[0] < 1e-6 < gaps[1]
        for windows in (m for m in wider.modules() if isinstance(m, ShiftedWindows)):
            for weight in windows.positions.parameters():
                weight.normal_()  # a new table is all zeros
        knowing = wider(images)  # the control must not know where in its window a pixel is
        assert (without_steps(wider)(images) - knowing).abs().max() > 1e-3


def test_costs_are_counted_as_they_grow():
    settings = picture_costs.SETTINGS
    stored, kernel, windows = (
        [
            picture_costs.kept_megabytes(
                picture_costs.build(way, settings), torch.randn(1, n, n, 64)
            )
            for n in (14, 28)
        ]
        for way in ("global, stored", "global", "windows")
    )
    scores = 4 * 4 * 28**4 / 1e6  # of 4 heads, 4 bytes each
    assert abs(stored[1] - kernel[1] - scores) < 0.02 * scores
    assert 3.5 < kernel[1] / kernel[0] < 4.5
    assert 3.5 < windows[1] / windows[0] < 4.5


def test_the_results_hold_what_chapter_09_tells():
    rows = load_result("wider-windows")["rows"]
    for row in rows:
        assert (row["wider"] > row["kept"]) == (row["model"] == "Swin v2")
        assert row["without_steps"] < row["wider"] - 0.03
    slopes = load_result("picture-costs")["exponents"]
    assert slopes["ms"]["global"] > 1.8 > 1.2 > slopes["ms"]["windows"]
    assert slopes["mb"]["global, stored"] > 1.8 > 1.2 > slopes["mb"]["global"]
    kept = summarise(rows, ["model"], "kept")
    assert abs(kept["Swin",]["mean"] - kept["Swin v2",]["mean"]) < 0.05
