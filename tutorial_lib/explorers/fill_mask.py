"""Hide words of a text and see what a masked model would put there."""

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.explorers.gaps import fillings

EXAMPLE = "I will not go to [MASK] with thee."


class FillMaskExplorer(AskingExplorer):
    """A text with gaps, and bars of the most probable tokens for the gap that is chosen.

    model is a BERT with an MLM head; tokenizer the one it was trained with, by default
    `model.tokenizer`. A gap is a typed [MASK], or a token that was clicked. With `left` the same
    gap is filled a second time, from the text to its left alone. `found` are the Fillings shown
    now. The text is cut at 500 characters.

    >>> from tutorial_lib.models import BERT, BERTConfig
    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> sizes = {"context": 9, "d_model": 4, "n_layers": 1, "n_heads": 1}
    >>> model = BERT(BERTConfig(vocab_size=8, mlm=True, **sizes))
    >>> explorer = FillMaskExplorer(model, WordPieceTokenizer(words), "so [MASK]")
    >>> explorer, explorer.place, len(explorer.rows)
    (Fill-mask explorer: run this cell, 2, 8)
    """

    title = "Fill-mask explorer"
    _esm = javascript("asking.js", "fill_mask.js")
    _css = stylesheet("asking.css", "fill_mask.css")

    def __init__(self, model, tokenizer=None, text=EXAMPLE, n=10, left=False):
        self.model = model
        self.tokenizer = model.tokenizer if tokenizer is None else tokenizer
        self.n = n
        self.found = None
        super().__init__(text, hidden=[], place=-1, left=left)

    def describe(self):
        """Say in words what the explorer shows now."""
        panels = [
            f"{panel['name']} {' '.join(f'“{token}”' for token, _ in panel['rows'][:3])}"
            for panel in self.reply.get("panels", ())
        ]
        return f"the text {excerpt(self.text)}; most probable in its gap: {'; '.join(panels)}."

    @property
    def place(self):
        """Which token of the text is the gap that is answered, or None."""
        return self.found.place

    @property
    def rows(self):
        """The most probable tokens for it as (token, probability)."""
        return self.found.rows

    def answer(self, text, hidden, place, left):
        """Fill the gap at `place`, or the first one where there is none."""
        asked = {"n": self.n, "hidden": [int(i) for i in hidden]}
        found = fillings(self.model, self.tokenizer, text, **asked)
        if place in found.places[1:]:
            asked["which"] = found.places.index(place)
            found = fillings(self.model, self.tokenizer, text, **asked)
        self.found = found
        panels = [["from both sides", found.rows, found.right]]
        if left and found.places:
            alone = fillings(self.model, self.tokenizer, text, left_only=True, **asked)
            panels.append(["from the left side only", alone.rows, alone.right])
        return {
            "tokens": found.tokens,
            "places": found.places,
            "place": -1 if found.place is None else found.place,
            "hidden": [i for i in asked["hidden"] if i in found.places],
            "panels": [
                {"name": name, "rows": [list(row) for row in rows], "right": right and list(right)}
                for name, rows, right in panels
                if rows
            ],
            "cut": found.cut,
        }
