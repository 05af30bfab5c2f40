"""One vector a word, from counting neighbours: what came before contextual vectors.

The recipe is from Levy and Goldberg (2014) and Levy et al. (2015): count which words occur near
which, keep the pairs that are more frequent than chance (PPMI), and compress the table (SVD).
"""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from threadpoolctl import threadpool_limits

from tutorial_lib.errors import VocabularyError


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, apostrophes inside a word kept.

    >>> words_of("O, 'tis thine: th'art mine.")
    ['o', 'tis', 'thine', "th'art", 'mine']
    """
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text.lower())


def cooccurrence(ids: np.ndarray, n_words: int, window: int) -> sparse.csr_array:
    """Count how often two words are at most `window` words apart, for each pair: sparse (V, V).

    ids (N,) are word ids in text order, -1 for words outside the vocabulary.

    >>> cooccurrence(np.array([0, 1, 0]), n_words=2, window=1).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    counts = sparse.csr_array((n_words, n_words))
    for offset in range(1, window + 1):
        left, right = ids[:-offset], ids[offset:]
        known = (left >= 0) & (right >= 0)
        pairs = (np.ones(known.sum()), (left[known], right[known]))
        counts = counts + sparse.coo_array(pairs, shape=counts.shape).tocsr()
    return (counts + counts.T).tocsr()  # to the left and to the right


def ppmi(counts: sparse.sparray, smoothing: float = 0.75) -> sparse.csr_array:
    """Return the positive pointwise mutual information of a table of counts: sparse (V, V).

    That is log(p(word, near) / (p(word) p(near))), or zero where this is negative. Rare neighbours
    would score too high, so the neighbours' counts are raised to the power `smoothing` (Levy et
    al. 2015).

    >>> ppmi(sparse.csr_array([[0.0, 2.0], [2.0, 0.0]])).toarray().round(3)  # log 2
    array([[0.   , 0.693],
           [0.693, 0.   ]])
    """
    table = counts.tocoo()
    word = counts.sum(axis=1)  # (V,)
    near = counts.sum(axis=0) ** smoothing  # (V,)
    expected = word[table.row] * (near / near.sum())[table.col]
    information = np.log(table.data / expected)
    keep = information > 0
    entries = (information[keep], (table.row[keep], table.col[keep]))
    return sparse.coo_array(entries, shape=table.shape).tocsr()


@dataclass(frozen=True)
class StaticVectors:
    """One vector of length 1 for each word: vectors (V, D), and the words in the same order."""

    words: tuple[str, ...]
    vectors: np.ndarray

    def __getitem__(self, word: str) -> np.ndarray:
        """Return the vector (D,) of a word; raises VocabularyError for an unknown one."""
        try:
            return self.vectors[self.words.index(word)]
        except ValueError:
            raise VocabularyError(
                f"{word!r} is not among the {len(self.words):,} words that are frequent enough"
            ) from None

    def nearest(self, word: str, n: int = 5) -> list[tuple[str, float]]:
        """Return the n words with the highest cosines with `word`, and these cosines."""
        cosines = self.vectors @ self[word]  # (V,)
        best = np.argsort(-cosines, kind="stable")
        return [(self.words[i], float(cosines[i])) for i in best if self.words[i] != word][:n]


def static_vectors(
    text: str, n_dimensions: int = 100, window: int = 4, min_count: int = 20
) -> StaticVectors:
    """Return one vector for each word that occurs at least `min_count` times in the text.

    The SVD keeps the n_dimensions strongest directions of the PPMI table. A word's vector is its
    row of U times the roots of the singular values. Raises VocabularyError when fewer words than
    dimensions are frequent enough.

    >>> vectors = static_vectors("the king and the queen saw a man " * 30, 2)
    >>> vectors.vectors.shape
    (7, 2)
    """
    tokens = words_of(text)
    words = tuple(w for w, count in Counter(tokens).most_common() if count >= min_count)
    if len(words) <= n_dimensions:
        raise VocabularyError(
            f"{len(words)} words occur at least {min_count} times: too few for "
            f"{n_dimensions} dimensions; give more text or lower min_count"
        )
    index = {word: i for i, word in enumerate(words)}
    ids = np.array([index.get(token, -1) for token in tokens])  # (N,)
    table = ppmi(cooccurrence(ids, len(words), window))  # (V, V)
    # The start vector is fixed: with a random one, the default, neighbours would change.
    # One thread: the products are so small that a second one makes them six times slower.
    with threadpool_limits(1):
        left, strength, _ = svds(table, k=n_dimensions, v0=np.ones(len(words)))
    vectors = left * np.sqrt(strength)  # (V, D)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return StaticVectors(words, vectors / np.maximum(norms, 1e-12))
