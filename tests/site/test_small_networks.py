"""Explorers with a small network answer on a page as in a notebook."""

import base64
import random

import numpy as np
import pytest
import torch
from alike import close

from tutorial_lib import explorers
from tutorial_lib.explorers.forgery import words_of_the_plays
from tutorial_lib.recipes import load_checkpoint

GAPS = [
    "And then [MASK] art a villain.",
    "",
    "[MASK]",
    "I will [MASK] go to [MASK] with thee, [MASK]!",
    "no gap at all",
    "To be, or not to be 🙂 日本: " * 15,
    "[MASK] and " * 60,
    "[CLS] a [SEP] b [PAD]",
    "Who is there? [SEP] Answer [MASK], and [MASK].",
]


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("shakespeare-bert").eval()


def asked_for_gaps(seed):
    """Requests as a page sends them: what is hidden lies in the text, and beyond it."""
    numbers = random.Random(seed)
    return [
        {
            "text": text,
            "hidden": numbers.sample(range(-1, 20), numbers.randrange(4)),
            "place": numbers.choice([-1, 0, 1, 2, 3, 5, 500]),
        }
        for text in GAPS
        for _ in range(4)
    ]


def test_a_gap_is_filled_alike(both, networks, bert):
    requests = [{**one, "left": i % 3 > 0} for i, one in enumerate(asked_for_gaps(0))]
    widget = explorers.FillMaskExplorer(bert, left=True)
    for python, javascript in both("fill_mask", widget, requests, networks):
        assert close(python, javascript)


def test_the_game_of_replaced_words_goes_on_alike(both, networks, bert):
    """The line of the notebook: what is marked, judged and counted."""
    line = "The lady doth protest too much, methinks. O, but she'll keep her word."
    widget = explorers.ReplacedExplorer(load_checkpoint("family-electra"), bert, [line, "a"])
    requests = [
        {"marked": [2]},
        {"marked": [2, 99, -1, 3, 2, 5, 1]},
        {"marked": [2, 5, 1], "judged": True},
        {"marked": [2, 5, 1], "judged": True},
        {"marked": [], "judged": False},
    ]
    pairs = both("replaced", widget, requests, networks)
    assert all(close(python, javascript) for python, javascript in pairs)
    assert pairs[-1][1]["score"]["lines"] == 1


def test_a_page_forges_as_the_notebook_does(both, networks, bert):
    """Other words are drawn, by the same rules, and the detective suspects what Python's does."""
    electra = load_checkpoint("family-electra").eval()
    lines = [
        *GAPS[:6],
        "Give every man thy ear, but few thy voice; take each man's censure.",
        "thee",
    ]
    widget = explorers.ReplacedExplorer(electra, bert, lines)
    requests = [
        {"text": text, "share": share, "round": seed, "judged": True}
        for seed, text in enumerate(lines)
        for share in (0.15, 0.5, 9)
    ]
    ids = {piece: i for i, piece in enumerate(bert.tokenizer.vocab)}
    allowed = {piece for piece in ids if piece.lower() in words_of_the_plays()}
    drawn = set()
    for request, (python, javascript) in zip(
        requests, both("replaced", widget, requests, networks), strict=True
    ):
        words, truth = javascript["words"], javascript["truth"]
        was = [old or word for (old, _), word in zip(truth, words, strict=True)]
        assert was == [
            old or word for (old, _), word in zip(python["truth"], python["words"], strict=True)
        ]
        replaced = {(old, word) for (old, _), word in zip(truth, words, strict=True) if old}
        assert all({old, word} <= allowed for old, word in replaced)
        most = max(2, round(min(request["share"], 0.5) * len(words)))
        assert javascript["replaced"] == len([old for old, _ in truth if old]) <= most
        assert bool(replaced) == bool(python["replaced"])
        drawn |= replaced
        if "##" not in " ".join(bert.tokenizer.encode(request["text"]).tokens):
            shown = torch.tensor([[2, *(ids[word] for word in words), 3]])
            with torch.no_grad():
                says = electra.replaced_logits(electra(shown))[0, 1:-1].sigmoid().tolist()
            assert close(says, [p for _, p in truth])
    assert len(drawn) > 15


def made_up_scene(seed, n_words=3, n_regions=2):
    numbers = np.random.default_rng(seed)
    size = n_words + n_regions
    weights = numbers.dirichlet(np.ones(size), (2, 3, size))
    boxes = [[0, 0, 0.5, 1], [0.5, 0, 1, 1]]
    words = ["a", "red", "cat"]
    return {"image": np.ones((3, 8, 8)), "boxes": boxes, "words": words, "weights": weights}


def test_each_head_of_a_scene_is_silenced_as_in_the_notebook(both_tell):
    scenes = [made_up_scene(0), made_up_scene(1)]

    def silence(scene, layer, head):
        if head == 2:
            raise ValueError("this one does not let go")
        return {"outputs": [("cat", 0.9, scene + layer / 10)], "weights": scenes[scene]["weights"]}

    messages = [
        {"silenced": {"layer": 1, "head": 0}},
        {"scene": 1},
        {"silenced": {"layer": 9, "head": 9}},
        {"silenced": {}},
        {"silenced": {"layer": 0, "head": 1}},
    ]
    widget = explorers.RegionExplorer(scenes, silence)
    for python, javascript in both_tell("regions", widget, messages):
        assert python["silence_result"] == javascript["silence_result"]


def test_codes_are_painted_as_the_notebook_does(both_tell, networks):
    writer = load_checkpoint("emoji-writer").eval()
    pictures = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    codes = writer.autoencoder.encode(pictures)
    widget = explorers.CodeBookExplorer(pictures, codes, writer.paint, 256)
    messages = [
        {"swaps": {"0": 3}},
        {"swaps": {"0": 3, "63": 255, "9": 17}},
        {"picture": 1, "swaps": {}},
        {"swaps": {"64": 1, "x": 2, "5": 300, "6": 40}},
    ]
    for python, javascript in both_tell("code_book", widget, messages, networks):
        one, other = python["decoded"], javascript["decoded"]
        painted, again = (
            np.frombuffer(base64.b64decode(side.pop("pixels")["__bytes__"]), np.uint8)
            for side in (one, other)
        )
        assert one == other
        assert np.abs(painted.astype(int) - again).max() <= 1  # rounded the other way
