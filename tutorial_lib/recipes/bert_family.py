"""Chapter 08a: what does each descendant of BERT change, and what does it buy for the same compute?

All bodies of the first group are equally wide and deep, read the same plays with the same pieces,
and get the same seconds of one CPU core: the learning rate follows the seconds, not the steps.
Three plays are held out, as everywhere. Then each body is fine-tuned twice, with the same steps:
names in speeches (chapter 06b), and whether one passage follows another (chapter 06). An untrained
body is the control.

"bert" learns from masked tokens and next sentences, "roberta" without pairs, "roberta, 15 %" hides
no more than the paper did, "albert" learns from masked tokens and the order of sentences, with
narrow token vectors and one layer for all, "electra 1/4" from replaced tokens, its generator a
quarter as wide.

The second group are students of chapter 06's checkpoint, the "teacher", with its width and two of
its three layers: "distilbert" starts from its layers and learns from it, "half, alone" has the same
size and no teacher; "distilbert without ..." switches one part of the loss off.

Part "masking": running text of a few plays, read many times, hidden once and for all or anew in
every pass.
"""

import math
import time
from functools import partial

import torch
from torch import nn

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.datasets.play_names import load_play_names, name_words
from tutorial_lib.models import (
    ALBERTConfig,
    BERTConfig,
    DistilBERT,
    ELECTRAConfig,
    RoBERTaConfig,
    count_parameters,
)
from tutorial_lib.objectives import (
    DistillationWeights,
    MaskedTokens,
    distillation_loss,
    electra_loss,
    mask_tokens,
    masked_token_loss,
    order_pairs,
    pack_pairs,
    pretraining_loss,
    sentence_pairs,
)
from tutorial_lib.recipes import (
    CHECKPOINTS,
    load_card,
    load_checkpoint,
    shakespeare_bert,
    share_of_true,
)
from tutorial_lib.recipes.name_tagger import fine_tune_names, tag
from tutorial_lib.recipes.play_names import scores as name_scores
from tutorial_lib.recipes.shakespeare_bert import in_sentences, look_at_neighbours, scenes
from tutorial_lib.training import Muon, fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "models": ["untrained", "bert", "roberta", "roberta, 15 %", "albert", "electra 1/4"],
    "students": ["teacher", "distilbert", "half, alone"],
    "one_seed": [
        "electra 1/2",
        "electra 1/1",
        "distilbert without soft targets",
        "distilbert without masked tokens",
        "distilbert without cosine",
    ],
    "cpu_seconds": 90,  # of a training, on one thread
    "sizes": {"context": 128, "d_model": 96, "n_layers": 3, "n_heads": 3},
    "embedding_size": 48,  # ALBERT's
    "offsets": [-1, 1, -2],  # where the heads of the first layer look at first, as in chapter 06
    "sentences": shakespeare_bert.SETTINGS["sentences"],
    "share": 0.4,  # as in chapter 06: at 15 % so short a training stays with the frequent tokens
    "tokens": 1_024,  # of a batch
    "lr": 5e-3,
    "student_lr": 2.5e-3,
    "temperature": 2.0,
    "measured": 400,  # passages of the plays held out
    "names": {"steps": 160, "tokens": 2_048, "lr": 6e-3, "made_up": 0.9},
    "name_speeches": 400,  # of each play held out
    "follows": {"steps": 120, "pairs": 16, "lr": 2e-3, "length": 62},
    "few": {"plays": 2, "cpu_seconds": 40, "length": 62, "passes": 10},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "plays": 2,
    "cpu_seconds": 0.05,
    "sizes": {"context": 128, "d_model": 24, "n_layers": 3, "n_heads": 3},
    "embedding_size": 12,
    "tokens": 256,
    "measured": 4,
    "names": {"steps": 1, "tokens": 256, "lr": 1e-3, "made_up": 0.9},
    "name_speeches": 4,
    "follows": {"steps": 1, "pairs": 4, "lr": 1e-3, "length": 62},
    "few": {"plays": 1, "cpu_seconds": 0.05, "length": 62, "passes": 2},
}
POOL = 300  # batches of pairs that are drawn at once
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

    def pairs(self, documents, n, seed, make):
        """Return n pairs of sentences that `make` draws, packed: ids, segments (B, T), labels."""
        pairs = make(documents, n, seed)
        longest = max(len(first) + len(second) for first, second, _ in pairs)
        edges = self.tokenizer.cls_id, self.tokenizer.sep_id, self.tokenizer.pad_id
        ids, segments, _ = pack_pairs(pairs, *edges, longest + 3)
        return ids, segments, torch.tensor([pair[2] for pair in pairs])


class Batches:
    """Endless batches of hidden tokens: MaskedTokens, or (MaskedTokens, labels) with pairs.

    Lengths are those of the pairs of chapter 06, one a batch, so that nothing is padded. make:
    `sentence_pairs`, `order_pairs`, or None for running text. Every `iter` starts from the seed.
    """

    def __init__(self, text, settings, seed, make=None):
        self.text, self.settings, self.seed = text, settings, seed
        self.sizes = [max(2, settings["tokens"] // (2 * n)) for n in settings["sentences"]]
        lengths = zip(settings["sentences"], self.sizes, strict=True)
        if make is None:
            self.pools = [(text.rows(text.scenes, 2 * n + 1),) for n, _ in lengths]
        else:  # drawing pairs takes time: many at once, before the clock runs
            self.pools = [
                text.pairs(in_sentences(text.scenes, n), POOL * size, seed, make)
                for n, size in lengths
            ]

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            place = torch.randint(len(self.pools), (), generator=generator).item()
            pool, size = self.pools[place], self.sizes[place]
            chosen = torch.randint(len(pool[0]), (size,), generator=generator)
            ids, *rest = (part[chosen] for part in pool)
            tokens = self.text.hide(ids, self.settings["share"], generator, *rest[:1])
            yield (tokens, *rest[1:]) if rest else tokens


# --- what is trained ------------------------------------------------------------------------


class Budget:
    """Seconds of CPU that one training may take; what it measures on its way does not count."""

    def __init__(self, seconds):
        self.seconds, self.begun, self.elsewhere = seconds, time.process_time(), 0.0

    def spent(self):
        """Return the seconds of CPU since the start."""
        return time.process_time() - self.begun - self.elsewhere

    def over(self, _history=None):
        """Return whether they are spent."""
        return self.spent() >= self.seconds

    def rate(self, lr):
        """Return a schedule: up for a twentieth of the seconds, then down along a cosine."""

        def at(_step):
            done = min(self.spent() / self.seconds, 1.0)
            return lr * min(max(done, 0.002) / 0.05, 0.5 * (1 + math.cos(math.pi * done)) + 0.01)

        return at


def train(model, batches, loss, seconds, settings, seed):
    """Train a model for so many seconds; return its steps and seconds."""
    budget = Budget(seconds)
    history = fit(
        model,
        batches,
        loss,
        steps=1_000_000,
        lr=budget.rate(settings["lr"]),
        stop=budget.over,
        optimizer=Muon,
        seed=seed,
        device="cpu",
        progress=False,
    )
    spent = budget.spent()
    return {
        "steps": len(history.loss),
        "cpu_seconds": round(spent, 1),
        "ms_per_step": round(1000 * spent / len(history.loss), 1),
    }


@torch.no_grad()
def begun(model, offsets):
    """Give an untrained model weights that fit its width, and heads that see neighbours.

    As in `shakespeare_bert.look_at_neighbours`, for token vectors of any width: the first numbers
    of each stand for the position alone, and come through the map to the width of the layers.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    d_head = model.config.d_model // model.config.n_heads
    widen = getattr(model, "widen", None)
    if isinstance(widen, nn.Linear):
        widen.weight[:d_head] = 0
        widen.weight[:, :d_head] = 0
        widen.weight[:d_head, :d_head] = torch.eye(d_head)
    look_at_neighbours(model, offsets)
    return model


def build(name, text, settings):
    """Return the untrained model of a name."""
    tokenizer = text.tokenizer
    sizes = {"vocab_size": tokenizer.vocab_size} | settings["sizes"]
    if name == "bert":
        config = BERTConfig(**sizes, pooler=True, mlm=True, nsp=True)
    elif name.startswith("roberta") or name == "untrained":
        config = RoBERTaConfig(**sizes, pad_id=tokenizer.pad_id, mlm=True)
    elif name == "albert":
        parts = {"pooler": True, "mlm": True, "order": True, "activation": "gelu"}
        config = ALBERTConfig(**sizes, **parts, embedding_size=settings["embedding_size"])
    elif name.startswith("electra"):
        config = ELECTRAConfig(**sizes, replaced=True)
    else:
        student = DistilBERT.from_teacher(teacher())
        if name.startswith("distilbert"):
            return student
        return begun(student.config.build(), shakespeare_bert.SETTINGS["offsets"])
    return begun(config.build(), settings["offsets"])


def teacher():
    """Return the checkpoint of chapter 06."""
    return load_checkpoint("shakespeare-bert", CHECKPOINTS)


def learn(name, text, settings, seed):
    """Return a trained model of a name, its generator or None, and what its training took."""
    if name == "teacher":
        return teacher(), None, {"cpu_seconds": load_card("shakespeare-bert")["cpu_seconds"]}
    set_seed(seed)
    model, generator = build(name, text, settings), None
    if name == "untrained":
        return model.eval(), None, {"steps": 0, "cpu_seconds": 0.0}
    settings = settings | {"share": 0.15 if name == "roberta, 15 %" else settings["share"]}
    make = {"bert": sentence_pairs, "albert": order_pairs}.get(name)
    whole, loss = model, {"bert": pretraining_loss, "albert": order_loss}.get(name)
    if name.startswith("distilbert"):
        weights = DistillationWeights(**dict.fromkeys(SWITCHED_OFF.get(name, ()), 0.0))
        options = {"temperature": settings["temperature"], "weights": weights}
        loss = partial(taught, teacher=teacher(), **options)
    elif name.startswith("electra"):
        top, bottom = map(int, name.removeprefix("electra ").split("/"))
        generator = model.config.generator(top / bottom).build()
        model.share_embeddings(begun(generator, settings["offsets"]))
        whole = nn.ModuleDict({"generator": generator, "discriminator": model})
        loss = partial(both, sampler=torch.Generator().manual_seed(seed))
    if isinstance(model, DistilBERT):
        settings = settings | {"lr": settings["student_lr"]}
    batches = Batches(text, settings, seed, make)
    took = train(whole, batches, loss or masked_token_loss, settings["cpu_seconds"], settings, seed)
    return model.eval(), generator and generator.eval(), took


SWITCHED_OFF = {
    "distilbert without soft targets": ("soft_targets",),
    "distilbert without masked tokens": ("masked_tokens",),
    "distilbert without cosine": ("cosine",),
}


def taught(student, batch, teacher, **options):
    """Return `distillation_loss` with the student first, as `fit` calls it."""
    return distillation_loss(student, teacher, batch, **options)


def both(pair, batch, sampler):
    """Return `electra_loss` of a generator and a discriminator."""
    return electra_loss(pair["generator"], pair["discriminator"], batch, sampler=sampler)


def order_loss(model, batch):
    """Return ALBERT's loss: masked tokens, and whether the pairs are in order."""
    tokens, in_order = batch
    hidden = model(tokens.ids, tokens.segments, tokens.mask)  # (B, T, D)
    of_tokens = nn.functional.cross_entropy(model.mlm_logits(hidden[tokens.chosen]), tokens.targets)
    logits = model.order_logits(hidden)
    return of_tokens + nn.functional.cross_entropy(logits, (~in_order).long())


# --- what is measured -----------------------------------------------------------------------


@torch.no_grad()
def masked_scores(model, text, settings):
    """Return the accuracy and the loss (nats) of hidden tokens in passages of the plays held out.

    The same tokens of the same passages are hidden for all models; one that was trained on pairs
    gets each passage as two halves, as it is used to.
    """
    generator = torch.Generator().manual_seed(0)
    rows = text.rows(text.held_out, 2 * LENGTH)
    rows = rows[torch.randperm(len(rows), generator=generator)[: settings["measured"]]]
    tokens = text.hide(rows, 0.15, generator)
    right, losses = [], []
    for some in torch.arange(len(rows)).split(100):
        ids, chosen, segments = tokens.ids[some], tokens.chosen[some], None
        targets = rows[some][chosen]
        if model.config.n_segments > 1:
            ids, chosen, segments = in_halves(ids, chosen, text.tokenizer.sep_id)
        logits = model.mlm_logits(model(ids, segments)[chosen])  # (N, V)
        right.append(logits.argmax(-1) == targets)
        losses.append(nn.functional.cross_entropy(logits, targets, reduction="none"))
    return {
        "mlm_accuracy": share_of_true(torch.cat(right)),
        "mlm_loss": torch.cat(losses).mean().item(),
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


@torch.no_grad()
def pair_accuracy(model, text, settings, make, logits):
    """Return how often a model is right about pairs of the plays held out; half are true."""
    documents = in_sentences(text.held_out, LENGTH)
    ids, segments, labels = text.pairs(documents, settings["measured"], 0, make)
    found = [
        logits(model(*batch)).argmax(-1) == 0
        for batch in zip(ids.split(100), segments.split(100), strict=True)
    ]
    return share_of_true(torch.cat(found) == labels)


def fine_tuned_on_names(model, text, settings, seed):
    """Return the F1 of the names in plays held out, after fine-tuning as chapter 06b does."""
    labelled = load_play_names()
    training = [speech for play in text.plays for speech in labelled[play.title]]
    measured = [
        speech
        for title in settings["held_out"]
        for speech in labelled[title][: settings["name_speeches"]]
    ]
    body = without_heads(model)
    body.tokenizer = text.tokenizer
    tagger, _ = fine_tune_names(body, training, **settings["names"], seed=seed, progress=False)
    return name_scores(tag(tagger, measured), measured, name_words(training))["f1"]


def without_heads(model):
    """Return a copy of a model without the heads of its pre-training."""
    heads = ("mlm", "nsp", "order", "replaced", "pooler")
    gone = {name: False for name in heads if name in model.head_fields}
    return model.with_heads(**gone, pooling="mean")


def fine_tuned_on_pairs(model, text, settings, seed):
    """Return how often a fine-tuned model says rightly whether one passage follows another.

    All read [CLS] first [SEP] second [SEP], with segments where they have them, and answer from the
    mean of the hidden states.
    """
    own = settings["follows"]
    classifier = without_heads(model).with_heads(n_classes=2, pooling="mean")

    def said(classifier, ids, segments):
        some = segments if classifier.config.n_segments > 1 else None
        mask = torch.ones_like(ids, dtype=torch.bool)
        return classifier.sequence_logits(classifier(ids, some), mask)

    def loss(classifier, batch):
        ids, segments, follows = batch
        return nn.functional.cross_entropy(said(classifier, ids, segments), (~follows).long())

    documents = in_sentences(text.scenes, own["length"])
    drawn = text.pairs(documents, own["steps"] * own["pairs"], seed, sentence_pairs)
    batches = list(zip(*(part.split(own["pairs"]) for part in drawn), strict=True))
    options = {"steps": own["steps"], "lr": own["lr"], "optimizer": Muon, "device": "cpu"}
    fit(classifier, batches, loss, **options, seed=seed, progress=False)
    classifier.eval()
    documents = in_sentences(text.held_out, own["length"])
    ids, segments, labels = text.pairs(documents, 2 * settings["measured"], 0, sentence_pairs)
    with torch.no_grad():
        right = [
            said(classifier, *batch).argmax(-1) == 0
            for batch in zip(ids.split(100), segments.split(100), strict=True)
        ]
    return share_of_true(torch.cat(right) == labels)


def measured_row(name, text, settings, seed):
    """Train one model and return its row."""
    model, generator, took = learn(name, text, settings, seed)
    row = {"part": "family", "model": name, "seed": seed, **took}
    row["parameters"] = count_parameters(model)
    if generator is not None:
        found = masked_scores(generator, text, settings)
        row |= {f"generator_{key}": value for key, value in found.items()}
    elif model.mlm_head is not None and took.get("steps") != 0:
        row |= masked_scores(model, text, settings)
    if name == "albert":
        row["order_accuracy"] = pair_accuracy(
            model, text, settings, order_pairs, model.order_logits
        )
    if name in ("bert", "teacher"):
        row["next_accuracy"] = pair_accuracy(
            model, text, settings, sentence_pairs, model.nsp_logits
        )
    row["names_f1"] = fine_tuned_on_names(model, text, settings, seed)
    row["follows_accuracy"] = fine_tuned_on_pairs(model, text, settings, seed)
    return row


def masking_rows(text, settings, seed):
    """Return two rows: few plays read many times, hidden once and for all, or anew in each pass.

    never_hidden: the share of tokens that a model was never asked about in so many passes.
    """
    own = settings["few"]
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
        model = build("roberta", few, settings)
        batches = Passes(few, rows, fixed if way == "static" else None, size, settings, seed)
        took = train(model, batches, masked_token_loss, own["cpu_seconds"], settings, seed)
        passes = took["steps"] * size / len(rows)
        row = {"part": "masking", "model": way, "seed": seed, **took, "passes": round(passes, 1)}
        row |= {"hidden_each_pass": fixed.chosen.sum().item(), "tokens": ordinary.sum().item()}
        row["never_hidden"] = share_of_true(never)
        found.append(row | masked_scores(model.eval(), text, settings))
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
        names = [*settings["models"], *settings["students"]]
        for name in names + (settings["one_seed"] if seed == settings["seeds"][0] else []):
            rows.append(measured_row(name, text, settings, seed))
            tell(rows[-1], progress)
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
