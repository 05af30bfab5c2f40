"""Text to ids and back: byte-level BPE (GPT-2's way) and WordPiece (BERT's way).

Start with `pages/bpe.py` and `pages/wordpiece.py`: each is a complete tokenizer on one page. Here
is the same thing, fast and checked: `merges` is byte-pair encoding by hand and `incremental` the
same made fast; `pretokenize` cuts text into words; `bpe` and `wordpiece` are the tokenizers, and
`roberta` puts the first between special tokens like the second's; `vocabulary` is what they share,
`files` and `pretrained` read and write them; `chat` writes messages as the text that a model
answers; `steps` shows learning step by step.
"""

from tutorial_lib.tokenizers.bpe import BPETokenizer
from tutorial_lib.tokenizers.chat import chat_prompt, encode_chat
from tutorial_lib.tokenizers.merges import apply_merges, learn_merges
from tutorial_lib.tokenizers.pretokenize import (
    GPT2_PATTERN,
    SMOLLM_PATTERN,
    bert_words,
    gpt2_words,
)
from tutorial_lib.tokenizers.roberta import RoBERTaTokenizer
from tutorial_lib.tokenizers.steps import MergeStep, encoding_states, merge_steps, wordpiece_steps
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
    "WordPieceTokenizer",
    "apply_merges",
    "bert_words",
    "chat_prompt",
    "encode_chat",
    "encoding_states",
    "gpt2_words",
    "learn_merges",
    "longest_match",
    "merge_steps",
    "wordpiece_score",
    "wordpiece_steps",
]
