from collections import Counter
from itertools import combinations

import pytest
import torch

from tutorial_lib.datasets import (
    ANSWERS,
    OBJECTS,
    RELATIONS,
    ask_scenes,
    crop_boxes,
    draw_scenes,
    fingerprint,
    object_of,
    scene_facts,
    scenes,
)
from tutorial_lib.errors import MissingDataError, ShapeError

SPLITS = ("train", "validation", "test")
FINGERPRINT = "b6a83884b0f2e9b9320a332473e41d01ee36408200f4dc8e86c5505ba0ed666b"
MIRROR = dict(zip(RELATIONS, ("right of", "left of", "below", "above"), strict=True))


@pytest.fixture(scope="module")
def drawn():
    return {split: draw_scenes(600, seed=0, split=split) for split in SPLITS}


@pytest.fixture(scope="module")
def asked(drawn):
    return {split: ask_scenes(drawn[split], seed=0) for split in SPLITS}


def centre(scene, row, name):
    """The middle (x, y) of all emoji of one name, from their boxes."""
    of_name = scene.objects[row] == OBJECTS.index(name)
    return (scene.boxes[row, of_name, :2] + scene.boxes[row, of_name, 2:]).mean(0) / 2


def test_the_same_seed_gives_the_same_scenes(drawn):
    digests = [fingerprint(s.captions, s.facts, s.objects, s.squares) for s in drawn.values()]
    assert fingerprint(digests) == FINGERPRINT
    again = draw_scenes(3, seed=0, split="test")
    assert again.captions == drawn["test"].captions[:3]
    assert torch.equal(again.images, drawn["test"].draw([0, 1, 2]))
    assert draw_scenes(3, seed=1, split="test").captions != again.captions


def test_a_fact_belongs_to_one_split_with_its_mirror_image():
    facts = {split: set(scene_facts(split)) for split in SPLITS}
    assert [len(facts[split]) for split in SPLITS] == [11_328, 1_416, 1_416]
    assert len(set.union(*facts.values())) == 60 * 59 * 4
    for of_split in facts.values():
        assert {(b, MIRROR[r], a) for a, r, b in of_split} == of_split
    # Every object stands on every side in training, so only the combination is new.
    assert {(a, r) for a, r, _ in facts["train"]} == {(a, r) for a in OBJECTS for r in RELATIONS}


@pytest.mark.parametrize("split", SPLITS)
def test_scenes_show_facts_of_their_split_only(drawn, split):
    allowed = set(scene_facts(split))
    shown = {fact for facts in drawn[split].facts for fact in facts}
    assert shown <= allowed
    assert {first for first, _, _ in shown} == set(OBJECTS)


@pytest.mark.parametrize("split", SPLITS)
def test_the_boxes_stand_as_the_caption_says(drawn, split):
    scene = drawn[split]
    for row, facts in enumerate(scene.facts):
        for first, relation, second in facts:
            x, y = (centre(scene, row, second) - centre(scene, row, first)).tolist()
            along, across = (x, y) if relation in RELATIONS[:2] else (y, x)
            assert (along > 0) == (relation in ("left of", "above"))
            assert abs(along) > 2 * abs(across)
        if len(facts) == 2:  # the other two stand at a corner: neither beside nor above
            x, y = (
                (centre(scene, row, facts[0][2]) - centre(scene, row, facts[1][2])).abs().tolist()
            )
            assert max(x, y) < 2 * min(x, y)


def test_captions_name_what_is_there_in_numbers(drawn):
    scene = drawn["train"]
    for row, caption in enumerate(scene.captions):
        counts = scene.count(row)
        words = caption.split()
        for name, number in counts.items():
            (at,) = [i for i, word in enumerate(words) if object_of(word) == OBJECTS.index(name)]
            said = {"a": 1, "an": 1, "two": 2, "three": 3}[words[at - 1]]
            assert said == number
            assert (words[at] == name) == (number == 1)
        assert scene.present[row].sum() == sum(counts.values()) <= 4
    sizes = Counter(len(scene.count(row)) for row in range(600))
    assert set(sizes) == {2, 3}
    assert Counter(max(scene.count(row).values()) for row in range(600)).keys() == {1, 2, 3}


def test_ink_lies_in_the_boxes_and_nothing_overlaps(drawn):
    scene = drawn["train"]
    images = scene.draw(range(100))
    for row, image in enumerate(images):
        ink = (image < 0.95).any(0)
        for box in scene.boxes[row][scene.present[row]]:
            left, top, right, bottom = (box * 96).round().int().tolist()
            inside = ink[top:bottom, left:right]
            assert inside[0].any()
            assert inside[-1].any()
            assert inside[:, 0].any()
            assert inside[:, -1].any()
            ink[top:bottom, left:right] = False
        assert not ink.any()
        boxes = scene.boxes[row][scene.present[row]]
        for one, other in combinations(boxes, 2):
            assert (torch.maximum(one[:2], other[:2]) >= torch.minimum(one[2:], other[2:])).any()


def test_the_order_of_regions_does_not_tell_the_order_of_the_caption(drawn):
    scene = drawn["train"]
    first = [OBJECTS.index(facts[0][0]) for facts in scene.facts]
    share = (scene.objects[:, 0] == torch.tensor(first)).float().mean()
    assert 0.4 < share < 0.6
    assert (scene.objects[~scene.present] == -1).all()
    assert (scene.boxes[~scene.present] == 0).all()


def test_answers_are_true(drawn, asked):
    scene = drawn["test"]
    for question in asked["test"]:
        words = question.question.split()
        names = [OBJECTS[object_of(word)] for word in words if object_of(word) is not None]
        counts = scene.count(question.row)
        assert question.answer in ANSWERS
        if question.kind == "how many":
            assert question.answer == ("one", "two", "three")[counts[names[0]] - 1]
        elif question.kind == "is there":
            assert (question.answer == "yes") == (names[0] in counts)
        elif question.kind == "what":
            relation = next(r for r in RELATIONS if r in question.question)
            facts = scene.facts[question.row]
            mirrored = [(b, MIRROR[r], a) for a, r, b in facts]
            assert [(question.answer, relation, names[0])] == [
                fact for fact in (*facts, *mirrored) if fact[1:] == (relation, names[0])
            ]
        else:
            relation = next(r for r in RELATIONS if r in question.question)
            facts = scene.facts[question.row]
            true = (names[0], relation, names[1]) in facts
            true |= (names[1], MIRROR[relation], names[0]) in facts
            assert (question.answer == "yes") == true


@pytest.mark.parametrize("split", SPLITS)
def test_the_text_of_a_question_tells_little(asked, split):
    answers = {}
    for question in asked[split]:
        answers.setdefault(question.kind, Counter())[question.answer] += 1
    assert len(set(answers["how many"].values())) == 1
    for kind in ("is there", "where"):
        assert abs(answers[kind]["yes"] / answers[kind].total() - 0.5) < 0.06
    assert max(answers["what"].values()) < 0.06 * answers["what"].total()


def test_training_questions_never_name_a_fact_of_another_split(asked):
    held_out = {*scene_facts("validation"), *scene_facts("test")}
    for question in asked["train"]:
        if question.kind == "where":
            words = question.question.split()
            first, second = (OBJECTS[object_of(w)] for w in words if object_of(w) is not None)
            relation = next(r for r in RELATIONS if r in question.question)
            assert (first, relation, second) not in held_out


def test_crops_show_what_the_boxes_hold(drawn):
    scene = drawn["test"]
    images = scene.draw(range(20))
    crops = crop_boxes(images, scene.boxes[:20], size=24)
    assert crops.shape == (20, 4, 3, 24, 24)
    assert (crops[~scene.present[:20]] == 1).all()
    (row, region) = scene.present[:20].nonzero()[3].tolist()
    left, top, right, bottom = (scene.boxes[row, region] * 96).round().int().tolist()
    mean = images[row, :, top:bottom, left:right].mean((1, 2))
    side = max(right - left, bottom - top)
    share = (right - left) * (bottom - top) / side**2
    torch.testing.assert_close(
        crops[row, region].mean((1, 2)), mean * share + (1 - share), atol=0.04, rtol=0
    )


@pytest.mark.parametrize(
    "box", [[0, 0, 1.1, 1], [-0.1, 0, 1, 1], [0.5, 0, 0.4, 1], [0, 0.5, 1, 0.5], [float("nan")] * 4]
)
def test_a_box_outside_the_picture_is_refused(box):
    with pytest.raises(ValueError, match="left, top, right, bottom from 0 to 1, got"):
        crop_boxes(torch.ones(1, 3, 8, 8), torch.tensor([[box]]))


def test_shapes_of_pictures_and_boxes_must_agree():
    for images, boxes in (
        ((1, 3, 8, 8), (2, 1, 4)),
        ((3, 8, 8), (3, 1, 4)),
        ((1, 3, 8, 8), (1, 4)),
    ):
        with pytest.raises(ShapeError, match="expected images"):
            crop_boxes(torch.ones(images), torch.zeros(boxes))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "dev"}, "train, validation, test, got 'dev'"),
        ({"n": 0}, "one scene or more, got n = 0"),
        ({"size": 20}, "from 48 to 512, got 20"),
        ({"size": 1000}, "from 48 to 512, got 1000"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_scenes(**({"n": 1, "seed": 0} | arguments))
    if "split" in arguments:
        with pytest.raises(ValueError, match=message):
            scene_facts("dev")


def test_a_missing_wheel_says_how_to_install_it(monkeypatch):
    def gone(name, inside):
        return wheels.wheel_file("openmoji-gone", inside)

    from tutorial_lib.datasets import emoji, wheels

    monkeypatch.setattr(emoji, "wheel_file", gone)
    scenes._glyphs.cache_clear()
    scenes._ink.cache_clear()
    with pytest.raises(MissingDataError, match="pip install"):
        draw_scenes(1, seed=0)


def test_every_object_is_one_word_with_a_plural_of_its_own():
    assert len(OBJECTS) == len(set(OBJECTS)) == 60
    assert all(name.isalpha() and name.islower() for name in OBJECTS)
    plurals = [scenes._PLURALS[name] for name in OBJECTS]
    assert len({*OBJECTS, *plurals}) == 120
    assert object_of("butterflies") == OBJECTS.index("butterfly")
    assert object_of("foxes") == OBJECTS.index("fox")
    assert object_of("the") is None
