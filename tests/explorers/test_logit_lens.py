import numpy as np
import pytest
import torch
from moves import lens as make

from tutorial_lib.recipes.shakespeare_gpt import decode, encode


def halves(packed):
    return torch.tensor(np.frombuffer(packed, np.float16).astype(np.float32))


def test_the_table_is_the_lens():
    explorer = make()
    reply, lens = explorer.reply, explorer.lens
    assert (reply["layers"], len(reply["tokens"])) == lens.top_ids.shape[:2]
    places = np.frombuffer(reply["places"], np.int32).copy()
    assert torch.equal(torch.tensor(reply["ids"])[places], lens.top_ids.flatten())
    names = dict(zip(reply["ids"], reply["words"], strict=True))
    assert names[int(encode(" ")[0])] == "␣"
    torch.testing.assert_close(
        halves(reply["shares"]), lens.top_probabilities.flatten(), atol=1e-3, rtol=0
    )
    assert reply["next"] == [*lens.ids[1:].tolist(), -1]


def test_a_token_is_followed_through_every_text():
    explorer = make()
    explorer.follow = int(encode("e")[0])
    for text in ("HAMLET.\nTo be", "Th"):
        explorer.text = text
        expected = explorer.lens.probability(explorer.follow).flatten()
        torch.testing.assert_close(halves(explorer.followed["shares"]), expected, atol=1e-3, rtol=0)
        assert explorer.followed["name"] == "e"
    explorer.follow = -1
    assert explorer.followed == {}


def test_a_text_is_cut_at_sixteen_tokens():
    explorer = make()
    explorer.text = "to be or not to be"
    assert decode(explorer.lens.ids.tolist()) == "to be or not to "
    assert explorer.reply["left_out"] == 2


@pytest.mark.parametrize("follow", [-7, 10**9])
def test_an_id_that_is_not_there_is_not_followed(follow):
    explorer = make()
    explorer.follow = follow
    assert explorer.followed == {}


def test_an_empty_text_has_no_table():
    explorer = make()
    explorer.follow = 3
    explorer.text = ""
    assert (explorer.reply["layers"], explorer.lens, explorer.followed) == (0, None, {})
    explorer.text = "a"
    assert explorer.reply["layers"] == 5
    assert explorer.followed["id"] == 3


@pytest.mark.slow
def test_in_the_browser_a_click_follows_a_token(open_explorer):
    explorer = make()
    shown = open_explorer(explorer)
    page = shown.page
    canvas = page.locator("canvas")
    before = shown.picture()
    canvas.focus()
    page.keyboard.press("ArrowLeft")  # the keys start at the last layer's last token
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    shown.answered()
    assert explorer.follow == int(explorer.lens.top_ids[-2, -2, 0])
    assert shown.picture() != before
    name = explorer.followed["name"]
    assert f"likelier “{name}” is" in page.inner_text("[role=status] >> nth=1")
    page.keyboard.press("Escape")
    shown.answered()
    assert explorer.follow == -1
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 70, box["y"] + 8)  # the top left square
    shown.answered()
    assert explorer.follow == int(explorer.lens.top_ids[-1, 0, 0])
    assert page.locator(".tl-square .tl-label").all_inner_texts()[0] == explorer.followed["name"]
    page.fill("textarea", "")
    page.wait_for_function("() => document.querySelector('canvas').hidden")
    page.fill("textarea", "x")
    page.wait_for_function("() => !document.querySelector('canvas').hidden")
