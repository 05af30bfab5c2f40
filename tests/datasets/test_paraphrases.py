import random
import re
from types import SimpleNamespace

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from tutorial_lib.datasets import load_shakespeare, paraphrased
from tutorial_lib.datasets.paraphrases import PARAPHRASES
from tutorial_lib.recipes import load_checkpoint


def content_words(text):
    return set(re.findall(r"[a-z]{3,}", text.lower())) - ENGLISH_STOP_WORDS


def test_each_is_of_one_speech_and_shares_no_content_word_with_it():
    speeches = load_shakespeare().speeches
    pairs = paraphrased(speeches)
    assert len({number for number, _ in pairs}) == len(pairs) == 24
    for number, paraphrase in pairs:
        assert 15 <= len(speeches[number].text.split()) <= 30
        assert not content_words(paraphrase) & content_words(speeches[number].text)


def test_they_are_those_that_were_drawn():
    every = load_shakespeare().speeches
    searched = [every[place] for place in load_checkpoint("speech-vectors").places.tolist()]
    short = [i for i, one in enumerate(searched) if 15 <= len(one.text.split()) <= 30]
    assert [i for i, _ in paraphrased(searched)] == random.Random(0).sample(short, 24)


def test_an_opening_that_fits_no_speech_or_several_is_named():
    speeches = [SimpleNamespace(text=opening + " and so on") for opening in PARAPHRASES]
    assert [number for number, _ in paraphrased(speeches)] == list(range(24))
    for wrong in (speeches[1:], [speeches[0], *speeches]):
        with pytest.raises(ValueError, match="Ha! what has he sent"):
            paraphrased(wrong)
