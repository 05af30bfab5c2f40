"""How good translations are: exact match, and chrF and BLEU as sacrebleu computes them."""

from typing import NamedTuple

from sacrebleu.metrics import BLEU, CHRF

from tutorial_lib.errors import ShapeError


class Scores(NamedTuple):
    """Three scores of the same translations: a share from 0 to 1, and two from 0 to 100."""

    exact_match: float
    chrf: float
    bleu: float


def translation_scores(translations, references):
    """Return the Scores of a list of translations, each against one reference.

    Raises ShapeError as its parts do.

    >>> translation_scores(["deux mille un"], ["deux mille un"])
    Scores(exact_match=1.0, chrf=100.0, bleu=0.0)
    """
    return Scores(*(score(translations, references) for score in (exact_match, chrf, bleu)))


def exact_match(translations, references):
    """Return the share of translations that equal their reference letter by letter.

    Raises ShapeError when there is none, or not one reference each.

    >>> exact_match(["zwei", "dreizehn"], ["zwei", "dreißig"])
    0.5
    """
    _check(translations, references)
    return sum(map(str.__eq__, translations, references)) / len(references)


def chrf(translations, references):
    """Return chrF2, 0 to 100: how many sequences of 1 to 6 characters both sides share.

    Recall counts twice as much as precision (Popović 2015). Raises as exact_match does.

    >>> round(chrf(["dreizehn"], ["dreißig"]))
    28
    """
    _check(translations, references)
    return round(CHRF().corpus_score(list(translations), [list(references)]).score, 6)


def bleu(translations, references):
    """Return BLEU, 0 to 100: how many sequences of 1 to 4 words both sides share.

    The geometric mean of four precisions over all sentences together, times a penalty for being
    short (Papineni et al. 2002; Post 2018). Where no sentence has four words the last precision,
    and with it the mean, is 0. Raises as exact_match does.

    >>> bleu(["le deux mars mille"], ["le deux mars mille"]), bleu(["zwei"], ["zwei"])
    (100.0, 0.0)
    """
    _check(translations, references)
    return round(BLEU().corpus_score(list(translations), [list(references)]).score, 6)


def _check(translations, references):
    if not len(references) or len(translations) != len(references):
        raise ShapeError(
            "scores need translations and one reference for each, "
            f"got {len(translations)} translations and {len(references)} references"
        )
