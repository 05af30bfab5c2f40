"""Mask a text as BERT's pre-training does, once or a hundred times, and watch the shares."""

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.explorers.masking_draws import MaskingDraws
from tutorial_lib.figures.chapter06_bert.mask_results import measured_shares

EXAMPLE = (
    "I have had a most rare vision. I have had a dream, past the wit of man to say what dream it "
    "was: man is but an ass, if he go about to expound this dream."
)
MOST_DRAWS = 1000  # in one request


class MaskingExplorer(AskingExplorer):
    """A text whose chosen tokens are coloured by what became of them, above the running shares.

    tokenizer is a WordPieceTokenizer; the maskings are those of `objectives.mask_tokens`. The
    text is cut at 500 characters. `draws` are the MaskingDraws shown now.

    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> explorer = MaskingExplorer(WordPieceTokenizer(words), "so it is so")
    >>> explorer, explorer.draws.counts["chosen"]
    (Masking explorer: run this cell, 1)
    """

    title = "Masking explorer"
    _esm = javascript("asking.js", "masking.js")
    _css = stylesheet("asking.css", "masking.css")

    def __init__(self, tokenizer, text=EXAMPLE, share=0.15, seed=0):
        self.tokenizer = tokenizer
        self.draws = None
        self._drawn = None
        super().__init__(text, share=share, seed=seed, times=1)

    def describe(self):
        """Say in words what the explorer shows now."""
        counts = self.reply.get("counts", {})
        return (
            f"the tokens of {excerpt(self.text)}, {counts.get('chosen', 0)} of them chosen "
            "and coloured by what became of them, above the shares of each."
        )

    def answer(self, text, share, seed, times):
        """Go on with the maskings of this text, or begin anew where text, share or seed differ."""
        share, seed = min(max(float(share), 0.01), 1.0), int(seed)
        if self._drawn != (text, share, seed):
            self.draws = MaskingDraws(self.tokenizer, text, share, seed)
            self._drawn = (text, share, seed)
        self.draws.draw(min(max(int(times), 1), MOST_DRAWS))
        counts = self.draws.counts
        rows = zip(self.draws.shown, self.draws.tokens, self.draws.fates, strict=True)
        shares = measured_shares(counts, share) if counts["chosen"] else []
        return {
            "tokens": [list(row) for row in rows],
            "counts": counts,
            "shares": [[name, measured, target] for name, measured, target, _ in shares],
        }
