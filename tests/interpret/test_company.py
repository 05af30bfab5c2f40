import torch

from tutorial_lib.interpret import rare_company

PAGES = [
    (["zwei", "und"], ["forty", "and", "two"], torch.rand(2, 3)),
    (["acht", "hundert"], ["eight", "hundred", "and"], torch.rand(2, 3)),
]


def test_a_word_weighs_less_the_more_often_it_occurs():
    for (german, english, _), (same, words, _) in zip(PAGES, rare_company(PAGES), strict=True):
        assert (same, words) == (german, english)
    first, second = (weights for _, _, weights in rare_company(PAGES))
    assert first.tolist() == [[1, 0.5, 1]] * 2
    assert second.tolist() == [[1, 1, 0.5]] * 2
