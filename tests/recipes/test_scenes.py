"""The recipes scene-reader and scenes: what is wrong is wrong, who points, and the results."""

import random
import re
from itertools import islice

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets.scenes import OBJECTS, RELATIONS, draw_scenes, object_of, scene_facts
from tutorial_lib.models.scene_reader import MASK, PAD
from tutorial_lib.recipes import load_checkpoint, load_result
from tutorial_lib.recipes import scenes as table
from tutorial_lib.recipes.scene_reader import (
    SMOKE,
    WRONG,
    Measured,
    SceneTexts,
    build,
    read,
    reading_loss,
    regions_of,
    wrong_captions,
)
from tutorial_lib.recipes.seen_scenes import ask, fill, seen_scenes, silenced_rows, silencer

PARTS = re.compile(r" (?:to the )?(left of|right of|above|below) ")


def said(caption):
    """Return the facts of a caption, and how many of each object it names."""
    first, *rest = PARTS.split(caption.replace(" and ", " "))
    things = [first, *rest[1::2]]
    numbers = {"a": 1, "an": 1, "two": 2, "three": 3}
    counts = {OBJECTS[object_of(thing.split()[1])]: numbers[thing.split()[0]] for thing in things}
    names = list(counts)
    return {(names[0], way, name) for way, name in zip(rest[::2], names[1:], strict=True)}, counts


def is_true(scenes, row, caption):
    """Look at the boxes: is the caption true?"""
    facts, counts = said(caption)
    there = scenes.count(row)
    if any(there.get(name) != number for name, number in counts.items()):
        return False
    middles = (scenes.boxes[row, :, :2] + scenes.boxes[row, :, 2:]) / 2
    for first, way, second in facts:
        one, two = (
            middles[scenes.objects[row] == OBJECTS.index(name), RELATIONS.index(way) // 2]
            for name in (first, second)
        )
        if way in ("right of", "below"):
            one, two = two, one
        if two.min() - one.max() < 0.25:  # of the side: beside each other is not above
            return False
    return True


@pytest.fixture(scope="module")
def scenes():
    return draw_scenes(120, 3)


@pytest.fixture(scope="module")
def reader():
    return build(SMOKE, 0).eval()


@pytest.fixture(scope="module")
def measured(reader):
    return Measured(reader, 60, 0, "validation")


def test_wrong_captions_are_wrong_in_one_way_and_true_ones_true(scenes):
    kinds, draw = [], random.Random(0)
    for row, caption in enumerate(scenes.captions):
        assert is_true(scenes, row, caption)
        for kind, text in wrong_captions(scenes, row, None, draw).items():
            assert not is_true(scenes, row, text), (caption, text)
            kinds.append(kind)
            if kind == "exchanged":
                assert sorted(text.split()) == sorted(caption.split())
            if kind in ("relation", "object", "number"):
                assert text.split() != caption.split()
    assert set(kinds) == set(WRONG)


def test_in_training_wrong_captions_state_facts_of_training(scenes):
    allowed, draw = set(scene_facts("train")), random.Random(0)
    for row in range(len(scenes)):
        for kind, text in wrong_captions(scenes, row, allowed, draw).items():
            assert said(text)[0] <= allowed, (kind, text)
    stated = [
        said(text)[0] <= allowed
        for row in range(len(scenes))
        for text in wrong_captions(scenes, row, None, draw).values()
    ]
    assert not all(stated)  # the guard is needed


def test_a_batch_hides_one_telling_word_and_says_which_captions_are_true(reader, scenes):
    regions = torch.randn(len(scenes), 4, 12)
    about = (reader, scenes, regions, SMOKE | {"batch_size": 30}, 5)
    batch, other = islice(SceneTexts(*about), 2)
    again = next(iter(SceneTexts(*about)))
    assert all(batch[name].equal(again[name]) for name in batch)
    assert not batch["ids"].equal(other["ids"])
    gapped, judged, asked = batch["ids"].chunk(3)
    assert (batch["gaps"].sum(dim=1) == 1).all()
    hidden = {reader.words[token_id] for token_id in batch["true"][batch["gaps"]].tolist()}
    assert not hidden & {"a", "an", "to", "the", "of", "and"}
    assert (gapped[batch["gaps"]] == MASK).all()
    assert gapped[~batch["gaps"]].equal(batch["true"][~batch["gaps"]])
    same = (judged == batch["true"]).all(dim=1)
    assert same.equal(batch["matches"] == 0)
    assert 5 < same.sum() < 25
    assert (asked != PAD).any(dim=1).all()


def test_a_blind_reader_gets_no_picture(reader, scenes):
    regions = torch.randn(len(scenes), 4, 12)
    batch = next(iter(SceneTexts(reader, scenes, regions, SMOKE, 5)))
    changed = batch | {"regions": batch["regions"] + 1}
    assert_close(reading_loss(reader, batch, True), reading_loss(reader, changed, True))
    assert (reading_loss(reader, batch) - reading_loss(reader, changed)).abs() > 1e-4


@torch.no_grad()
def test_measured_beside_its_own_picture_anothers_and_none(reader, measured):
    rows = torch.arange(60)
    states = {
        picture: measured.read(reader, measured.true, rows, picture)
        for picture in ("its own", "another's", "none")
    }
    regions, there = measured.regions, measured.there
    length = measured.true.size(1)
    expected = read(reader, measured.true, regions, there)[:, :length]
    assert_close(states["its own"], expected)
    turned = read(reader, measured.true, regions.roll(1, 0), there.roll(1, 0))[:, :length]
    assert_close(states["another's"], turned)
    assert_close(states["none"], read(reader, measured.true, None, None))


def test_a_perfect_judge_scores_one_and_a_constant_one_half(measured):
    scenes = measured.scenes

    def oracle(texts, rows):
        return torch.tensor([float(is_true(scenes, row, text))
                             for text, row in zip(texts, rows.tolist(), strict=True)])  # fmt: skip

    assert set(measured.captions_right(oracle).values()) == {1.0}
    nothing = measured.captions_right(lambda texts, rows: torch.zeros(len(rows)))
    assert set(nothing.values()) == {0.5}


def test_who_points_is_measured_against_the_boxes(reader, measured):
    rows, positions, right = table.words_with_regions(measured)
    for row, at, where in zip(rows.tolist(), positions.tolist(), right, strict=True):
        word = measured.scenes.captions[row].split()[at - 1]
        assert where.sum() == 1
        assert measured.scenes.objects[row][where].item() == object_of(word)
    shares, chance = table.pointing(reader, measured, hidden=False)
    assert shares.shape == (1, 2)
    assert_close(shares, torch.full((1, 2), chance), atol=0.1, rtol=0)
    assert 0.25 < chance < 0.5
    found = []  # the same, word by word
    for row, at, where in zip(rows.tolist(), positions.tolist(), right, strict=True):
        there = measured.there[row]
        ids = measured.true[row : row + 1]
        with capture_attention(reader) as maps, torch.no_grad():
            reader(ids[ids > PAD][None], measured.regions[row : row + 1, there])
        weights = maps[0][0, :, at, -int(there.sum()) :]  # (H, R)
        found.append(weights[:, where[there]].sum(dim=1) / weights.sum(dim=1))
    assert_close(shares[0], torch.stack(found).mean(dim=0), atol=1e-4, rtol=0)


def test_silencing_ends_with_the_block(reader, measured):
    before = measured.words_right(reader)
    rows = table.silenced_rows(reader, measured, measured, table.SMOKE)
    assert [row["which"] for row in rows] == ["none", "pointing", "others"]
    assert measured.words_right(reader) == before
    assert rows[1]["heads"] != rows[2]["heads"]
    rows = silenced_rows(reader, measured, measured, 1)
    assert [row["which"] for row in rows] == ["none", "pointing", *["others"] * (len(rows) - 2)]
    layer, _ = rows[1]["heads"].split(".")
    assert len({row["heads"] for row in rows[1:]}) == len(rows) - 1 == reader.config.n_heads
    assert all(row["heads"].startswith(f"{layer}.") for row in rows[1:])


@torch.no_grad()
def test_towers_see_only_their_side(scenes):
    towers = table.Towers(SMOKE, 0).eval()
    ids, regions = towers.texts.encode(scenes.captions[:5]), torch.randn(5, 4, 12)
    there = scenes.present[:5]
    scores = towers.scores(ids, regions, there)
    assert_close(
        scores[:, [0, 2]], towers.scores(ids[[0, 2]], regions, there), atol=1e-5, rtol=1e-4
    )
    assert_close(towers.text_vectors(ids).norm(dim=1), torch.ones(5))
    batches = [
        next(iter(table.ScenePairs(towers.texts, scenes, torch.randn(120, 4, 12),
                                   SMOKE, 0, told=told)))
        for told in (False, True)
    ]  # fmt: skip
    assert [len(ids) / len(seen) for ids, seen, _ in batches] == [1, 2]
    assert all(table.towers_loss(towers, batch) > 0 for batch in batches)


def test_scenes_for_the_explorer(reader, scenes):
    first, second = seen_scenes(reader, scenes, [0, 7])
    assert first["weights"].shape[:2] == (1, 2)
    n = len(first["words"]) + len(first["boxes"])
    assert first["weights"].shape[2:] == (n, n)
    assert len(second["names"]) == len(second["boxes"]) == scenes.present[7].sum()
    found = silencer(reader, scenes, [0, 7])(1, 0, 1)
    assert found["weights"].shape == second["weights"].shape
    assert {label for label, *_ in found["outputs"]} <= set(second["words"])
    assert any(before != after for _, before, after in found["outputs"])


def test_a_question_gets_its_likeliest_answers(reader, scenes):
    found = ask(reader, scenes, 7, "how many are there ?", k=len(reader.answers))
    assert sum(share for _, share in found) == pytest.approx(1, abs=1e-5)
    assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)
    assert {answer for answer, _ in found} == set(reader.answers)
    with pytest.raises(IndexError, match="scenes 0 to"):
        ask(reader, scenes, len(scenes), "what ?")


def test_a_gap_is_filled_beside_the_own_scene():
    stored, others = load_checkpoint("scene-reader"), draw_scenes(8, seed=2, split="test")
    assert others.captions[7] == "a dog below a rocket"
    assert fill(stored, others, 7, "a [MASK] below a rocket") == "dog"
    assert fill(stored, others, 0, "a [MASK] below a rocket") != "dog"


def test_the_eyes_see_crops_in_their_boxes(reader, scenes):
    regions = regions_of(reader, scenes)
    assert_close(regions[..., -4:], scenes.boxes)
    assert not torch.allclose(regions[0, 0, :8], regions[0, 1, :8])


def values(part, column, **wanted):
    """Return a column of the stored table, one number for each seed."""
    wanted |= {"part": part}
    rows = load_result("scenes")["rows"]
    found = [row[column] for row in rows if wanted.items() <= row.items()]
    assert len(found) == 3
    return found


@pytest.mark.parametrize("kind", ["object", "relation"])
def test_hidden_words_are_read_off_the_scenes_own_picture(kind):
    chance = {"object": 0.05, "relation": 0.6}[kind]
    assert min(values("reading", kind, model="reader", picture="its own", facts="new")) > 0.75
    for model, picture in (("reader", "another's"), ("reader", "none"), ("blind", "none")):
        assert max(values("reading", kind, model=model, picture=picture)) < chance


def test_new_facts_are_read_as_well_as_those_of_training():
    for kind in ("object", "relation", "what", "where"):
        new, known = (
            values("reading", kind, model="reader", picture="its own", facts=facts)
            for facts in ("new", "of training")
        )
        assert max(one - other for one, other in zip(known, new, strict=True)) < 0.06, kind


def test_changed_places_are_seen_in_one_row_and_not_by_two_towers():
    for kind in ("exchanged", "relation"):
        assert min(values("matching", kind, model="reader", picture="its own", facts="new")) > 0.95
        for model in ("towers", "towers, told what is wrong"):
            assert max(values("matching", kind, model=model)) < 0.6
        for picture in ("another's", "none"):
            assert max(values("matching", kind, model="reader", picture=picture)) < 0.6
    for model in ("towers", "towers, told what is wrong"):  # what is there they do see
        assert min(values("matching", "object", model=model)) > 0.95
