import warnings

import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

SENTENCES = ["It flooded.", "It closed.", "It is full."]
SENSES = ["river", "money", "river"]
# "bank" starts as one vector and ends as one a sense.
VECTORS = np.array(
    [[[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0], [1.0, 1.0]]]
)  # (2, 3, 2)
OTHERS = np.array([[[0.0, 2.0], [1.0, 1.0]], [[-3.0, 0.0], [0.0, 1.0]]])  # (2, 2, 2)


def test_each_sentence_is_compared_with_its_sense_and_with_the_other():
    same, other = figures.sense_similarity(VECTORS, SENSES)
    np.testing.assert_allclose(same, [[1, 1], [0.5**0.5, 0.5**0.5]])  # money is alone
    np.testing.assert_allclose(other, [[1, 1, 1], [0, 0.5**1.5, 0.5**0.5]])


@pytest.mark.parametrize("senses", [["a", "a", "a"], ["a", "b", "c"], ["a", "b"]])
def test_senses_must_leave_pairs_of_both_kinds(senses):
    with pytest.raises(ShapeError, match=r"as many senses|one sense and one of another"):
        figures.sense_similarity(VECTORS, senses)


def dots(axes):
    """The height and colour of each dot of the right panel, and its cosine."""
    points = [line for line in axes.lines if line.get_marker() == "o"]
    return {(line.get_ydata()[0], line.get_color()): line.get_xdata()[0] for line in points}


def rows(axes):
    return {text.get_text(): text.xy[1] for text in axes.texts}


def test_thick_lines_are_the_means_of_its_own_sense_and_of_the_other():
    left, _ = figures.word_by_layer(VECTORS, SENSES, SENTENCES, title="Apart", layer=1).axes
    *thin, same, other = [line for line in left.lines if len(line.get_xdata()) == 2][1:]
    np.testing.assert_allclose(same.get_ydata(), [1, 0.5**0.5])
    np.testing.assert_allclose(other.get_ydata(), [1, 0.5**1.5])
    assert len(thin) == 6
    assert max(line.get_linewidth() for line in thin) < same.get_linewidth()
    words = figures.describe_word_by_layer(VECTORS, SENSES, SENTENCES, "bank", layer=1)
    assert "Same sense: 1.00, 0.71. Other sense: 1.00, 0.35." in words
    assert "“It closed.” alone and 0.35" in words


def test_each_sentence_has_its_two_cosines_below_the_name_of_its_sense():
    figure = figures.word_by_layer(VECTORS, SENSES, SENTENCES, layer=1)
    right = figure.axes[1]
    found, at = dots(right), rows(right)
    assert sorted(at, key=at.get) == ["river", "It flooded.", "It is full.", "money", "It closed."]
    for sentence, own, to_other in (
        ("It flooded.", 0.5**0.5, 0),
        ("It closed.", np.nan, 0.5**1.5),  # alone with its sense
        ("It is full.", 0.5**0.5, 0.5**0.5),
    ):
        np.testing.assert_allclose(found[at[sentence], style.BLUE], own, atol=1e-9)
        np.testing.assert_allclose(found[at[sentence], style.GREEN], to_other, atol=1e-9)
    low, high = right.get_xlim()
    assert low < 0
    assert 0.5**0.5 < high < 0.8
    assert style.png(figure)


def test_two_dots_in_one_place_are_both_seen():
    right = figures.word_by_layer(VECTORS, SENSES, SENTENCES, layer=1).axes[1]
    height = rows(right)["It is full."]
    points = [line for line in right.lines if line.get_marker() == "o"]
    back, front = (line for line in points if line.get_ydata()[0] == height)
    assert back.get_markersize() > 1.5 * front.get_markersize()
    assert back.get_zorder() < front.get_zorder()


def grey_lines(axes):
    return [line for line in axes.lines if line.get_color() == style.GREY]


def test_below_stands_the_cosine_with_other_words_and_the_rest_stays():
    def cosine(one, two):
        return sum(one * two) / (sum(one**2) * sum(two**2)) ** 0.5

    expected = [
        [sum(cosine(one, two) for two in others) / len(others) for one in vectors]
        for vectors, others in zip(VECTORS, OTHERS, strict=True)
    ]  # (L + 1, N)
    np.testing.assert_allclose(figures.other_word_similarity(VECTORS, OTHERS), expected, atol=1e-9)
    plain = figures.word_by_layer(VECTORS, SENSES, SENTENCES, layer=1)
    figure = figures.word_by_layer(VECTORS, SENSES, SENTENCES, layer=1, others=OTHERS)
    left, right, below = figure.axes
    *thin, mean = grey_lines(below)
    np.testing.assert_allclose(
        np.transpose([line.get_ydata() for line in thin]), expected, atol=1e-9
    )
    means = [sum(layer) / 3 for layer in expected]
    np.testing.assert_allclose(mean.get_ydata(), means, atol=1e-9)
    assert not grey_lines(left)
    assert dots(right) == pytest.approx(dots(plain.axes[1]), nan_ok=True)
    for with_it, without in zip(left.lines, plain.axes[0].lines, strict=True):
        np.testing.assert_array_equal(with_it.get_ydata(), without.get_ydata())
    words = figures.describe_word_by_layer(
        VECTORS, SENSES, SENTENCES, "bank", layer=1, others=OTHERS
    )
    said = ", ".join(f"{mean:z.2f}" for mean in means)
    assert f"Other sense: 1.00, 0.35. Of “bank” and another word, in grey: {said}. After" in words
    assert "grey" not in figures.describe_word_by_layer(VECTORS, SENSES, SENTENCES, layer=1)


def test_two_parts_of_one_axis_are_marked_as_cut_only_where_one_lies_above_the_other():
    near = VECTORS + np.array([20.0, 0.0])  # all senses alike: no cosine below 0.9
    across = np.array([[[0.0, 1.0]], [[0.0, -1.0]]])
    apart = figures.word_by_layer(near, SENSES, SENTENCES, layer=1, others=across)
    mixed = figures.word_by_layer(VECTORS, SENSES, SENTENCES, layer=1, others=OTHERS)
    assert [len(figure.artists) for figure in (apart, mixed)] == [2, 0]
    for figure in (apart, mixed):
        style.png(figure)
        left, _, below = figure.axes
        (name,), places = below.texts, below.get_window_extent()
        assert name.get_text() == "“bank” and another word"
        highest = max(line.get_window_extent().y1 for line in grey_lines(below))
        assert highest < name.get_window_extent().y0
        assert name.get_window_extent().y1 <= places.y1 < left.get_window_extent().y0
        assert left.get_xlim() == below.get_xlim()


def test_other_words_must_have_the_same_layers_and_width():
    for wrong in (OTHERS[:1], OTHERS[:, :, :1]):
        with pytest.raises(ShapeError, match=r"others must be \(L \+ 1, M, D\) like the vectors"):
            figures.word_by_layer(VECTORS, SENSES, SENTENCES, layer=1, others=wrong)


@pytest.mark.parametrize("n", [1, 20])
def test_names_of_any_length_and_number_stay_left_of_the_dots_and_within_the_picture(n):
    sentences = ["The 😀 " + "of a very long sentence " * 9, "", "It is <b>$x$."]
    vectors = np.concatenate([VECTORS] * n, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = figures.word_by_layer(vectors, SENSES * n, sentences * n, layer=0)
        style.png(figure)
    left, right = figure.axes
    assert right.get_window_extent().width > 1.5 * style.DPI
    for text in right.texts:
        place, panel = text.get_window_extent(), right.get_window_extent()
        assert left.get_window_extent().x1 < place.x0
        assert place.x1 < panel.x0
        assert panel.y0 < place.y0 <= place.y1 < panel.y1


def test_sentences_and_layer_must_fit():
    with pytest.raises(ShapeError, match="3 vectors need as many sentences, got 2"):
        figures.word_by_layer(VECTORS, SENSES, SENTENCES[1:])
    for draw in (figures.word_by_layer, figures.describe_word_by_layer):
        with pytest.raises(ShapeError, match="layers 0 to 1, got layer 4"):
            draw(VECTORS, SENSES, SENTENCES)
