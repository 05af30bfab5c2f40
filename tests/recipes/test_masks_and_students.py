import time

import pytest
import torch

from tutorial_lib.recipes import load_result, masks_and_students, summarise
from tutorial_lib.recipes.masks_and_students import (
    SMOKE,
    Batches,
    Budget,
    Passes,
    Text,
    in_halves,
    student,
)

SETTINGS = SMOKE | {"tokens": 512}


@pytest.fixture(scope="module")
def text():
    return Text(SETTINGS)


def some(batches, n):
    return [batch for batch, _ in zip(batches, range(n), strict=False)]


def test_batches_have_the_lengths_of_chapter_06_and_start_from_the_seed(text):
    found = some(Batches(text, SETTINGS, 0), 12)
    assert {batch.ids.size(1) for batch in found} <= {2 * n + 3 for n in (8, 16, 30, 62)}
    for batch in found:
        assert 300 < batch.ids.numel() < 700
        assert not (batch.ids == text.tokenizer.pad_id).any()
        assert batch.chosen.float().mean() == pytest.approx(0.37, abs=0.07)
    assert some(Batches(text, SETTINGS, 0), 1)[0].ids.equal(found[0].ids)
    assert not some(Batches(text, SETTINGS, 1), 1)[0].ids.equal(found[0].ids)


def test_the_plays_held_out_are_read_by_no_batch(text):
    assert not {play.title for play in text.plays} & set(SETTINGS["held_out"])
    learnt = {tuple(row) for row in text.rows(text.scenes, 30).tolist()}
    assert not learnt & {tuple(row) for row in text.rows(text.held_out, 30).tolist()}


def test_the_rate_follows_the_seconds(monkeypatch):
    clock = iter([10.0, 10.0, 10.05, 10.5, 11.0, 11.0])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    budget = Budget(1.0)
    rate = budget.rate(2.0)
    at_once, warm, half, late = (rate(step) for step in (1, 2, 3, 4))
    assert at_once < 0.1
    assert warm == pytest.approx(2.0, rel=0.02)
    assert half == pytest.approx(1.02, rel=0.02)
    assert 0 < late < 0.05
    assert budget.over()


@pytest.mark.parametrize("name", ["distilbert", "layers, no teacher", "half, alone"])
def test_students_are_alike_but_for_where_they_start_and_what_they_learn_from(text, name):
    model, took = student(name, text, SETTINGS, seed=0)
    assert took["steps"] >= 1
    assert not model.training
    assert model.config.n_layers == 2
    taken = masks_and_students.teacher().blocks[2].attention.output.weight
    near = (model.blocks[1].attention.output.weight - taken).abs().mean() < 0.02
    assert near == (name != "half, alone")


def test_what_the_table_shows():
    rows = load_result("masks-and-students")["rows"]
    loss = summarise([row for row in rows if row["part"] == "students"], ["model"], "mlm_loss")
    taught, alone = loss[("distilbert",)], loss[("half, alone",)]
    assert taught["highest"] < alone["lowest"] - 0.5
    assert taught["highest"] < loss[("layers as they are",)]["lowest"] - 0.25
    # Where a student starts matters; that it has a teacher besides does not, so early.
    assert abs(taught["mean"] - loss[("layers, no teacher",)]["mean"]) < 0.1
    masks = summarise([row for row in rows if row["part"] == "masking"], ["model"], "mlm_loss")
    assert masks[("dynamic",)]["highest"] < masks[("static",)]["lowest"] - 0.2
    never = {row["model"]: row["never_hidden"] for row in rows if row["part"] == "masking"}
    assert never["static"] == pytest.approx(0.6, abs=0.01)
    assert never["dynamic"] == pytest.approx(0.6**10, abs=0.003)


def test_a_passage_in_halves_has_the_same_tokens_hidden():
    ids = torch.tensor([[2, 10, 11, 12, 13, 3]])
    chosen = torch.tensor([[False, True, False, False, True, False]])
    found, where, segments = in_halves(ids, chosen, sep_id=3)
    assert found.tolist() == [[2, 10, 11, 3, 12, 13, 3]]
    assert segments.tolist() == [[0, 0, 0, 0, 1, 1, 1]]
    assert found[where].equal(ids[chosen])


def test_static_masks_come_again_and_dynamic_ones_do_not(text):
    rows = text.rows(text.scenes, 62)[:40]
    fixed = text.hide(rows, 0.15, torch.Generator().manual_seed(0))

    def asked(given):
        """The tokens asked about in two passes, by the row they are in."""
        passes = Passes(text, rows, given, 40, SETTINGS, seed=0)
        return [sorted(map(tuple, batch.chosen.tolist())) for batch in some(passes, 2)]

    first, second = asked(fixed)
    assert first == second
    first, second = asked(None)
    assert first != second
    batch = some(Passes(text, rows, fixed, 40, SETTINGS, seed=0), 1)[0]
    whole = batch.ids.clone()
    whole[batch.chosen] = batch.targets
    assert sorted(map(tuple, whole.tolist())) == sorted(map(tuple, rows.tolist()))
