"""A text damaged in six ways: what a model reads, and what it must write."""

import random
import re

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.objectives import (
    delete_tokens,
    hide_tokens,
    infill_spans,
    permute_sentences,
    rotate_document,
    span_corruption,
)

EXAMPLE = "To be, or not to be: that is the question. The rest is silence."
MOST_WORDS = 40  # more do not fit into six rows
MASK = ("[mask]", True, None)
PARTS = 4  # tints for what is moved, used again and again
END = re.compile(r"[.!?;:]$")


class CorruptionExplorer(AskingExplorer):
    """A row for each way to damage a text: BART's five, and T5's spans.

    Words and marks of the text stand for tokens. `rows` maps each way to (read, written), two lists
    of (token, put in by the damage). Shown, too, are deleted words, struck through, which mask
    stands for nothing, and in one tint each the parts that are moved. The text is cut at 500
    characters and 40 words.

    >>> explorer = CorruptionExplorer("so it is", share=0.4, seed=3)
    >>> explorer, [token for token, _ in explorer.rows["token deletion"][0]]
    (Six ways to damage a text: run this cell, ['it', 'is'])
    """

    title = "Six ways to damage a text"
    _esm = javascript("asking.js", "corruption.js")
    _css = stylesheet("asking.css", "corruption.css")

    def __init__(self, text=EXAMPLE, share=0.3, length=3.0, seed=0):
        self.rows = {}
        super().__init__(text, share=share, length=length, seed=seed)

    def describe(self):
        """Say in words what the explorer shows now."""
        if not self.rows:
            return "No text."
        ways = "; ".join(
            f"{way}: {len(read)}, of which {sum(made for _, made in read)} stand for others, "
            f"and {len(written)}"
            for way, (read, written) in self.rows.items()
        )
        return f"How many tokens of {excerpt(self.text)} are read and written. {ways}."

    def answer(self, text, share, length, seed):
        """Damage the text in each way."""
        share, length = min(max(float(share), 0.0), 1.0), min(max(float(length), 1.0), 20.0)
        words = [(word, False, place) for place, word in enumerate(text.split())]
        cut = max(0, len(words) - MOST_WORDS)
        words = words[:MOST_WORDS]
        rows = damaged(words, share, length, int(seed)) if words else {}
        self.rows = {
            way: tuple([token[:2] for token in side] for side in pair) for way, pair in rows.items()
        }
        return {
            "rows": [
                {"way": way, "counts": [len(read), len(written)]} | looks(way, words, read, written)
                for way, (read, written) in rows.items()
            ],
            "cut": cut,
        }


def looks(way, words, read, written):
    """Return what is read and written as (token, look): "", "made", "empty", "gone" or "part 0"."""
    if way in ("sentence permutation", "document rotation"):
        parts = sentences(words) if way == "sentence permutation" else turned(words, read)
        part_of = {token: n % PARTS for n, part in enumerate(parts) for token in part}
        sides = [[(token[0], f"part {part_of[token]}") for token in side] for side in (read, words)]
        return dict(zip(("read", "written"), sides, strict=True))
    shown = [(token[0], "made" if token[1] else "") for token in read]
    if way == "token deletion":
        kept = set(read)
        shown = [(token[0], "" if token in kept else "gone") for token in words]
    if way == "text infilling":
        places = [-1, *(token[2] for token in read), len(words)]
        for n, place in enumerate(places):
            if place is None and None not in (places[n - 1], places[n + 1]):
                empty = places[n - 1] + 1 == places[n + 1]
                shown[n - 1] = (shown[n - 1][0], "empty" if empty else "made")
    return {"read": shown, "written": [(token[0], "made" if token[1] else "") for token in written]}


def turned(words, read):
    """Return the two parts of words that a rotation has put into each other's place."""
    cut = words.index(read[0])
    return [words[:cut], words[cut:]] if cut else [words]


def damaged(words, share, length, seed):
    """Return {way: (read, written)} of words, (token, put in by the damage, place) each."""

    def drawn():
        return random.Random(seed)

    sentinels = [(f"<{number}>", True, None) for number in range(len(words) + 2)]
    read = {
        "token masking": hide_tokens(words, MASK, share, drawn()),
        "token deletion": delete_tokens(words, share, drawn()),
        "text infilling": infill_spans(words, MASK, share, drawn(), length),
        "sentence permutation": permute_sentences(sentences(words), drawn()),
        "document rotation": rotate_document(words, drawn()),
    }
    rows = {way: (some, words) for way, some in read.items()}
    rows["T5’s spans"] = span_corruption(words, sentinels, drawn(), share, length)
    return rows


def sentences(words):
    """Return the words cut after each mark that ends a sentence or a part of one."""
    parts = [[]]
    for word in words:
        parts[-1].append(word)
        if END.search(word[0]):
            parts.append([])
    return [part for part in parts if part]
