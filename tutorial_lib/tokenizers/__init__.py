"""Text to ids and back: byte-level BPE (GPT-2's way), WordPiece (BERT's), Unigram (XLM-R's, T5's).

Start with `pages/bpe.py`, `pages/wordpiece.py` and `pages/unigram.py`: each is a complete tokenizer
on one page. Here is the same thing, fast and checked: `merges` is byte-pair encoding by hand and
`incremental` the same made fast; `cuts` is Unigram by hand, `unigram_training` learns its
pieces; `normalize` and `pretokenize` even text out and cut it into words; `bpe`, `wordpiece` and
`unigram` are the tokenizers, and `roberta` puts the first between special tokens like the second's;
`vocabulary` is what they share, `files`, `pretrained` and `unigram_files` read and write them;
`chat` writes messages as the text that a model answers; `steps` shows learning step by step.
"""

from tutorial_lib.tokenizers.bpe import BPETokenizer
from tutorial_lib.tokenizers.chat import chat_prompt, encode_chat
from tutorial_lib.tokenizers.cuts import (
    best_paths,
    expected_counts,
    lattice,
    likeliest_cut,
    likeliest_path,
)
from tutorial_lib.tokenizers.merges import apply_merges, learn_merges
from tutorial_lib.tokenizers.pretokenize import (
    GPT2_PATTERN,
    SMOLLM_PATTERN,
    bert_words,
    gpt2_words,
)
from tutorial_lib.tokenizers.roberta import RoBERTaTokenizer
from tutorial_lib.tokenizers.steps import MergeStep, encoding_states, merge_steps, wordpiece_steps
from tutorial_lib.tokenizers.unigram import Segmentation, UnigramTokenizer
from tutorial_lib.tokenizers.unigram_training import train_unigram
from tutorial_lib.tokenizers.wordpiece import (
    Encoding,
    WordPieceTokenizer,
    longest_match,
    wordpiece_score,
)

__all__ = [
    "GPT2_PATTERN",
    "SMOLLM_PATTERN",
    "BPETokenizer",
    "Encoding",
    "MergeStep",
    "RoBERTaTokenizer",
    "Segmentation",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "apply_merges",
    "bert_words",
    "best_paths",
    "chat_prompt",
    "encode_chat",
    "encoding_states",
    "expected_counts",
    "gpt2_words",
    "lattice",
    "learn_merges",
    "likeliest_cut",
    "likeliest_path",
    "longest_match",
    "merge_steps",
    "train_unigram",
    "wordpiece_score",
    "wordpiece_steps",
]
