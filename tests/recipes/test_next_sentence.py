import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.figures.chapter06_bert.sentence_pairs import KINDS
from tutorial_lib.recipes import next_sentence
from tutorial_lib.recipes.next_sentence import nsp_by_length, said_to_follow


class Overlooker:
    """Says of every pair that it is real."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, ids, segments):
        return ids

    def nsp_logits(self, hidden):
        return torch.tensor([[1.0, 0.0]]).repeat(len(hidden), 1)


def test_who_always_says_yes_is_right_on_half_and_the_rule_beats_it():
    tokenizer = recipes.load_checkpoint("shakespeare-bert").tokenizer
    rows = nsp_by_length(Overlooker(tokenizer), lengths=[8, 62], n_pairs=200)
    assert [row["length"] for row in rows] == [8, 62]
    assert [row["model"] for row in rows] == [0.5, 0.5]
    assert rows[0]["shared_tokens"] < rows[1]["shared_tokens"]
    assert rows[1]["shared_tokens"] > 0.6


def test_only_the_plays_held_out_are_read(monkeypatch):
    seen = []

    def keep(plays, tokenizer):
        seen.extend(play.title for play in plays)
        return [[5] * 40, [6] * 40]

    monkeypatch.setattr(next_sentence, "scenes", keep)
    tokenizer = recipes.load_checkpoint("shakespeare-bert").tokenizer
    nsp_by_length(Overlooker(tokenizer), lengths=[8], n_pairs=10)
    assert sorted(seen) == ["Hamlet", "Henry V", "Twelfth Night"]


@pytest.mark.slow
def test_the_longest_sentences_give_the_number_on_the_card():
    model = recipes.load_checkpoint("shakespeare-bert")
    metric = recipes.load_card("shakespeare-bert")["metric"]
    (row,) = nsp_by_length(model, lengths=[62])
    assert row["model"] == pytest.approx(metric["nsp_accuracy"], abs=2e-3)
    assert row["shared_tokens"] == metric["shared_tokens"]


def test_undamaged_pairs_hold_no_mask():
    tokenizer = recipes.load_checkpoint("shakespeare-bert").tokenizer

    class Looker(Overlooker):
        def __call__(self, ids, segments):
            assert (ids == tokenizer.mask_id).any() == damaged
            return ids

    for damaged in (True, False):
        nsp_by_length(Looker(tokenizer), lengths=[8], n_pairs=10, damaged=damaged)


def test_what_is_hidden_in_a_real_pair():
    tokenizer = recipes.load_checkpoint("play-bert").tokenizer
    seen = []

    class Looker(Overlooker):
        def __call__(self, ids, segments):
            assert segments.sum(dim=1).tolist() == [9] * 2  # eight tokens and [SEP]
            seen.append((ids == tokenizer.mask_id).nonzero()[:, 1].reshape(2, -1).tolist())
            return ids

    shares = said_to_follow(Looker(tokenizer), length=8, n_pairs=2, n_hidden=2)
    assert set(shares.values()) == {1.0}
    assert shares.keys() == KINDS.keys()  # each one can be drawn
    hidden = dict(zip(shares, seen, strict=True))
    assert hidden.pop("real, outer words hidden") == [[1, 2, 16, 17]] * 2
    for kind in ("real, cut hidden", "another scene, cut hidden"):
        assert hidden.pop(kind) == [[7, 8, 10, 11]] * 2
    assert all(places == [[], []] for places in hidden.values())


@pytest.mark.slow
def test_playbert_goes_by_the_cut():
    shares = said_to_follow(recipes.load_checkpoint("play-bert"), n_pairs=200, seed=1)
    assert shares["a real pair"] > 0.75
    assert shares["real, outer words hidden"] > 0.75
    for kind in shares.keys() - {"a real pair", "real, outer words hidden"}:
        assert shares[kind] < 0.45
