import pytest
import torch

from tutorial_lib.datasets import draw_scenes, load_named_emoji
from tutorial_lib.recipes import emoji_clip, load_result, summarise
from tutorial_lib.recipes.emoji_clip import KINDS, PROMPTS, SETTINGS, Emoji, another_tone, pairs


@pytest.fixture(scope="module")
def table():
    return load_result("emoji-clip")


def values(table, column, **wanted):
    """Return a column of the rows that have these values, one for each seed."""
    found = [row[column] for row in table["rows"] if wanted.items() <= row.items()]
    assert len(found) == 3
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_one_of_two_sentences_is_true(kind):
    scenes = draw_scenes(200, seed=3, split="test")
    asked = pairs(scenes, kind)
    assert len(asked) > 50
    for row, true, false in asked:
        assert true != false
        there = scenes.count(row)
        if kind == "negation":
            name = true.split()[-1]
            assert (name in there) == (" no " not in true)
            assert (name in there) == (" no " in false)
        else:
            assert true == scenes.captions[row]
        if kind == "order":
            assert sorted(set(true.split()) - {"a", "an"}) == sorted(
                set(false.split()) - {"a", "an"}
            )
        if kind == "number":
            assert len(set(true.split()) ^ set(false.split())) == 2
        if kind == "object":
            assert false.split()[-1] not in there
            assert true.split()[1] == false.split()[1]
    if kind == "negation":  # half of them are there: neither word alone tells what is true
        positive = sum(" no " not in true for _, true, _ in asked)
        assert positive == len(asked) / 2


def test_each_group_has_prompts_that_are_no_name_of_the_test():
    emoji = load_named_emoji(16)
    assert set(PROMPTS) == set(emoji.test.groups) == set(emoji.train.groups)
    assert all(len(words) >= 5 for words in PROMPTS.values())


def test_a_tone_is_left_out_of_training_and_asked_for(monkeypatch):
    parts = {}
    for name in ("train", "validation", "test"):
        part = parts[name] = Emoji.__new__(Emoji)
        tones = ["light", "medium-dark", "dark"] if name == "train" else ["light", "dark"]
        part.texts = [f"{what}: {tone} skin tone" for what in ("ear", "hand") for tone in tones]
        part.concepts = torch.arange(2).repeat_interleave(len(tones))
        part.names = part.pictures = torch.eye(6)[: 2 * len(tones)]
    seen = []

    def learn(names, pictures, concepts, settings, seed):
        seen.append(names.argmax(dim=1).tolist())
        return lambda names, pictures: pictures @ names.T

    monkeypatch.setattr(emoji_clip, "learn", learn)
    score = another_tone(parts, 1e-3, 0, SETTINGS)
    assert seen == [[0, 2, 3, 5]]  # without the second and the fifth
    assert score("test")["pictures_chance_at_1"] == 1 / 2
    assert score("validation")["pictures_chance_at_1"] == 1 / 4


def test_frozen_encoders_find_what_a_clip_from_scratch_cannot(table):
    recall = "pictures_of_texts_at_5"
    chance = values(table, "pictures_chance_at_5", way="one head")[0]
    one = values(table, recall, way="one head")
    assert min(one) > 10 * chance
    assert min(one) > max(values(table, recall, way="from scratch"))
    assert max(values(table, recall, way="shuffled names")) < 3 * chance
    assert min(values(table, recall, way="another tone")) > max(one)


def test_where_it_fails(table):
    right = summarise(table["sentences"], ["learned", "asked"], "right")
    for learned in ("names", "captions"):
        assert right[learned, "order"]["mean"] < 0.65
        assert right[learned, "negation"]["mean"] < 0.65
        assert right[learned, "object"]["mean"] > right[learned, "order"]["mean"] + 0.1


def test_classes_without_labels(table):
    found = summarise(table["classes"], ["way"], "balanced")
    assert found["the commonest",]["mean"] == pytest.approx(1 / 9)
    assert found["several words",]["mean"] > 2 / 9
    assert found["a classifier with labels",]["mean"] > found["one prompt",]["mean"]
