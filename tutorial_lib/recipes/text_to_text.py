"""Chapter 08b: six tasks in one T5, and what its parts are worth, for the same compute.

All models have one shape and read the same Unigram pieces; the learning rate follows the seconds of
one CPU core, not the steps. What is measured is the share of held-out examples written without a
wrong letter.

Part "sharing": "one model" learns six tasks in all the seconds, "six models" one task each in a
sixth of them; "flat start" is one model whose heads begin without a preference for neighbours.
"wrong prefix" asks the one model the same, with the prefix of another task.

Part "few labels": with a few hundred examples a task, "from scratch" learns from them alone; "after
spans" has mended hidden spans before, in sources and targets that nobody had paired, for as many
seconds more. "its token vectors" keeps of that the vectors of the tokens only.
"""

import itertools
import random
from functools import partial

import torch

from tutorial_lib.datasets import TASKS, load_text_task
from tutorial_lib.decoding import generate
from tutorial_lib.models import T5, T5Config, count_parameters
from tutorial_lib.objectives import span_corruption, translation_loss
from tutorial_lib.positions import t5_bucket
from tutorial_lib.recipes.masks_and_students import tell, train
from tutorial_lib.recipes.translator import chunks, padded
from tutorial_lib.tokenizers import UnigramTokenizer
from tutorial_lib.training import set_seed

SENTINELS = tuple(f"<extra_id_{n}>" for n in range(8))
SPECIALS = ("<pad>", "</s>", "<unk>", *SENTINELS)

SETTINGS = {
    "seeds": [0, 1, 2],
    "n_train": 7_000,  # of a task
    "n_tokenizer": 800,  # examples of a task that pieces are learnt from
    "vocab_size": 500,
    "sizes": {"d_model": 96, "n_layers": 2, "n_heads": 4, "d_head": 24, "d_ff": 384},
    "context": 128,
    "batch_size": 32,
    "cpu_seconds": 240,  # of one model, on one thread
    "few": {"n_labels": 300, "cpu_seconds": 120},
    "lr": 3e-3,
    "measured": 500,  # examples of a task's test part
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_train": 100,
    "n_tokenizer": 100,
    "vocab_size": 120,
    "sizes": {"d_model": 8, "n_layers": 1, "n_heads": 4, "d_head": 2, "d_ff": 8},
    "cpu_seconds": 0.1,
    "few": {"n_labels": 20, "cpu_seconds": 0.1},
    "measured": 4,
}
# Where the heads of the first layer look at first: the encoder's, then the decoder's.
OFFSETS = (-1, 1, -2), (-1, -2, 0)


# --- what is read ---------------------------------------------------------------------------


class Texts:
    """The pairs of all tasks, and the pieces that they are written in: a tokenizer's, or new."""

    def __init__(self, settings, tokenizer=None):
        self.parts = {task: load_text_task(task, settings["n_train"]) for task in TASKS}
        self.tokenizer = tokenizer or learn_pieces(self.parts, settings)
        self.pad, self.end = (self.tokenizer.special_tokens[name] for name in SPECIALS[:2])
        self.sentinels = [self.tokenizer.special_tokens[name] for name in SENTINELS]

    def ids(self, text):
        """Return the ids of a text and the end of it."""
        return [*self.tokenizer.encode(text).ids, self.end]

    def rows(self, tasks, n=None):
        """Return the first n training pairs of tasks as pairs of lists of ids."""
        pairs = itertools.chain.from_iterable(self.parts[task].train[:n] for task in tasks)
        return [(self.ids(pair.source), self.ids(pair.target)) for pair in pairs]


def learn_pieces(parts, settings):
    """Return a UnigramTokenizer that learnt from some training pairs of each task."""
    pairs = [pair for task in TASKS for pair in parts[task].train[: settings["n_tokenizer"]]]
    text = "\n".join(f"{pair.source}\n{pair.target}" for pair in pairs)
    return UnigramTokenizer.train(text, settings["vocab_size"], SPECIALS)


class Batches:
    """Endless batches (source (B, S), target (B, T)) of rows of similar length, padded.

    The target begins with the padding's id, as T5's does. Shuffled, then sorted by length within
    every 50 batches, so that little is padding. Every `iter` starts from the seed.
    """

    def __init__(self, rows, pad, batch_size, seed):
        self.rows, self.pad, self.batch_size, self.seed = rows, pad, batch_size, seed

    def __iter__(self):
        generator = random.Random(self.seed)
        while True:
            order = [
                self.drawn(row, generator) for row in generator.sample(self.rows, len(self.rows))
            ]
            for pool in chunks(order, 50 * self.batch_size):
                pool.sort(key=lambda row: len(row[0]) + len(row[1]))
                batches = chunks(pool, self.batch_size)
                generator.shuffle(batches)
                for batch in batches:
                    sources, targets = zip(*batch, strict=True)
                    targets = [[self.pad, *target] for target in targets]
                    yield padded(sources, self.pad), padded(targets, self.pad)

    def drawn(self, row, generator):
        """Return the row as it is read this time."""
        return row


class SpanBatches(Batches):
    """Batches of texts with hidden spans: rows are texts (lists of ids), hidden anew each time."""

    def __init__(self, rows, sentinels, end, **options):
        super().__init__(rows, **options)
        self.sentinels, self.end = sentinels, end

    def drawn(self, row, generator):
        """Return the row with spans hidden, and what they hide."""
        source, target = span_corruption(row, self.sentinels, generator, share=0.3)
        return [*source, self.end], [*target, self.end]


# --- what is trained ------------------------------------------------------------------------


def build(texts, settings, seed, near=True):
    """Return an untrained T5; near: its first heads look at neighbours, as they soon would."""
    set_seed(seed)
    sizes = settings["sizes"] | {"context": settings["context"], "pad_id": texts.pad}
    model = T5(T5Config(vocab_size=texts.tokenizer.vocab_size, **sizes))
    torch.nn.init.normal_(model.source_embedding.weight, std=0.3)  # 1 drowns what layers add
    if near:
        look_near(model)
    return model


@torch.no_grad()
def look_near(model, sharpness=3.0):
    """Let the first heads of each stack begin with the neighbours at `OFFSETS`.

    Distances start flat otherwise, and a model of this size takes long to find out that the order
    of words matters.
    """
    for positions, offsets in zip(
        (model.source_distances, model.target_distances), OFFSETS, strict=True
    ):
        for head, offset in enumerate(offsets):
            bucket = t5_bucket(torch.tensor(offset), **positions.options)
            positions.weight[head, bucket] += sharpness


def learn(model, batches, seconds, settings, seed):
    """Train a model on batches for so many seconds; return what it took."""
    loss = partial(translation_loss, pad_id=batches.pad, smoothing=0.0)
    return train(model, batches, loss, seconds, settings["lr"], seed)


# --- what is measured -----------------------------------------------------------------------


def write(model, texts, sources, n_tokens=40):
    """Return what a model writes, greedily, for each of the sources."""
    written = []
    for some in chunks(list(sources), 100):
        ids = padded([texts.ids(source) for source in some], texts.pad)
        options = {"source": ids, "source_mask": ids != texts.pad, "stop": texts.end}
        rows = generate(model, [texts.pad], n_tokens, **options)
        special = {texts.pad, texts.end}
        written += [texts.tokenizer.decode([i for i in row if i not in special]) for row in rows]
    return written


def exact(model, texts, task, settings, prefix=None):
    """Return the share of a task's test examples written without a wrong letter.

    prefix: the one to use in place of the task's own.
    """
    pairs = texts.parts[task].test[: settings["measured"]]
    sources = [pair.source.replace(task, prefix or task, 1) for pair in pairs]
    written = write(model, texts, sources)
    return sum(w == pair.target for w, pair in zip(written, pairs, strict=True)) / len(pairs)


def sharing_rows(texts, settings, seed):
    """Return one row a model and task: one model for all, six models, a flat start, a lie."""
    rows, seconds = [], settings["cpu_seconds"]
    options = {"pad": texts.pad, "batch_size": settings["batch_size"], "seed": seed}

    def trained(name, tasks, seconds, near=True):
        model = build(texts, settings, seed, near)
        took = learn(model, Batches(texts.rows(tasks), **options), seconds, settings, seed)
        about = {"part": "sharing", "model": name, "seed": seed, **took}
        about["parameters"] = count_parameters(model)
        return model.eval(), about

    for name, near in (("one model", True), ("flat start", False)):
        model, about = trained(name, TASKS, seconds, near)
        rows += [about | {"task": t, "exact": exact(model, texts, t, settings)} for t in TASKS]
        if near:
            for task, other in zip(TASKS, (*TASKS[1:], TASKS[0]), strict=True):
                lied = {"model": "wrong prefix", "task": task}
                rows.append(about | lied | {"exact": exact(model, texts, task, settings, other)})
    for task in TASKS:
        model, about = trained("six models", [task], seconds / len(TASKS))
        rows.append(about | {"task": task, "exact": exact(model, texts, task, settings)})
    return rows


def few_rows(texts, settings, seed):
    """Return one row a model and task: few labels, after hidden spans or not."""
    own, rows = settings["few"], []
    options = {"pad": texts.pad, "batch_size": settings["batch_size"], "seed": seed}
    labelled = Batches(texts.rows(TASKS, own["n_labels"]), **options)
    plain = [row[:-1] for pair in texts.rows(TASKS) for row in pair]
    spans = SpanBatches(plain, texts.sentinels, texts.end, **options)
    mended = build(texts, settings, seed)
    before = learn(mended, spans, own["cpu_seconds"], settings, seed)["cpu_seconds"]
    for name in ("from scratch", "after spans", "its token vectors"):
        model = build(texts, settings, seed)
        if name == "after spans":
            model.load_state_dict(mended.state_dict())
        elif name == "its token vectors":
            model.source_embedding.load_state_dict(mended.source_embedding.state_dict())
        took = learn(model, labelled, own["cpu_seconds"], settings, seed)
        about = {"part": "few labels", "model": name, "seed": seed, **took}
        about |= {"seconds_before": 0.0 if name == "from scratch" else before}
        about["parameters"] = count_parameters(model)
        rows += [about | {"task": t, "exact": exact(model, texts, t, settings)} for t in TASKS]
    return rows


def run(settings, progress=True):
    """Train and measure every model with every seed; return the rows of both parts."""
    texts, rows = Texts(settings), []
    for seed in settings["seeds"]:
        for part in (sharing_rows, few_rows):
            found = part(texts, settings, seed)
            rows += found
            tell([(row["model"], row["task"], row["exact"]) for row in found], progress)
    return {"rows": rows}


def data_bytes():
    """Return what identifies the data, for its hash in the table."""
    parts = (load_text_task(task, SETTINGS["n_train"]).fingerprint for task in TASKS)
    return "".join(parts).encode()
