"""Texts that are hard on a tokenizer: every script, signs that join, halves of pairs, blanks."""

import json
import random
import unicodedata

BMP = [*range(0xD800), *range(0xE000, 0x10000)]
RANGES = {
    "ascii": range(0x20, 0x7F),
    "controls": [*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x200D, 0x2060, 0xFEFF, 0xFFFD],
    "blanks": [9, 10, 11, 12, 13, 0x1C, 0x20, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x3000, 0x180E],
    "latin": range(0xA1, 0x250),
    "marks": [*range(0x300, 0x370), *range(0x1AB0, 0x1B00), *range(0x20D0, 0x20F1), 0x0F71, 0x0F72],
    "greek": range(0x370, 0x530),
    "rightward": [*range(0x590, 0x700), *range(0x200E, 0x2010), *range(0x202A, 0x202F)],
    "indic": range(0x900, 0xE00),
    "hangul": [*range(0x1100, 0x1200), *range(0xAC00, 0xAD00)],
    "ideographs": [*range(0x3040, 0x3100), *range(0x4E00, 0x4F00), *range(0xF900, 0xFAFF)],
    "beyond": [*range(0x20000, 0x20010), *range(0x1D400, 0x1D500), *range(0x10400, 0x10450)],
    "emoji": [*range(0x1F300, 0x1F700), 0x200D, 0xFE0F, *range(0x1F3FB, 0x1F400), 0x20E3],
    "flags": range(0x1F1E6, 0x1F200),
    "halves": range(0xD800, 0xE000),
    "bmp": BMP,
    "all": range(0x110000),
}
WORDS = [
    "[MASK]", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[mask]", "<|endoftext|>", "<start>", "<pad>",
    "'s", "'ll", "don't", "To be", "##ing", "a" * 70, "x" * 101, "  ", " \n\n ", "seven hundred",
    "1984-03-21", "3.14", "café", "cafe\u0301", "\u1e9b\u0323", "İstanbul", "ΣΊΣΥΦΟΣ", "ß", "ﬁ",
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "שלום", "مرحبا", "日本語", "한국어", "नमस्ते", "ไทย",
    "\u0344", "\ufeffBOM",
]  # fmt: skip


def fuzzed(count, seed):
    """Texts of every kind: short and long, one script or many, composed or not."""
    numbers = random.Random(seed)
    names = list(RANGES)
    texts = ["", " ", "\n", "\ud800", "\udc00\ud800", *WORDS]
    while len(texts) < count:
        some = numbers.sample(names, numbers.randrange(1, 5))
        length = numbers.choice([1, 3, 10, 40, 40, 150]) if len(texts) % 100 else 4000
        parts = []
        while length > 0:
            if numbers.random() < 0.15:
                parts.append(numbers.choice(WORDS))
            else:
                kind = RANGES[numbers.choice(some)]
                codes = numbers.choices(kind, k=numbers.choice([1, 1, 2, 5]))
                parts.append("".join(map(chr, codes)))
            length -= len(parts[-1])
        text = "".join(parts)
        form = numbers.choice([None, None, "NFC", "NFD", "NFKC"])
        texts.append(unicodedata.normalize(form, text) if form else text)
    # As a page sends them: two halves that meet are one character.
    return [json.loads(json.dumps(text)) for text in texts]
