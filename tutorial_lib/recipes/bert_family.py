"""Chapter 08a: what does each descendant of BERT change, and what does it buy for the same compute?

All bodies are equally wide and deep, read the same plays with the same pieces, and get the same
seconds of one CPU core: the learning rate follows the seconds, not the steps. Three plays are held
out, as everywhere. Then each body is fine-tuned twice, with the same steps: are two neighbours of a
line swapped, and which marks stood in it? An untrained body is the control.

Part "family": "bert" learns from hidden tokens and next sentences, "roberta" without pairs,
"albert" from hidden tokens and the order of sentences, with narrow token vectors and one layer for
all. "electra, jointly" trains a generator, a quarter as wide, and the discriminator at once, as
Clark et al. (2020) do; "electra" has their two stages: half of the seconds hidden tokens, then the
body turns detective, and what it was before forges for it. "curve" gives two of them less time,
each training with a schedule of its own.

Part "forgers": the second stage again, with the same start and the same seconds, but with another
forger: any token at random, generators a quarter and half as wide (their own training comes on
top), or the likeliest token in place of a drawn one. All detectives are tested on what the
generator as wide as they are draws.
"""

import math
from functools import partial

import torch
from sklearn.metrics import roc_auc_score
from torch import nn

from tutorial_lib.models import (
    ALBERTConfig,
    BERTConfig,
    ELECTRAConfig,
    RoBERTaConfig,
    count_parameters,
)
from tutorial_lib.objectives import (
    IGNORED,
    electra_loss,
    masked_token_loss,
    order_pairs,
    pack_pairs,
    pretraining_loss,
    replace_tokens,
    replaced_token_loss,
    sentence_pairs,
)
from tutorial_lib.positions import rotate
from tutorial_lib.recipes import masks_and_students, shakespeare_bert, share_of_true
from tutorial_lib.recipes.masks_and_students import (
    LENGTH,
    Batches,
    Text,
    masked_scores,
    tell,
    train,
)
from tutorial_lib.recipes.shakespeare_bert import in_sentences
from tutorial_lib.training import Muon, fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "models": ["untrained", "bert", "roberta", "albert", "electra", "electra, jointly"],
    "forgers": ["any token", "1/4", "1/2", "likeliest"],
    "cpu_seconds": 90,  # of a training, on one thread
    "curve": {"models": ["roberta", "electra"], "cpu_seconds": [22.5, 45]},
    "sizes": {"context": 128, "d_model": 96, "n_layers": 3, "n_heads": 3},
    "embedding_size": 64,  # ALBERT's
    "offsets": [-1, 1, -2],  # where the heads of the first layer look at first, as in chapter 06
    "sentences": shakespeare_bert.SETTINGS["sentences"],
    "share": 0.4,  # as in chapter 06: at 15 % so short a training stays with the frequent tokens
    "share_replaced": 0.25,  # a detective needs sound text around what he judges
    "tokens": 1_024,  # of a batch
    "lr": 5e-3,
    "albert_lr": 1.25e-3,  # one layer learns from three places; 5e-3 gave it .13 in place of .16
    "second_lr": 3e-3,  # of the second stage
    "measured": 400,  # passages of the plays held out
    "swapped": {"steps": 300, "lines": 48, "length": 24, "lr": 3e-3, "measured": 2_000},
    "marks": {"steps": 150, "lines": 32, "length": 30, "lr": 3e-3, "labelled": 400},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "plays": 2,
    "models": ["untrained", "albert", "electra", "electra, jointly"],
    "forgers": ["any token", "1/2", "likeliest"],
    "cpu_seconds": 0.05,
    "curve": {"models": ["roberta"], "cpu_seconds": [0.02]},
    "sizes": {"context": 128, "d_model": 24, "n_layers": 3, "n_heads": 3},
    "embedding_size": 12,
    "tokens": 256,
    "measured": 4,
    "swapped": {"steps": 1, "lines": 4, "length": 24, "lr": 1e-3, "measured": 8},
    "marks": {"steps": 1, "lines": 4, "length": 30, "lr": 1e-3, "labelled": 8},
}
MARKS = (",", ".", "?", "!", ";", ":")
POOL = 300  # batches of pairs that are drawn at once


# --- what is read ---------------------------------------------------------------------------


class PairBatches:
    """Endless batches of (MaskedTokens, labels) of pairs of sentences.

    Lengths are those of chapter 06, one a batch, so that nothing is padded. make: `sentence_pairs`
    or `order_pairs`. Drawing pairs takes time, so many are drawn before the clock runs. Every
    `iter` starts from the seed.
    """

    def __init__(self, text, settings, seed, make):
        self.text, self.share, self.seed = text, settings["share"], seed
        self.sizes = [max(2, settings["tokens"] // (2 * n)) for n in settings["sentences"]]
        self.pools = [
            packed_pairs(text, make(in_sentences(text.scenes, n), POOL * size, seed))
            for n, size in zip(settings["sentences"], self.sizes, strict=True)
        ]

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            place = torch.randint(len(self.pools), (), generator=generator).item()
            pool, size = self.pools[place], self.sizes[place]
            chosen = torch.randint(len(pool[0]), (size,), generator=generator)
            ids, segments, labels = (part[chosen] for part in pool)
            yield self.text.hide(ids, self.share, generator, segments), labels


def packed_pairs(text, pairs):
    """Return the ids and segments (N, T) of pairs of sentences, and their labels (N,)."""
    longest = max(len(first) + len(second) for first, second, _ in pairs)
    edges = text.tokenizer.cls_id, text.tokenizer.sep_id, text.tokenizer.pad_id
    ids, segments, _ = pack_pairs(pairs, *edges, longest + 3)
    return ids, segments, torch.tensor([pair[2] for pair in pairs])


def swapped_lines(text, documents, n, length, seed):
    """Return n lines (n, length + 2) of running text, and whether two neighbours are swapped (n,).

    Half of the lines have two neighbouring tokens in each other's place; they are never the same.
    """
    generator = torch.Generator().manual_seed(seed)
    rows = text.rows(documents, length)
    rows = rows[torch.randint(len(rows), (n,), generator=generator)]
    swapped = torch.rand(n, generator=generator) < 0.5
    differ = rows[:, 1:length] != rows[:, 2 : length + 1]  # [CLS] and [SEP] stay
    first = 1 + torch.multinomial(differ.float(), 1, generator=generator)  # (n, 1)
    there = torch.cat([rows.gather(1, first + 1), rows.gather(1, first)], dim=1)
    turned = rows.scatter(1, torch.cat([first, first + 1], dim=1), there)
    return torch.where(swapped[:, None], turned, rows), swapped


def marked_lines(text, documents, length):
    """Return lines (N, length + 2) without their marks, and the mark after each token (N, T).

    0: none; 1 to 6: one of `MARKS`; IGNORED at [CLS] and [SEP].
    """
    numbers = {text.tokenizer.vocab.index(mark): n for n, mark in enumerate(MARKS, start=1)}
    cls_id, sep_id = text.tokenizer.cls_id, text.tokenizer.sep_id
    lines, labels = [], []
    for document in documents:
        kept, after = [], []
        for token_id in document:
            if token_id not in numbers:
                kept.append(token_id)
                after.append(0)
            elif kept and after[-1] == 0:
                after[-1] = numbers[token_id]
        for end in range(length, len(kept) + 1, length):
            lines.append([cls_id, *kept[end - length : end], sep_id])
            labels.append([IGNORED, *after[end - length : end], IGNORED])
    return torch.tensor(lines), torch.tensor(labels)


# --- what is trained ------------------------------------------------------------------------


def build(name, text, settings):
    """Return the untrained model of a name."""
    tokenizer = text.tokenizer
    sizes = {"vocab_size": tokenizer.vocab_size} | settings["sizes"]
    if name == "bert":
        config = BERTConfig(**sizes, pooler=True, mlm=True, nsp=True)
    elif name == "albert":
        parts = {"pooler": True, "mlm": True, "order": True, "activation": "gelu"}
        config = ALBERTConfig(**sizes, **parts, embedding_size=settings["embedding_size"])
    elif name.startswith("electra"):
        config = ELECTRAConfig(**sizes, replaced=True)
    else:
        config = RoBERTaConfig(**sizes, pad_id=tokenizer.pad_id, mlm=True)
    return begun(config.build(), settings["offsets"])


@torch.no_grad()
def begun(model, offsets):
    """Give a model weights that fit its width, and heads that see neighbours, as in chapter 06.

    Where token vectors are not as wide as the layers, the numbers that stand for the place come
    through the map between them unchanged, and the first queries are turned as fast as they.
    """
    masks_and_students.begun(model, offsets)
    widen = getattr(model, "widen", None)
    if not isinstance(widen, nn.Linear):
        return model
    d_model, width = model.config.d_model, model.config.embedding_size
    d_head = d_model // model.config.n_heads
    widen.weight[:d_head] = 0
    widen.weight[:, :d_head] = 0
    widen.weight[:d_head, :d_head] = torch.eye(d_head)
    queries = model.blocks[0].attention.qkv.weight[:d_model]
    for head, offset in enumerate(offsets[: model.config.n_heads]):
        turned = rotate(torch.eye(d_head)[:, None], start=-offset, base=10_000 ** (d_head / width))
        queries[head * d_head : (head + 1) * d_head, :d_head] = 2 * turned[:, 0].T
    return model


def learn(name, text, settings, seed, seconds):
    """Return a trained model of a name and what its training took; ELECTRA's is `electra_row`."""
    set_seed(seed)
    model = build(name, text, settings)
    if name == "untrained":
        return model.eval(), {"steps": 0, "cpu_seconds": 0.0}
    whole, loss, batches = model, masked_token_loss, Batches(text, settings, seed)
    if name == "electra, jointly":
        generator = begun(model.config.generator(0.25).build(), settings["offsets"])
        model.share_embeddings(generator)
        whole = nn.ModuleDict({"generator": generator, "discriminator": model})
        batches = Batches(text, settings | {"share": settings["share_replaced"]}, seed)
        loss = partial(joint_loss, sampler=torch.Generator().manual_seed(seed))
    elif name in PAIRS:
        make, loss = PAIRS[name]
        batches = PairBatches(text, settings, seed, make)
    lr = settings["albert_lr" if name == "albert" else "lr"]
    took = train(whole, batches, loss, seconds, lr, seed)
    return model.eval(), took


def first_stage(text, settings, seed, seconds, share=1.0):
    """Return a generator this share as wide as the others, and what its training took."""
    set_seed(seed)
    config = build("electra", text, settings).config.generator(share)
    generator = begun(config.build(), settings["offsets"])
    batches = Batches(text, settings, seed)
    took = train(generator, batches, masked_token_loss, seconds, settings["lr"], seed)
    return generator.eval(), took


def second_stage(body, forger, text, settings, seed, seconds):
    """Return a detective that starts as `body`, a generator, and what its training took.

    forger: what fills the gaps, see `FORGERS`.
    """
    set_seed(seed)
    model = begin_head(body.with_heads(mlm=False, replaced=True)).train()
    sampler = torch.Generator().manual_seed(seed)

    def loss(model, batch):
        return replaced_token_loss(model, replace_tokens(forger(batch), batch, sampler))

    batches = Batches(text, settings | {"share": settings["share_replaced"]}, seed + 1)
    took = train(model, batches, loss, seconds, settings["second_lr"], seed)
    return model.eval(), took


def begin_head(model):
    """Give a detective's new head weights that fit its width, as all of these small models have.

    With BERT's usual 0.02 it is nearly silent, and the body learns nothing through it.
    """
    for layer in (model.replaced_head.transform, model.replaced_head.output):
        nn.init.normal_(layer.weight, std=layer.in_features**-0.5)
    return model


@torch.no_grad()
def drawn_by(generator, batch):
    """Return the logits (N, V) of a generator at the gaps of MaskedTokens."""
    return generator.mlm_logits(generator(batch.ids, batch.segments, batch.mask)[batch.chosen])


def likeliest_of(generator, batch):
    """Return logits (N, V) by which only the likeliest token of a generator can be drawn."""
    logits = drawn_by(generator, batch)
    return torch.full_like(logits, -math.inf).scatter(1, logits.argmax(1, keepdim=True), 0.0)


def any_token(text, batch):
    """Return logits (N, V) by which any ordinary token can be drawn."""
    logits = torch.zeros(len(batch.targets), text.tokenizer.vocab_size)
    logits[:, [*text.special, text.tokenizer.mask_id]] = -math.inf
    return logits


def joint_loss(pair, batch, sampler):
    """Return `electra_loss` of a ModuleDict of generator and discriminator."""
    return electra_loss(pair["generator"], pair["discriminator"], batch, sampler=sampler)


def order_loss(model, batch):
    """Return ALBERT's loss: hidden tokens, and whether the pairs are in order."""
    tokens, in_order = batch
    hidden = model(tokens.ids, tokens.segments, tokens.mask)  # (B, T, D)
    of_tokens = nn.functional.cross_entropy(model.mlm_logits(hidden[tokens.chosen]), tokens.targets)
    of_order = nn.functional.cross_entropy(model.order_logits(hidden), (~in_order).long())
    return of_tokens + of_order


PAIRS = {"bert": (sentence_pairs, pretraining_loss), "albert": (order_pairs, order_loss)}


# --- what is measured -----------------------------------------------------------------------


@torch.no_grad()
def pair_accuracy(text, settings, make, logits):
    """Return how often pairs of the plays held out are judged rightly; half of them are true.

    logits: what a model says (N, 2) of ids and segments.
    """
    documents = in_sentences(text.held_out, LENGTH)
    ids, segments, labels = packed_pairs(text, make(documents, settings["measured"], 0))
    pieces = zip(ids.split(100), segments.split(100), strict=True)
    return share_of_true(torch.cat([logits(*piece).argmax(-1) == 0 for piece in pieces]) == labels)


@torch.no_grad()
def detected(model, generator, text, settings):
    """Return how well a detective tells replaced tokens of the plays held out from the others.

    15 % of the tokens were hidden and drawn anew by a generator. auc: how often a replaced token is
    suspected more than one that was not (0.5: chance).
    """
    source = torch.Generator().manual_seed(0)
    rows = text.rows(text.held_out, 2 * LENGTH)
    rows = rows[torch.randperm(len(rows), generator=source)[: settings["measured"]]]
    tokens = text.hide(rows, 0.15, source)
    batch = replace_tokens(drawn_by(generator, tokens), tokens, source)
    said, replaced = model.replaced_logits(model(batch.ids)), batch.replaced
    inner = (slice(None), slice(1, -1))  # without [CLS] and [SEP]
    return {
        "auc": float(roc_auc_score(replaced[inner].flatten(), said[inner].flatten())),
        "found": share_of_true(said[replaced] > 0),
        "false_marks": share_of_true(said[inner][~replaced[inner]] > 0),
    }


def without_heads(model):
    """Return a copy of a model without the heads of its pre-training."""
    heads = ("mlm", "nsp", "order", "replaced", "pooler")
    gone = {name: False for name in heads if name in model.head_fields}
    return model.with_heads(**gone, pooling="mean")


def fine_tuned_on_swaps(model, text, settings, seed):
    """Return how often a fine-tuned model says rightly whether two neighbours are swapped."""
    own = settings["swapped"]
    classifier = without_heads(model).with_heads(n_classes=2, pooling="mean")

    def said(classifier, ids):
        return classifier.sequence_logits(classifier(ids), torch.ones_like(ids, dtype=torch.bool))

    def loss(classifier, batch):
        ids, swapped = batch
        return nn.functional.cross_entropy(said(classifier, ids), swapped.long())

    lines, length = own["lines"], own["length"]
    drawn = swapped_lines(text, text.scenes, own["steps"] * lines, length, seed)
    batches = list(zip(*(part.split(lines) for part in drawn), strict=True))
    set_seed(seed)
    options = {"steps": own["steps"], "lr": own["lr"], "optimizer": Muon, "device": "cpu"}
    fit(classifier, batches, loss, **options, seed=seed, progress=False)
    classifier.eval()
    ids, swapped = swapped_lines(text, text.held_out, own["measured"], length, 0)
    with torch.no_grad():
        right = [said(classifier, some).argmax(-1) for some in ids.split(100)]
    return share_of_true(torch.cat(right) == swapped)


def fine_tuned_on_marks(model, text, settings, seed):
    """Return the F1 of the marks that a fine-tuned model puts back into plays held out."""
    own = settings["marks"]
    tagger = without_heads(model).with_heads(n_labels=1 + len(MARKS), pooling="mean")
    ids, labels = marked_lines(text, text.scenes, own["length"])
    generator = torch.Generator().manual_seed(seed)
    few = torch.randperm(len(ids), generator=generator)[: own["labelled"]]
    drawn = [
        few[torch.randint(len(few), (own["lines"],), generator=generator)]
        for _ in range(own["steps"])
    ]

    def loss(tagger, batch):
        ids, labels = batch
        logits = tagger.token_logits(tagger(ids)).transpose(1, 2)  # (B, labels, T)
        return nn.functional.cross_entropy(logits, labels, ignore_index=IGNORED)

    set_seed(seed)
    options = {"steps": own["steps"], "lr": own["lr"], "optimizer": Muon, "device": "cpu"}
    batches = [(ids[some], labels[some]) for some in drawn]
    fit(tagger, batches, loss, **options, seed=seed, progress=False)
    tagger.eval()
    ids, labels = marked_lines(text, text.held_out, own["length"])
    ids, labels = ids[: settings["measured"]], labels[: settings["measured"]]
    with torch.no_grad():
        said = torch.cat([tagger.token_logits(tagger(some)).argmax(-1) for some in ids.split(100)])
    asked = labels != IGNORED
    right = ((said == labels) & (labels > 0)).sum().item()
    return 2 * right / ((said[asked] > 0).sum().item() + (labels > 0).sum().item())


def downstream(model, text, settings, seed):
    """Return what a body reaches after each of the two fine-tunings."""
    return {
        "swapped_accuracy": fine_tuned_on_swaps(model, text, settings, seed),
        "marks_f1": fine_tuned_on_marks(model, text, settings, seed),
    }


def family_row(name, text, settings, seed, seconds):
    """Train one model in a single stage; return it and its row."""
    model, took = learn(name, text, settings, seed, seconds)
    row = {"model": name, "seed": seed, "budget": float(seconds), **took}
    row["parameters"] = count_parameters(model)
    if model.config.mlm:
        row |= masked_scores(model, text, settings)
    if name in PAIRS:
        logits = model.nsp_logits if name == "bert" else model.order_logits
        said = lambda ids, segments: logits(model(ids, segments))  # noqa: E731
        row["pair_accuracy"] = pair_accuracy(text, settings, PAIRS[name][0], said)
    return model, row | downstream(model, text, settings, seed)


def electra_row(text, settings, seed, seconds):
    """Train an ELECTRA in two stages; return its generator and its row."""
    generator, first = first_stage(text, settings, seed, seconds / 2)
    forger = partial(drawn_by, generator)
    model, second = second_stage(generator, forger, text, settings, seed, seconds / 2)
    row = {"model": "electra", "seed": seed, "budget": float(seconds)}
    row["steps"] = first["steps"] + second["steps"]
    row["cpu_seconds"] = round(first["cpu_seconds"] + second["cpu_seconds"], 1)
    row["ms_per_step"] = second["ms_per_step"]
    row["parameters"] = count_parameters(model)
    row |= {f"generator_{k}": v for k, v in masked_scores(generator, text, settings).items()}
    row |= detected(model, generator, text, settings)
    return generator, row | downstream(model, text, settings, seed)


def forger_row(name, body, text, settings, seed):
    """Train the second stage with another forger and return its row."""
    seconds = settings["cpu_seconds"] / 2
    row = {"part": "forgers", "model": name, "seed": seed, "forger_accuracy": None}
    if name == "any token":
        forger = partial(any_token, text)
    elif name == "likeliest":
        forger = partial(likeliest_of, body)
    else:
        top, bottom = map(int, name.split("/"))
        generator, _ = first_stage(text, settings, seed, seconds, top / bottom)
        row["forger_accuracy"] = masked_scores(generator, text, settings)["mlm_accuracy"]
        forger = partial(drawn_by, generator)
    model, took = second_stage(body, forger, text, settings, seed, seconds)
    row |= took | detected(model, body, text, settings)
    return row | downstream(model, text, settings, seed)


def run(settings, progress=True):
    """Train and measure every model with every seed; return the rows of all parts."""
    text, rows, curve = Text(settings), [], settings["curve"]
    trainings = [("family", name, settings["cpu_seconds"]) for name in settings["models"]]
    trainings += [
        ("curve", name, seconds) for seconds in curve["cpu_seconds"] for name in curve["models"]
    ]
    for seed in settings["seeds"]:
        bodies = {}
        for part, name, seconds in trainings:
            if name == "electra":
                body, row = electra_row(text, settings, seed, seconds)
            else:
                body, row = family_row(name, text, settings, seed, seconds)
            if name == "electra, jointly":
                row |= detected(body, bodies["family", "electra"], text, settings)
            bodies[part, name] = body
            rows.append({"part": part} | row)
            tell(rows[-1], progress)
        for name in settings["forgers"]:
            rows.append(forger_row(name, bodies["family", "electra"], text, settings, seed))
            tell(rows[-1], progress)
    return {"rows": rows}


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return shakespeare_bert.data_bytes()
