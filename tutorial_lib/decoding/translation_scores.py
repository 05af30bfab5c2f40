"""How good translations are: exact match, and chrF and BLEU as sacrebleu computes them."""

from tutorial_lib.errors import ShapeError


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
    return _corpus_score("CHRF", translations, references)


def bleu(translations, references):
    """Return BLEU, 0 to 100: how many sequences of 1 to 4 words both sides share.

    The geometric mean of four precisions over all sentences together, times a penalty for being
    short (Papineni et al. 2002; Post 2018). Words are cut as sacrebleu does by itself ("13a":
    punctuation stands alone, capitals count). A precision without a match is smoothed, not 0; but
    where no sentence has four words there is nothing to count, and BLEU is 0. Raises as
    exact_match does.

    >>> bleu(["le deux mars mille"], ["le deux mars mille"]), bleu(["zwei"], ["zwei"])
    (100.0, 0.0)
    """
    return _corpus_score("BLEU", translations, references)


def _corpus_score(name, translations, references):
    from sacrebleu import metrics  # here, so that nobody else waits for it

    _check(translations, references)
    score = getattr(metrics, name)().corpus_score(list(translations), [list(references)]).score
    return round(score, 6)  # full marks come as 100.00000000000004


def _check(translations, references):
    if not len(references) or len(translations) != len(references):
        raise ShapeError(
            "scores need translations and one reference for each, "
            f"got {len(translations)} translations and {len(references)} references"
        )
