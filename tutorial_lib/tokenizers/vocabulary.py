"""What the two tokenizers share: cutting at special tokens, a cache of words, ids from outside."""

import regex

from tutorial_lib.errors import VocabularyError


def without_half_pairs(text):
    r"""Return text with each half of a surrogate pair, which UTF-8 cannot write, as U+FFFD.

    >>> without_half_pairs("a\ud800b") == "a\ufffdb"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def split_at(names, text):
    """Cut text at special tokens: [text, name, text, name, text].

    >>> split_at(["[MASK]"], "to [MASK] or")
    ['to ', '[MASK]', ' or']
    """
    if not names:
        return [text]
    # The longest first, so that a name that begins with another one wins.
    pattern = "|".join(map(regex.escape, sorted(names, key=len, reverse=True)))
    return regex.split(f"({pattern})", text)


class WordCache(dict):
    """The ids of each word, found by encode_word(word) when the word is first met.

    It is emptied when it holds max_words, and words of more than max_letters are not kept, so a
    tokenizer that runs for weeks stays small.

    >>> cache = WordCache(len)
    >>> cache["pet"], dict(cache)
    (3, {'pet': 3})
    """

    def __init__(self, encode_word, max_words=1 << 16, max_letters=64):
        self.encode_word = encode_word
        self.max_words, self.max_letters = max_words, max_letters

    def __missing__(self, word):
        ids = self.encode_word(word)
        if len(word) <= self.max_letters:
            if len(self) >= self.max_words:
                self.clear()
            self[word] = ids
        return ids


def id_list(ids):
    """Return ids as plain numbers, whether they come as a tensor, an array or a list of these.

    >>> id_list(range(3))
    [0, 1, 2]
    """
    if hasattr(ids, "tolist"):
        return ids.tolist()
    return [i.item() if hasattr(i, "item") else i for i in ids]


def unknown_id(token_id, vocab_size):
    """Return the error that names an id outside the vocabulary.

    >>> print(unknown_id(300, 256))
    id 300 is not in the vocabulary: ids are 0 to 255 (vocab_size 256)
    """
    return VocabularyError(
        f"id {token_id!r} is not in the vocabulary: "
        f"ids are 0 to {vocab_size - 1} (vocab_size {vocab_size})"
    )
