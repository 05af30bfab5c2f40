"""Evening out text before it is cut: the steps that a tokenizer.json names under "normalizer"."""

import base64
import binascii
import struct
import unicodedata

import regex

from tutorial_lib.errors import VocabularyError

SPACES_AT = {
    (True, True): r"\A\p{White_Space}+|\p{White_Space}+\Z",
    (True, False): r"\A\p{White_Space}+",
    (False, True): r"\p{White_Space}+\Z",
}
NMT_DROPPED = dict.fromkeys([*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F])
NMT_SPACES = (9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF)
NMT = NMT_DROPPED | dict.fromkeys((*NMT_SPACES, 0xFFFD), " ")


def normalizer(spec):
    """Return the function, text to text, that a tokenizer.json describes; None: nothing changes.

    Raises VocabularyError for a step that is not known here, and names it.

    >>> normalizer({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]})(
    ...     "Ｗｉｄｅ ﬁn"
    ... )
    'wide fin'
    """
    if spec is None:
        return str
    try:
        kind = spec["type"]
        if kind == "Sequence":
            steps = [normalizer(step) for step in spec["normalizers"]]
            return lambda text: _apply(steps, text)
        if kind not in STEPS:
            raise VocabularyError(
                f"the normalizer {kind!r} is not supported; known are Sequence, {', '.join(STEPS)}"
            )
        return STEPS[kind](spec)
    except VocabularyError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, regex.error, struct.error) as error:
        raise VocabularyError(f"a normalizer cannot be read ({error!r}): {spec!r:.80}") from None


def _apply(steps, text):
    for step in steps:
        text = step(text)
    return text


def _form(spec):
    return lambda text: unicodedata.normalize(spec["type"], text)


def _nmt(spec):
    return lambda text: text.translate(NMT)


def _lowercase(spec):
    # Letter by letter: the whole-string lower() would write a Greek sigma in two ways.
    return lambda text: "".join(map(str.lower, text))


def _strip_accents(spec):
    def strip(text):
        return "".join(c for c in text if not unicodedata.category(c).startswith("M"))

    return lambda text: text if text.isascii() else strip(text)


def _strip(spec):
    sides = bool(spec["strip_left"]), bool(spec["strip_right"])
    if sides not in SPACES_AT:
        return str
    spaces = regex.compile(SPACES_AT[sides])
    return lambda text: spaces.sub("", text)


def _replace(spec):
    [(kind, pattern)] = spec["pattern"].items()
    content = spec["content"]
    if not isinstance(pattern, str) or not isinstance(content, str) or not pattern:
        raise ValueError("pattern and content are texts")
    if kind == "String":
        return lambda text: text.replace(pattern, content)
    if kind != "Regex":
        raise ValueError(f"a pattern is a String or a Regex, not {kind!r}")
    compiled = regex.compile(pattern)
    return lambda text: compiled.sub(lambda _: content, text)


def _prepend(spec):
    front = spec["prepend"]
    if not isinstance(front, str):
        raise ValueError("what is prepended is text")
    return lambda text: front + text if text else text


def _precompiled(spec):
    try:
        return CharacterMap(base64.b64decode(spec["precompiled_charsmap"], validate=True))
    except binascii.Error as error:
        raise ValueError(str(error)) from None


STEPS = {
    **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD"), _form),
    "Nmt": _nmt,
    "Lowercase": _lowercase,
    "StripAccents": _strip_accents,
    "Strip": _strip,
    "Replace": _replace,
    "Prepend": _prepend,
    "Precompiled": _precompiled,
}


class CharacterMap:
    """SentencePiece's own table of replacements, as its files hold it; call it with a text.

    data: the length of a double-array trie in bytes, the trie (32-bit units, Aoe 1989), then the
    replacements, each one ended by a zero byte. A grapheme (a letter with its accents) of at most 5
    bytes is looked up first, then each of its characters.
    Raises ValueError for data of another form.
    """

    graphemes = regex.compile(r"\X")

    def __init__(self, data):
        (size,) = struct.unpack_from("<I", data)
        if size % 4 or not 4 <= size <= len(data) - 4:
            raise ValueError(f"{size} bytes of a trie in {len(data)} bytes")
        self.units = struct.unpack_from(f"<{size // 4}I", data, 4)
        self.texts = data[4 + size :]
        self._known = {}

    def __call__(self, text):
        """Return the text with each grapheme or character replaced that the table knows."""
        return "".join(map(self._replace, self.graphemes.findall(text)))

    def _replace(self, grapheme):
        if grapheme not in self._known:
            if len(self._known) > 1 << 16:
                self._known.clear()
            whole = self._look_up(grapheme) if len(grapheme.encode()) < 6 else None
            if whole is None:
                parts = map(self._look_up, grapheme)
                whole = "".join(
                    c if part is None else part for c, part in zip(grapheme, parts, strict=True)
                )
            self._known[grapheme] = whole
        return self._known[grapheme]

    def _look_up(self, text):
        """Return what the shortest known beginning of a text stands for, or None.

        A unit holds the label of the arc to it in its low 8 bits, whether a value ends there in bit
        8, and from bit 9 on where its children are, as a difference.
        """
        place = _offset(self.units[0])
        for byte in text.encode():
            place ^= byte
            if not byte or place >= len(self.units):
                return None
            unit = self.units[place]
            if unit & 0x800000FF != byte:
                return None
            place ^= _offset(unit)
            if unit >> 8 & 1 and place < len(self.units):
                start = self.units[place] & 0x7FFFFFFF
                end = self.texts.find(b"\0", start)
                return self.texts[start : end if end >= 0 else None].decode(errors="replace")
        return None


def _offset(unit):
    return (unit >> 10) << ((unit & 0x200) >> 6)
