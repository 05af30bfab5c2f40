import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.errors import VocabularyError
from tutorial_lib.tokenizers import (
    apply_merges,
    learn_merges,
    merge_steps,
    wordpiece_score,
    wordpiece_steps,
)
from tutorial_lib.tokenizers.incremental import PairTable, merge_by_rank, train_bpe
from tutorial_lib.tokenizers.merges import merge_pair
from tutorial_lib.tokenizers.wordpiece import train_wordpiece

WORDS = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}

# Few letters, so that ties, runs of one letter and overlapping pairs are common.
word_counts = st.dictionaries(
    st.text("abc", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=12
)


def pairs(counts):
    """Write {("a", "t"): 27} as {"a t": 27}, and leave out what has fallen to 0."""
    return {" ".join(pair): count for pair, count in counts.items() if count}


def take_pe(ties):
    return ("p", "e") if ("p", "e") in ties else ties[0]


def test_hand_example_first_step():
    (step,) = merge_steps(WORDS, 1)
    assert pairs(step.pair_counts) == {
        "c a": 10, "a t": 27, "p e": 12, "e t": 12, "m a": 5, "r a": 8, "e a": 4, "t s": 4,
    }  # fmt: skip
    assert step.words == {tuple(word): count for word, count in WORDS.items()}
    assert step.pair == ("a", "t")
    assert step.ties == [("a", "t")]


def test_hand_example_second_step_keeps_the_symbol_that_fell_to_zero():
    step = list(merge_steps(WORDS, 2))[1]
    assert step.symbol_counts == {
        "c": 10, "at": 27, "t": 12, "p": 12, "e": 16, "m": 5, "r": 8, "s": 4, "a": 0,
    }  # fmt: skip
    assert pairs(step.pair_counts) == {
        "c at": 10, "p e": 12, "e t": 12, "m at": 5, "r at": 8, "e at": 4, "at s": 4,
    }  # fmt: skip
    assert step.ties == [("e", "t"), ("p", "e")]
    assert step.words["e", "at", "s"] == 4


def test_hand_example_both_ways_to_settle_the_tie():
    third = list(merge_steps(WORDS, 4, choose=take_pe))[2]
    assert pairs(third.pair_counts) == {
        "c at": 10, "pe t": 12, "m at": 5, "r at": 8, "e at": 4, "at s": 4,
    }  # fmt: skip
    assert third.pair == ("pe", "t")
    default = [step.pair for step in merge_steps(WORDS, 3)]
    assert default == [("a", "t"), ("e", "t"), ("p", "et")]
    for choose in (take_pe, min):
        fourth = list(merge_steps(WORDS, 4, choose=choose))[3]
        assert fourth.words["pet",] == 12
        assert fourth.symbol_counts["t"] == 0


def test_wordpiece_scores_plain_and_marked():
    (plain,) = wordpiece_steps(WORDS, 1, continuation="")
    assert plain.pair == ("p", "e")
    assert wordpiece_score(plain.pair, plain.pair_counts, plain.symbol_counts) == 0.0625
    first, second = wordpiece_steps(WORDS, 2)
    assert first.pair == ("p", "##e")
    score = wordpiece_score(first.pair, first.pair_counts, first.symbol_counts)
    assert round(score, 4) == 0.0833
    assert second.words["pe", "##t"] == 12


def test_choose_gets_the_sorted_ties_of_every_step():
    seen = []
    list(merge_steps(WORDS, 3, choose=lambda ties: seen.append(ties) or ties[-1]))
    assert len(seen) == 3
    assert all(ties == sorted(ties) for ties in seen)


def test_learning_stops_when_no_pair_is_left():
    assert learn_merges({"at": 1, "a": 2}, 9) == [("a", "t")]
    assert [step.pair for step in merge_steps({"at": 1, "a": 2}, 9)] == [("a", "t")]


def test_records_do_not_change_afterwards():
    first, second = merge_steps(WORDS, 2)
    assert first.symbol_counts["a"] == 27
    assert "at" not in first.symbol_counts
    assert second.symbol_counts["a"] == 0


@pytest.mark.parametrize("words", [{"": 1}, {"a": 0}, {"a": -1}])
def test_bad_words_are_named(words):
    with pytest.raises(VocabularyError, match="needs a letter and a count of 1 or more"):
        merge_steps(words, 1)
    with pytest.raises(VocabularyError, match="needs a letter and a count of 1 or more"):
        wordpiece_steps(words, 1)


def test_no_words_and_a_wrong_choice_are_errors():
    with pytest.raises(VocabularyError, match="at least one word"):
        merge_steps({}, 1)
    with pytest.raises(VocabularyError, match="at least one word"):
        wordpiece_steps({}, 1)
    with pytest.raises(VocabularyError, match="must return one of"):
        list(merge_steps(WORDS, 1, choose=lambda ties: ("x", "y")))


def test_merges_apply_by_rank_not_in_text_order():
    assert apply_merges(tuple("eat"), [("a", "t"), ("e", "a")]) == ("e", "at")
    assert apply_merges(tuple("eat"), [("e", "a"), ("a", "t")]) == ("ea", "t")


@pytest.mark.parametrize(
    ("word", "pair", "expected"),
    [("aaa", "aa", ["aa", "a"]), ("aaaa", "aa", ["aa", "aa"]), ("abab", "ab", ["ab", "ab"])],
)
def test_overlapping_pairs_merge_from_the_left(word, pair, expected):
    assert list(merge_pair(tuple(word), tuple(pair), pair)) == expected


@settings(deadline=None)
@given(word_counts)
def test_fast_bpe_training_equals_the_readable_one(words):
    assert train_bpe(words, 50) == learn_merges(words, 50)


@settings(deadline=None)
@given(word_counts)
def test_the_steps_are_the_merges_of_the_readable_training(words):
    assert [step.pair for step in merge_steps(words, 50)] == learn_merges(words, 50)


@settings(deadline=None)
@given(word_counts, st.sampled_from(["", "##"]))
def test_fast_wordpiece_training_equals_the_readable_one(words, mark):
    steps = wordpiece_steps(words, 50, mark)
    assert train_wordpiece(words, 50, mark) == [step.pair for step in steps]


@settings(deadline=None)
@given(word_counts)
def test_the_counts_of_the_table_stay_right(words):
    table = PairTable(words)
    for step in merge_steps(words, 50):
        assert pairs(table.pair_counts) == pairs(step.pair_counts)
        assert dict(table.symbol_counts) == step.symbol_counts
        assert {pair: n for pair, n in table.pair_counts.items() if n < 0} == {}
        table.merge(step.pair)
    assert pairs(table.pair_counts) == {}


class Counted(str):
    """A symbol that counts how often any symbol is compared: the work of a merge, anywhere."""

    __slots__ = ()
    __hash__ = str.__hash__
    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    def __ne__(self, other):
        Counted.comparisons += 1
        return str.__ne__(self, other)

    def __add__(self, other):
        return Counted(str.__add__(self, other))


def comparisons(function, *arguments):
    Counted.comparisons = 0
    function(*arguments)
    return Counted.comparisons


LONG_WORDS = {
    "one letter": lambda n: "a" * n,
    "two letters in turn": lambda n: "ab" * (n // 2),
    "letters by chance": lambda n: "".join(random.Random(0).choices("abcdefgh", k=n)),
}


@pytest.mark.parametrize("make", LONG_WORDS.values(), ids=LONG_WORDS)
def test_one_long_word_costs_n_log_n(make):
    short, long = (tuple(map(Counted, make(n))) for n in (1_000, 8_000))
    most = 8 * math.log(8_000) / math.log(1_000) * 1.2

    def train(word):
        return train_bpe({word: 1}, len(word) // 4)

    def encode(word):
        return merge_by_rank(word, ranks)

    ranks = {pair: rank for rank, pair in enumerate(train(short))}
    for work in (train, encode):
        assert comparisons(work, long) < most * comparisons(work, short), work.__name__


@settings(deadline=None)
@given(word_counts, st.text("abcd", max_size=40))
def test_fast_encoding_equals_the_readable_one(words, word):
    merges = train_bpe(words, 30)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    assert merge_by_rank(word, ranks) == list(apply_merges(tuple(word), merges))


@settings(deadline=None)
@given(word_counts)
def test_no_two_merges_make_the_same_token(words):
    joined = ["".join(pair) for pair in train_bpe(words, 100)]
    assert len(set(joined)) == len(joined)
