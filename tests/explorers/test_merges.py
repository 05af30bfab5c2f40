import pytest

from tutorial_lib.explorers import MergeStepper
from tutorial_lib.tokenizers import merge_steps, wordpiece_score, wordpiece_steps

WORDS = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}


def test_states_follow_the_steps_and_one_shows_the_end():
    (path,) = MergeStepper(list(merge_steps(WORDS, 2))).paths
    first, second, end = path["states"]
    assert first["chosen"] == ["a", "t"]
    assert [pair["tied"] for pair in first["pairs"]] == [False] * 8
    assert [pair["pair"] for pair in second["pairs"] if pair["tied"]] == [["e", "t"], ["p", "e"]]
    assert ["a", 0] in second["symbols"]
    assert end["chosen"] is None
    assert end["words"][1] == {"symbols": ["p", "et"], "count": 12}
    assert {"pair": ["p", "et"], "count": 12, "score": None, "tied": False} in end["pairs"]


def test_it_opens_after_as_many_merges_as_are_asked_for():
    widget = MergeStepper(list(merge_steps(WORDS, 2)), at=1)
    assert widget.position == 1
    assert widget.describe().startswith("after 1 merges")


def test_both_answers_to_the_tie():
    paths = {
        "take et": merge_steps(WORDS, 3),
        "take pe": merge_steps(WORDS, 3, choose=lambda ties: ties[-1]),
    }
    widget = MergeStepper(paths)
    assert [path["name"] for path in widget.paths] == ["take et", "take pe"]
    assert [path["states"][1]["chosen"] for path in widget.paths] == [["e", "t"], ["p", "e"]]
    assert [path["states"][-1]["words"][1]["symbols"] for path in widget.paths] == [["pet"]] * 2


def test_wordpiece_ranks_by_score_and_drops_its_mark():
    steps = list(wordpiece_steps(WORDS, 1))
    (path,) = MergeStepper(steps, score=wordpiece_score).paths
    scores = [pair["score"] for pair in path["states"][0]["pairs"]]
    assert scores == sorted(scores, reverse=True)
    first, second = path["states"][0]["chosen"]
    assert first + second.removeprefix("##") in [s for s, _ in path["states"][1]["symbols"]]


def test_steps_over_bytes_and_many_words():
    steps = list(merge_steps({(b"\xc3", b"\xa9"): 3}, 1))
    assert MergeStepper(steps).paths[0]["states"][-1]["symbols"][0] == ["<C3><A9>", 3]
    many = MergeStepper(list(merge_steps({f"w{i}": 1 for i in range(500)}, 1)))
    assert many.paths[0]["states"][0]["cut"]
    assert len(many.paths[0]["states"][0]["words"]) == 200


@pytest.mark.parametrize("steps", [[], {}, {"a": []}])
def test_no_steps_is_an_error(steps):
    with pytest.raises(ValueError, match="at least one step to show, got none"):
        MergeStepper(steps)


def test_it_reads_as_text():
    assert repr(MergeStepper(list(merge_steps(WORDS, 1)))) == "Merge stepper: run this cell"
