"""Chapter 06: a masked-word head and a [MASK] vector, with which the frozen MiniLM fills gaps.

MiniLM comes without a head for masked words, and its vector for [MASK] is the shortest it has. The
recipe `masked-head` compares what a new head can do with and without a new [MASK]; here the way
that was best on validation texts, head and [MASK] on a frozen body, reads more texts and reads
them three times. Nothing of MiniLM changes but that one row of 384 numbers, and only what is new is
stored. It is no BERT-base: a small head, trained for minutes on film reviews and plays.
"""

from itertools import chain

import torch

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.models import BERT, GapHead
from tutorial_lib.recipes import masked_head
from tutorial_lib.recipes.masked_head import (
    Batches,
    GapReader,
    Neighbours,
    fillings_of,
    hide_words,
    loss,
    read,
    score,
)
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.tokenizers import WordPieceTokenizer

SETTINGS = {
    name: masked_head.SETTINGS[name]
    for name in ("held_out", "validation", "words", "n_measured", "share", "batch_size")
} | {
    "seed": 0,
    "n_texts": 8_949,  # to learn from, of each domain, or as many as there are
    "passes": 3,
    "lr": 5e-3,
    "width": 384,
    "vocab_size": 30_522,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {"n_texts": 20, "passes": 1}
NEVER = -1e4  # the bias of a token that no text holds; float16 can still hold it

data_bytes = masked_head.data_bytes


def train(settings, progress=True):
    """Train head and [MASK] on the frozen MiniLM; return what is new."""
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    rows = learned_rows(settings, tokenizer)
    seed = settings["seed"]
    reader = GapReader(tokenizer, rows, n_layers=6, learns=["mask"], seed=seed)
    # Other tokens are hidden in each pass.
    passes = [Batches(rows, tokenizer, settings, seed + i) for i in range(settings["passes"])]
    steps = sum(map(len, passes))
    train_on_cpu(reader, chain(*passes), loss, settings | {"steps": steps}, progress)
    return from_reader(reader, GapHead(settings["width"], settings["vocab_size"]))


def learned_rows(settings, tokenizer):
    """Return the ids of the texts to learn from."""
    texts, _ = read(settings)
    return [tokenizer.encode(text).ids for some in texts.values() for text in some]


@torch.no_grad()
def from_reader(reader, head):
    """Fill a GapHead with what a GapReader has learned, and return it."""
    head.mlm_head.transform.load_state_dict(reader.head.transform.state_dict())
    head.mlm_head.norm.load_state_dict(reader.head.norm.state_dict())
    head.mlm_head.bias.fill_(NEVER)
    head.mlm_head.bias[reader.answers] = reader.head.bias
    head.mask_vector.copy_(reader.body.token_embedding.vector)
    return head


def evaluate(head):
    """Return, for each domain, how many hidden words of held-out texts are found.

    As in `masked_head.run`: by MiniLM with this head (top1, top5), by a table of both neighbours
    from the same texts, and, of the words that our own BERT knows in one piece too, by both.
    """
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    model = head.onto(BERT.from_pretrained(minilm_folder()), tokenizer)
    ours = load_checkpoint("shakespeare-bert")
    table = Neighbours(learned_rows(SETTINGS, tokenizer), tokenizer).ways()["both neighbours"]
    known = {*ours.tokenizer.vocab}
    metric = {}
    for domain, texts in read(SETTINGS)[1].items():
        asked = hide_words(texts, tokenizer, SETTINGS["seed"])
        found = score(fillings_of(model, asked), asked, known)
        neighbours = score(table(asked), asked, known)
        by_ours = score(fillings_of(ours, asked), asked, known)
        metric |= {
            f"{domain}_top1": found["top1"],
            f"{domain}_top5": found["top5"],
            f"{domain}_neighbours_top1": neighbours["top1"],
            f"{domain}_neighbours_top5": neighbours["top5"],
            f"{domain}_shared_top1": found["shared_top1"],
            f"{domain}_shared_our_bert": by_ours["shared_top1"],
        }
    return metric
