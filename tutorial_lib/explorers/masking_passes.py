"""The same text read many times: hidden once and for all, or anew in every pass."""

import torch

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.objectives import mask_tokens

EXAMPLE = "To be, or not to be: that is the question."
MOST_PASSES = 40
MOST_TOKENS = 48  # more do not fit into one row


class MaskingPassesExplorer(AskingExplorer):
    """A row a pass over the text: which tokens the model is asked about, and which it never was.

    tokenizer is a WordPieceTokenizer; the masks are those of `objectives.mask_tokens`. `hidden`
    (passes, T) says what was asked, `never` how many tokens no pass asked about; unknown ones are
    not counted. The text is cut at 500 characters and 48 tokens.

    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> explorer = MaskingPassesExplorer(WordPieceTokenizer(words), "so it is so", passes=3)
    >>> explorer, explorer.hidden.shape, explorer.never
    (Masks over passes: run this cell, torch.Size([3, 4]), 3)
    """

    title = "Masks over passes"
    _esm = javascript("asking.js", "masking_passes.js")
    _css = stylesheet("asking.css", "masking_passes.css")

    def __init__(self, tokenizer, text=EXAMPLE, share=0.15, passes=10, seed=0):
        self.tokenizer = tokenizer
        self.hidden = self.never = None
        super().__init__(text, share=share, passes=passes, anew=False, seed=seed)

    def describe(self):
        """Say in words what the explorer shows now."""
        request = self.request
        how = "anew in every pass" if request["anew"] else "once, for all passes"
        return (
            f"{len(self.hidden)} passes over {excerpt(self.text)}, tokens hidden {how}: "
            f"{self.never} of {self.reply['of']} are never asked about."
        )

    def answer(self, text, share, passes, anew, seed):
        """Draw the masks of all passes."""
        share = min(max(float(share), 0.01), 1.0)
        passes = min(max(int(passes), 1), MOST_PASSES)
        ids = self.tokenizer.encode(text).ids[1:-1]
        cut = max(0, len(ids) - MOST_TOKENS)
        ids = ids[:MOST_TOKENS]
        tokens = [self.tokenizer.vocab[i] for i in ids]
        generator = torch.Generator().manual_seed(int(seed) % 2**31)
        self.hidden = torch.zeros(passes, len(ids), dtype=torch.bool)
        for row in range(passes if ids else 0):
            if row and not anew:
                self.hidden[row] = self.hidden[0]
            else:
                self.hidden[row] = self._chosen(ids, share, generator)
        asked = self.hidden.any(dim=0)
        real = [i != self.tokenizer.unk_id for i in ids]
        never = [i for i, seen in enumerate(asked.tolist()) if real[i] and not seen]
        self.never = len(never)
        return {
            "tokens": tokens,
            "rows": [row.nonzero().flatten().tolist() for row in self.hidden],
            "never": never,
            "of": sum(real),
            "expected": (1 - share) ** (passes if anew else 1),
            "cut": cut,
        }

    def _chosen(self, ids, share, generator):
        """Return which of the ids are hidden in one pass, (T,) bool."""
        special = [self.tokenizer.unk_id, self.tokenizer.pad_id]
        special += [self.tokenizer.cls_id, self.tokenizer.sep_id]
        return mask_tokens(
            torch.tensor([ids]),
            self.tokenizer.mask_id,
            self.tokenizer.vocab_size,
            special,
            share=share,
            generator=generator,
        ).chosen[0]
