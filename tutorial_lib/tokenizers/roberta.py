"""RoBERTa's tokenizer: GPT-2's bytes and merges between the special tokens of a BERT."""

from collections.abc import Iterable
from os import PathLike
from typing import Self

import regex

from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.tokenizers.bpe import BPETokenizer
from tutorial_lib.tokenizers.vocabulary import split_at
from tutorial_lib.tokenizers.wordpiece import Encoding

SPACES = regex.compile(r"\p{White_Space}+\Z")  # str.rstrip() takes some control characters, too
SPECIAL_TOKENS = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")  # in the order of BERT's


class RoBERTaTokenizer:
    """Text to ids as `<s> text </s>`; nothing is unknown, capitals and spaces are kept.

    bpe: a BPETokenizer that has RoBERTa's special tokens. They are named as in BERT: cls_id is that
    of <s>, sep_id that of </s>. Raises VocabularyError when one is missing.

    >>> bpe = BPETokenizer.train("to be or not to be " * 9, 270, SPECIAL_TOKENS)
    >>> RoBERTaTokenizer(bpe).encode("to <mask>").tokens
    ['<s>', 'to', '<mask>', '</s>']
    """

    def __init__(self, bpe: BPETokenizer):
        missing = [name for name in SPECIAL_TOKENS if name not in bpe.special_tokens]
        if missing:
            raise VocabularyError(f"the vocabulary lacks the special tokens {missing}")
        self.bpe = bpe
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = (
            bpe.special_tokens[name] for name in SPECIAL_TOKENS
        )

    @classmethod
    def from_pretrained(cls, name_or_folder: str | PathLike, revision: str | None = None) -> Self:
        """Read the tokenizer beside a RoBERTa's weights: vocab.json and merges.txt, or
        tokenizer.json; from a folder or the hub ("roberta-base").

        Raises as `BPETokenizer.from_pretrained` does, and DamagedFileError for the vocabulary of
        another model. XLM-R's is a `UnigramTokenizer`.
        """
        bpe = BPETokenizer.from_pretrained(name_or_folder, revision)
        try:
            return cls(bpe)
        except VocabularyError as error:
            raise DamagedFileError(f"{name_or_folder} is no RoBERTa's: {error}") from None

    @property
    def vocab_size(self):
        """The number of ids, special tokens included: the rows of an embedding table."""
        return self.bpe.vocab_size

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        """Return the Encoding of <s> text </s>, or of <s> text </s> </s> pair </s>.

        A special token written in the text counts as that token; <mask> takes the spaces before it,
        as a word has its space in front. All segments are 0.
        """
        ids = [self.cls_id, *self._encode_text(text), self.sep_id]
        if pair is not None:
            ids += [self.sep_id, *self._encode_text(pair), self.sep_id]
        tokens = [self.bpe.token_bytes(i).decode(errors="backslashreplace") for i in ids]
        return Encoding(ids, [0] * len(ids), tokens)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids without <s>, </s> and <pad>.

        Raises VocabularyError for an id outside the vocabulary.
        """
        silent = (self.cls_id, self.sep_id, self.pad_id)
        return self.bpe.decode([i for i in map(int, ids) if i not in silent])

    def _encode_text(self, text):
        ids, pieces = [], split_at(SPECIAL_TOKENS, text)
        for place, piece in enumerate(pieces):
            if place % 2:
                ids.append(self.bpe.special_tokens[piece])
            else:
                before_mask = pieces[place + 1 : place + 2] == ["<mask>"]
                ids += self.bpe.encode(SPACES.sub("", piece) if before_mask else piece)
        return ids
