import pytest

from tutorial_lib.explorers.merge_words import pair_scores, readable
from tutorial_lib.tokenizers import wordpiece_score, wordpiece_steps

WORDS = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}


def test_wordpiece_steps_show_scores():
    plain = next(wordpiece_steps(WORDS, 1, continuation=""))
    marked = next(wordpiece_steps(WORDS, 1))
    assert pair_scores(plain, wordpiece_score)["p", "e"] == 0.0625
    assert pair_scores(marked, wordpiece_score)["p", "##e"] == pytest.approx(1 / 12)


def test_a_byte_that_is_no_letter_is_readable():
    assert readable(b"\xc3") == "<C3>"
