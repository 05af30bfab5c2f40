import itertools
from collections import Counter

import pytest

from tutorial_lib.objectives import order_pairs, pack_pairs

DOCUMENTS = [[[10 * d + s] for s in range(4)] for d in range(1, 4)]


def test_half_are_swapped_and_all_are_neighbours():
    pairs = order_pairs(DOCUMENTS, 400)
    assert sum(pair.in_order for pair in pairs) == 200
    for (first,), (second,), in_order in pairs:
        assert second - first == (1 if in_order else -1)
    assert len({tuple(pair.first + pair.second) for pair in pairs}) == 18  # all nine, both ways
    assert pairs == order_pairs(DOCUMENTS, 400)
    assert pairs != order_pairs(DOCUMENTS, 400, seed=1)


def test_neither_a_sentence_nor_the_place_in_the_list_tells_the_order():
    """Twelve neighbours, an even number: drawn by the same count as the coin they would tell."""
    documents = [[[10 * d + s] for s in range(5)] for d in range(1, 4)]
    pairs = order_pairs(documents, 4000)
    swapped, kept = (
        Counter(min(pair.first, pair.second)[0] for pair in pairs if pair.in_order is o)
        for o in (False, True)
    )
    assert swapped.keys() == kept.keys()
    assert len(kept) == 12
    for sentence, times in kept.items():
        assert swapped[sentence] == pytest.approx(times, rel=0.35)  # of about 167
    same = sum(a.in_order == b.in_order for a, b in itertools.pairwise(pairs))
    assert same == pytest.approx(2000, rel=0.1)


def test_they_are_packed_as_other_pairs():
    ids, segments, mask = pack_pairs(order_pairs([[[5, 6], [7]]], 2), 1, 2, 0, context=8)
    assert sorted(ids.tolist()) == [[1, 5, 6, 2, 7, 2], [1, 7, 2, 5, 6, 2]]
    assert segments.sum().item() == 2 + 3
    assert mask.all()


def test_documents_without_neighbours_are_refused():
    with pytest.raises(ValueError, match="a document with two sentences or more"):
        order_pairs([[[1]], []], 4)
