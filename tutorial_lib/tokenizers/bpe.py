"""Byte-level byte-pair encoding, as GPT-2 has it (Radford et al. 2019)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from os import PathLike
from typing import Self

from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.files import hub
from tutorial_lib.tokenizers.files import load_json, read_gpt2, read_tiktoken, save_json
from tutorial_lib.tokenizers.incremental import merge_by_rank, train_bpe
from tutorial_lib.tokenizers.pretokenize import (
    GPT2_PATTERN,
    gpt2_words,
    printable,
    unprintable,
    word_finder,
)
from tutorial_lib.tokenizers.pretrained import as_bytes, read_bpe
from tutorial_lib.tokenizers.vocabulary import (
    WordCache,
    id_list,
    split_at,
    unknown_id,
    without_half_pairs,
)

BYTES = tuple(bytes([byte]) for byte in range(256))
FORMAT = "tutorial_lib BPE 1"


class BPETokenizer:
    """Text to ids and back through merges of bytes: no text is ever unknown.

    token_ids {bytes: id}; merges pairs of bytes in rank order; special_tokens {text: id};
    pattern the regular expression that cuts text into words; every_byte False: bytes without an id
    are allowed, and left out of every text (SmolLM2 lacks 21, which its training never met).
    Raises VocabularyError when a byte or a merge has no id, an id stands for two tokens, or the
    pattern leaves characters out.

    >>> tokenizer = BPETokenizer.train("the cat sat on the mat " * 9, 260, ["<|endoftext|>"])
    >>> tokenizer.tokens("that cat"), tokenizer.decode(tokenizer.encode("that cat"))
    (['t', 'h', 'at', ' ', 'c', 'at'], 'that cat')
    """

    def __init__(
        self,
        token_ids: Mapping[bytes, int],
        merges: Iterable[tuple[bytes, bytes]],
        special_tokens: Mapping[str, int] = (),
        pattern: str = GPT2_PATTERN,
        every_byte: bool = True,
    ):
        self.merges = list(merges)
        self.special_tokens = dict(special_tokens)
        self.pattern = pattern
        self.every_byte = every_byte
        self._ids = dict(token_ids)
        self._check()
        self._bytes = {token_id: token for token, token_id in self._ids.items()}
        self._bytes |= {token_id: name.encode() for name, token_id in self.special_tokens.items()}
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._find_words = word_finder(pattern)
        self._cache = WordCache(self._encode_word)

    def _check(self):
        if not isinstance(self.every_byte, bool):
            raise VocabularyError(f"every_byte must be True or False, got {self.every_byte!r}")
        needed = [part for pair in self.merges for part in (*pair, b"".join(pair))]
        for token in (*(BYTES if self.every_byte else ()), *needed):
            if token not in self._ids:
                raise VocabularyError(f"the vocabulary lacks the token {token!r}")
        if "" in self.special_tokens:
            raise VocabularyError("a special token needs at least one character")
        ids = [*self._ids.values(), *self.special_tokens.values()]
        wrong = [i for i in ids if type(i) is not int or i < 0]  # True is no id
        if wrong:
            raise VocabularyError(f"ids are whole numbers from 0, got {wrong[0]!r}")
        if len(set(ids)) < len(ids):
            raise VocabularyError("two tokens share one id")

    @classmethod
    def train(cls, text: str, vocab_size: int, special_tokens: str | Iterable[str] = ()) -> Self:
        """Learn merges from text until there are vocab_size ids (fewer when no pair is left).

        Ids: 256 bytes, then the merges, then the special tokens. The most frequent pair is merged
        first; of equally frequent ones the smallest, byte by byte. A special token in the text
        ends a document and is not counted. Raises VocabularyError for an empty text or a
        vocab_size below 256 plus the special tokens.
        """
        if not text:
            raise VocabularyError("training needs text, got an empty one")
        special_tokens = _names(special_tokens)
        n_merges = vocab_size - len(BYTES) - len(special_tokens)
        if n_merges < 0:
            raise VocabularyError(
                f"vocab_size must be at least {vocab_size - n_merges} "
                f"(256 bytes and {len(special_tokens)} special tokens), got {vocab_size}"
            )
        documents = split_at(special_tokens, without_half_pairs(text))[::2]
        words = Counter(chain.from_iterable(map(gpt2_words, documents)))
        merges = train_bpe({_symbols(word): count for word, count in words.items()}, n_merges)
        tokens = [*BYTES, *(first + second for first, second in merges)]
        token_ids = {token: token_id for token_id, token in enumerate(tokens)}
        specials = {name: token_id for token_id, name in enumerate(special_tokens, len(tokens))}
        return cls(token_ids, merges, specials)

    @property
    def vocab_size(self):
        """The number of ids, special tokens included: the rows of an embedding table."""
        return max(self._bytes) + 1

    def encode(self, text: str, allowed_special: str | Iterable[str] = ()) -> list[int]:
        """Return the ids of a text, a list; [] for "".

        Special tokens in the text are plain text unless allowed_special names them ("all" stands
        for every one). Half of a surrogate pair, which UTF-8 cannot write, is encoded as U+FFFD.
        """
        if not allowed_special:
            return self._encode_plain(text)
        pieces = split_at(self._allowed(allowed_special), text)
        ids = self._encode_plain(pieces[0])
        for special, plain in zip(pieces[1::2], pieces[2::2], strict=True):
            ids.append(self.special_tokens[special])
            ids += self._encode_plain(plain)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; bytes that are no valid UTF-8 become U+FFFD.

        Raises VocabularyError for an id outside the vocabulary.
        """
        return b"".join(map(self.token_bytes, id_list(ids))).decode("utf-8", errors="replace")

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes that an id stands for; VocabularyError when there are none."""
        try:
            return self._bytes[token_id]
        except (KeyError, TypeError):
            raise unknown_id(token_id, self.vocab_size) from None

    def tokens(self, text: str, allowed_special: str | Iterable[str] = ()) -> list[str]:
        r"""Return the tokens of a text as strings; part of a character shows as \xf0\x9f."""
        ids = self.encode(text, allowed_special)
        return [self.token_bytes(i).decode("utf-8", errors="backslashreplace") for i in ids]

    def _encode_plain(self, text):
        try:
            return list(chain.from_iterable(map(self._cache.__getitem__, self._find_words(text))))
        except UnicodeEncodeError:
            return self._encode_plain(without_half_pairs(text))

    def _encode_word(self, word):
        symbols = _symbols(word)
        if not self.every_byte:
            symbols = tuple(symbol for symbol in symbols if symbol in self._ids)
        symbols = merge_by_rank(symbols, self._ranks)
        return tuple(map(self._ids.__getitem__, symbols))

    def _allowed(self, allowed_special):
        if allowed_special == "all":
            return self.special_tokens
        names = _names(allowed_special)
        unknown = sorted(set(names) - self.special_tokens.keys())
        if unknown:
            known = list(self.special_tokens)
            raise VocabularyError(f"{unknown} are not special tokens of this tokenizer: {known}")
        return names

    def save(self, path: str | PathLike) -> None:
        """Write the tokenizer as JSON, all of it or nothing."""
        save_json(
            path,
            {
                "format": FORMAT,
                "pattern": self.pattern,
                "every_byte": self.every_byte,
                "special_tokens": self.special_tokens,
                "merges": [
                    f"{printable(first)} {printable(second)}" for first, second in self.merges
                ],
                "token_ids": {printable(token): token_id for token, token_id in self._ids.items()},
            },
        )

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read what `save` wrote; DamagedFileError for a file that is broken or something else."""
        content = load_json(path, FORMAT)
        try:
            merges = [tuple(map(unprintable, pair.split(" "))) for pair in content["merges"]]
            token_ids = {unprintable(token): i for token, i in content["token_ids"].items()}
            every_byte = content.get("every_byte", True)  # older files do not say
            return cls(token_ids, merges, content["special_tokens"], content["pattern"], every_byte)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DamagedFileError(f"{path} is damaged: {error!r}") from None

    @classmethod
    def from_tiktoken(
        cls,
        path: str | PathLike,
        special_tokens: str | Iterable[str] | Mapping[str, int] = (),
        pattern: str = GPT2_PATTERN,
    ) -> Self:
        """Read a rank file of tiktoken (`base64 rank` a line).

        special_tokens: {text: id}, or texts that get the next ids; the file does not hold them.
        """
        word_finder(pattern)  # a wrong one is not the file's fault
        tokens = read_tiktoken(path)
        if not isinstance(special_tokens, Mapping):
            names = _names(special_tokens)
            special_tokens = {name: len(tokens) + i for i, name in enumerate(names)}
        token_ids = {token: rank for rank, token in enumerate(tokens)}  # the rank is the id
        if len(token_ids) < len(tokens):
            raise DamagedFileError(f"{path} holds a token more than once")
        try:
            return cls(token_ids, recover_merges(tokens), special_tokens, pattern)
        except VocabularyError as error:
            raise DamagedFileError(f"{path} cannot be a rank file: {error}") from None

    @classmethod
    def from_gpt2(cls, vocab_bpe: str | PathLike, encoder_json: str | PathLike) -> Self:
        """Read GPT-2's two files: merges in rank order, and the id of each token.

        A token that is neither a byte nor the result of a merge is special (<|endoftext|>).
        """
        try:
            return cls(*as_bytes(*read_gpt2(vocab_bpe, encoder_json)))
        except (KeyError, VocabularyError) as error:
            raise DamagedFileError(
                f"{vocab_bpe} and {encoder_json} do not match: {error}"
            ) from None

    @classmethod
    def from_pretrained(cls, name_or_folder: str | PathLike, revision: str | None = None) -> Self:
        """Read the tokenizer of a GPT-2 or a SmolLM, from a folder or the hub ("gpt2").

        It lies beside the weights, or in a GGUF with them. Raises MissingDataError when there is
        none, DamagedFileError when it is damaged or cuts text in another way
        (`pretrained.read_bpe` says which files are read).
        """
        folder = hub.resolve(name_or_folder, revision, hub.TEXT_FILES)
        try:
            merges, ids, pattern = read_bpe(folder)
            every_byte = pattern == GPT2_PATTERN  # SmolLM's vocabularies lack some
            return cls(*as_bytes(merges, ids), pattern, every_byte)
        except (KeyError, VocabularyError) as error:
            raise DamagedFileError(f"{folder}: merges and ids do not match: {error}") from None


def recover_merges(tokens):
    """Work out which pair made each token: the two parts that the merges before it leave.

    tokens are bytes in rank order. Raises VocabularyError when a token is left in more parts.

    >>> recover_merges([*BYTES, b"at", b"hat"])
    [(b'a', b't'), (b'h', b'at')]
    """
    ranks = {}
    for token in tokens:
        if len(token) > 1:
            pair = tuple(merge_by_rank(map(BYTES.__getitem__, token), ranks))
            if len(pair) != 2:
                raise VocabularyError(f"no merge of earlier tokens gives {token!r}")
            ranks[pair] = len(ranks)
    return list(ranks)


def _names(names):
    # A single name is one token, not one for each letter.
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def _symbols(word):
    return tuple(map(BYTES.__getitem__, word.encode("utf-8")))
