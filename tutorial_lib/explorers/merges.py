"""Byte-pair encoding one merge at a time: words, symbols, pairs, and what a tie decides."""

from collections.abc import Mapping

import traitlets

from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.explorers.merge_words import (
    joined,
    pair_scores,
    readable,
    sorted_counts,
)
from tutorial_lib.tokenizers.merges import count_pairs, merge_pair
from tutorial_lib.tokenizers.steps import count_symbols

ROWS = 200  # words, symbols and pairs sent to the browser


class MergeStepper(BrowserExplorer):
    """Step through merges; with two lists of steps, switch between two answers to a tie.

    steps is a list of `tutorial_lib.tokenizers.MergeStep`, or a dict that maps a name ("take et")
    to such a list; score is what their pairs are ranked by, when it is not the count
    (`wordpiece_score`); at is how many merges are done when it opens. Raises ValueError when there
    is no step.

    >>> from tutorial_lib.tokenizers import merge_steps
    >>> MergeStepper(list(merge_steps({"cat": 10, "pet": 12}, 2)))
    Merge stepper: run this cell
    """

    title = "Merge stepper"
    _esm = javascript("merges.js")
    _css = stylesheet("merges.css")

    paths = traitlets.List().tag(sync=True, told=True)
    path = traitlets.Int(0).tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)

    def __init__(self, steps, score=None, at=0):
        named = steps if isinstance(steps, Mapping) else {"": steps}
        named = {name: list(path) for name, path in named.items()}
        if not named or not all(named.values()):
            raise ValueError("MergeStepper needs at least one step to show, got none")
        paths = [_path(name, path, score) for name, path in named.items()]
        super().__init__(paths=paths, position=at)

    def describe(self):
        """Say in words what the explorer shows now."""
        state = self.paths[self.path]["states"][self.position]
        chosen = state["chosen"]
        then = f"the next merge is {' + '.join(chosen)}" if chosen else "all merges are done"
        return f"after {self.position} merges, the words, symbols and pairs with counts; {then}."


def _path(name, steps, score):
    shown = [_state(step.words, step.symbol_counts, step, score) for step in steps]
    # The records end before the last merge; one more state shows what it leaves behind.
    last = steps[-1]
    merged = joined(*last.pair) if isinstance(last.pair[0], str) else b"".join(last.pair)
    words = {merge_pair(word, last.pair, merged): n for word, n in last.words.items()}
    symbols = {**dict.fromkeys(last.symbol_counts, 0), **count_symbols(words)}
    return {"name": name, "states": [*shown, _state(words, symbols, None, score)]}


def _state(words, symbol_counts, step, score):
    pair_counts = dict(count_pairs(words)) if step is None else step.pair_counts
    ranked = pair_counts if step is None else pair_scores(step, score)
    ties = set() if step is None else set(map(tuple, step.ties))
    return {
        "words": [{"symbols": list(map(readable, word)), "count": n} for word, n in words.items()][
            :ROWS
        ],
        "symbols": [[readable(s), n] for s, n in sorted_counts(symbol_counts)][:ROWS],
        "pairs": [
            {
                "pair": list(map(readable, pair)),
                "count": pair_counts[pair],
                "score": None if score is None or step is None else value,
                "tied": len(ties) > 1 and pair in ties,
            }
            for pair, value in sorted_counts(ranked)
        ][:ROWS],
        "chosen": None if step is None else list(map(readable, step.pair)),
        "cut": max(len(words), len(symbol_counts), len(pair_counts)) > ROWS,
    }
