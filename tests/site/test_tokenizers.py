"""The tokenizers of the pages give the ids, tokens and texts that the course's give in Python."""

import json
import random
import subprocess

import pytest
import regex
from fuzzed_texts import fuzzed
from isolation import ROOT

from tutorial_lib.errors import VocabularyError
from tutorial_lib.tokenizers.pretokenize import (
    BERT_PATTERN,
    GPT2_PATTERN,
    SMOLLM_PATTERN,
    bert_words,
)

SITE = ROOT / "docs" / "site"
WORDPIECE = ("shakespeare-bert", "minilm")
BPE = ("gpt2", "smollm2", "own-gpt", "translation-de", "translation-fr", "emoji-writer")


@pytest.fixture
def in_node(node, request):
    """in_node(*jobs): what the tokenizers in JavaScript say, all in one call of Node."""

    def run(*jobs, vocabularies="vocabularies"):
        folder = request.getfixturevalue(vocabularies)
        given = {"load": str(SITE / "models" / "tokenizers" / "load.js"), "base": str(folder)}
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


def cut_alike(exported, in_node, texts, wordpiece, bpe, vocabularies):
    """Texts are cut alike by these tokenizers, those of characters and a small one."""
    jobs = [
        {"name": name, "texts": texts, "pairs": [None, *texts[:-1]]} for name in wordpiece
    ]  # the second text of the first is none
    jobs += [{"name": name, "texts": texts} for name in (*bpe, "hamlet")]
    jobs += [{"name": name, "texts": texts[::8], "allowed": "all"} for name in bpe]
    jobs += [{"name": "shakespeare-gpt", "texts": [*texts, "To be,\nor not", "HAMLET: ay!"]}]
    jobs = [{"way": "tokens", **job} for job in jobs]
    found = in_node(*jobs, vocabularies=vocabularies)
    for job, answers in zip(jobs, found, strict=True):
        expected = in_python(exported.tokenizer(job["name"]), job)
        for text, one, other in zip(job["texts"], expected, answers, strict=True):
            assert one == other, (job["name"], ascii(text))


def test_some_fuzzed_texts_are_cut_alike(exported, in_node):
    cut_alike(exported, in_node, fuzzed(110, 0), WORDPIECE[:1], BPE[:1], "vocabularies")


@pytest.mark.sweep
@pytest.mark.parametrize(("count", "seed"), [(900, 0), (4000, 1), (4000, 2)])
def test_fuzzed_texts_are_cut_alike(exported, in_node, count, seed):
    cut_alike(exported, in_node, fuzzed(count, seed), WORDPIECE, BPE, "many_vocabularies")


def test_the_first_merges_of_a_vocabulary_alone(exported, in_node):
    from tutorial_lib.tokenizers import BPETokenizer

    texts = fuzzed(60, seed=1)
    whole = exported.tokenizer("hamlet")
    jobs = [{"way": "tokens", "name": "hamlet", "merges": n, "texts": texts} for n in (0, 1, 90)]
    for job, answers in zip(jobs, in_node(*jobs), strict=True):
        merges = whole.merges[: job["merges"]]
        tokens = [*(bytes([b]) for b in range(256)), *(a + b for a, b in merges)]
        one = BPETokenizer({token: i for i, token in enumerate(tokens)}, merges)
        assert in_python(one, job) == answers


@pytest.mark.sweep
def test_each_character_is_of_the_same_kind(in_node):
    """Every character that Unicode has, also those that this Python has never heard of."""
    known = regex.findall(r"[^\p{Cn}\p{Co}\p{Cs}]", "".join(map(chr, range(0x110000))))
    codes = [*map(ord, known), *random.Random(2).sample(range(0xE000, 0x110000), 5_000)]
    texts = [
        "".join(f"A{chr(code)} {chr(code)}" for code in codes[start : start + 500])
        for start in range(0, len(codes), 500)
    ]
    texts += known[:2000]
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
