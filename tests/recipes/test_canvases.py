from itertools import islice

import torch

from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes import canvases, frozen_canvases, load_result, summarise
from tutorial_lib.recipes.canvases import (
    INK,
    N_CLASSES,
    SETTINGS,
    SIDE,
    CanvasBatches,
    build,
    draw_canvases,
    in_letters,
    mean_iou,
)


def drawn(n=30, seed=0):
    digits = load_mnist().train
    return draw_canvases(digits, n, 3, 5, torch.Generator().manual_seed(seed))


def test_a_pixel_is_labelled_exactly_where_there_is_ink():
    images, labels = drawn()
    assert images.shape == (30, 1, SIDE, SIDE)
    assert labels.shape == (30, SIDE, SIDE)
    assert torch.equal(images[:, 0] > INK, labels != N_CLASSES - 1)
    kinds = [len(label.unique()) - 1 for label in labels]
    assert max(kinds) <= 5
    assert sum(kinds) / 30 > 2.5


def test_each_model_says_a_class_for_each_pixel_and_can_say_it_far_away():
    """pixels alone, the control, must not hear of a change ten pixels away; the others must."""
    images = drawn(1)[0]
    moved = images.clone()
    moved[..., 40:50, 40:50] = 1 - moved[..., 40:50, 40:50]
    for name in SETTINGS["models"]:
        with torch.no_grad():
            model = build(name, SETTINGS, 0).eval()
            before, after = model(images), model(moved)
        assert before.shape == (1, N_CLASSES, SIDE, SIDE)
        near = (before - after)[..., 20:30, 20:30].abs().max()
        assert (near > 1e-6) == (name != "pixels alone"), name


def test_batches_are_drawn_anew_and_the_same_from_the_same_seed():
    digits = load_mnist().train
    first, second = islice(CanvasBatches(digits, SETTINGS, 0), 2)
    again = next(iter(CanvasBatches(digits, SETTINGS, 0)))
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1], again[1])
    assert not torch.equal(first[0], second[0])


def test_iou_is_one_for_the_truth_and_low_for_the_commonest_class():
    labels = drawn()[1]
    assert mean_iou(labels, labels) == 1
    assert mean_iou(torch.full_like(labels, N_CLASSES - 1), labels) < 0.1


def test_letters_say_the_classes():
    lines = in_letters(drawn(1)[1][0])
    found = [["0123456789.".index(letter) for letter in line] for line in lines]
    assert torch.equal(torch.tensor(found), drawn(1)[1][0])


def test_the_result_holds_what_chapter_09_tells():
    iou = summarise(load_result("canvases")["rows"], ["model"], "mean_iou")
    means = {name: iou[name,]["mean"] for name in SETTINGS["models"]}
    assert means["CNN"] > 0.1 + means["Swin"] > 0.3 + means["ViT, patches of 4"]
    assert means["pixels alone"] < 0.2
    frozen = summarise(load_result("frozen-canvases")["rows"], ["model"], "mean_iou")
    assert frozen["DINOv2",]["mean"] > 0.1 + frozen["random weights",]["mean"]


def test_a_head_learns_what_stands_in_the_features():
    labels = drawn(8)[1]
    cells = labels.unflatten(1, (14, 4)).unflatten(3, (14, 4)).permute(0, 2, 4, 1, 3).flatten(1, 2)
    features = (
        torch.nn.functional.one_hot(cells.long()).permute(0, 1, 4, 2, 3).flatten(1, 2).float()
    )
    settings = frozen_canvases.SETTINGS | {"steps": 150, "batch_size": 8}
    head = frozen_canvases.learn(features, labels, seed=0, lr=4e-3, settings=settings)
    assert mean_iou(frozen_canvases.said(head, features), labels) > 0.6
    assert canvases.SETTINGS["digits"] == frozen_canvases.SETTINGS["digits"]
