"""Unigram: each piece has a probability, and the likeliest cut of a word is taken (Kudo 2018).

T5, ALBERT and XLM-R cut text this way. `cuts` holds the idea, `unigram_training` learns the
pieces; here is the tokenizer around them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, groupby, pairwise
from os import PathLike
from typing import NamedTuple, Self

import regex

from tutorial_lib.errors import DamagedFileError, MissingDataError, VocabularyError
from tutorial_lib.files import hub, read_json
from tutorial_lib.tokenizers.cuts import (
    best_paths,
    forward,
    lattice,
    pieces_of,
    sample_path,
)
from tutorial_lib.tokenizers.files import save_json
from tutorial_lib.tokenizers.normalize import normalizer as steps_of
from tutorial_lib.tokenizers.pretokenize import EVERY_WORD, METASPACE, metaspace_cutter
from tutorial_lib.tokenizers.unigram_files import (
    read_sentencepiece,
    read_unigram,
    template_of,
    written,
)
from tutorial_lib.tokenizers.unigram_training import train_unigram
from tutorial_lib.tokenizers.vocabulary import (
    WordCache,
    id_list,
    split_at,
    unknown_id,
    without_half_pairs,
)
from tutorial_lib.tokenizers.wordpiece import Encoding

UNKNOWN_PENALTY = 10.0  # an unknown character is so much less likely than the rarest piece
BYTE = regex.compile(r"<0x([0-9A-F]{2})>")
# The special tokens that other tokenizers name, spelt as in T5 and XLM-R or as in ALBERT.
PAD, CLS, SEP, MASK = ("<pad>", "[PAD]"), ("<s>", "[CLS]"), ("</s>", "[SEP]"), ("<mask>", "[MASK]")


class Segmentation(NamedTuple):
    """One way to cut a word: its pieces, and its share of the probability of all ways."""

    pieces: tuple[str, ...]
    probability: float


class UnigramTokenizer:
    """Text to pieces and ids by the likeliest cut; a piece that begins a word starts with ▁.

    scores {piece: log-probability}, in order of ids; unk_id: the id of what has no piece, None:
    such text is an error. special_tokens {name: id} are found in a text as they stand; those named
    in takes_blanks swallow the blanks before them, as XLM-R's <mask> does. byte_fallback: unknown
    characters are written in the pieces <0x00> to <0xFF>. normalizer, pre_tokenizer and
    post_processor: what happens before and after, as a tokenizer.json writes it; by default words
    get their ▁, and nothing else is done.
    pad_id, cls_id, sep_id and mask_id are the ids of <pad>, <s>, </s> and <mask>, or of [PAD],
    [CLS], [SEP] and [MASK]; None where there is no such token.
    Raises VocabularyError when ids or scores do not fit, or a step is not known.

    >>> scores = {"<unk>": 0.0, "▁": -4.0, "▁to": -2.0, "be": -2.5, "b": -4.0, "e": -4.0}
    >>> tokenizer = UnigramTokenizer(scores)
    >>> tokenizer.encode("to be").tokens, tokenizer.decode([2, 1, 3])
    (['▁to', '▁', 'be'], 'to be')
    """

    def __init__(
        self,
        scores: Mapping[str, float],
        unk_id: int | None = 0,
        special_tokens: Mapping[str, int] = (),
        takes_blanks: Iterable[str] = (),
        byte_fallback: bool = False,
        normalizer: dict | None = None,
        pre_tokenizer: dict | None = EVERY_WORD,
        post_processor: dict | None = None,
    ):
        self.scores = dict(scores)
        self.unk_id = unk_id
        self.special_tokens = dict(special_tokens)
        self.takes_blanks = tuple(takes_blanks)
        self.byte_fallback = byte_fallback
        self.normalizer, self.pre_tokenizer = normalizer, pre_tokenizer
        self.post_processor = post_processor
        self._ids = {piece: token_id for token_id, piece in enumerate(self.scores)}
        self._check()
        added = self._added()
        self.vocab = [*self.scores, *sorted(added, key=added.get)]
        self.pad_id, self.cls_id, self.sep_id, self.mask_id = (
            next((self.special_tokens[name] for name in names if name in self.special_tokens), None)
            for names in (PAD, CLS, SEP, MASK)
        )
        self._normalize = steps_of(normalizer)
        self._cut = metaspace_cutter(pre_tokenizer)
        self._single, self._pair = template_of(post_processor, self.vocab_size)
        self._longest = max(map(len, self.scores))
        self._unknown = None if unk_id is None else min(self.scores.values()) - UNKNOWN_PENALTY
        self._beginnings = beginnings(self.scores, self._unknown)
        self._cache = WordCache(self._encode_word)

    def _check(self):
        for piece, score in self.scores.items():
            if not isinstance(piece, str) or not piece:
                raise VocabularyError(f"a piece is a text of one character or more, got {piece!r}")
            if isinstance(score, bool) or not isinstance(score, int | float):
                raise VocabularyError(f"the score of {piece!r} should be a number, got {score!r}")
            if not math.isfinite(score):
                raise VocabularyError(f"the score of {piece!r} should be finite, got {score}")
        n = len(self.scores)
        if not n:
            raise VocabularyError("the vocabulary holds no piece")
        if self.unk_id is not None and (type(self.unk_id) is not int or not 0 <= self.unk_id < n):
            raise VocabularyError(f"unk_id should be from 0 to {n - 1}, got {self.unk_id!r}")
        for name, token_id in self.special_tokens.items():
            if not isinstance(name, str) or not name:
                raise VocabularyError(f"a special token is a text, got {name!r}")
            if type(token_id) is not int or self._ids.get(name, token_id) != token_id:
                expected = self._ids.get(name, "a whole number")
                raise VocabularyError(
                    f"the id of the special token {name!r} should be {expected}, got {token_id!r}"
                )
        if sorted(self._added().values()) != list(range(n, n + len(self._added()))):
            raise VocabularyError(
                f"the ids of added tokens should go on from {n}, got {self._added()}"
            )
        if not set(self.takes_blanks) <= self.special_tokens.keys():
            raise VocabularyError(f"not all of {self.takes_blanks} are special tokens")

    def _added(self):
        return {t: token_id for t, token_id in self.special_tokens.items() if t not in self._ids}

    @classmethod
    def train(
        cls,
        text: str,
        vocab_size: int,
        special_tokens: Iterable[str] = ("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
        unk_token: str = "<unk>",
        **options,
    ) -> Self:
        """Learn pieces from a text until there are vocab_size, fewer when too few repeat.

        Ids: the special tokens, then the pieces, the likeliest first. Text is brought into the form
        NFKC before. options as `train_unigram` takes them.
        Raises VocabularyError for a text without words, a vocab_size below the characters, or an
        unk_token that is none of the special tokens.

        >>> tokenizer = UnigramTokenizer.train("walk walking talk talking " * 3, 18)
        >>> tokenizer.encode("walking walks").tokens
        ['▁walking', '▁walk', '<unk>']
        """
        special_tokens = list(dict.fromkeys(special_tokens))
        if unk_token not in special_tokens:
            raise VocabularyError(f"unk_token {unk_token!r} should be one of {special_tokens}")
        blanks = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, EVERY_WORD]}
        around = {"normalizer": {"type": "NFKC"}, "pre_tokenizer": blanks}
        normalize, cut = steps_of(around["normalizer"]), metaspace_cutter(blanks)
        plain = split_at(special_tokens, without_half_pairs(text))[::2]
        words = Counter(chain.from_iterable(cut(normalize(part)) for part in plain))
        if not words:
            raise VocabularyError("training needs text with at least one word, got none")
        characters = len(set("".join(words)))
        if vocab_size < len(special_tokens) + characters:
            raise VocabularyError(
                f"vocab_size must be at least {len(special_tokens) + characters} "
                f"({len(special_tokens)} special tokens and {characters} characters), "
                f"got {vocab_size}"
            )
        learned = train_unigram(words, vocab_size - len(special_tokens), **options)
        scores = dict.fromkeys(special_tokens, 0.0)
        scores |= {piece: score for piece, score in learned.items() if piece not in scores}
        special = {name: token_id for token_id, name in enumerate(special_tokens)}
        return cls(scores, special[unk_token], special, **around)

    @property
    def vocab_size(self):
        """The number of ids, special tokens included: the rows of an embedding table."""
        return len(self.vocab)

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        """Return the Encoding of one text or two, in the frame that post_processor gives them.

        A special token written in the text counts as that token. Half of a surrogate pair counts as
        U+FFFD. Raises VocabularyError for a character without a piece when there is no unk_id.
        """
        parts = {"A": self._encode_text(text)}
        if pair is not None:
            parts["B"] = self._encode_text(pair)
        return self._framed(parts)

    def tokens(self, text: str) -> list[str]:
        """Return the pieces of a text, without the frame of `encode`."""
        return [self.vocab[token_id] for token_id in self._encode_text(text)]

    def segmentations(self, word: str, n: int = 10) -> list[Segmentation]:
        """Return the n likeliest ways to cut a word, the likeliest first, and their probabilities.

        These are shares of the probability of all ways, so they add up to 1 when n is large enough.
        Raises ValueError for a text that is cut into several words.

        >>> scores = {"<unk>": 0.0, "▁": -3.0, "a": -3.0, "▁a": -4.0}
        >>> for cut in UnigramTokenizer(scores).segmentations("a"):
        ...     print(*cut.pieces, round(cut.probability, 2))
        ▁a 0.88
        ▁ a 0.12
        """
        words = self._cut(self._normalize(without_half_pairs(word)))
        if len(words) != 1:
            raise ValueError(f"segmentations takes one word, got {len(words)} in {word!r:.60}")
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        places = self._lattice(words[0])
        total = forward(places)[-1]
        return [
            Segmentation(tuple(pieces_of(words[0], ends)), math.exp(score - total))
            for score, ends in best_paths(places, n)
        ]

    def sample(self, text: str, alpha: float = 0.2, generator=None) -> Encoding:
        """Return the Encoding of a text whose words are cut by chance (subword regularization).

        A cut is drawn with probability proportional to p^alpha: 0 makes all cuts alike, 1 follows
        the model, and the larger alpha, the nearer to `encode` (Kudo 2018, section 3.2). generator:
        a torch.Generator; the same state gives the same cuts.
        Raises ValueError for a negative alpha.
        """
        import torch  # here, so that text can be cut without it

        if not 0 <= alpha < math.inf:
            raise ValueError(f"alpha must be a number of at least 0, got {alpha}")

        def numbers():
            while True:
                yield from torch.rand(64, generator=generator, dtype=torch.float64).tolist()

        draws = numbers()

        def cut(word):
            return self._ids_of(pieces_of(word, sample_path(self._lattice(word), alpha, draws)))

        return self._framed({"A": self._encode_text(text, cut)})

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; the tokens of the frame and padding are left out.

        What the normalizer has changed does not come back.
        Raises VocabularyError for an id outside the vocabulary.
        """
        frames = chain(self._single, self._pair)
        silent = {i for what, _ in frames if not isinstance(what, str) for i in what}
        pieces = [self._piece(i) for i in id_list(ids) if i not in silent]
        pieces = [piece for piece in pieces if piece not in PAD]
        text = "".join(pieces)
        if self.byte_fallback:
            text = regex.sub(f"(?:{BYTE.pattern})+", _from_bytes, text)
        text = text.replace(METASPACE, " ")
        return text.removeprefix(" ") if self._cut("a") == [f"{METASPACE}a"] else text

    def _piece(self, token_id):
        if type(token_id) is not int or not 0 <= token_id < self.vocab_size:
            raise unknown_id(token_id, self.vocab_size)
        return self.vocab[token_id]

    def _framed(self, parts):
        ids, segments = [], []
        for what, segment in self._pair if "B" in parts else self._single:
            more = parts[what] if isinstance(what, str) else what
            ids += more
            segments += [segment] * len(more)
        return Encoding(ids, segments, [self.vocab[i] for i in ids])

    def _encode_text(self, text, encode_word=None):
        encode_word = encode_word or self._cache.__getitem__
        ids, parts = [], split_at(self.special_tokens, without_half_pairs(text))
        for i, (part, following) in enumerate(pairwise([*parts, None])):
            if i % 2:
                ids.append(self.special_tokens[part])
                continue
            if following in self.takes_blanks:
                part = regex.sub(r"\p{White_Space}+\Z", "", part)
            for word in self._cut(self._normalize(part)):
                ids += encode_word(word)
        return ids

    def _lattice(self, word):
        return lattice(word, self.scores, self._unknown, self._longest)

    def _encode_word(self, word):
        pieces = fast_cut(word, self._beginnings, self._unknown)
        if word and not pieces:
            missing = [c for c in word if c not in self.scores]
            raise VocabularyError(f"no pieces spell {word!r:.60}, which holds {missing[:1]}")
        return self._ids_of(pieces)

    def _ids_of(self, pieces):
        """Return the ids of a cut; unknown characters in a row are one unknown piece."""
        ids = tuple([self._ids.get(piece, self.unk_id) for piece in pieces])
        if self.unk_id not in ids:
            return ids
        joined = []
        both = zip(ids, pieces, strict=True)
        for unknown, group in groupby(both, lambda one: one[0] == self.unk_id):
            numbers, texts = zip(*group, strict=True)
            joined += self._ids_of_unknown("".join(texts)) if unknown else numbers
        return tuple(joined)

    def _ids_of_unknown(self, text):
        if text in self._ids:  # the unknown piece itself, written out
            return (self._ids[text],)
        if self.byte_fallback:
            names = [f"<0x{byte:02X}>" for byte in text.encode()]
            if all(name in self._ids for name in names):
                return [self._ids[name] for name in names]
        return (self.unk_id,)

    def save(self, path: str | PathLike) -> None:
        """Write a tokenizer.json, all of it or nothing; `load` and `tokenizers` read it."""
        save_json(path, written(self))

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read a tokenizer.json with a Unigram: from `save`, `tokenizers` or `transformers`.

        Raises MissingDataError when there is no file, DamagedFileError for one that is damaged,
        holds another model, or has steps that are not known here, which it names.
        """
        return cls._built(path, read_unigram(path, read_json(path, dict)))

    @classmethod
    def from_pretrained(cls, name_or_folder: str | PathLike, revision: str | None = None) -> Self:
        """Read the tokenizer.json beside a model's weights, from a folder or the hub ("t5-small").

        Raises as `load` does.
        """
        folder = hub.resolve(name_or_folder, revision, hub.TEXT_FILES)
        path = folder / "tokenizer.json"
        if not path.is_file():
            other = next(folder.glob("*.model"), None)
            hint = f"; from_sentencepiece reads {other.name}" if other else ""
            raise MissingDataError(f"{folder} holds no Unigram vocabulary: no {path.name}{hint}")
        return cls.load(path)

    @classmethod
    def from_sentencepiece(cls, path: str | PathLike) -> Self:
        """Read a Unigram model of SentencePiece (spiece.model) with the ids that stand there.

        Models may use others: XLM-R adds 1, T5 has a hundred more. A tokenizer.json knows them.
        Its table of replacements is read as `tokenizers` reads it, which differs from SentencePiece
        for a few letters with marks of their own behind them (ﬁ and an accent).
        Raises MissingDataError and DamagedFileError.
        """
        return cls._built(path, read_sentencepiece(path))

    @classmethod
    def _built(cls, path, parts):
        try:
            return cls(**parts)
        except VocabularyError as error:
            raise DamagedFileError(f"{path} holds no Unigram that can be read: {error}") from None


def beginnings(scores, unknown=None):
    """Return {beginning of a piece: its score}: -inf where it is no piece itself, for `fast_cut`.

    >>> beginnings({"a": -1.0, "abc": -2.0})
    {'a': -1.0, 'ab': -inf, 'abc': -2.0}
    """
    nothing = -math.inf if unknown is None else unknown
    found = {}
    for piece in scores:
        for end in range(1, len(piece) + 1):
            begin = piece[:end]
            if begin not in found:
                found[begin] = scores.get(begin, nothing if end == 1 else -math.inf)
    return found


def fast_cut(word, begins, unknown=None):
    """Return the pieces of the likeliest cut, as `likeliest_path` does, some four times as fast.

    From each place it tries longer and longer pieces as long as they are the beginning of some
    piece. begins: what `beginnings` returns for the same log-probabilities. [] without any cut.

    >>> fast_cut("abc", beginnings({"a": -1.0, "b": -1.0, "c": -1.0, "bc": -1.5}))
    ['a', 'bc']
    """
    nothing = -math.inf if unknown is None else unknown
    n = len(word)
    best, came_from = [0.0] + [-math.inf] * n, [0] * (n + 1)
    for start, character in enumerate(word):
        here = best[start]
        end, score = start + 1, begins.get(character, nothing)
        while score is not None:
            if here + score > best[end]:  # only if better: of equals the earliest start stays
                best[end], came_from[end] = here + score, start
            end += 1
            score = begins.get(word[start:end]) if end <= n else None
    pieces, end = [], n if best[n] > -math.inf else 0
    while end:
        start = came_from[end]
        pieces.append(word[start:end])
        end = start
    pieces.reverse()
    return pieces


def _from_bytes(found):
    numbers = BYTE.findall(found.group())
    return bytes(int(number, 16) for number in numbers).decode(errors="replace")
