import warnings

from tutorial_lib import figures
from tutorial_lib.figures import style
from tutorial_lib.figures.tokens import visible


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_white_space_is_visible():
    assert visible(" a\tb\r\n") == "·a→b␍↵"


def test_each_tokenizer_has_its_strip_with_ids():
    figure = figures.token_strips({"one": [("the", 5), (" cat", 7)], "two": [("t", 1)]}, "the cat")
    shown = words(figure)
    assert shown == [
        "one",
        "2 tokens, 3.50 characters a token",
        "the",
        "5",
        "·cat",
        "7",
        *shown[6:],
    ]
    assert "two needs the fewest tokens, 1" in figure.axes[0].get_title(loc="left")
    assert "5" not in words(figures.token_strips({"one": [("the", 5)]}, "the", ids=False))


def test_any_text_can_be_drawn_without_a_missing_glyph():
    odd = ["😀", "日本", "שלום", "$x$", "<script>", "a" * 400, "\x00"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.png(figures.token_strips({"odd": [(token, 1) for token in odd]}, "".join(odd)))


def test_long_and_empty_texts():
    figure = figures.token_strips({"many": [(" word", i) for i in range(3000)]}, " word" * 3000)
    assert "…" in words(figure)
    assert len(words(figure)) < 700
    empty = figures.token_strips({"none": []}, "")
    assert empty.axes[0].get_title(loc="left") == "No text, no tokens"
