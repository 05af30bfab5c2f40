"""Unigram: how T5, ALBERT and XLM-R cut words into pieces, on one page.

Byte-pair encoding (bpe.py) and WordPiece (wordpiece.py) join small pieces. Unigram begins with far
too many pieces, each with a probability; that of a cut is the product of its pieces', and a word is
cut in the likeliest way. Training asks how often each piece is used, over all cuts of all words:
that gives better probabilities, which give better counts (EM). Then those pieces go that the text
would miss least. Kudo 2018; Viterbi 1967; Dempster et al. 1977 (EM). python unigram.py [text file]
"""

import math
import sys
import unicodedata
from collections import Counter
from itertools import combinations
from pathlib import Path

import regex

SPECIAL_TOKENS = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]


def split_words(text):
    """Cut text at white space; ▁ stands for the space before a word: "to be" -> ["▁to", "▁be"]."""
    return ["▁" + word for word in regex.findall(r"\S+", unicodedata.normalize("NFKC", text))]


def lattice(word, log_p):
    """Return for each place in the word the pieces that end there: [(start, log p), ...]."""
    places = []
    for end in range(len(word) + 1):
        pieces = [(start, word[start:end]) for start in range(end)]
        places.append([(start, log_p[piece]) for start, piece in pieces if piece in log_p])
    return places


def likeliest_cut(word, places):
    """Return log p and pieces of the best cut; those of shorter beginnings come first (Viterbi)."""
    best = [(0.0, [])]
    for end in range(1, len(word) + 1):
        ways = [(best[start][0] + p, start) for start, p in places[end]]
        score, start = max(ways, key=lambda way: way[0])  # a tie: the longest last piece
        best.append((score, [*best[start][1], word[start:end]]))
    return best[-1]


def log_sum(logs):
    """Return log(exp(a) + exp(b) + ...) so that no exp leaves the range of numbers."""
    top = max(logs)
    return top + math.log(sum(math.exp(log - top) for log in logs))


def expected_counts(word, places):
    """How often is each piece in a cut, on average over all cuts by their probability?"""
    before = [0.0]  # log p of all cuts up to a place together: Viterbi with a sum in place of max
    for pieces in places[1:]:
        before.append(log_sum([before[start] + p for start, p in pieces]))
    after = [-math.inf] * len(word) + [0.0]  # and from a place to the end
    for end in range(len(word), 0, -1):
        for start, p in places[end]:
            after[start] = log_sum([after[start], p + after[end]])
    counts = Counter()
    for end, pieces in enumerate(places):
        for start, p in pieces:  # the cuts with this piece, as a share of all cuts
            counts[word[start:end]] += math.exp(before[start] + p + after[end] - before[-1])
    return counts


def expect(words, log_p):
    """How often is each piece used in all the words? The E step."""
    counts = dict.fromkeys(log_p, 0.0)
    for word, n in words.items():
        for piece, count in expected_counts(word, lattice(word, log_p)).items():
            counts[piece] += n * count
    return counts


def maximise(counts):
    """Return {piece: log p}, each one's share of the counts, and none 0. The M step."""
    counts = {piece: max(count, 1e-6) for piece, count in counts.items()}
    log_total = math.log(sum(counts.values()))
    return {piece: math.log(count) - log_total for piece, count in counts.items()}


def prune(log_p, counts, n_kept):
    """Keep all characters, and those pieces that are hardest to replace by others."""
    kept, losses = {piece for piece in log_p if len(piece) == 1}, {}
    for piece in log_p.keys() - kept:
        places = lattice(piece, log_p)
        places[-1] = [(start, p) for start, p in places[-1] if start > 0]  # without the piece
        losses[piece] = counts[piece] * (log_p[piece] - likeliest_cut(piece, places)[0])
    kept |= set(sorted(losses, key=lambda piece: (-losses[piece], piece))[: n_kept - len(kept)])
    return {piece: p for piece, p in log_p.items() if piece in kept}


def train(text, n_pieces, n_seeds):
    """Return {piece: log p} of n_pieces pieces, the likeliest first."""
    words, counts = Counter(split_words(text)), Counter()
    for word, n in words.items():
        for start, end in combinations(range(len(word) + 1), 2):
            counts[word[start:end]] += n if end - start <= 16 else 0
    seeds = {piece: n for piece, n in counts.items() if len(piece) == 1}
    long = [piece for piece, n in counts.items() if len(piece) > 1 and n > 1]
    long.sort(key=lambda piece: (-len(piece) * counts[piece], piece))  # cover most text
    log_p = maximise(seeds | {piece: counts[piece] for piece in long[: n_seeds - len(seeds)]})
    while True:
        for _ in range(2):
            counts = expect(words, log_p)
            log_p = maximise(counts)
        ordered = sorted(log_p, key=lambda piece: (-log_p[piece], piece))
        if len(log_p) <= n_pieces:
            return {piece: log_p[piece] for piece in ordered}
        log_p = prune(log_p, counts, max(n_pieces, int(0.75 * len(log_p))))


class Unigram:
    """Text to ids and back: special tokens first, then the pieces; what has none is <unk>."""

    def __init__(self, log_p):
        self.log_p, self.vocabulary = log_p, SPECIAL_TOKENS + list(log_p)
        self.token_ids = {piece: token_id for token_id, piece in enumerate(self.vocabulary)}

    def tokens(self, text):
        """Cut each word in the likeliest way; characters without a piece are very unlikely ones."""
        words, tokens = split_words(text), []
        unknown = set("".join(words)) - self.log_p.keys()
        log_p = self.log_p | dict.fromkeys(unknown, min(self.log_p.values()) - 10)
        for word in words:
            for piece in likeliest_cut(word, lattice(word, log_p))[1]:
                piece = "<unk>" if piece in unknown else piece
                if piece != "<unk>" or tokens[-1] != piece:  # several in a row are one
                    tokens.append(piece)
        return tokens

    def encode(self, text):
        return [self.token_ids[token] for token in self.tokens(text)]

    def decode(self, ids):
        return "".join(self.vocabulary[i] for i in ids).replace("▁", " ").removeprefix(" ")


if __name__ == "__main__":
    path = sys.argv[1] if sys.argv[1:] else Path(__file__).parent / "data" / "shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    end = len(text) * 9 // 10  # the last tenth is for measuring
    tokenizer = Unigram(train(text[:end], 600, n_seeds=3000))
    print("the likeliest long pieces:", *[p for p in tokenizer.log_p if len(p) > 4][:12])
    for line in ("But soft, what light?", "thoughtlessly unlovable I 😀 you"):
        print(line, "->", *tokenizer.tokens(line))
    words, tokens = split_words(text[end:]), tokenizer.tokens(text[end:])
    print(f"New text: {len(words):,} words = {len(tokens):,} pieces")
