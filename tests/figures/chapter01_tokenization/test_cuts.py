"""Words cut in several ways: orders of merging, and a lattice of pieces."""

from itertools import pairwise

import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.figures import style
from tutorial_lib.tokenizers import encoding_states


def words(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_each_order_says_how_many_tokens_it_ends_with():
    ranks = {(b"a", b"t"): 0, (b"e", b"a"): 1, (b"e", b"at"): 2}
    states = {
        name: encoding_states((b"e", b"a", b"t"), ranks, by_rank)
        for name, by_rank in {"rank": True, "text": False}.items()
    }
    figure = figures.merge_orders(states, "eat")
    assert [axes.get_title("left") for axes in figure.axes] == ["rank: 1 token", "text: 2 tokens"]
    assert words(figure)[-3:] == ["merge 1", "ea", "t"]
    style.png(figure)


def test_the_lattice_shows_two_cuts_and_what_else_there_is():
    log_p = {"a": -3.0, "t": -3.0, "at": -2.0, "s": -1.0, "ts": -4.0}
    figure = figures.segmentations(
        "ats", log_p, ["at", "s"], "ats", other=["a", "ts"], names=("best", "BPE")
    )
    bold = [t.get_text() for t in figure.axes[0].texts if t.get_fontweight() == "bold"]
    assert sorted(bold) == ["BPE\n-7.0", "a  -3.0", "at  -2.0", "best\n-3.0", "s  -1.0", "ts  -4.0"]
    colours = [to_hex(arc.get_edgecolor()).upper() for arc in figure.axes[0].patches]
    assert colours.count(style.ORANGE.upper()) == colours.count(style.BLUE.upper()) == 2
    assert len(colours) == 5  # the letter t alone is pale
    style.png(figure)


def test_other_vocabularies_are_points_with_names():
    figure = figures.compression_curve(
        [256, 512, 1024, 2048], [1, 2, 2.5, 2.8], {"words": (60_000, 5.5)}, "more ids, fewer tokens"
    )
    assert "words" in words(figure)
    assert figure.axes[0].get_ylim()[1] > 5.5


def test_a_text_is_followed_from_its_characters_to_its_ids():
    figure = figures.text_stages(["é", " to"], [b"\xc3", b"\xa9", b" to"], [195, 169, 286], "é to")
    rows = ["text", "words", "bytes", "tokens", "ids"]
    shown = words(figure)
    parts = [shown[shown.index(a) + 2 : shown.index(b)] for a, b in pairwise(rows)]
    assert parts[0] == ["é", "·", "t", "o"]
    assert parts[1] == ["é", "·to"]
    assert parts[2] == ["c3", "a9", "·", "t", "o"]
    assert parts[3] == ["c3", "a9", "·to"]
    assert shown[-3:] == ["195", "169", "286"]
    style.png(figure)


def test_tokens_of_another_text_are_refused():
    with pytest.raises(ValueError, match="do not spell"):
        figures.text_stages(["to"], [b"t"], [116], "to")
