"""Search Shakespeare's speeches by meaning, beside a search by words."""

from tutorial_lib.explorers.asking import FindingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.figures.chapter06b_using_bert.answers import in_one_line, where

EXAMPLE = "He pretends to be crazy."


class SpeechSearch(FindingExplorer):
    """A sentence is typed; the closest speeches stand in two columns, by meaning and by words.

    finder is a SpeechFinder; n: how many hits a column has, up to 20. The query is cut at 300
    characters. `found` is what `finder.find` gave last.
    """

    title = "Speech search"
    _esm = javascript("asking.js", "search.js")
    _css = stylesheet("asking.css", "search.css")

    def __init__(self, finder, query=EXAMPLE, n=5):
        self.finder = finder
        self.found = {}
        super().__init__(query, n, genre="")

    def describe(self):
        """Say in words what the explorer shows now."""
        firsts = [
            f"{name}, the first from {where(hits[0])}" for name, hits in self.found.items() if hits
        ]
        return f"the speeches closest to {excerpt(self.text)} in two columns: {'; '.join(firsts)}."

    def look_up(self, text, n, genre):
        """Find what is closest to the text; genre "" stands for all."""
        self.found = self.finder.find(text, n, genre or None)
        return {
            "columns": [
                {
                    "name": name,
                    "hits": [[hit.score, where(hit), in_one_line(hit.text)] for hit in hits],
                }
                for name, hits in self.found.items()
            ],
            "rare": self.finder.rare_words(text),
            "genres": self.finder.genres,
            "speeches": len(self.finder),
        }
