"""Speeches by meaning and speeches by words: the same question asked in two ways."""

from typing import NamedTuple

import torch
from sklearn.feature_extraction.text import TfidfVectorizer

from tutorial_lib.embeddings import text_vectors
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.reading import reading


class Hit(NamedTuple):
    """A speech that was found, with its cosine with the query."""

    score: float
    play: str
    genre: str
    act: str
    scene: str
    speaker: str
    text: str


class SpeechFinder:
    """Finds speeches whose vectors are close to that of a query, and those that share its words.

    table: RoundedVectors whose places point into speeches, a list of `datasets.Speech`; model and
    tokenizer: the BERT that made the vectors. Words are weighted by how rare they are (TF-IDF),
    over the same speeches. Raises ShapeError when the places point outside of speeches.
    """

    def __init__(self, table, speeches, model, tokenizer):
        places = table.places.tolist()
        if not places or not 0 <= min(places) <= max(places) < len(speeches):
            raise ShapeError(
                f"the vectors' places must lie in the list of {len(speeches):,} speeches, got "
                f"{len(places):,} of them, up to {max(places, default=None)}"
            )
        self.table, self.model, self.tokenizer = table, model, tokenizer
        self.speeches = [speeches[place] for place in places]
        self.genres = sorted({speech.genre for speech in self.speeches})
        self._words = TfidfVectorizer(sublinear_tf=True)
        self._counts = self._words.fit_transform(speech.text for speech in self.speeches)
        self._names = self._words.get_feature_names_out()
        self._stands_in = self._counts.getnnz(axis=0)  # (words,): in how many speeches
        self._of_genre = {
            genre: torch.tensor([speech.genre == genre for speech in self.speeches])
            for genre in self.genres
        }

    def __len__(self):
        return len(self.speeches)

    def find(self, query, n=5, genre=None):
        """Return {"by meaning": hits, "by words": hits}, at most n each, the closest first.

        genre: one of `genres`, or None for all. A speech that shares no word is not found by
        words. Raises ValueError for an unknown genre.
        """
        if genre is not None and genre not in self.genres:
            raise ValueError(f"genre must be one of {', '.join(self.genres)}, got {genre!r}")
        if not query.strip():
            return {"by meaning": [], "by words": []}
        with reading(self.model):
            vector = text_vectors(self.model, self.tokenizer, [query])[0]  # (D,)
        by_meaning = self.table.cosines(vector)  # (N,)
        return {
            "by meaning": self._best(by_meaning, n, genre),
            "by words": [
                hit for hit in self._best(self.word_cosines(query), n, genre) if hit.score > 0
            ],
        }

    def word_cosines(self, query):
        """Return the cosine of the query's and of each speech's TF-IDF counts of words, (N,)."""
        return torch.from_numpy((self._counts @ self._words.transform([query]).T).toarray()[:, 0])

    def rare_words(self, query, share=0.05):
        """Return the query's words that stand in at most this share of the speeches, sorted.

        They are what a search by words mostly goes by.
        """
        words = self._words.transform([query]).indices
        rare = words[self._stands_in[words] <= share * len(self)]
        return sorted(map(str, self._names[rare]))

    def _best(self, scores, n, genre):
        if genre is not None:
            scores = scores.masked_fill(~self._of_genre[genre], -2.0)  # below every cosine
        best = scores.topk(min(n, len(scores)))
        found = zip(best.values.tolist(), best.indices.tolist(), strict=True)
        return [self._hit(score, row) for score, row in found if score >= -1.001]

    def _hit(self, score, row):
        speech = self.speeches[row]
        about = (speech.play, speech.genre, speech.act, speech.scene, speech.speaker)
        return Hit(score, *about, speech.text)
