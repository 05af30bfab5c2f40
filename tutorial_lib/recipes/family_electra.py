"""Chapter 08a: an ELECTRA that tells which tokens of a line of Shakespeare were replaced.

It starts as the BERT of chapter 06, which goes on as the forger: hidden tokens are drawn anew from
what that says. Clark et al. (2020, section 3.2) call it two-stage training. Half of its batches are
short lines, as those who play against it read them.
"""

import torch
from sklearn.metrics import roc_auc_score

from tutorial_lib.models import ELECTRA, ELECTRAConfig
from tutorial_lib.objectives import replace_tokens, replaced_token_loss
from tutorial_lib.recipes import (
    CHECKPOINTS,
    load_checkpoint,
    masks_and_students,
    shakespeare_bert,
    share_of_true,
    train_on_cpu,
)
from tutorial_lib.recipes.bert_family import begin_head, drawn_by
from tutorial_lib.recipes.masks_and_students import Batches, Text
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seed": 0,
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "sentences": shakespeare_bert.SETTINGS["sentences"],
    "share": 0.2,
    "tokens": 2_048,  # of a batch
    "steps": 3_000,
    "lr": 2.5e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {"plays": 2, "tokens": 256, "steps": 2}
LENGTH = 30  # tokens of a line that is measured
MEASURED = 1_000  # lines

read_tokenizer = WordPieceTokenizer.from_vocab
data_bytes = masks_and_students.data_bytes


def train(settings, progress=True):
    """Train a detective against the BERT of chapter 06; the tokenizer is model.tokenizer."""
    set_seed(settings["seed"])
    forger = load_checkpoint("shakespeare-bert", CHECKPOINTS)
    model = as_detective(forger).train()
    sampler = torch.Generator().manual_seed(settings["seed"])

    def loss(model, batch):
        return replaced_token_loss(model, replace_tokens(drawn_by(forger, batch), batch, sampler))

    batches = Batches(Text(settings), settings, settings["seed"])
    train_on_cpu(model, batches, loss, settings, progress, optimizer=Muon)
    model.tokenizer = forger.tokenizer
    return model


def as_detective(bert):
    """Return an ELECTRA with the weights of a BERT, and a new head for replaced tokens."""
    names = ("vocab_size", "context", "d_model", "n_layers", "n_heads", "d_ff", "activation")
    sizes = {name: getattr(bert.config, name) for name in names}
    model = ELECTRA(ELECTRAConfig(**sizes, replaced=True))
    weights = bert.state_dict()
    own = model.state_dict()
    model.load_state_dict({name: weights.get(name, own[name]) for name in own})
    return begin_head(model)


@torch.no_grad()
def evaluate(model):
    """Return how well it tells replaced tokens from others in lines of the plays held out.

    15 % were hidden and drawn by the BERT of chapter 06. auc: how often a replaced token is
    suspected more than another (0.5: chance); found and false_marks: the shares of the replaced and
    of the other tokens that it gives more than one half.
    """
    text = Text(SETTINGS)
    source = torch.Generator().manual_seed(0)
    rows = text.rows(text.held_out, LENGTH)
    rows = rows[torch.randperm(len(rows), generator=source)[:MEASURED]]
    tokens = text.hide(rows, 0.15, source)
    forger = load_checkpoint("shakespeare-bert", CHECKPOINTS)
    batch = replace_tokens(drawn_by(forger, tokens), tokens, source)
    inner = (slice(None), slice(1, -1))  # without [CLS] and [SEP]
    said, replaced = model.replaced_logits(model(batch.ids))[inner], batch.replaced[inner]
    return {
        "auc": float(roc_auc_score(replaced.flatten(), said.flatten())),
        "found": share_of_true(said[replaced] > 0),
        "false_marks": share_of_true(said[~replaced] > 0),
    }
