import math
from itertools import pairwise

import pytest

from tutorial_lib.figures import word_links, word_paths
from tutorial_lib.figures.style import ORANGE


def reached(kind, n_words):
    places = {0}
    for links in word_links(kind, n_words):
        places |= {there for here, there in links if here in places}
    return places


@pytest.mark.parametrize("kind", ["recurrent", "convolution", "attention"])
@pytest.mark.parametrize("n_words", [1, 2, 5, 8, 33])
def test_the_first_word_reaches_every_place(kind, n_words):
    assert reached(kind, n_words) == set(range(n_words))


@pytest.mark.parametrize("n_words", [2, 8, 33])
def test_number_of_steps(n_words):
    steps = {kind: len(word_links(kind, n_words)) for kind in ("recurrent", "convolution")}
    assert steps == {"recurrent": n_words - 1, "convolution": math.ceil(math.log2(n_words))}
    assert len(word_links("attention", n_words)) == 1


def test_only_attention_looks_ahead():
    for kind in ("recurrent", "convolution"):
        assert all(here <= there for links in word_links(kind, 8) for here, there in links)


def test_unknown_kind():
    with pytest.raises(ValueError, match="kind must be recurrent, convolution or attention"):
        word_links("gossip", 3)


@pytest.mark.parametrize("n_words", [2, 8])
def test_the_marked_way_leads_from_first_to_last(n_words):
    for axes in word_paths(n_words).axes:
        way = [line.get_xdata() for line in axes.lines if line.get_color() == ORANGE]
        assert way[0][0] == 0
        assert way[-1][1] == n_words - 1
        assert all(a[1] == b[0] for a, b in pairwise(way))
