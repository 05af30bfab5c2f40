"""WordPiece, as BERT has it (Devlin et al. 2018): longest match from a list of pieces."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from heapq import heappop, heappush
from os import PathLike
from typing import NamedTuple, Self

from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.files import hub, write_text
from tutorial_lib.tokenizers.incremental import PairTable
from tutorial_lib.tokenizers.pretokenize import bert_words
from tutorial_lib.tokenizers.pretrained import read_pieces, read_wordpiece
from tutorial_lib.tokenizers.vocabulary import WordCache, id_list, split_at, unknown_id

PAD, UNK, CLS, SEP, MASK = SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUATION = "##"
MAX_LETTERS = 100  # BERT gives up on a longer word


def split_word(word, continuation=CONTINUATION):
    """Cut a word into its letters, all but the first marked.

    >>> split_word("pet")
    ('p', '##e', '##t')
    """
    return (word[0], *(continuation + letter for letter in word[1:]))


def join_pieces(first, second, continuation=CONTINUATION):
    """Write two neighbouring pieces as one; the mark of the second goes.

    >>> join_pieces("p", "##e")
    'pe'
    """
    return first + second[len(continuation) :]


def longest_match(word: str, vocabulary: Collection[str]) -> list[str]:
    """Cut a word into pieces, the longest first; ["[UNK]"] when at some point none fits.

    vocabulary holds the pieces, those inside a word marked (Devlin et al. 2018).

    >>> longest_match("hath", {"hat", "ha", "##h", "##th"})
    ['hat', '##h']
    """
    pieces, start = [], 0
    while start < len(word):
        mark = CONTINUATION if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def wordpiece_score(pair, pair_counts, symbol_counts):
    """Score a pair by how much more often it occurs than its parts suggest: WordPiece.

    The count of the pair over the product of the counts of its two symbols
    (Schuster and Nakajima 2012, as it is usually reconstructed).

    >>> wordpiece_score(("p", "e"), {("p", "e"): 12}, {"p": 12, "e": 16})
    0.0625
    """
    first, second = pair
    return pair_counts[pair] / (symbol_counts[first] * symbol_counts[second])


def train_wordpiece(word_counts, n_merges, continuation=CONTINUATION, min_count=1):
    """Return at most n_merges pairs, highest `wordpiece_score` first; ties go to the smallest pair.

    Pairs that occur less than min_count times are left alone. Like `train_bpe`, but a merge
    changes the score of every pair that shares a part with it.

    >>> train_wordpiece({"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}, 2)
    [('p', '##e'), ('c', '##a')]
    """
    words = {split_word(word, continuation): count for word, count in word_counts.items()}
    table = PairTable(words, lambda first, second: join_pieces(first, second, continuation))
    pairs, symbols = table.pair_counts, table.symbol_counts
    neighbours = defaultdict(set)  # symbol -> the pairs it is part of
    heap = []

    def note(pair):
        neighbours[pair[0]].add(pair)
        neighbours[pair[1]].add(pair)

    def push(pair):
        if pairs[pair] >= min_count:
            heappush(heap, (-wordpiece_score(pair, pairs, symbols), pair))

    for pair in pairs:
        note(pair)
        push(pair)
    merges = []
    while heap and len(merges) < n_merges:
        score, pair = heappop(heap)
        if pairs.get(pair, 0) < min_count or -score != wordpiece_score(pair, pairs, symbols):
            continue
        merges.append(pair)
        created = table.merge(pair)
        for new in created:
            note(new)
        # Every pair with one of the two parts has a new score: their counts have fallen.
        neighbours[pair[0]].discard(pair)
        neighbours[pair[1]].discard(pair)
        for changed in created | neighbours[pair[0]] | neighbours[pair[1]]:
            push(changed)
    return merges


class Encoding(NamedTuple):
    """One or two texts as WordPiece ids; the three lists have one entry a token.

    ids       what the model reads
    segments  0 for the first text with its [CLS] and [SEP], 1 for the second with its [SEP]
    tokens    the pieces as strings
    """

    ids: list[int]
    segments: list[int]
    tokens: list[str]


class WordPieceTokenizer:
    """Words to pieces and ids; pieces inside a word begin with ##.

    vocab is the list of pieces in order of ids, the five special tokens among them.
    Raises VocabularyError when a special token is missing or a piece is there twice.

    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "walk", "##ing", "##s"]
    >>> WordPieceTokenizer(words).encode("Walking [MASK] zebra").tokens
    ['[CLS]', 'walk', '##ing', '[MASK]', '[UNK]', '[SEP]']
    """

    def __init__(self, vocab: Iterable[str], lowercase: bool = True):
        self.vocab = list(vocab)
        self.lowercase = lowercase
        self._ids = {piece: token_id for token_id, piece in enumerate(self.vocab)}
        self._pieces = dict(enumerate(self.vocab))
        missing = [name for name in SPECIAL_TOKENS if name not in self._ids]
        if missing:
            raise VocabularyError(f"the vocabulary lacks the special tokens {missing}")
        if len(self._ids) < len(self.vocab):
            twice = next(piece for piece, n in Counter(self.vocab).items() if n > 1)
            raise VocabularyError(f"the vocabulary holds {twice!r} more than once")
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = (
            self._ids[name] for name in SPECIAL_TOKENS
        )
        self._longest = max(map(len, self.vocab))
        self._cache = WordCache(self._encode_word)

    @classmethod
    def train(cls, text: str, vocab_size: int, lowercase: bool = True, min_count: int = 1) -> Self:
        """Learn pieces from text until there are vocab_size (fewer when no pair is left).

        Ids: five special tokens, the letters (plain and with ##), then the merged pieces. The pair
        with the highest `wordpiece_score` is merged first; a tie goes to the smallest pair. The
        score favours rare pairs of rare letters: pairs that occur less than min_count times are
        left out.
        Raises VocabularyError for a text without words, a vocab_size below the letters, or a
        min_count below 1.
        """
        if min_count < 1:
            raise VocabularyError(f"min_count must be at least 1, got {min_count}")
        words = Counter(bert_words(text, lowercase))
        if not words:
            raise VocabularyError("training needs text with at least one word, got none")
        letters = sorted({symbol for word in words for symbol in split_word(word)})
        n_merges = vocab_size - len(SPECIAL_TOKENS) - len(letters)
        if n_merges < 0:
            raise VocabularyError(
                f"vocab_size must be at least {vocab_size - n_merges} ({len(SPECIAL_TOKENS)} "
                f"special tokens and {len(letters)} letters), got {vocab_size}"
            )
        merges = train_wordpiece(words, n_merges, min_count=min_count)
        pieces = [join_pieces(*pair) for pair in merges]
        return cls([*SPECIAL_TOKENS, *letters, *pieces], lowercase)

    @classmethod
    def from_vocab(cls, path: str | PathLike, lowercase: bool = True) -> Self:
        """Read BERT's vocab.txt, a piece a line; DamagedFileError when it is none."""
        try:
            return cls(read_pieces(path), lowercase)
        except VocabularyError as error:
            raise DamagedFileError(f"{path} is not a WordPiece vocabulary: {error}") from None

    @classmethod
    def from_pretrained(cls, name_or_folder: str | PathLike, revision: str | None = None) -> Self:
        """Read the tokenizer beside a BERT's weights, from a folder or the hub.

        "bert-base-uncased" is such a name. Raises MissingDataError when there is none,
        DamagedFileError when it is damaged or cuts text in another way
        (`pretrained.read_wordpiece` says which files are read).
        """
        folder = hub.resolve(name_or_folder, revision, hub.TEXT_FILES)
        try:
            return cls(*read_wordpiece(folder))
        except VocabularyError as error:
            raise DamagedFileError(f"{folder} holds no WordPiece vocabulary: {error}") from None

    def save(self, path: str | PathLike) -> None:
        """Write vocab.txt for `from_vocab`, all of it or nothing."""
        write_text(path, "\n".join(self.vocab) + "\n")

    @property
    def vocab_size(self):
        """The number of ids, special tokens included: the rows of an embedding table."""
        return len(self.vocab)

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        """Return the Encoding of [CLS] text [SEP], or of [CLS] text [SEP] pair [SEP].

        A special token written in the text ([MASK]) counts as that token, in capitals only, as in
        BERT.
        """
        ids = [self.cls_id, *self._encode_text(text), self.sep_id]
        segments = [0] * len(ids)
        if pair is not None:
            second = [*self._encode_text(pair), self.sep_id]
            ids += second
            segments += [1] * len(second)
        return Encoding(ids, segments, [self.vocab[i] for i in ids])

    def decode(self, ids: Iterable[int]) -> str:
        """Return the words of ids, separated by spaces; [CLS], [SEP] and [PAD] are left out.

        Capitals, accents and the spacing of punctuation are lost in encoding and do not come back.
        Raises VocabularyError for an id outside the vocabulary.
        """
        pieces = [self._piece(i) for i in id_list(ids)]
        words = " ".join(piece for piece in pieces if piece not in (CLS, SEP, PAD))
        return words.replace(f" {CONTINUATION}", "")

    def _piece(self, token_id):
        try:
            return self._pieces[token_id]
        except (KeyError, TypeError):
            raise unknown_id(token_id, self.vocab_size) from None

    def _encode_text(self, text):
        ids = []
        for i, piece in enumerate(split_at(SPECIAL_TOKENS, text)):
            if i % 2:
                ids.append(self._ids[piece])
            else:
                for word in bert_words(piece, self.lowercase):
                    ids += self._cache[word]
        return ids

    def _encode_word(self, word):
        """Take the longest piece that the word begins with, then go on after it."""
        if len(word) > MAX_LETTERS:
            return (self.unk_id,)
        ids = []
        start = 0
        while start < len(word):
            mark = CONTINUATION if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = mark + word[start:end]
                if piece in self._ids:
                    break
            else:
                return (self.unk_id,)  # one letter without a piece makes the whole word unknown
            ids.append(self._ids[piece])
            start = end
        return tuple(ids)
