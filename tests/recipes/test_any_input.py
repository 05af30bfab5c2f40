from itertools import islice

import torch
from torch.testing import assert_close

from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes import load_result, summarise
from tutorial_lib.recipes.any_input import (
    NAMES,
    SETTINGS,
    ClueBatches,
    Clues,
    InOrder,
    best_by_letter,
    build_in_order,
    given,
    places,
    texts_of,
)


@torch.no_grad()
def test_an_order_means_nothing_to_a_perceiver_and_something_to_the_others():
    images = load_mnist().test.images[:4]
    for name in ("Perceiver", "ViT", "CNN"):
        model = build_in_order(name, "shuffled", SETTINGS, 0).eval()
        rows = torch.arange(len(model.order))
        assert not torch.equal(model.order, rows)
        in_rows = InOrder(model.body, rows, model.places, flat=model.flat)
        gap = (model(images) - in_rows(images)).abs().max()
        assert (gap < 1e-4) == (name == "Perceiver"), name


@torch.no_grad()
def test_told_wrong_places_a_perceiver_says_something_else_each_time():
    images = load_mnist().test.images[:4]
    told = build_in_order("Perceiver", "rows", SETTINGS, 0).eval()
    misled = build_in_order("Perceiver, wrong places", "rows", SETTINGS, 0).eval()
    assert_close(told(images), told(images))
    assert (misled(images) - misled(images)).abs().max() > 1e-3


@torch.no_grad()
def test_clues_read_a_text_half_a_picture_or_both():
    digits = load_mnist().test.select(slice(20))
    model = Clues(SETTINGS).eval()
    found = {clue: model(*given(digits, clue)) for clue in ("text", "picture", "both")}
    assert all(logits.shape == (20, 10) for logits in found.values())
    assert_close(found["text"][digits.labels == 2][0], found["text"][digits.labels == 3][0])
    below = digits.images.clone()
    below[..., 14:, :] = 1  # what it does not see
    assert_close(model(None, below), found["picture"])
    assert not torch.allclose(found["both"], found["picture"], atol=1e-3)
    kinds = {tuple(x is not None for x in batch[:2]) for batch in islice(
        ClueBatches(digits, SETTINGS | {"seed": 0, "batch_size": 4}), 20
    )}  # fmt: skip
    assert kinds == {(True, False), (False, True), (True, True)}


def test_a_text_names_a_letter_and_no_more():
    texts = [bytes(row.tolist()).decode() for row in texts_of(torch.arange(10))]
    assert [text[-1] for text in texts] == [name[0] for name in NAMES]
    assert len({text[:-1] for text in texts}) == 1
    assert len(set(texts)) == 7  # two and three, four and five, six and seven share theirs
    assert places(SETTINGS, rows=7).shape == (98, 2 + 4 * SETTINGS["bands"])


def test_the_result_holds_what_chapter_09_tells():
    rows = load_result("any-input")["rows"]
    ordered = summarise(
        [r for r in rows if r["part"] == "order"], ["model", "order"], "test_accuracy"
    )
    gap = {
        name: ordered[name, "rows"]["mean"] - ordered[name, "shuffled"]["mean"]
        for name in SETTINGS["models"]
    }
    assert abs(gap["Perceiver"]) < 0.006 < 0.009 < min(gap["ViT"], gap["CNN"])
    assert ordered["Perceiver, wrong places", "rows"]["mean"] < 0.4
    for row in (row for row in rows if row["part"] == "clues"):
        assert row["text"] <= best_by_letter(load_mnist().test) + 1e-4
        assert row["both"] > row["picture"] + 0.05
        assert row["believes_text"] > 0.95
