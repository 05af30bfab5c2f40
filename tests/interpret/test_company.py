import torch

from tutorial_lib.interpret import company, rare_company

PAGES = [
    (["zwei", "und"], ["forty", "and", "two"], torch.rand(2, 3)),
    (["acht", "hundert"], ["eight", "hundred", "and"], torch.rand(2, 3)),
]


def test_company_weighs_all_alike_and_rare_company_by_how_often_a_word_occurs():
    for (german, english, weights), (same, words, ones) in zip(PAGES, company(PAGES), strict=True):
        assert (same, words) == (german, english)
        assert ones.equal(torch.ones_like(weights))
    first, second = (weights for _, _, weights in rare_company(PAGES))
    assert first.tolist() == [[1, 0.5, 1]] * 2
    assert second.tolist() == [[1, 1, 0.5]] * 2
