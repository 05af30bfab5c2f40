"""What each corruption keeps, hides and asks for, on random texts."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.objectives import (
    delete_tokens,
    fill_spans,
    hide_tokens,
    infill_spans,
    permute_sentences,
    rotate_document,
    span_corruption,
)
from tutorial_lib.objectives.corruption import place_spans, poisson

TEXTS = st.lists(st.integers(0, 9), max_size=40)
SHARES = st.floats(0, 1)
SEEDS = st.integers(0, 10_000).map(random.Random)
SENTINELS = [f"<{n}>" for n in range(50)]


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(token in rest for token in part)


@given(TEXTS, SHARES, SEEDS)
def test_hidden_tokens_keep_their_places_and_deleted_ones_leave_no_trace(text, share, generator):
    hidden = hide_tokens(text, "_", share, generator)
    assert [b for a, b in zip(text, hidden, strict=True) if a != b] == ["_"] * round(
        share * len(text)
    )
    kept = delete_tokens(text, share, generator)
    assert len(kept) == len(text) - round(share * len(text))
    assert is_subsequence(kept, text)


@given(TEXTS, SHARES, SEEDS, st.floats(0.5, 5))
def test_infilling_leaves_one_mask_a_span_and_no_two_side_by_side(text, share, generator, mean):
    filled = infill_spans(text, "_", share, generator, mean)
    assert is_subsequence([token for token in filled if token != "_"], text)
    assert all(pair != ("_", "_") for pair in itertools.pairwise(filled))
    assert ("_" in filled) or round(share * len(text)) == 0


def test_infilling_hides_the_share_in_spans_of_the_mean_length_some_of_them_empty():
    text, generator = list(range(10_000)), random.Random(0)
    filled = infill_spans(text, "_", 0.3, generator)
    assert len(text) - sum(token != "_" for token in filled) == 3_000
    n_masks = filled.count("_")
    assert 3_000 / n_masks == pytest.approx(3.0, abs=0.15)
    places = [i for i, token in enumerate(filled) if token == "_"][1:-1]
    empty = sum(filled[i + 1] - filled[i - 1] == 1 for i in places)
    assert empty / n_masks == pytest.approx(2.718281828**-3, abs=0.02)


def test_a_poisson_draw_has_its_mean_as_its_variance():
    generator = random.Random(1)
    draws = [poisson(3.0, generator) for _ in range(20_000)]
    mean = sum(draws) / len(draws)
    assert mean == pytest.approx(3.0, abs=0.05)
    assert sum((n - mean) ** 2 for n in draws) / len(draws) == pytest.approx(3.0, abs=0.1)


@given(st.lists(TEXTS, max_size=6), SEEDS)
def test_sentences_change_places_as_wholes(sentences, generator):
    marked = [[(n, token) for token in sentence] for n, sentence in enumerate(sentences)]
    moved = permute_sentences(marked, generator)
    assert Counter(moved) == Counter(token for sentence in marked for token in sentence)
    for n, sentence in enumerate(marked):
        assert [token for token in moved if token[0] == n] == sentence


@given(TEXTS, SEEDS)
def test_a_rotated_document_can_be_turned_back(text, generator):
    turned = rotate_document(text, generator)
    turns = [[*turned[i:], *turned[:i]] for i in range(len(text) or 1)]
    assert text in turns


@given(TEXTS.filter(bool), SHARES, SEEDS, st.floats(1, 5))
def test_source_and_target_of_span_corruption_make_up_the_text(text, share, generator, mean):
    source, target = span_corruption(text, SENTINELS, generator, share, mean)
    assert fill_spans(source, target, SENTINELS) == text
    n_hidden = max(1, round(share * len(text)))
    assert sum(token not in SENTINELS for token in target) == n_hidden
    used = [token for token in target if token in SENTINELS]
    assert used == SENTINELS[: len(used)]
    assert used[:-1] == [t for t in source if t in SENTINELS]
    assert all(not {*pair} <= {*SENTINELS} for pair in itertools.pairwise(source))


def test_what_a_model_writes_may_miss_a_sentinel_or_invent_one():
    source = ["to", "<0>", "or", "<1>"]
    assert fill_spans(source, ["lost", "<1>", "not", "<7>", "x"], SENTINELS) == ["to", "or", "not"]
    assert fill_spans(source, [], SENTINELS) == ["to", "or"]


def test_every_place_of_a_span_is_equally_likely():
    generator = random.Random(0)
    places = Counter(place_spans(5, [2], generator)[0][0] for _ in range(4_000))
    assert set(places) == {0, 1, 2, 3}
    assert all(n / 4_000 == pytest.approx(0.25, abs=0.03) for n in places.values())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: hide_tokens([1], "_", 1.5, g), "share must be from 0 to 1, got 1.5"),
        (lambda g: delete_tokens([1], -0.1, g), "share must be from 0 to 1"),
        (lambda g: infill_spans([1], "_", 0.5, g, 0.0), "must be positive, got 0.0"),
        (lambda g: span_corruption([], SENTINELS, g), "nothing to hide"),
        (lambda g: span_corruption([1, 2], SENTINELS, g, 0.5, 0.5), "at least 1, got 0.5"),
        (
            lambda g: span_corruption(list(range(40)), SENTINELS[:2], g, 0.5, 2),
            "10 spans need 11 sentinels, the vocabulary has 2",
        ),
    ],
)
def test_what_cannot_be_corrupted_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call(random.Random(0))
