import pytest

from tutorial_lib.training import warmup_cosine, warmup_inverse_root


def test_cosine_rises_then_falls_to_zero():
    rates = [warmup_cosine(step, steps=100, peak=2.0, warmup=10) for step in range(1, 101)]
    assert rates[0] == pytest.approx(0.2)
    assert rates.index(max(rates)) == 9
    assert max(rates) == 2.0
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert rates[-1] == pytest.approx(0)
    assert warmup_cosine(500, steps=100, peak=2.0, warmup=10) == pytest.approx(0)
    assert warmup_cosine(1, steps=1, peak=2.0, warmup=1) == 2.0


def test_inverse_root_is_the_formula_of_the_paper():
    for step in (1, 100, 4000, 40_000):
        expected = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
        assert warmup_inverse_root(step, 512) == expected
