"""All ways to cut a word into pieces, and which of them are likely."""

import math

from tutorial_lib.errors import VocabularyError
from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import javascript, stylesheet
from tutorial_lib.tokenizers.cuts import best_paths, forward, lattice, pieces_of
from tutorial_lib.tokenizers.pretokenize import METASPACE

EXAMPLE = "unhappiness"
MOST_LETTERS = 18  # more do not fit side by side
MOST_CUTS = 8
UNKNOWN_PENALTY = 10.0  # below the rarest piece, as in SentencePiece


class LatticeExplorer(AskingExplorer):
    """Arcs over the letters of a word, one for each piece of the vocabulary; a path is a cut.

    scores maps pieces to the logarithms of their probabilities, as a UnigramTokenizer has them;
    where pieces begin words with ▁, the word gets one. A letter that no piece holds is an unknown
    piece. `cuts` are the likeliest ways, at most 8, as (pieces, share): share of all ways when a
    cut is drawn with probability proportional to p to the power of alpha. The word is cut at 18
    letters, and at its first blank. Raises VocabularyError without a piece.

    >>> scores = {"a": -1.0, "b": -1.5, "ab": -2.0}
    >>> [(pieces, round(share, 2)) for pieces, share in LatticeExplorer(scores, "ab").cuts]
    [(('ab',), 0.62), (('a', 'b'), 0.38)]
    """

    title = "All cuts of a word"
    _esm = javascript("asking.js", "lattice.js")
    _css = stylesheet("asking.css", "lattice.css")

    def __init__(self, scores, word=EXAMPLE, alpha=1.0, chosen=0):
        self.scores = dict(scores)
        if not self.scores:
            raise VocabularyError("a word is cut into pieces: scores holds none")
        self.cuts = []
        super().__init__(word, alpha=alpha, chosen=chosen)

    def describe(self):
        """Say in words what the explorer shows now."""
        if not self.cuts:
            return "No word."
        ways = "; ".join(f"{' | '.join(pieces)} {share:.3g}" for pieces, share in self.cuts)
        return f"The likeliest of {self.reply['of']:,} cuts, with their shares: {ways}."

    def answer(self, text, alpha, chosen):
        """Find the arcs of the word and its likeliest cuts."""
        alpha = min(max(float(alpha), 0.0), 4.0)
        word, cut = self._word(text)
        self.cuts = []
        reply = {"word": word, "arcs": [], "cuts": [], "of": 0, "chosen": 0, "cut": cut}
        if not word:
            return reply
        unknown = min(self.scores.values()) - UNKNOWN_PENALTY
        longest = max(map(len, self.scores))
        places = lattice(word, self.scores, unknown, longest)
        arcs = [(start, end, score) for end, found in enumerate(places) for start, score in found]
        total = forward(places, alpha)[-1]
        for score, path in best_paths(places, MOST_CUTS):
            pieces = tuple(pieces_of(word, path))
            self.cuts.append((pieces, math.exp(alpha * score - total)))
        return reply | {
            "arcs": [
                [start, end, math.exp(score), word[start:end] in self.scores]
                for start, end, score in arcs
            ],
            "cuts": [[list(pieces), share] for pieces, share in self.cuts],
            "of": count_paths(places),
            "chosen": min(max(int(chosen), 0), len(self.cuts) - 1),
        }

    def _word(self, text):
        """Return the word to cut, and how many letters of it were left out."""
        words = text.split()
        if not words:
            return "", 0
        word = words[0][:MOST_LETTERS]
        begins = METASPACE if any(piece.startswith(METASPACE) for piece in self.scores) else ""
        return begins + word, len(words[0]) - len(word)


def count_paths(places):
    """Return how many paths lead through a lattice."""
    counts = [1]
    for found in places[1:]:
        counts.append(sum(counts[start] for start, _ in found))
    return counts[-1]
