from itertools import combinations

import pytest
import torch

from tutorial_lib.datasets import (
    CHANGES,
    DIRECTIONS,
    SPEEDS,
    THINGS,
    clip_combinations,
    clips,
    draw_clips,
    fingerprint,
    load_mnist,
)

SPLITS = ("train", "validation", "test")
FINGERPRINT = "0c5965afbc02b3f068af0f037880390a9fc56a69275800758f23f707b97aa497"


@pytest.fixture(scope="module")
def drawn():
    return {split: draw_clips(200, seed=0, split=split) for split in SPLITS}


def ink(frame):
    """left, top, right, bottom of what is drawn in a frame (3, 32, 32), in pixels."""
    drawn = (frame < 0.9).any(0)
    rows, columns = drawn.any(1).nonzero(), drawn.any(0).nonzero()
    return torch.stack([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]).float()


def test_the_same_seed_gives_the_same_clips(drawn):
    assert fingerprint([part.facts for part in drawn.values()]) == FINGERPRINT
    again = draw_clips(4, seed=0, split="test")
    assert again.captions == drawn["test"].captions[:4]
    assert torch.equal(again.frames, drawn["test"].frames[:4])
    assert draw_clips(4, seed=1, split="test").captions != again.captions
    assert repr(again) == "Clips(4 of 8 frames of 32 x 32, test)"


def test_a_combination_belongs_to_one_split():
    parts = {split: set(clip_combinations(split)) for split in SPLITS}
    assert [len(parts[split]) for split in SPLITS] == [198, 22, 44]
    for one, other in combinations(parts.values(), 2):
        assert not one & other
    train = parts["train"]
    assert {thing for thing, _, _ in parts["test"]} == set(THINGS)
    for thing in THINGS:
        assert {d for t, d, _ in train if t == thing} == set(DIRECTIONS)
        assert {c for t, _, c in train if t == thing} == set(CHANGES)


@pytest.mark.parametrize("split", SPLITS)
def test_clips_show_combinations_of_their_split_only(drawn, split):
    shown = {(thing, way, change) for thing, way, _, change in drawn[split].facts}
    assert shown <= set(clip_combinations(split))
    assert {speed for _, _, speed, _ in drawn[split].facts} == set(SPEEDS)


def test_frames_do_what_the_caption_says(drawn):
    clip = drawn["train"]
    signs = dict(zip(DIRECTIONS, ((-1, 0), (1, 0), (0, -1), (0, 1)), strict=True))
    for frames, caption, (thing, way, speed, change) in zip(
        clip.frames, clip.captions, clip.facts, strict=True
    ):
        boxes = torch.stack([ink(frame) for frame in frames])
        assert frames.shape == (8, 3, 32, 32)
        assert boxes.min() >= 0
        assert boxes.max() <= 32
        moved = (boxes[-1, :2] + boxes[-1, 2:] - boxes[0, :2] - boxes[0, 2:]) / 2
        expected = torch.tensor(signs[way]) * {"slowly": 7, "quickly": 14}[speed]
        assert (moved - expected).abs().max() <= 2.5
        grown = (boxes[-1, 2:] - boxes[-1, :2]).max() - (boxes[0, 2:] - boxes[0, :2]).max()
        assert grown > 3 if change == "grows" else grown < -3 if change else abs(grown) <= 2
        for word in (thing, way, speed, change):
            assert word in caption


def test_captions_read_well(drawn):
    said = {caption for part in drawn.values() for caption in part.captions}
    assert any(caption.startswith("an ") for caption in said)
    assert not any(" a eight" in f" {caption}" or "  " in caption for caption in said)
    assert "to the up" not in " ".join(said)


def test_the_digits_are_those_of_the_split(monkeypatch):
    clips._digits.cache_clear()
    digits, rows = clips._digits("test")
    assert torch.equal(digits, load_mnist().test.images)
    assert [len(of_digit) for of_digit in rows] == [100] * 10


def test_bad_arguments():
    with pytest.raises(ValueError, match="train, validation, test, got 'dev'"):
        draw_clips(1, seed=0, split="dev")
    with pytest.raises(ValueError, match="one clip or more, got n = 0"):
        draw_clips(0, seed=0)
