import random

import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.objectives import best_span, entities, entity_f1, span_scores


def test_entities_of_every_short_sequence_cover_exactly_the_tagged_words():
    for number in range(3**5):
        tags = ["OBI"[number // 3**place % 3] for place in range(5)]
        spans = entities(tags)
        covered = [place for start, end in spans for place in range(start, end)]
        assert covered == [place for place, tag in enumerate(tags) if tag != "O"]
        before = ["O", *tags]
        starts = [p for p, tag in enumerate(tags) if tag == "B" or (tag, before[p]) == ("I", "O")]
        assert [start for start, _ in spans] == starts


def test_a_name_at_the_end_and_an_unknown_tag():
    assert entities(["O", "B", "I"]) == [(1, 3)]
    assert entities([]) == []
    with pytest.raises(ValueError, match="a tag is one of O, B, I, got 'B-PER'"):
        entities(["B-PER"])


def brute_force(predicted, true):
    """Precision, recall and F1, one comparison at a time."""
    right = wrong = missed = 0
    for said, wanted in zip(predicted, true, strict=True):
        for span in said:
            if any(span == other for other in wanted):
                right += 1
            else:
                wrong += 1
        missed += sum(all(span != other for other in said) for span in wanted)
    precision = right / (right + wrong) if right + wrong else 0
    recall = right / (right + missed) if right + missed else 0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0


def test_scores_are_those_of_a_brute_force_count():
    draw = random.Random(0)
    for _ in range(200):
        texts = [
            [entities(draw.choices("OBI", k=draw.randint(0, 6))) for _ in range(4)]
            for _ in range(2)
        ]
        assert span_scores(*texts) == pytest.approx(brute_force(*texts))
        assert entity_f1(*texts) == pytest.approx(brute_force(*texts)[2])


def test_scores_of_nothing_and_of_everything():
    assert span_scores([[]], [[]]) == (0, 0, 0)
    assert span_scores([[(0, 1)]], [[]]) == (0, 0, 0)
    assert entity_f1([[(0, 2)], [(1, 2)]], [[(0, 2)], [(1, 2)]]) == 1
    # The same span in another text is not right, nor is one that overlaps.
    assert entity_f1([[(0, 2)], []], [[], [(0, 2)]]) == 0
    assert entity_f1([[(0, 2)]], [[(0, 1)]]) == 0
    with pytest.raises(ShapeError, match="got 1 predicted and 2 true"):
        entity_f1([[]], [[], []])


def test_the_best_span_is_that_of_two_loops():
    generator = torch.Generator().manual_seed(0)
    for _ in range(100):
        start, end = torch.randn(2, 9, generator=generator)
        allowed = torch.rand(9, generator=generator) < 0.7
        allowed[4] = True
        for longest in (1, 3, 20):
            sums = {
                (i, j): (start[i] + end[j]).item()
                for i in range(9)
                for j in range(i, min(9, i + longest))
                if allowed[i] and allowed[j]
            }
            assert best_span(start, end, allowed, longest) == max(sums, key=sums.get)


def test_a_tie_goes_to_the_earliest_and_impossible_spans_are_refused():
    same, everywhere = torch.zeros(4), torch.ones(4, dtype=torch.bool)
    assert best_span(same, same, everywhere, 4) == (0, 0)
    with pytest.raises(ValueError, match="no span is allowed: 0 tokens, at most 4 long"):
        best_span(same, same, ~everywhere, 4)
    with pytest.raises(ValueError, match="at most 0 long"):
        best_span(same, same, everywhere, 0)
    with pytest.raises(ShapeError, match="must all be"):
        best_span(same, same[:3], everywhere, 4)


def test_the_best_span_is_found_where_the_logits_are():
    start, end = torch.tensor([0.0, 5.0, 1.0]), torch.tensor([9.0, 1.0, 3.0])
    allowed = torch.tensor([False, True, True])
    with torch.device("meta"):  # what says no device of its own lands there and does not fit
        assert best_span(start, end, allowed, longest=2) == (1, 2)
