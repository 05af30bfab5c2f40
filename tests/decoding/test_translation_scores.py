import pytest
import sacrebleu

from tutorial_lib.decoding import bleu, chrf, exact_match
from tutorial_lib.errors import ShapeError

REFERENCES = [
    "lundi trois mars mille neuf cent dix-neuf",
    "mardi vingt et un août deux mille",
    "six cent trente-six mille",
]
TRANSLATIONS = [
    "lundi trois mars mille neuf cent dix-neuf",
    "mardi vingt et un mars deux mille",
    "six cent trente mille",
]


def test_the_scores_are_those_of_sacrebleu():
    found = bleu(TRANSLATIONS, REFERENCES), chrf(TRANSLATIONS, REFERENCES)
    assert found[0] == pytest.approx(sacrebleu.corpus_bleu(TRANSLATIONS, [REFERENCES]).score)
    assert found[1] == pytest.approx(sacrebleu.corpus_chrf(TRANSLATIONS, [REFERENCES]).score)
    assert all(0 < score < 100 for score in found)
    assert exact_match(TRANSLATIONS, REFERENCES) == pytest.approx(1 / 3)


def test_perfect_translations_score_full_marks():
    scores = [score(REFERENCES, REFERENCES) for score in (exact_match, chrf, bleu)]
    assert scores == [1.0, 100.0, 100.0]


def test_bleu_of_perfect_single_words_is_zero():
    words = ["zweiundvierzig", "siebenhundert"]
    assert [score(words, words) for score in (exact_match, chrf, bleu)] == [1.0, 100.0, 0.0]


def test_a_precision_without_a_match_is_smoothed_and_capitals_count():
    reference = ["le deux mars mille neuf cent"]
    assert 0 < bleu(["un deux avril mille trois cent"], reference) < 20
    assert bleu(["Le deux mars mille neuf cent"], reference) < 100


def test_exact_match_is_by_letter_and_in_order():
    assert exact_match(["Zwei", "drei"], ["zwei", "drei"]) == 0.5
    assert exact_match(["drei", "zwei"], ["zwei", "drei"]) == 0.0


@pytest.mark.parametrize("score", [exact_match, chrf, bleu])
def test_each_translation_needs_a_reference(score):
    with pytest.raises(ShapeError, match="got 1 translations and 2 references"):
        score(["zwei"], ["zwei", "drei"])
    with pytest.raises(ShapeError, match="got 0 translations and 0 references"):
        score([], [])
