"""A byte-level tokenizer from the learner's functions: the ids are those of `BPETokenizer`."""

from collections import Counter

from tutorial_lib.errors import VocabularyError
from tutorial_lib.tokenizers import gpt2_words

BYTES = tuple(chr(byte) for byte in range(256))


class MyTokenizer:
    """Text to ids and back by {name: function} from chapter 01, after `train`.

    Chapter 01 works on strings, GPT-2's tokenizer on bytes: so each byte is written as the
    character with its number (Latin-1). Text is cut into words by GPT-2's pattern, as there.

    >>> from tutorial_lib.exercises.own_gpt.parts import TASKS
    >>> tokenizer = MyTokenizer({name: task.solution for name, task in TASKS.items()})
    >>> tokenizer.train("the cat sat on the mat " * 9, n_merges=3)
    >>> tokenizer.tokens("that cat"), tokenizer.decode(tokenizer.encode("thé"))
    (['t', 'h', 'at', ' ', 'c', 'at'], 'thé')
    """

    def __init__(self, functions):
        self.functions = functions
        self.merges = []
        self._number()

    def train(self, text, n_merges):
        """Learn merges from a text; takes seconds for each 100 kB and 100 merges."""
        words = Counter(map(_as_characters, gpt2_words(text)))
        merges = self.functions["train_merges"](dict(words), n_merges)
        self.merges = [tuple(pair) for pair in merges]
        self._number()

    @property
    def vocab_size(self):
        """The number of ids: 256 bytes and the merges."""
        return len(BYTES) + len(self.merges)

    def encode(self, text):
        """Return the ids of a text, a list; each word is looked up once."""
        return [id for word in gpt2_words(text) for id in self._word_ids(word)]

    def decode(self, ids):
        """Return the text of ids. Raises VocabularyError for an id that there is not."""
        unknown = [id for id in ids if id not in self.vocabulary]
        if unknown:
            raise VocabularyError(f"there is no token with the id {unknown[0]}")
        return self.functions["decode"](list(ids), self.vocabulary)

    def tokens(self, text):
        """Return the tokens of a text as strings."""
        ids = self.encode(text)
        return [self.vocabulary[id].decode("utf-8", errors="backslashreplace") for id in ids]

    def _number(self):
        tokens = [*BYTES, *(first + second for first, second in self.merges)]
        self.ids = {token: place for place, token in enumerate(tokens)}
        self.vocabulary = {place: token.encode("latin-1") for place, token in enumerate(tokens)}
        self._known = {}

    def _word_ids(self, word):
        if word not in self._known:
            symbols = tuple(_as_characters(word))
            merged = self.functions["encode_by_rank"](symbols, self.merges)
            self._known[word] = [self.ids[symbol] for symbol in merged]
        return self._known[word]


def _as_characters(word):
    return word.encode("utf-8", errors="replace").decode("latin-1")


def train_with(count_pairs, merge_pair):
    """Return our `train_merges` on top of these two, for a learner who has not written it yet.

    >>> from tutorial_lib.exercises.chapter01_tokenization.merges import count_pairs, merge_pair
    >>> train_with(count_pairs, merge_pair)({"cat": 10, "mat": 5}, 2)
    [('a', 't'), ('c', 'at')]
    """

    def train_merges(words, n_merges):
        words = {tuple(word): count for word, count in words.items()}
        merges = []
        while len(merges) < n_merges and (counts := count_pairs(words)):
            pair = min(counts, key=lambda pair: (-counts[pair], pair))
            merges.append(pair)
            words = {tuple(merge_pair(word, pair)): count for word, count in words.items()}
        return merges

    return train_merges
