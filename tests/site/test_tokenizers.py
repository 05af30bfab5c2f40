"""The tokenizers of the pages give the ids, tokens and texts that the course's give in Python."""

import json
import random
import subprocess
import sys
import unicodedata

import pytest
import regex
from isolation import ROOT

from tutorial_lib.errors import VocabularyError
from tutorial_lib.tokenizers.pretokenize import (
    BERT_PATTERN,
    GPT2_PATTERN,
    SMOLLM_PATTERN,
    bert_words,
)

SITE = ROOT / "docs" / "site"
WORDPIECE = ("minilm", "shakespeare-bert")
BPE = ("gpt2", "smollm2", "own-gpt", "translation-de", "translation-fr", "emoji-writer")
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
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "שלום", "مرحبا", "日本語", "한국어", "नमस्ते", "ไทย", "\u0344",
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


@pytest.fixture(scope="session")
def exported():
    """The module that writes the vocabularies."""
    sys.path.append(str(SITE / "models"))
    import export_vocabularies

    return export_vocabularies


@pytest.fixture(scope="session")
def vocabularies(exported, tmp_path_factory):
    """The folder of a build with every vocabulary that no test has to train first."""
    folder = tmp_path_factory.mktemp("site")
    exported.main(folder / "models", [*WORDPIECE, *BPE, "hamlet", "shakespeare-gpt"])
    return folder


@pytest.fixture
def in_node(vocabularies, node):
    """in_node(jobs): what the tokenizers in JavaScript say, all in one call of Node."""

    def run(*jobs):
        given = {"load": str(SITE / "models" / "tokenizers" / "load.js"), "base": str(vocabularies)}
        done = subprocess.run(
            [node, str(ROOT / "tests" / "site" / "tokenize.mjs")],
            input=json.dumps({**given, "jobs": jobs}), capture_output=True, text=True,
            encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def in_python(tokenizer, job):
    """What the course's tokenizer says to a job of `in_node`."""
    answers = []
    for i, text in enumerate(job["texts"]):
        try:
            if "pairs" in job:
                found = tokenizer.encode(text, job["pairs"][i])
                answers.append([*map(list, found), tokenizer.decode(found.ids)])
            else:
                allowed = {"allowed_special": job["allowed"]} if "allowed" in job else {}
                ids = tokenizer.encode(text, **allowed)
                tokens = [tokenizer.token_bytes(i).hex() for i in ids]
                answers.append([ids, None, tokens, tokenizer.decode(ids)])
        except VocabularyError as error:
            answers.append(f"VocabularyError: {error}")
    return answers


def test_fuzzed_texts_are_cut_alike(exported, in_node):
    texts = fuzzed(3000, seed=0)
    jobs = [
        {"name": name, "texts": texts, "pairs": [None, *texts[:-1]]} for name in WORDPIECE
    ]  # the second text of the first is none
    jobs += [{"name": name, "texts": texts} for name in (*BPE, "hamlet")]
    jobs += [{"name": name, "texts": texts[::3], "allowed": "all"} for name in BPE]
    jobs += [{"name": "shakespeare-gpt", "texts": [*texts, "To be,\nor not", "HAMLET: ay!"]}]
    jobs = [{"way": "tokens", **job} for job in jobs]
    for job, answers in zip(jobs, in_node(*jobs), strict=True):
        expected = in_python(exported.tokenizer(job["name"]), job)
        for text, one, other in zip(job["texts"], expected, answers, strict=True):
            assert one == other, (job["name"], ascii(text))


def test_the_first_merges_of_a_vocabulary_alone(exported, in_node):
    from tutorial_lib.tokenizers import BPETokenizer

    texts = fuzzed(300, seed=1)
    whole = exported.tokenizer("hamlet")
    jobs = [{"way": "tokens", "name": "hamlet", "merges": n, "texts": texts} for n in (0, 1, 90)]
    for job, answers in zip(jobs, in_node(*jobs), strict=True):
        merges = whole.merges[: job["merges"]]
        tokens = [*(bytes([b]) for b in range(256)), *(a + b for a, b in merges)]
        one = BPETokenizer({token: i for i, token in enumerate(tokens)}, merges)
        assert in_python(one, job) == answers


def test_each_character_is_of_the_same_kind(in_node):
    """Every character that Unicode has, and a sample of those that it has not, between letters."""
    codes = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Co", "Cs")]
    codes += random.Random(2).sample(range(0xE000, 0x110000), 20_000)
    texts = [
        "".join(f"A{chr(code)}1 {chr(code)}" for code in codes[start : start + 500])
        for start in range(0, len(codes), 500)
    ]
    texts += [chr(code) for code in codes[:3000]]
    patterns = [BERT_PATTERN, GPT2_PATTERN, SMOLLM_PATTERN]
    (answers,) = in_node({"way": "characters", "patterns": patterns, "texts": texts})
    for text, found in zip(texts, answers, strict=True):
        assert found == [
            bert_words(text),
            bert_words(text, lowercase=False),
            regex.findall(GPT2_PATTERN, text),
            regex.findall(SMOLLM_PATTERN, text),
            text.isprintable(),
        ]
