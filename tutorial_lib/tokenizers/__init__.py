"""Text to ids and back: byte-level BPE (GPT-2's way) and WordPiece (BERT's way).

Read in this order: `pretokenize` cuts text into words, `merges` is the algorithm by hand,
`incremental` is the same algorithm made fast, `bpe` and `wordpiece` are the tokenizers,
`files` reads and writes them.
"""

from tutorial_lib.tokenizers.bpe import BPETokenizer
from tutorial_lib.tokenizers.merges import (
    MergeStep,
    apply_merges,
    count_score,
    merge_steps,
    wordpiece_score,
)
from tutorial_lib.tokenizers.pretokenize import GPT2_PATTERN, bert_words, gpt2_words
from tutorial_lib.tokenizers.wordpiece import Encoding, WordPieceTokenizer

__all__ = [
    "GPT2_PATTERN",
    "BPETokenizer",
    "Encoding",
    "MergeStep",
    "WordPieceTokenizer",
    "apply_merges",
    "bert_words",
    "count_score",
    "gpt2_words",
    "merge_steps",
    "wordpiece_score",
]
