"""Type a phrase and find pictures that were never seen with a name."""

import numpy as np
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.asking import FindingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.explorers.pictures import CREDIT, sprite_sheet

EXAMPLES = (
    "a wild animal",
    "something sweet to eat",
    "it is raining",
    "I am so angry",
    "a way to travel",
    "music",
)


class EmojiFinder(FindingExplorer):
    """A phrase is typed; the nearest pictures appear, best first, each with its score as a bar.

    find(text) -> (indices, scores): numbers of pictures, best first, and a score for each, 1 at
    most; pictures (N, 3, height, width) from 0 to 1; names: what each picture truly is, shown to
    whoever points at it; n: how many are shown, up to 20. The phrase is cut at 300 characters, and
    an empty one finds nothing. concepts: N strings; then of each concept only the best picture is
    shown. `found` is what was found last, a list of (index, score).
    Raises ShapeError when there are not as many names, or concepts, as pictures.

    >>> pictures = np.ones((2, 3, 8, 8))
    >>> finder = EmojiFinder(lambda text: ([1, 0], [0.8, 0.1]), pictures, ["cat", "dog"], "meow")
    >>> finder, finder.found
    (Emoji finder: run this cell, [(1, 0.8), (0, 0.1)])
    """

    title = "Emoji finder"
    _esm = javascript("asking.js", "sprites.js", "emoji_finder.js")
    _css = stylesheet("asking.css", "emoji_finder.css")

    sheet = traitlets.Dict().tag(sync=True, told=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True, told=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True, told=True)
    credit = traitlets.Unicode(CREDIT).tag(sync=True, told=True)

    def __init__(
        self, find, pictures, names, query=EXAMPLES[0], examples=EXAMPLES, n=10, concepts=None
    ):
        self.find = find
        self.found = []
        names, sheet = [str(name) for name in names], sprite_sheet(pictures)
        if len(names) != sheet["count"]:
            raise ShapeError(f"{sheet['count']} pictures need as many names, got {len(names)}")
        self.concepts = range(len(names)) if concepts is None else list(concepts)
        if len(self.concepts) != len(names):
            raise ShapeError(f"{len(names)} pictures, but concepts of {len(self.concepts)}")
        self.names, self.sheet = names, sheet
        self.examples = [str(example) for example in examples]
        super().__init__(query, n)

    def describe(self):
        """Say in words what the explorer shows now."""
        first = ", ".join(f"{self.names[i][:60]} ({score:.2f})" for i, score in self.found[:3])
        if not first:
            return f"pictures to find among {len(self.names):,} by typing a phrase, none found yet."
        return (
            f"the {len(self.found)} pictures of {len(self.names):,} that are nearest to "
            f"{excerpt(self.text)}, each with its score as a bar; the first are {first}."
        )

    def look_up(self, text, n):
        """Find the pictures nearest to the text."""
        self.found = []
        if text.strip():
            best = {}
            for index, score in self._checked(*self.find(text)):
                best.setdefault(self.concepts[index], (index, score))
            self.found = list(best.values())[:n]
        return {"hits": [list(hit) for hit in self.found], "asked": text}

    def _checked(self, indices, scores):
        indices, scores = _numbers(indices), _numbers(scores)
        if indices.ndim != 1 or indices.shape != scores.shape or not np.isfinite(scores).all():
            raise ShapeError(
                "find must give (k,) indices and as many finite scores, got shapes "
                f"{indices.shape} and {scores.shape}"
            )
        for index in indices:
            if not 0 <= index < len(self.names):
                raise ShapeError(f"find gave picture {index:g} of {len(self.names)}")
        return [(int(i), round(float(score), 4)) for i, score in zip(indices, scores, strict=True)]


def _numbers(values):
    """A list, an array or a tensor as an array of floats."""
    return np.asarray(values.tolist() if hasattr(values, "tolist") else values, dtype=float)
