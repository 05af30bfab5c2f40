"""Gaps filled by counting, on a text whose answers are known."""

import pytest
import torch

from tutorial_lib.objectives import MaskedTokens
from tutorial_lib.recipes.gap_tests import (
    BETWEEN,
    cloze_by_counting,
    cloze_share,
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
    other = found_by_counting(texts, tokens, vocab_size=10, commonest=8)
    assert list(other.values()) == pytest.approx([1 / 3, 2 / 3, 1])
    assert found_by_counting(texts, tokens, 10, commonest=7)["the most frequent token"] == 0
    some = found_by_counting(texts, tokens, 10, answers=[5, 7, 8])  # no 6, though it is commonest
    assert list(some.values()) == pytest.approx([1 / 3, 2 / 3, 2 / 3])


def test_a_side_that_may_not_be_seen_does_not_count():
    bert = load_checkpoint("shakespeare-bert")
    gaps = [("", "thou", " art a villain.")]
    words = {"thou", "he", "she", "it"}
    assert cloze_share(bert, gaps, words) == 1
    other = [("", "thou", " was a villain, and he is king.")]
    assert cloze_share(bert, gaps, words, right=False) == cloze_share(
        bert, other, words, right=False
    )


def test_counting_says_only_the_words_that_may_be_answered():
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    text = tokenizer.encode("thou art king. thou art king. thou art here. he is here. he is here.")
    gaps = [("thou art ", "here", "."), ("he is ", "here", ".")]
    ids = [text.ids[1:-1]]
    every = cloze_by_counting(ids, gaps, {"king", "here"}, tokenizer)
    assert every["from both neighbours"] == 0.5
    one = cloze_by_counting(ids, gaps, {"here"}, tokenizer)
    assert [*one.values()] == [1, 1, 1]


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
