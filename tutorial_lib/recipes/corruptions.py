"""Chapter 08b: which damage teaches a small BART most, for the same compute?

One BART a corruption learns to restore passages of the plays; the learning rate follows the seconds
of one CPU core. "copy" restores what was never damaged, "untrained" restores nothing: two controls.
Three plays are held out, as everywhere.

Then each is fine-tuned twice, with the same steps. Are two neighbours of a line swapped? The answer
is read from the decoder's last token, as in the paper. And which marks stood in a passage? The
encoder reads it without them, the decoder writes it with them (F1 of the marks, each guessed after
what really stands before it).
"""

import random
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.models import BARTConfig, count_parameters
from tutorial_lib.objectives import (
    delete_tokens,
    hide_tokens,
    infill_spans,
    permute_sentences,
    rotate_document,
    translation_loss,
)
from tutorial_lib.recipes import shakespeare_bert, share_of_true
from tutorial_lib.recipes.bert_family import MARKS, swapped_lines
from tutorial_lib.recipes.masks_and_students import Text, tell, train
from tutorial_lib.recipes.shakespeare_bert import place_sinusoids, turn_heads
from tutorial_lib.recipes.translator import chunks, padded
from tutorial_lib.training import Muon, fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "models": [
        "untrained",
        "copy",
        "token masking",
        "token deletion",
        "text infilling",
        "sentence permutation",
        "document rotation",
        "infilling and permutation",
    ],
    "cpu_seconds": 60,  # of a training, on one thread
    "sizes": {"context": 96, "d_model": 96, "n_layers": 2, "n_heads": 3},
    "length": 40,  # tokens of a passage
    "batch_size": 16,
    "share": 0.3,
    "lr": 4e-3,
    "swapped": {"steps": 200, "lines": 48, "length": 24, "lr": 2e-3, "measured": 2_000},
    "marks": {"steps": 120, "lr": 2e-3, "measured": 400},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "plays": 2,
    "models": ["untrained", "copy", "infilling and permutation"],
    "cpu_seconds": 0.05,
    "sizes": {"context": 96, "d_model": 12, "n_layers": 1, "n_heads": 3},
    "batch_size": 4,
    "swapped": {"steps": 1, "lines": 4, "length": 24, "lr": 1e-3, "measured": 8},
    "marks": {"steps": 1, "lr": 1e-3, "measured": 8},
}


# --- what is read ---------------------------------------------------------------------------


def damage(name, ids, mask_id, ends, share, generator):
    """Return ids (a list) damaged as the model of this name reads them.

    ends: the ids after which a sentence is over.
    """
    if name == "copy":
        return list(ids)
    if name == "token masking":
        return hide_tokens(ids, mask_id, share, generator)
    if name == "token deletion":
        return delete_tokens(ids, share, generator)
    if name == "text infilling":
        return infill_spans(ids, mask_id, share, generator)
    if name == "document rotation":
        return rotate_document(ids, generator)
    moved = permute_sentences(sentences(ids, ends), generator)
    if name == "sentence permutation":
        return moved
    return infill_spans(moved, mask_id, share, generator)


def sentences(ids, ends):
    """Return a list of ids cut after each of the ids in `ends`."""
    parts = [[]]
    for token_id in ids:
        parts[-1].append(token_id)
        if token_id in ends:
            parts.append([])
    return [part for part in parts if part]


class Passages:
    """Endless batches (source (B, S), target (B, T)) of damaged passages and sound ones.

    Both stand between [CLS] and [SEP]; every `iter` starts from the seed.
    """

    def __init__(self, text, settings, seed, name):
        tokenizer = text.tokenizer
        self.text, self.settings, self.seed, self.name = text, settings, seed, name
        self.rows = text.rows(text.scenes, settings["length"])[:, 1:-1].tolist()
        self.ends = {tokenizer.vocab.index(mark) for mark in (".", "?", "!", ";", ":")}

    def __iter__(self):
        generator, tokenizer = random.Random(self.seed), self.text.tokenizer
        while True:
            rows = generator.sample(self.rows, self.settings["batch_size"])
            options = (tokenizer.mask_id, self.ends, self.settings["share"], generator)
            sources = [framed(damage(self.name, row, *options), tokenizer) for row in rows]
            targets = [framed(row, tokenizer) for row in rows]
            yield padded(sources, tokenizer.pad_id), padded(targets, tokenizer.pad_id)


def framed(ids, tokenizer):
    """Return ids between [CLS] and [SEP]."""
    return [tokenizer.cls_id, *ids, tokenizer.sep_id]


def unmarked(rows, tokenizer):
    """Return (source (N, S), target (N, T)) of passages, lists of ids: without marks, and whole."""
    marks = {tokenizer.vocab.index(mark) for mark in MARKS}
    sources = [framed([i for i in row if i not in marks], tokenizer) for row in rows]
    targets = [framed(row, tokenizer) for row in rows]
    return padded(sources, tokenizer.pad_id), padded(targets, tokenizer.pad_id)


# --- what is trained ------------------------------------------------------------------------


@torch.no_grad()
def build(text, settings, seed):
    """Return an untrained BART whose first heads look at neighbours, or straight across."""
    set_seed(seed)
    tokenizer = text.tokenizer
    config = BARTConfig(tokenizer.vocab_size, **settings["sizes"], pad_id=tokenizer.pad_id)
    model = config.build()
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    width = config.d_model // config.n_heads
    model.source_embedding.weight[:, :width] = 0
    for positions in (model.source_positions, model.target_positions):
        place_sinusoids(positions.weight, width)
    decoder = model.decoder_blocks[0]
    turn_heads(model.encoder_blocks[0].attention, (-1, 1, -2))
    turn_heads(decoder.attention, (-1, -2, 0))
    turn_heads(decoder.cross_attention, (0, 1, 2))
    return model


def learn(name, text, settings, seed):
    """Return a trained model of a name, and what its training took."""
    model = build(text, settings, seed)
    if name == "untrained":
        return model.eval(), {"steps": 0, "cpu_seconds": 0.0}
    loss = partial(translation_loss, pad_id=text.tokenizer.pad_id, smoothing=0.0)
    batches = Passages(text, settings, seed, name)
    took = train(model, batches, loss, settings["cpu_seconds"], settings["lr"], seed)
    return model.eval(), took


# --- what is measured -----------------------------------------------------------------------


class Classifier(nn.Module):
    """A BART that reads a text twice, and two logits from the decoder's last hidden state."""

    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.config.d_model, 2)

    def forward(self, ids):
        """Return logits (B, 2) of ids (B, T), all of one length."""
        return self.head(self.body.decoder_states(ids, self.body.encode(ids))[-1][:, -1])


def fine_tuned_on_swaps(model, text, settings, seed):
    """Return how often a fine-tuned model says rightly whether two neighbours are swapped."""
    own = settings["swapped"]
    set_seed(seed)
    classifier = Classifier(copied(model))

    def loss(classifier, batch):
        ids, swapped = batch
        return F.cross_entropy(classifier(ids), swapped.long())

    lines, length = own["lines"], own["length"]
    drawn = swapped_lines(text, text.scenes, own["steps"] * lines, length, seed)
    batches = list(zip(*(part.split(lines) for part in drawn), strict=True))
    options = {"steps": own["steps"], "lr": own["lr"], "optimizer": Muon, "device": "cpu"}
    fit(classifier, batches, loss, **options, seed=seed, progress=False)
    classifier.eval()
    ids, swapped = swapped_lines(text, text.held_out, own["measured"], length, 0)
    with torch.no_grad():
        right = [classifier(some).argmax(-1) for some in ids.split(100)]
    return share_of_true(torch.cat(right) == swapped)


def fine_tuned_on_marks(model, text, settings, seed):
    """Return the F1 of the marks that a fine-tuned model puts back into plays held out."""
    own, tokenizer = settings["marks"], text.tokenizer
    model = copied(model)
    rows = text.rows(text.scenes, settings["length"])[:, 1:-1].tolist()
    generator = random.Random(seed)
    size = settings["batch_size"]
    batches = [unmarked(generator.sample(rows, size), tokenizer) for _ in range(own["steps"])]
    loss = partial(translation_loss, pad_id=tokenizer.pad_id, smoothing=0.0)
    options = {"steps": own["steps"], "lr": own["lr"], "optimizer": Muon, "device": "cpu"}
    fit(model, batches, loss, **options, seed=seed, progress=False)
    model.eval()
    rows = text.rows(text.held_out, settings["length"])[:, 1:-1].tolist()
    rows = random.Random(0).sample(rows, own["measured"])
    marks = torch.tensor([tokenizer.vocab.index(mark) for mark in MARKS])
    n_right = n_said = n_true = 0
    for some in chunks(rows, 50):
        source, target = unmarked(some, tokenizer)
        with torch.no_grad():
            said = model(source, target[:, :-1], source != tokenizer.pad_id).argmax(-1)
        true = target[:, 1:]
        of_said, of_true = torch.isin(said, marks), torch.isin(true, marks)
        n_right += ((said == true) & of_true).sum().item()
        n_said, n_true = n_said + of_said.sum().item(), n_true + of_true.sum().item()
    return 2 * n_right / (n_said + n_true)


def copied(model):
    """Return a model of the same weights."""
    other = model.config.build()
    other.load_state_dict(model.state_dict())
    return other


def run(settings, progress=True):
    """Train and measure every model with every seed; return the rows."""
    text, rows = Text(settings), []
    for seed in settings["seeds"]:
        for name in settings["models"]:
            model, took = learn(name, text, settings, seed)
            row = {"model": name, "seed": seed, "parameters": count_parameters(model), **took}
            row["swapped_accuracy"] = fine_tuned_on_swaps(model, text, settings, seed)
            row["marks_f1"] = fine_tuned_on_marks(model, text, settings, seed)
            rows.append(row)
            tell(row, progress)
    return {"rows": rows}


data_bytes = shakespeare_bert.data_bytes
