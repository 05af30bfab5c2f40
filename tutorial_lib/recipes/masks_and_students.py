"""Chapter 08a: what do RoBERTa's new masks and DistilBERT's teacher buy, for the same compute?

Every training gets the same seconds of one CPU core: the learning rate follows the seconds, not the
steps. Three plays are held out, as everywhere, and what is measured are the tokens hidden in them.

Part "students": the "teacher" is the checkpoint of chapter 06. "distilbert" starts with two of its
three layers and learns from it; "layers as they are" has not learned yet; "layers, no teacher"
starts the same way and learns from hidden tokens alone; "half, alone" has that size and nothing of
the teacher's; "distilbert without ..." switches one part of the loss off.

Part "masking": running text of a few plays, read many times, hidden once and for all ("static") or
anew in every pass ("dynamic"), as BERT and RoBERTa did.
"""

import math
import time
from functools import partial

import torch
from torch import nn

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models import (
    DistilBERT,
    RoBERTaConfig,
    count_parameters,
)
from tutorial_lib.objectives import (
    DistillationWeights,
    MaskedTokens,
    distillation_loss,
    mask_tokens,
    masked_token_loss,
)
from tutorial_lib.recipes import (
    CHECKPOINTS,
    load_card,
    load_checkpoint,
    shakespeare_bert,
    share_of_true,
)
from tutorial_lib.recipes.shakespeare_bert import in_sentences, look_at_neighbours, scenes
from tutorial_lib.training import Muon, fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "students": [
        "teacher",
        "layers as they are",
        "distilbert",
        "layers, no teacher",
        "half, alone",
        "distilbert without soft targets",
        "distilbert without masked tokens",
        "distilbert without cosine",
    ],
    "cpu_seconds": 60,  # of a training, on one thread
    "sentences": shakespeare_bert.SETTINGS["sentences"],
    "share": shakespeare_bert.SETTINGS["share"],
    "tokens": 1_024,  # of a batch
    "lr": 2.5e-3,
    "temperature": 2.0,
    "measured": 400,  # passages of the plays held out
    "masking": {
        "plays": 2,
        "cpu_seconds": 40,
        "length": 62,  # tokens of half a passage
        "passes": 10,
        "lr": 5e-3,
        "sizes": {"context": 128, "d_model": 96, "n_layers": 3, "n_heads": 3},
        "offsets": [-1, 1, -2],  # where the heads of the first layer look at first
    },
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "plays": 2,
    "cpu_seconds": 0.05,
    "tokens": 256,
    "measured": 4,
    "masking": SETTINGS["masking"] | {"plays": 1, "cpu_seconds": 0.05, "passes": 2},
}
LENGTH = 62  # tokens of a passage's half, where it is measured


# --- what is read ---------------------------------------------------------------------------


class Text:
    """The plays as ids, those to learn from and those held out, with the pieces of chapter 06."""

    def __init__(self, settings):
        self.tokenizer = load_checkpoint("shakespeare-bert", CHECKPOINTS).tokenizer
        plays = load_shakespeare().plays
        held_out = settings["held_out"]
        self.plays = [play for play in plays if play.title not in held_out][: settings["plays"]]
        self.scenes = scenes(self.plays, self.tokenizer)
        self.held_out = scenes([p for p in plays if p.title in held_out], self.tokenizer)
        self.special = [getattr(self.tokenizer, f"{name}_id") for name in ("pad", "unk")]
        self.special += [self.tokenizer.cls_id, self.tokenizer.sep_id]

    def hide(self, ids, share, generator, segments=None):
        """Return MaskedTokens of ids (B, T)."""
        return mask_tokens(
            ids,
            self.tokenizer.mask_id,
            self.tokenizer.vocab_size,
            self.special,
            segments=segments,
            share=share,
            generator=generator,
        )

    def rows(self, documents, length):
        """Return all pieces of so many ids, as [CLS] ids [SEP], (N, length + 2)."""
        pieces = [piece for ids in in_sentences(documents, length) for piece in ids]
        edges = self.tokenizer.cls_id, self.tokenizer.sep_id
        return torch.tensor([[edges[0], *piece, edges[1]] for piece in pieces])


class Batches:
    """Endless batches of MaskedTokens of running text.

    Lengths are those of the pairs of chapter 06, one a batch, so that nothing is padded. Every
    `iter` starts from the seed.
    """

    def __init__(self, text, settings, seed):
        self.text, self.share, self.seed = text, settings["share"], seed
        self.sizes = [max(2, settings["tokens"] // (2 * n)) for n in settings["sentences"]]
        self.rows = [text.rows(text.scenes, 2 * n + 1) for n in settings["sentences"]]

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            place = torch.randint(len(self.rows), (), generator=generator).item()
            rows, size = self.rows[place], self.sizes[place]
            chosen = torch.randint(len(rows), (size,), generator=generator)
            yield self.text.hide(rows[chosen], self.share, generator)


# --- what is trained ------------------------------------------------------------------------


class Budget:
    """Seconds of CPU that one training may take."""

    def __init__(self, seconds):
        self.seconds, self.begun = seconds, time.process_time()

    def spent(self):
        """Return the seconds of CPU since the start."""
        return time.process_time() - self.begun

    def over(self, _history=None):
        """Return whether they are spent."""
        return self.spent() >= self.seconds

    def rate(self, lr):
        """Return a schedule: up for a twentieth of the seconds, then down along a cosine."""

        def at(_step):
            done = min(self.spent() / self.seconds, 1.0)
            return lr * min(max(done, 0.002) / 0.05, 0.5 * (1 + math.cos(math.pi * done)) + 0.01)

        return at


def train(model, batches, loss, seconds, lr, seed):
    """Train a model for so many seconds; return its steps and seconds."""
    budget = Budget(seconds)
    options = {"lr": budget.rate(lr), "stop": budget.over, "optimizer": Muon, "device": "cpu"}
    steps = 1_000_000  # the seconds are over long before
    history = fit(model, batches, loss, steps=steps, seed=seed, progress=False, **options)
    spent = budget.spent()
    model.eval()
    return {
        "steps": len(history.loss),
        "cpu_seconds": round(spent, 1),
        "ms_per_step": round(1000 * spent / len(history.loss), 1),
    }


def teacher():
    """Return the checkpoint of chapter 06."""
    return load_checkpoint("shakespeare-bert", CHECKPOINTS)


def begun(model, offsets):
    """Give an untrained model weights that fit its width, and heads that see neighbours."""
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    look_at_neighbours(model, offsets)
    return model


def student(name, text, settings, seed):
    """Return a trained student of a name, and what its training took."""
    set_seed(seed)
    model, loss = DistilBERT.from_teacher(teacher()), masked_token_loss
    if name == "half, alone":
        model = begun(model.config.build(), shakespeare_bert.SETTINGS["offsets"])
    elif name.startswith("distilbert"):
        weights = DistillationWeights(**dict.fromkeys(SWITCHED_OFF.get(name, ()), 0.0))
        options = {"temperature": settings["temperature"], "weights": weights}
        loss = partial(taught, teacher=teacher(), **options)
    batches = Batches(text, settings, seed)
    return model, train(model, batches, loss, settings["cpu_seconds"], settings["lr"], seed)


SWITCHED_OFF = {
    "distilbert without soft targets": ("soft_targets",),
    "distilbert without masked tokens": ("masked_tokens",),
    "distilbert without cosine": ("cosine",),
}


def taught(model, batch, teacher, **options):
    """Return `distillation_loss` with the student first, as `fit` calls it."""
    return distillation_loss(model, teacher, batch, **options)


# --- what is measured -----------------------------------------------------------------------


@torch.no_grad()
def masked_scores(model, text, settings):
    """Return the accuracy and the loss (nats) of hidden tokens in passages of the plays held out.

    The same tokens of the same passages are hidden for all models; one that was trained on pairs
    gets each passage as two halves, as it is used to. ms_per_passage: of CPU, one at a time.
    """
    generator = torch.Generator().manual_seed(0)
    rows = text.rows(text.held_out, 2 * LENGTH)
    rows = rows[torch.randperm(len(rows), generator=generator)[: settings["measured"]]]
    tokens = text.hide(rows, 0.15, generator)
    right, losses, begun_at = [], [], time.process_time()
    for some in torch.arange(len(rows)).split(1):
        ids, chosen, segments = tokens.ids[some], tokens.chosen[some], None
        targets = rows[some][chosen]
        if model.config.n_segments > 1:
            ids, chosen, segments = in_halves(ids, chosen, text.tokenizer.sep_id)
        logits = model.mlm_logits(model(ids, segments)[chosen])  # (N, V)
        right.append(logits.argmax(-1) == targets)
        losses.append(nn.functional.cross_entropy(logits, targets, reduction="none"))
    spent = time.process_time() - begun_at
    return {
        "mlm_accuracy": share_of_true(torch.cat(right)),
        "mlm_loss": torch.cat(losses).mean().item(),
        "ms_per_passage": round(1000 * spent / len(rows), 2),
    }


def in_halves(ids, chosen, sep_id):
    """Return ids, chosen and segments of [CLS] passage [SEP] with a [SEP] in the middle, too."""
    middle = ids.size(1) // 2
    sep = torch.full((len(ids), 1), sep_id)
    ids = torch.cat([ids[:, :middle], sep, ids[:, middle:]], dim=1)
    no = torch.zeros(len(ids), 1, dtype=torch.bool)
    chosen = torch.cat([chosen[:, :middle], no, chosen[:, middle:]], dim=1)
    segments = (torch.arange(ids.size(1)) > middle).long().expand_as(ids)
    return ids, chosen, segments


def student_row(name, text, settings, seed):
    """Train one student, or none for the teacher, and return its row."""
    if name == "teacher":
        model, took = teacher(), {"cpu_seconds": load_card("shakespeare-bert")["cpu_seconds"]}
    elif name == "layers as they are":
        model, took = DistilBERT.from_teacher(teacher()).eval(), {"cpu_seconds": 0.0}
    else:
        model, took = student(name, text, settings, seed)
    row = {"part": "students", "model": name, "seed": seed, **took}
    row |= {"parameters": count_parameters(model), "layers": model.config.n_layers}
    return row | masked_scores(model, text, settings)


def masking_rows(text, settings, seed):
    """Return two rows: few plays read many times, hidden once and for all, or anew in each pass.

    never_hidden: the share of tokens that a model was never asked about in so many passes.
    """
    own = settings["masking"]
    few = Text(settings | {"plays": own["plays"]})
    rows = few.rows(few.scenes, 2 * own["length"])
    size = max(2, settings["tokens"] // rows.size(1))
    found = []
    for way in ("static", "dynamic"):
        generator = torch.Generator().manual_seed(seed)
        fixed = few.hide(rows, settings["share"], generator)
        asked = [fixed.chosen] * own["passes"]
        if way == "dynamic":
            asked = [
                few.hide(rows, settings["share"], generator).chosen for _ in range(own["passes"])
            ]
        ordinary = ~torch.isin(rows, torch.tensor(few.special))
        never = ~torch.stack(asked).any(dim=0)[ordinary]
        set_seed(seed)
        vocab_size, pad_id = few.tokenizer.vocab_size, few.tokenizer.pad_id
        config = RoBERTaConfig(vocab_size, **own["sizes"], pad_id=pad_id, mlm=True)
        model = begun(config.build(), own["offsets"])
        batches = Passes(few, rows, fixed if way == "static" else None, size, settings, seed)
        took = train(model, batches, masked_token_loss, own["cpu_seconds"], own["lr"], seed)
        passes = took["steps"] * size / len(rows)
        row = {"part": "masking", "model": way, "seed": seed, **took, "passes": round(passes, 1)}
        row |= {"hidden_each_pass": fixed.chosen.sum().item(), "tokens": ordinary.sum().item()}
        row["never_hidden"] = share_of_true(never)
        found.append(row | masked_scores(model, text, settings))
    return found


class Passes:
    """Endless passes over rows (N, T), shuffled each time: hidden as `fixed` says, or anew."""

    def __init__(self, text, rows, fixed, size, settings, seed):
        self.text, self.rows, self.fixed = text, rows, fixed
        self.size, self.share, self.seed = size, settings["share"], seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            for some in torch.randperm(len(self.rows), generator=generator).split(self.size):
                if self.fixed is None:
                    yield self.text.hide(self.rows[some], self.share, generator)
                else:
                    ids, chosen = self.fixed.ids[some], self.fixed.chosen[some]
                    targets = self.rows[some][chosen]
                    yield MaskedTokens(ids, None, None, chosen, targets)


def run(settings, progress=True):
    """Train and measure every model with every seed; return the rows of both parts."""
    text, rows = Text(settings), []
    for seed in settings["seeds"]:
        for name in settings["students"]:
            rows.append(student_row(name, text, settings, seed))
            tell(rows[-1:], progress)
        rows += masking_rows(text, settings, seed)
        tell(rows[-2:], progress)
    return {"rows": rows}


def tell(found, progress):
    """Print what was measured, so that hours of work can be watched."""
    if progress:
        print(found, flush=True)


def data_bytes():
    """Return the plays and the teacher's weights as bytes, for their hash in the table."""
    return (
        shakespeare_bert.data_bytes() + (CHECKPOINTS / "shakespeare-bert.safetensors").read_bytes()
    )
