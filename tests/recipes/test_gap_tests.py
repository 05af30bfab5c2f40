"""Gaps filled by counting, on a text whose answers are known."""

import pytest
import torch

from tutorial_lib.objectives import MaskedTokens
from tutorial_lib.recipes.gap_tests import (
    BETWEEN,
    cloze_share,
    damaged,
    found_by_counting,
    said_subjects,
    subject_found,
)
from tutorial_lib.recipes.stored import load_checkpoint


def test_counting_uses_what_each_way_may_see():
    texts = [[5, 6, 7, 5, 8, 9, 5, 6, 7, 6, 6]]  # 6 is the commonest, also after 5
    ids = torch.tensor([[5, 4, 9, 1], [5, 4, 7, 1], [9, 4, 1, 1]])
    chosen = ids == 4
    tokens = MaskedTokens(ids, None, None, chosen, torch.tensor([8, 6, 5]))
    shares = found_by_counting(texts, tokens, vocab_size=10)
    assert list(shares.values()) == pytest.approx([1 / 3, 2 / 3, 1])


def test_a_side_that_may_not_be_seen_does_not_count():
    bert = load_checkpoint("shakespeare-bert")
    gaps = [("", "thou", " art a villain.")]
    words = {"thou", "he", "she", "it"}
    assert cloze_share(bert, gaps, words) == 1
    other = [("", "thou", " was a villain, and he is king.")]
    assert cloze_share(bert, gaps, words, right=False) == cloze_share(
        bert, other, words, right=False
    )


def test_a_damaged_text_differs_only_where_it_is_asked_about():
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer

    def hide_all(ids, chosen, draw, random_ids, mask_id):
        assert random_ids.min() >= 5  # no special token
        return ids.masked_fill(chosen, mask_id).tolist()  # as a learner may return it

    ids, changed, places = damaged(tokenizer, "Alas, poor Yorick! I knew him, Horatio.", hide_all)
    assert len(places) == round(0.15 * (ids.size(1) - 2))
    assert (changed != ids).nonzero()[:, 1].tolist() == places
    assert (changed[0, places] == tokenizer.mask_id).all()
    assert 0 < places[0] < places[-1] < ids.size(1) - 1


def test_the_checkpoint_finds_a_subject_by_the_verb_next_door_and_guesses_further_on():
    bert, subjects = load_checkpoint("shakespeare-bert"), {"am": "i", "art": "thou", "is": "he"}
    assert subject_found(bert, BETWEEN[0], subjects) > 0.95
    assert 0.25 < subject_found(bert, BETWEEN[4], subjects) < 0.45


def test_what_is_said_of_the_three_and_of_all_tokens_are_two_answers():
    bert, subjects = load_checkpoint("shakespeare-bert"), {"am": "i", "art": "thou", "is": "he"}
    said = said_subjects(bert, BETWEEN[0], subjects)
    assert len(said) == 72
    assert {one.subject for one in said} == {*subjects.values()}
    openly = sum(subjects[one.verb] == one.first for one in said) / len(said)
    assert 0.5 < openly < subject_found(bert, BETWEEN[0], subjects)
