import numpy as np
import pytest
from scipy import sparse

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.embeddings import cooccurrence, ppmi, static_vectors, words_of
from tutorial_lib.errors import VocabularyError


@pytest.fixture(scope="module")
def shakespeare():
    return static_vectors("\n".join(speech.text for speech in load_shakespeare().speeches))


def test_neighbours_make_sense(shakespeare):
    def neighbours(word):
        return [other for other, _ in shakespeare.nearest(word)]

    assert neighbours("night")[0] == "day"
    assert neighbours("thou")[0] == "art"
    assert set(neighbours("father")) >= {"son", "brother", "mother", "daughter"}
    assert set(neighbours("sea")) >= {"water", "shore", "tempest"}


def test_vectors_are_unit_length_and_cosines_sorted(shakespeare):
    assert np.allclose(np.linalg.norm(shakespeare.vectors, axis=1), 1)
    cosines = [cosine for _, cosine in shakespeare.nearest("king", 10)]
    assert cosines == sorted(cosines, reverse=True)
    assert len(cosines) == 10
    assert cosines[0] == pytest.approx(
        shakespeare["king"] @ shakespeare[shakespeare.nearest("king", 1)[0][0]]
    )


def test_the_same_text_gives_the_same_neighbours():
    text = load_shakespeare().plays[0].text
    one, two = (static_vectors(text, 10, min_count=5) for _ in range(2))
    assert one.words == two.words
    assert np.allclose(one.vectors @ one.vectors.T, two.vectors @ two.vectors.T, atol=1e-6)


def test_cooccurrence_equals_two_loops():
    ids = np.random.default_rng(0).integers(-1, 4, 50)
    expected = np.zeros((4, 4))
    for i, word in enumerate(ids):
        for near in range(max(0, i - 3), min(len(ids), i + 4)):
            if near != i and word >= 0 and ids[near] >= 0:
                expected[word, ids[near]] += 1
    assert np.array_equal(cooccurrence(ids, 4, window=3).toarray(), expected)


def test_ppmi_equals_the_formula():
    counts = np.random.default_rng(0).integers(0, 5, (6, 6)).astype(float)
    near = counts.sum(0) ** 0.75
    with np.errstate(divide="ignore"):
        expected = np.log(counts / np.outer(counts.sum(1), near / near.sum()))
    found = ppmi(sparse.csr_array(counts)).toarray()
    assert np.allclose(found, np.maximum(expected, 0))


def test_vectors_are_the_strongest_directions_of_the_table():
    text = "the king and the queen saw a man and the dog saw the king " * 30
    found = static_vectors(text, 3)
    tokens = words_of(text)
    ids = np.array([found.words.index(token) for token in tokens])
    table = ppmi(cooccurrence(ids, len(found.words), window=4)).toarray()
    left, strength, _ = np.linalg.svd(table)
    expected = left[:, :3] * np.sqrt(strength[:3])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    # The sign of a direction is free, the cosines are not.
    assert np.allclose(found.vectors @ found.vectors.T, expected @ expected.T)


def test_words_that_occur_min_count_times_are_in():
    text = "to be or not " * 20 + "rare"
    assert set(static_vectors(text, 2).words) == {"to", "be", "or", "not"}
    with pytest.raises(VocabularyError, match="4 words occur at least 20 times: too few for 4"):
        static_vectors(text, 4)
    assert len(static_vectors(text, 2, min_count=1).nearest("to", 3)) == 3


def test_words_keep_inner_apostrophes_and_accents():
    assert words_of("Là! 'Tis o'er-- 3 times") == ["là", "tis", "o'er", "times"]


def test_bad_input(shakespeare):
    with pytest.raises(VocabularyError, match="'telephone' is not among the 3,"):
        shakespeare.nearest("telephone")
    with pytest.raises(VocabularyError, match="0 words occur at least 20 times"):
        static_vectors("")
    with pytest.raises(VocabularyError, match="too few for 100 dimensions"):
        static_vectors("to be or not to be " * 50)
