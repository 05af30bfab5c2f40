"""Masking one text again and again, as BERT's pre-training does, and counting what became of it."""

import torch

from tutorial_lib.objectives import mask_tokens

FATES = ("mask", "random", "same")


class MaskingDraws:
    """One text and all the maskings of it that were drawn so far.

    tokenizer is a WordPieceTokenizer. `tokens` are the text's, special ones included; `shown`
    and `fates` ("", "mask", "random" or "same") are those of the last masking; `counts` holds
    sums over all: draws, candidates, chosen, mask, random, same. [CLS], [SEP], [PAD], [UNK] and
    a typed [MASK] are never chosen. A random token that happens to be the old one counts as
    the same. Raises ValueError for a share outside (0, 1].

    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> draws = MaskingDraws(WordPieceTokenizer(words), "so it is so", seed=0)
    >>> draws.draw(100)
    >>> draws.counts["candidates"], draws.counts["chosen"]  # round(0.15 * 4) = 1 a draw
    (400, 100)
    """

    def __init__(self, tokenizer, text, share=0.15, seed=0):
        if not 0 < share <= 1:
            raise ValueError(f"share must be above 0 and at most 1, got {share}")
        self.tokenizer, self.share = tokenizer, share
        encoding = tokenizer.encode(text)
        self.tokens = list(encoding.tokens)
        self._ids = torch.tensor([encoding.ids])  # (1, T)
        self._special = [
            tokenizer.pad_id,
            tokenizer.unk_id,
            tokenizer.cls_id,
            tokenizer.sep_id,
            tokenizer.mask_id,
        ]
        self.n_candidates = int((~torch.isin(self._ids, torch.tensor(self._special))).sum())
        self._generator = torch.Generator().manual_seed(seed)
        self.shown, self.fates = list(self.tokens), [""] * len(self.tokens)
        self.counts = dict.fromkeys(("draws", "candidates", "chosen", *FATES), 0)

    def draw(self, times=1):
        """Mask the text `times` more; without a token to choose nothing happens."""
        if not self.n_candidates:
            return
        ids = self._ids.expand(times, -1)  # (times, T): one row a masking
        masked = mask_tokens(
            ids,
            self.tokenizer.mask_id,
            self.tokenizer.vocab_size,
            self._special,
            share=self.share,
            generator=self._generator,
        )
        hidden = masked.ids == self.tokenizer.mask_id
        became = {
            "mask": masked.chosen & hidden,
            "random": masked.chosen & ~hidden & (masked.ids != ids),
            "same": masked.chosen & (masked.ids == ids),
        }
        self.counts["draws"] += times
        self.counts["candidates"] += times * self.n_candidates
        self.counts["chosen"] += int(masked.chosen.sum())
        for fate, where in became.items():
            self.counts[fate] += int(where.sum())
        self.shown = [self.tokenizer.vocab[i] for i in masked.ids[-1].tolist()]
        self.fates = [""] * len(self.tokens)
        for fate, where in became.items():
            for place in where[-1].nonzero().flatten().tolist():
                self.fates[place] = fate
