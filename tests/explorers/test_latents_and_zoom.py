"""The explorers of a Perceiver: what the page gets, and what is refused."""

import numpy as np
import pytest
import torch
from moves import digits_to_ask, load
from torch.testing import assert_close

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import LatentExplorer, ZoomExplorer
from tutorial_lib.interpret import SeenLatents, see_latents
from tutorial_lib.recipes.ask_anywhere import ask, inputs, queries, shrink
from tutorial_lib.recipes.asked_digits import asked_digits, see_digits


def seen(name="one", heads=2, latents=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    reads = torch.rand(heads, latents, 4, 5, generator=generator)
    asks = torch.rand(latents, 6, 6, generator=generator)
    return SeenLatents(name, torch.rand(4, 5), reads, torch.rand(6, 6), asks)


def picture(**changes):
    answers = {4: np.zeros((4, 4)), 8: np.ones((8, 8))}
    given = {"name": "p", "read": np.eye(2), "true": None, "answers": answers}
    return given | changes


def test_weights_are_shares_and_the_answer_is_the_model_s():
    model, images = load("ask-anywhere"), digits_to_ask(1)
    (found,) = see_digits(model, images)
    assert found.reads.shape == (4, 32, 14, 14)
    assert_close(found.reads.sum(dim=(-2, -1)), torch.ones(4, 32))
    assert_close(found.asks.sum(dim=0), torch.ones(28, 28))
    assert_close(found.answer, ask(model, shrink(images))[0, 0])


def test_each_answer_of_the_zoom_is_asked_for():
    model, images = load("ask-anywhere"), digits_to_ask(2)
    found = asked_digits(model, images, ["a", "b"], sides=(14, 28))
    assert [each["name"] for each in found] == ["a", "b"]
    wanted = ask(model, shrink(images[1:]), 14)[0, 0]
    assert_close(torch.from_numpy(found[1]["answers"][14]), wanted)
    assert_close(torch.from_numpy(found[1]["true"]), images[1, 0])


def test_what_the_page_gets():
    each = seen()
    packed = LatentExplorer([each]).pictures[0]
    sent = np.frombuffer(packed["reads"], np.float16).reshape(2, 3, 4, 5).astype(np.float32)
    assert_close(torch.from_numpy(sent), each.reads, atol=1e-3, rtol=0)
    assert (packed["read"]["rows"], packed["read"]["columns"]) == (4, 5)
    answers = ZoomExplorer([picture()]).pictures[0]["answers"]
    assert [answer["rows"] for answer in answers] == [4, 8]
    assert set(answers[1]["pixels"]) == {255}


def test_every_control_stops_at_both_ends():
    explorer = LatentExplorer([seen(), seen("two", seed=1)])
    for name, (low, high) in {"picture": (0, 1), "latent": (0, 2), "head": (-1, 1)}.items():
        for value, kept in ((-5, low), (10**30, high)):
            explorer.set_state({name: value})
            assert getattr(explorer, name) == kept, name
    explorer = ZoomExplorer([picture()])
    for name, (low, high) in {"level": (0, 1), "zoom": (1, 8), "x": (0, 1), "y": (0, 1)}.items():
        for value, kept in ((-5, low), (10**6, high)):
            explorer.set_state({name: value})
            assert getattr(explorer, name) == kept, name
    explorer.zoom = float("nan")
    assert explorer.zoom == 1


def test_a_picture_s_own_words():
    explorer = LatentExplorer([seen()], latent=2, head=1)
    row, column = divmod(int(explorer.seen[0].reads[1, 2].argmax()), 5)
    assert f"row {row}, column {column}, in head 1" in explorer.describe()
    assert "asked for 8 x 8 points" in ZoomExplorer([picture()], level=1).describe()


def test_the_figures_draw_what_the_explorers_show():
    each = seen()
    assert len(figures.latent_reading(each, [0, 2]).axes) == 4
    assert len(figures.latent_reading([each, seen("two", seed=1)], [0, 2]).axes) == 8
    words = figures.describe_latent_reading(each, [0, 2])
    row, column = divmod(int(each.reads.mean(dim=0)[2].argmax()), 5)
    assert f"latent 2 reads most at row {row}, column {column}" in words
    assert len(figures.asked_points(picture(), [4, 8]).axes) == 4
    assert len(figures.asked_points(picture(true=np.eye(4)), [8]).axes) == 4


def test_what_does_not_fit():
    with pytest.raises(ShapeError, match="heads, latents"):
        LatentExplorer([seen(), seen(heads=1)])
    with pytest.raises(ShapeError, match="none"):
        LatentExplorer([])
    with pytest.raises(ShapeError, match="same sides"):
        ZoomExplorer([picture(), picture(answers={4: np.zeros((4, 4))})])
    with pytest.raises(ShapeError, match=r"answers\[4\] must be \(4, 4\)"):
        ZoomExplorer([picture(answers={4: np.zeros((4, 5))})])
    with pytest.raises(ShapeError, match="finite"):
        ZoomExplorer([picture(read=np.full((2, 2), np.nan))])
    with pytest.raises(ShapeError, match="reads must end in"):
        SeenLatents("x", torch.ones(4, 4), torch.ones(1, 2, 4, 5), torch.ones(2, 2),
                    torch.ones(2, 2, 2))  # fmt: skip
    with pytest.raises(ShapeError, match="of 3 latents, asks of 2"):
        SeenLatents("x", torch.ones(4, 4), torch.ones(1, 3, 4, 4), torch.ones(2, 2),
                    torch.ones(2, 2, 2))  # fmt: skip
    small = shrink(digits_to_ask(1))
    with pytest.raises(ShapeError, match="fill a square"):
        see_latents(load("ask-anywhere"), inputs(small), queries(torch.zeros(3, 2)), small[0, 0])
