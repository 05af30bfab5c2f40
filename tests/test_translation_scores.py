import pytest
import sacrebleu

from tutorial_lib.errors import ShapeError
from tutorial_lib.translation_scores import bleu, chrf, exact_match, translation_scores

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
    scores = translation_scores(TRANSLATIONS, REFERENCES)
    assert scores.exact_match == pytest.approx(1 / 3)
    assert scores.bleu == pytest.approx(sacrebleu.corpus_bleu(TRANSLATIONS, [REFERENCES]).score)
    assert scores.chrf == pytest.approx(sacrebleu.corpus_chrf(TRANSLATIONS, [REFERENCES]).score)
    assert 0 < scores.bleu < 100
    assert 0 < scores.chrf < 100


def test_perfect_translations_score_full_marks():
    assert translation_scores(REFERENCES, REFERENCES) == (1.0, 100.0, 100.0)


def test_bleu_of_perfect_single_words_is_zero():
    words = ["zweiundvierzig", "siebenhundert"]
    assert translation_scores(words, words) == (1.0, 100.0, 0.0)


def test_exact_match_is_by_letter_and_in_order():
    assert exact_match(["Zwei", "drei"], ["zwei", "drei"]) == 0.5
    assert exact_match(["drei", "zwei"], ["zwei", "drei"]) == 0.0


@pytest.mark.parametrize("score", [exact_match, chrf, bleu, translation_scores])
def test_each_translation_needs_a_reference(score):
    with pytest.raises(ShapeError, match="got 1 translations and 2 references"):
        score(["zwei"], ["zwei", "drei"])
    with pytest.raises(ShapeError, match="got 0 translations and 0 references"):
        score([], [])
