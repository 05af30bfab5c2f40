"""Byte-pair encoding: how GPT turns text into numbers and back, on one page.

Text is stored as bytes, and there are only 256 of those: they could be our tokens, but texts would
be long. So make the two most frequent neighbours one token, and repeat: `t` `h` becomes `th`, then
`th` `e` becomes `the`. Common words end up as one token, rare ones as a few, and since every byte
is still a token, no text is ever unknown.

Papers: Gage 1994 (the idea), Sennrich et al. 2016 (inside words), Radford et al. 2019 (GPT-2).
Run it: python bpe.py [text file]
"""

import ast
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import regex

# Part 1, a complete tokenizer: BytePairs(learn_merges([text], n_merges=20)), then encode, decode
BYTES = [bytes([byte]) for byte in range(256)]  # in UTF-8, e is one of them, é two, 你 three


def count_pairs(words):
    """Count neighbours in {tokens: count}: `a` `t` 3 times and `a` `t` `e` twice make `a` `t` 5."""
    counts = Counter()
    for tokens, count in words.items():
        for pair in pairwise(tokens):
            counts[pair] += count
    return counts


def merge_pair(tokens, pair):
    """Make each `pair` one token, from the left: with `a` `a`, `a` `a` `a` becomes `aa` `a`."""
    merged = []
    for token in tokens:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


def learn_merges(texts, n_merges, show=0):
    """Learn from a list of texts which pairs to merge, in order; print the first `show` of them."""
    words = Counter(tuple(BYTES[byte] for byte in text.encode()) for text in texts)
    merges = []
    while len(merges) < n_merges and (counts := count_pairs(words)):
        # The most frequent pair; a tie goes to the smallest, whatever the order of the texts.
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        if len(merges) < show:
            print(f"rank {len(merges):2}: {pair[0]!s:5} + {pair[1]!s:5} {counts[pair]:6,} times")
        merges.append(pair)
        words = {merge_pair(tokens, pair): count for tokens, count in words.items()}
    return merges


class BytePairs:
    """Text to ids and back: a byte is its own token_id, the merge of rank r has 256 + r."""

    def __init__(self, merges):
        self.merges = list(merges)
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self.vocabulary = BYTES + [first + second for first, second in self.merges]
        self.token_ids = {token: token_id for token_id, token in enumerate(self.vocabulary)}

    def encode(self, text):
        """Of the known pairs in the text, always merge the one of lowest rank: learned first.

        Left to right would be wrong. If "at" was learned before "ea", then training saw "eat" as
        "e" "at" from there on; left to right gives "ea" "t", which no text was ever cut into.
        """
        tokens = [BYTES[byte] for byte in text.encode()]
        while known := [pair for pair in pairwise(tokens) if pair in self.ranks]:
            tokens = merge_pair(tokens, min(known, key=self.ranks.get))
        return [self.token_ids[token] for token in tokens]

    def decode(self, ids):
        """Join the bytes; those that make no whole character show as U+FFFD."""
        return b"".join(self.vocabulary[token_id] for token_id in ids).decode(errors="replace")


# Part 2, what GPT-2 adds: words, special tokens, and a file (here one that people can read).
# Part 1 would learn "dog.", "dog!" and "dog?" as three tokens. So text is first cut into words:
# endings such as 's; letters, digits or other signs, each with the space before them; white space
# (\s+(?!\S) leaves its last character to the word after it). No merge crosses a cut.
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def split_special(text, names):
    """Cut special tokens out: [text, name, text, name, text]; if two fit, the longer one wins."""
    names = sorted(names, key=len, reverse=True)
    return regex.split(f"({'|'.join(map(regex.escape, names))})", text) if names else [text]


class Tokenizer(BytePairs):
    """Byte pairs inside words; special tokens, such as <|endoftext|>, get the next ids."""

    def __init__(self, merges, special_tokens=(), pattern=GPT2):
        super().__init__(merges)
        self.pattern = pattern
        numbered = enumerate(special_tokens, len(self.vocabulary))
        self.special_tokens = {name: token_id for token_id, name in numbered}
        self.vocabulary += [name.encode() for name in special_tokens]

    @classmethod
    def train(cls, text, n_merges, special_tokens=(), pattern=GPT2, show=0):
        """Learn from the words of a text; special tokens in it teach nothing."""
        pieces = split_special(text, special_tokens)[::2]  # every second one is a special token
        words = [word for piece in pieces for word in regex.findall(pattern, piece)]
        return cls(learn_merges(words, n_merges, show), special_tokens, pattern)

    def encode(self, text, allowed_special=()):
        """A special token is plain text unless allowed: no user can end a document by typing it."""
        ids, ids_of = [], {name: [self.special_tokens[name]] for name in allowed_special}
        for i, piece in enumerate(split_special(text, allowed_special)):
            for word in [piece] if i % 2 else regex.findall(self.pattern, piece):  # odd: special
                if word not in ids_of:
                    ids_of[word] = super().encode(word)
                ids += ids_of[word]
        return ids

    def save(self, path):
        """Write the pattern, special tokens, then one merge per line: (b'a', b't')  # 256 'at'."""
        lines = [repr(self.pattern), repr(list(self.special_tokens))]
        for token_id, pair in enumerate(self.merges, 256):
            lines.append(f"{pair}  # {token_id} {self.decode([token_id])!r}")
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path):
        """Read what `save` wrote: each line is a value in Python's own notation."""
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        pattern, special_tokens, *merges = map(ast.literal_eval, lines)
        return cls(merges, special_tokens, pattern)


if __name__ == "__main__":
    path = sys.argv[1] if sys.argv[1:] else Path(__file__).parent / "data" / "shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    end = len(text) * 9 // 10  # the last tenth is for measuring
    tokenizer = Tokenizer.train(text[:end], 500, ["<|endoftext|>"], show=20)
    for line in ("But soft, what light through yonder window breaks?", "😀 说 <|endoftext|>"):
        ids = tokenizer.encode(line)
        tokens = [tokenizer.vocabulary[i].decode(errors="backslashreplace") for i in ids]
        print("·".join(tokens), "->", tokenizer.decode(ids))
        assert tokenizer.decode(ids) == line
    for n_merges in (0, 10, 50, 100, 200, 500):
        ids = Tokenizer(tokenizer.merges[:n_merges]).encode(text[end:])
        print(f"{n_merges:4} merges: {len(text[end:].encode()) / len(ids):.2f} bytes per token")
