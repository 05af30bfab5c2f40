import time

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.objectives import order_pairs, sentence_pairs
from tutorial_lib.recipes import bert_family
from tutorial_lib.recipes.bert_family import (
    SMOKE,
    Batches,
    Budget,
    Passes,
    Text,
    begun,
    build,
    in_halves,
    learn,
    without_heads,
)

SETTINGS = SMOKE | {"tokens": 512}


@pytest.fixture(scope="module")
def text():
    return Text(SETTINGS)


def some(batches, n):
    return [batch for batch, _ in zip(batches, range(n), strict=False)]


def test_with_pairs_or_without_batches_have_the_same_lengths_and_shares(text):
    for make in (None, sentence_pairs, order_pairs):
        found = some(Batches(text, SETTINGS, 0, make), 12)
        tokens = [batch if make is None else batch[0] for batch in found]
        assert {batch.ids.size(1) for batch in tokens} <= {2 * n + 3 for n in (8, 16, 30, 62)}
        for batch in tokens:
            assert 300 < batch.ids.numel() < 700
            assert not (batch.ids == text.tokenizer.pad_id).any()
            assert batch.chosen.float().mean() == pytest.approx(0.37, abs=0.07)
            assert (batch.segments is None) == (make is None)
        first = some(Batches(text, SETTINGS, 0, make), 1)[0]
        again = first if make is None else first[0]
        assert again.ids.equal(tokens[0].ids)


def test_the_plays_held_out_are_read_by_no_batch(text):
    assert not {play.title for play in text.plays} & set(SETTINGS["held_out"])
    learnt = {tuple(row) for row in text.rows(text.scenes, 30).tolist()}
    assert not learnt & {tuple(row) for row in text.rows(text.held_out, 30).tolist()}


def test_the_rate_follows_the_seconds_and_what_is_measured_does_not_count(monkeypatch):
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


@pytest.mark.parametrize("name", ["roberta", "albert", "electra 1/4", "half, alone"])
def test_the_first_layer_begins_with_neighbours_whatever_the_width_of_the_vectors(text, name):
    torch.manual_seed(0)
    settings = bert_family.SETTINGS
    model = build(name, text, settings).eval()
    if name.startswith("electra"):  # its generator reads tables four times as wide as it is
        generator = begun(model.config.generator(1 / 3).build(), settings["offsets"])
        model.share_embeddings(generator)
        model = generator.eval()
    ids = torch.randint(5, text.tokenizer.vocab_size, (4, 40))
    with torch.no_grad(), capture_attention(model) as maps:
        model(ids)
    there = maps[0][:, 0].diagonal(settings["offsets"][0], -2, -1)
    assert there.mean() > 0.4  # alike for all it would be 0.025


@pytest.mark.parametrize("name", ["bert", "albert", "electra 1/4", "distilbert", "half, alone"])
def test_each_learns_and_loses_its_heads_for_fine_tuning(text, name):
    model, generator, took = learn(name, text, SETTINGS, seed=0)
    assert took["steps"] >= 1
    assert not model.training
    assert (generator is not None) == name.startswith("electra")
    if generator is not None:
        assert generator.token_embedding is model.token_embedding
    body = without_heads(model)
    assert not {name.partition(".")[0] for name, _ in body.named_parameters()} & {
        "mlm_head", "nsp_head", "order_head", "replaced_head", "pooler"
    }  # fmt: skip
    ids = torch.tensor([[2, 40, 50, 3]])
    assert_close(body(ids), model(ids))


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
