import warnings

import matplotlib
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WORDS = ["the", "train", "was", "late"]


def lines(axes, colour):
    """The lines of a colour, as (lower place, upper place) in columns."""
    found = [one for one in axes.lines if one.get_color() == colour and len(one.get_xdata()) == 2]
    column = 0.85  # the widest name is [MASK]
    return {tuple(round(x / column) for x in line.get_xdata()) for line in found}


def of(letter, index):
    return rf"${letter}_{{\text{{{index}}}}}$"


def boxes(axes):
    """The colours of each box, by the text in its middle, and the box in pixels."""
    found = {}
    for text in axes.texts:
        for patch in axes.patches:
            place = patch.get_window_extent()
            if place.contains(*axes.transData.transform(text.get_position())):
                look = [matplotlib.colors.to_hex(patch.get_facecolor())]
                look.append(matplotlib.colors.to_hex(patch.get_edgecolor()))
                found[text.get_text()] = look, place, text.get_window_extent()
    return found


def texts(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def test_gpt_looks_back_and_bert_at_all_positions():
    gpt, bert = figures.masked_objectives(WORDS, [1], "3 terms or 1").axes
    with_loss = lines(gpt, style.BLUE)
    assert with_loss == {(s, t) for t in (1, 2, 3) for s in range(1, t + 1)}
    assert lines(gpt, style.GRID) == {(s, 4) for s in (1, 2, 3, 4)}
    assert lines(bert, style.BLUE) == {(s, 2) for s in range(6)}
    assert lines(bert, style.GRID) == {(s, t) for s in range(6) for t in (0, 1, 3, 4, 5)}


def test_the_panels_count_their_loss_terms_and_name_the_targets():
    gpt, bert = figures.masked_objectives(WORDS, [3, 1, 1]).axes
    assert gpt.get_title(loc="left") == "GPT predicts the next token: 3 loss terms per pass"
    assert bert.get_title(loc="left") == "BERT predicts the hidden tokens: 2 loss terms per pass"
    assert texts(gpt)[:3] == WORDS[1:]
    assert texts(bert)[:2] == ["train", "late"]
    assert texts(bert)[2:8] == ["[CLS]", "the", "[MASK]", "was", "[MASK]", "[SEP]"]
    words = figures.describe_masked_objectives(WORDS, [3, 1])
    assert "3 loss terms" in words
    assert "(train, late)" in words


def test_a_hidden_token_looks_as_in_the_explorers():
    _, bert = figures.masked_objectives(WORDS, [1]).axes
    shown = boxes(bert)
    assert shown["[MASK]"][0] == [style.PALE_BLUE, style.BLUE]
    assert shown["the"][0] == shown["[CLS]"][0] == [style.CARD, style.MUTED]


@pytest.mark.parametrize(("words", "hidden"), [(["one"], [0]), (WORDS, []), (WORDS, [4])])
def test_hidden_indices_must_be_words(words, hidden):
    with pytest.raises(ShapeError, match="indices of hidden ones"):
        figures.masked_objectives(words, hidden)


def test_three_vectors_stand_above_what_the_first_layer_reads():
    (axes,) = figures.input_representation(["[CLS]", "so", "[SEP]", "it"], [0, 0, 0, 1]).axes
    shown = texts(axes)
    column = [of("E", "it"), "+", of("E", "B"), "+", of("E", 3), of("x", 3)]
    start = shown.index("it")
    assert sorted(shown[start + 1 : start + 7]) == sorted(column)
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    (norm,) = (name for name in heights if "LayerNorm" in name)
    assert heights["first layer reads"] == heights[of("x", 3)] < heights[norm] < heights[of("E", 3)]
    words = figures.describe_input_representation(["[CLS]", "so"], [0, 1])
    assert "[CLS] A 0, so B 1" in words


def test_each_vector_is_written_within_its_box_and_has_the_tint_of_its_table():
    tokens = ["[CLS]", "who", "is", "there", "?", "[SEP]", "answer", "me", ".", "[SEP]"]
    figure = figures.input_representation(tokens, [0] * 6 + [1] * 4, "Three are added")
    assert 900 <= figure.canvas.get_width_height()[0] <= 990
    style.png(figure)  # places are known when it is drawn
    shown = boxes(figure.axes[0])
    assert len(shown) == 9 + 2 + 10 + 10 + 1  # two tokens are [SEP]
    for _, box, text in shown.values():
        assert box.x0 + 3 < text.x0 < text.x1 < box.x1 - 3
    fills = {name: shown[of("E", name)][0][0] for name in ("who", "A", "B", 0)}
    assert len({*fills.values()}) == 4
    assert {shown[of("E", name)][0][1] for name in fills} == {style.PINK}


@pytest.mark.parametrize("segments", [[0], [0, 2]])
def test_segments_must_fit(segments):
    with pytest.raises(ShapeError, match="one segment, 0 or 1, for each token"):
        figures.input_representation(["[CLS]", "so"], segments)


def test_any_word_can_be_drawn():
    odd = ["😀", "שלום", "$x$", "<script>", "a" * 400, "\x00", "\\", "{", "}$", "^_#%&~'"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.png(figures.masked_objectives(odd, [0]))
        style.png(figures.input_representation(odd, [0] * len(odd)))
