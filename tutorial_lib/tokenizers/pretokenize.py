"""Cutting text into words before anything else: as GPT-2, BERT and SentencePiece do.

No merge ever crosses the end of a word, so no token can be more than one of these words.
"""

import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

import regex

from tutorial_lib.errors import VocabularyError

# Contractions; then letters, digits and other characters, each with one space before them; then
# white space: all but the last blank of a run, so that this one can go with the word after it.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# SmolLM cuts out each digit first and the rest as GPT-2 does. In one pattern: a digit stands alone,
# without the blank before it, and the blanks before a digit are the end of a piece.
SMOLLM_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"

# One punctuation mark, or a run of anything else. For BERT every ASCII mark is punctuation, even
# those that Unicode calls symbols.
BERT_PATTERN = r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+"


def gpt2_words(text: str) -> list[str]:
    """Cut text as GPT-2 does (Radford et al. 2019); the pieces joined are the text again.

    >>> gpt2_words("We'll meet  in 1599!")
    ['We', "'ll", ' meet', ' ', ' in', ' 1599', '!']
    """
    return regex.findall(GPT2_PATTERN, text)


METASPACE = "▁"  # SentencePiece's sign for a space, U+2581
NO_BLANKS = regex.compile(r"\P{White_Space}+")
EVERY_WORD = {"type": "Metaspace", "replacement": METASPACE, "prepend_scheme": "always"}


def metaspace_cutter(spec):
    """Return the function, text to words, that a tokenizer.json describes under "pre_tokenizer".

    Spaces become ▁, which words begin with: the first one too, if prepend_scheme is "always". A
    "WhitespaceSplit" before it drops all blanks; None: the text stays whole.
    Raises VocabularyError for another pre-tokenizer, and names it.

    >>> metaspace_cutter(EVERY_WORD)("to be  or")
    ['▁to', '▁be', '▁', '▁or']
    """
    if spec is None:
        return lambda text: [text] if text else []
    try:
        steps = spec["pretokenizers"] if spec["type"] == "Sequence" else [spec]
        drops_blanks = len(steps) == 2 and steps[0] == {"type": "WhitespaceSplit"}
        metaspace = steps[-1]
        older = "always" if metaspace.get("add_prefix_space", True) else "never"
        scheme, split = metaspace.get("prepend_scheme", older), metaspace.get("split", True)
        known = (
            len(steps) == 1 + drops_blanks
            and metaspace["type"] == "Metaspace"
            and metaspace.get("replacement", METASPACE) == METASPACE
            and scheme in ("always", "never")
        )
    except (AttributeError, IndexError, KeyError, TypeError):
        known = False
    if not known:
        raise VocabularyError(
            "the pre-tokenizer should be Metaspace with ▁, alone or after WhitespaceSplit, and "
            f'prepend_scheme "always" or "never"; got {spec!r:.160}'
        )
    words = regex.compile(f"{METASPACE}?[^{METASPACE}]+|{METASPACE}")

    def cut(text):
        found = []
        for chunk in NO_BLANKS.findall(text) if drops_blanks else [text] if text else []:
            chunk = chunk.replace(" ", METASPACE)
            if scheme == "always" and not chunk.startswith(METASPACE):
                chunk = METASPACE + chunk
            found += words.findall(chunk) if split else [chunk]
        return found

    return cut


# Latin, Greek and Cyrillic with their signs and blanks, then an ideograph, an emoji, a wide blank.
_EVERY_KIND = "".join(map(chr, range(0x500))) + "日👻\u3000\n\n a  b"


def word_finder(pattern: str) -> Callable[[str], list[str]]:
    r"""Return a function that cuts text into words: the matches of a regular expression.

    Raises VocabularyError for a pattern that is no regular expression, has a group, or leaves out
    characters, whose text would be lost; the function raises it too, when it meets such a text.

    >>> word_finder(r"\w+|\W+")("to be")
    ['to', ' ', 'be']
    """
    try:
        compiled = regex.compile(pattern)
    except (TypeError, regex.error) as error:
        raise VocabularyError(f"the pattern is not a regular expression: {error}") from None
    if compiled.groups:
        raise VocabularyError(f"write (?:...) for the groups of the pattern, got {pattern!r}")

    def find_words(text):
        words = compiled.findall(text)
        if sum(map(len, words)) < len(text):
            lost = compiled.sub("", text)[0]
            raise VocabularyError(f"the pattern leaves out {lost!r}, so its text would be lost")
        return words

    find_words(_EVERY_KIND)
    return find_words


@cache
def byte_to_unicode():
    """Return GPT-2's table from each of the 256 bytes to one printable character.

    Vocabulary files are text, and half of all bytes are blanks, control characters or broken
    UTF-8. Printable Latin-1 bytes stay as they are; the others move to U+0100 and up.

    >>> byte_to_unicode()[ord("a")], byte_to_unicode()[ord(" ")]
    ('a', 'Ġ')
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    moved = {byte: chr(256 + i) for i, byte in enumerate(others)}
    return {byte: moved.get(byte, chr(byte)) for byte in range(256)}


@cache
def unicode_to_byte():
    """Return the inverse of `byte_to_unicode`."""
    return {character: byte for byte, character in byte_to_unicode().items()}


def printable(token):
    """Write the bytes of a token in GPT-2's printable characters.

    >>> printable(b" thou")
    'Ġthou'
    """
    return "".join(map(byte_to_unicode().__getitem__, token))


def unprintable(text):
    """Turn printable characters back into bytes; a character outside the table is a KeyError.

    >>> unprintable("Ġthou")
    b' thou'
    """
    return bytes(map(unicode_to_byte().__getitem__, text))


def bert_words(text: str, lowercase: bool = True) -> list[str]:
    """Cut text as BERT does (Devlin et al. 2018): words, punctuation marks, Chinese characters.

    Control characters are dropped, and every kind of blank separates words. lowercase=True also
    takes the accents off.

    >>> bert_words("Romeo, où es-tu?")
    ['romeo', ',', 'ou', 'es', '-', 'tu', '?']
    """
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_clean, text))
    if lowercase:
        text = text.lower() if text.isascii() else _lower_without_accents(text)
    return regex.findall(BERT_PATTERN, text)


def _lower_without_accents(text):
    letters = unicodedata.normalize("NFD", text)
    # Letter by letter: the whole-string lower() would write a Greek sigma in two ways.
    return "".join([c.lower() for c in letters if unicodedata.category(c) != "Mn"])


@lru_cache(maxsize=1 << 13)
def _clean(character):
    """Drop a control character, make any blank a space, put spaces around a Chinese character."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    return f" {character} " if _is_cjk(ord(character)) else character


# Han characters only: Hangul, Hiragana and Katakana are written in words like any alphabet.
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def _is_cjk(code):
    return any(first <= code <= last for first, last in _CJK)
