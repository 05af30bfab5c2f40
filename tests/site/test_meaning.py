"""Explorers that read with MiniLM find on a page what they find in a notebook."""

from functools import partial

import pytest
import torch

from tutorial_lib import explorers
from tutorial_lib.datasets import load_named_emoji, load_shakespeare, minilm_folder
from tutorial_lib.models import BERT
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.emoji_finder import load_emoji_finder
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXTS = [
    "a wild animal",
    "He pretends to be crazy.",
    "Shall I compare thee to a summer's day? O, methinks THE LADY doth protest too much!",
    "",
    " \n\t ",
    "🙂🐈‍⬛",
    "zzyzx qwrtp",
    "[MASK] of [PAD] the [PAD][PAD] king [CLS] [SEP]",
    "[PAD]",
    "Ein Esel, naïve café, İstanbul, 日本の猫 مرحبا",
    "half a pair: \ud83d or two \ude00",
    "to be or not " * 500,  # 2,000 words
]
TOO_LONG = "한국어 " * 100  # has more tokens than MiniLM has positions


@pytest.fixture(scope="module")
def minilm():
    folder = minilm_folder()
    return BERT.from_pretrained(folder).eval(), WordPieceTokenizer.from_pretrained(folder)


def alike(one, other, tolerance=1e-3):
    """Whether two lists of hits (score, what) are the same but where scores lie that close.

    Half precision changes a cosine by up to 4e-4: so two hits that are closer may change places,
    and the last ones may be others.
    """
    close = partial(pytest.approx, abs=tolerance)
    if [score for score, _ in one] != close([score for score, _ in other]):
        return False
    scores = {what: score for score, what in one}
    last = one[-1][0] if one else 0
    return all(scores.get(what, last) == close(score) for score, what in other)


def test_speeches_are_found_alike_by_meaning_and_by_words(both, large, minilm):
    speeches = load_shakespeare().speeches
    finder = explorers.SpeechFinder(load_checkpoint("speech-vectors"), speeches, *minilm)
    widget = explorers.SpeechSearch(finder)
    requests = [{"text": text, "n": 20} for text in [*TEXTS, TOO_LONG]]
    requests += [{"text": TEXTS[1], "n": n, "genre": genre}
                 for n, genre in ((0, ""), (99, "comedies"), (3, "tragedies"))]  # fmt: skip
    for python, javascript in both("search", widget, requests, large):
        python.pop("milliseconds", None), javascript.pop("milliseconds", None)
        pairs = [(python.pop("columns", []), javascript.pop("columns", []))]
        assert python == javascript
        for one, other in zip(*pairs[0], strict=True):
            assert one["name"] == other["name"]
            hits = ([(score, (where, said)) for score, where, said in side["hits"]]
                    for side in (one, other))  # fmt: skip
            assert alike(*hits)


# A text of 512 tokens takes JavaScript some seconds.
@pytest.mark.parametrize("texts", [TEXTS, pytest.param([TOO_LONG], marks=pytest.mark.sweep)])
def test_emoji_are_found_alike(both, large, texts):
    finder, unseen = load_emoji_finder(), load_named_emoji(size=16).test
    find = partial(finder.find, k=200)
    widget = explorers.EmojiFinder(find, unseen.images, unseen.names, concepts=unseen.concepts)
    requests = [{"text": text, "n": 20} for text in texts]
    for python, javascript in both("emoji_finder", widget, requests, large):
        assert python["asked"] == javascript["asked"]
        assert alike(*([hit[::-1] for hit in side["hits"]] for side in (python, javascript)))


def test_half_precision_turns_no_vector(large, minilm):
    """The weights on the page, rounded to half precision, give Python's own vectors."""
    model, tokenizer = minilm
    rounded = BERT.from_pretrained(minilm_folder()).half().float().eval()
    with torch.no_grad():
        for text in filter(str.strip, TEXTS):
            ids = torch.tensor([tokenizer.encode(text).ids[:512]])
            cosine = model.sentence_vectors(ids) @ rounded.sentence_vectors(ids).T
            assert cosine.item() > 1 - 1e-4
