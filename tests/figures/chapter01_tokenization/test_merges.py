import pytest

from tutorial_lib import figures
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter01_tokenization.merges import pair_scores, readable
from tutorial_lib.tokenizers import merge_steps, wordpiece_score, wordpiece_steps

WORDS = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}


@pytest.fixture
def steps():
    return list(merge_steps(WORDS, 3))


def test_the_tie_and_the_choice_are_written_out(steps):
    figure = figures.merge_step(steps[1])
    assert figure.get_suptitle() == "Next merge: e + t → et, one of 2 that tie"
    pairs = [text.get_text() for text in figure.axes[2].texts]
    assert pairs[:3] == ["12  chosen", "12  tie", "10"]
    symbols = dict(
        zip(
            [label.get_text() for label in figure.axes[1].get_yticklabels()],
            [text.get_text() for text in figure.axes[1].texts],
            strict=True,
        )
    )
    assert symbols == {
        "at": "27",
        "e": "16",
        "p": "12",
        "t": "12",
        "c": "10",
        "r": "8",
        "m": "5",
        "s": "4",
        "a": "0",
    }


def test_wordpiece_steps_show_scores():
    plain = next(wordpiece_steps(WORDS, 1, continuation=""))
    marked = next(wordpiece_steps(WORDS, 1))
    assert pair_scores(plain, wordpiece_score)["p", "e"] == 0.0625
    assert pair_scores(marked, wordpiece_score)["p", "##e"] == pytest.approx(1 / 12)
    figure = figures.merge_step(marked, wordpiece_score)
    assert "Pairs by score" in figure.axes[2].get_title(loc="left")


def test_bytes_and_long_lists_can_be_drawn():
    step = next(merge_steps({(b"\xc3", b"\xa9", b"t"): 2}, 1))
    assert readable(b"\xc3") == "<C3>"
    assert "<C3> + <A9>" in figures.merge_step(step).get_suptitle() or step.pair[1] == b"t"
    many = next(merge_steps({f"word{i}": 1 for i in range(300)} | {"x" * 60: 1}, 1))
    assert style.png(figures.merge_step(many)).startswith(b"\x89PNG")
