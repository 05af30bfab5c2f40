"""WordPiece: how BERT cuts words into pieces, on one page.

Like byte-pair encoding (bpe.py), it starts from small pieces and joins two neighbours at a time.
Four things differ. It starts from characters. Pieces inside a word are marked: `walking` becomes
`walk` `##ing`. Training joins not the most frequent pair, but the one whose parts are most often
together. And encoding forgets the order of the merges: it takes the longest piece that fits, again
and again; where none fits, the word becomes [UNK].

Papers: Schuster and Nakajima 2012, whose score was never published in full (this is the usual
reconstruction); Devlin et al. 2018 (BERT, uncased).
Run it: python wordpiece.py [text file]
"""

import sys
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

import regex

SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

# Each of these is a word of its own: punctuation, the ASCII signs that Unicode calls symbols, and
# Chinese characters, since Chinese puts no spaces between words.
ALONE = r"\p{P}$+<=>^`|~\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
ALONE += r"\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f"


def split_words(text):
    """Cut text as BERT (uncased) does: "Où es-tu?" -> ["ou", "es", "-", "tu", "?"]."""
    kind = unicodedata.category
    # Control characters go, except those that are white space.
    text = "".join(c for c in text if c in "\t\n\r" or kind(c) not in {"Cc", "Cf", "Co", "Cs"})
    # NFD writes ù as two characters, u and an accent of category Mn.
    characters = unicodedata.normalize("NFD", text.replace("\ufffd", ""))
    text = "".join(character.lower() for character in characters if kind(character) != "Mn")
    return regex.findall(rf"[{ALONE}]|[^\s{ALONE}]+", text)


def split_characters(word):
    """Cut a word into its characters, all but the first marked: "pet" -> ("p", "##e", "##t")."""
    return (word[0], *("##" + character for character in word[1:]))


def merge_pair(pieces, pair):
    """Make each `pair` one piece, from the left: (p, ##e, ##t) and (p, ##e) -> (pe, ##t)."""
    merged = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece.removeprefix("##")
        else:
            merged.append(piece)
    return tuple(merged)


def score_pairs(words, min_count=1):
    """Score the pairs of {pieces: count}: count(a, b) / (count(a) count(b)).

    "th" is frequent, but so are t and h; "qu" scores higher, for q is nearly always in it. A pair
    that occurs once, of characters that occur once, would beat both: hence min_count.
    """
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    return {(a, b): n / (pieces[a] * pieces[b]) for (a, b), n in pairs.items() if n >= min_count}


def train(text, vocab_size, min_count=1, show=0):
    """Return the vocabulary: special tokens, characters, then the pieces as they are learned."""
    words = {split_characters(word): count for word, count in Counter(split_words(text)).items()}
    vocabulary = SPECIAL_TOKENS + sorted({character for word in words for character in word})
    start = len(vocabulary)
    while len(vocabulary) < vocab_size and (scores := score_pairs(words, min_count)):
        # The highest score; a tie goes to the smallest pair, whatever the order of the words.
        pair = min(scores, key=lambda pair: (-scores[pair], pair))
        if len(vocabulary) < start + show:
            print(f"{pair[0]:>6} + {pair[1]:6} score {scores[pair]:.5f}")
        vocabulary.append(pair[0] + pair[1].removeprefix("##"))
        words = {merge_pair(pieces, pair): count for pieces, count in words.items()}
    return vocabulary


class WordPiece:
    """Text to token ids and back; a token_id is a position in the vocabulary."""

    def __init__(self, vocabulary):
        self.vocabulary = list(vocabulary)
        self.token_ids = {piece: token_id for token_id, piece in enumerate(self.vocabulary)}

    def split_word(self, word):
        """Take the longest piece that the word begins with, then go on with the rest."""
        pieces, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            fitting = (mark + word[start:end] for end in range(len(word), start, -1))
            piece = next((piece for piece in fitting if piece in self.token_ids), None)
            if piece is None or len(word) > 100:
                return ["[UNK]"]  # the whole word, even where its beginning is known
            pieces.append(piece)
            start += len(piece) - len(mark)
        return pieces

    def tokens(self, text):
        """Cut text into pieces; special tokens written in it, such as [MASK], stay whole."""
        tokens = []
        for i, part in enumerate(regex.split(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])", text)):
            if i % 2:
                tokens.append(part)
            else:
                tokens += [piece for word in split_words(part) for piece in self.split_word(word)]
        return tokens

    def encode(self, text, second=None):
        """Return the ids of [CLS] text [SEP] (second [SEP]), and 0 or 1 for each: which text."""
        tokens = ["[CLS]", *self.tokens(text), "[SEP]"]
        more = [] if second is None else [*self.tokens(second), "[SEP]"]
        segments = [0] * len(tokens) + [1] * len(more)
        return [self.token_ids[token] for token in tokens + more], segments

    def decode(self, ids):
        """Return the words, without [CLS], [SEP] and [PAD]; capitals and accents are lost."""
        tokens = [self.vocabulary[token_id] for token_id in ids]
        words = " ".join(token for token in tokens if token not in {"[CLS]", "[SEP]", "[PAD]"})
        return words.replace(" ##", "")

    def save(self, path):
        """Write vocab.txt as BERT has it: a piece a line, and the line number is the id."""
        Path(path).write_text("\n".join(self.vocabulary) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path):
        """Read a vocab.txt: what `save` wrote, or BERT's own."""
        return cls(Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n"))


if __name__ == "__main__":
    path = sys.argv[1] if sys.argv[1:] else Path(__file__).parent / "data" / "shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    end = len(text) * 9 // 10  # the last tenth is for measuring
    tokenizer = WordPiece(train(text[:end], 600, min_count=20, show=20))
    for line in ("But soft, what light?", "Où est le Café [MASK], thoughtlessly?", "I 😀 you"):
        print(line, "->", *tokenizer.tokens(line))
    words, tokens = split_words(text[end:]), tokenizer.tokens(text[end:])
    print(f"New text: {len(words):,} words = {len(tokens):,} pieces", end=" ")
    print(f"= {len(''.join(words)):,} characters; {tokens.count('[UNK]')} words are [UNK]")
