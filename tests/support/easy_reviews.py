"""Made-up reviews in which one word decides, for the tests of what reads reviews."""

import random

from tutorial_lib.datasets.reviews import Review
from tutorial_lib.tokenizers import WordPieceTokenizer

WORDS = ["good", "bad", "a", "film", "very", "and", "the"]
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])


def reviews(n, seed=0):
    """n reviews of different length: "good" makes one fresh, "bad" rotten."""
    draw = random.Random(seed)
    made = []
    for i in range(n):
        words = draw.choices(WORDS[2:], k=draw.randint(1, 9))
        words.insert(draw.randint(0, len(words)), WORDS[1 - i % 2])
        made.append(Review(" ".join(words), i % 2, f"film {seed} {i}"))
    return tuple(made)
