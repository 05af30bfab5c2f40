"""Chapter 05b: the same examples in SmolLM2's prompt, or in its weights: which teaches more?

The task is the past tense. A seed draws the examples and the questions. "prompt": the examples come
before each question. "weights": the last layers are trained on them for a few steps, each example a
prompt of its own and only its answer in the loss; then the question is asked without an example,
and the weights are put back. How fast and how long to train is chosen for each number of examples:
`tried` holds what each learning rate and number of steps gets right among sentences that are never
shown nor asked, `chosen` the best of them, and `rows` what is right among those asked.
"""

import itertools
import json
from collections import Counter
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from tqdm.auto import tqdm

from tutorial_lib.datasets.wheels import SMOLLM2_SHA256
from tutorial_lib.recipes.prompting import TASKS, answer_ids, draw, load_asker, prompt_ids

SETTINGS = {
    "seeds": [0, 1, 2],
    "validation": 10,  # sentences to choose by, the same for all seeds
    "asked": 18,
    "layers": 4,  # the last ones, which are trained
    "lr": [5e-5, 1e-4, 2e-4],
    "steps": [2, 4, 8, 16],
    "prompt": [0, 1, 4, 16],  # examples
    "weights": [1, 4, 16],
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "validation": 2,
    "asked": 2,
    "layers": 1,
    "lr": [1e-4],
    "steps": [1],
    "prompt": [0],
    "weights": [1],
}


def as_batch(tokenizer, wording, items):
    """Return ids (B, T) of each item's prompt with its answer, and is_answer (B, T).

    The answer ends with its new line; padding on the right repeats id 0 and is no answer.
    """
    rows, marks = [], []
    for item in items:
        prompt = prompt_ids(tokenizer, wording, [], item.question)
        said = wording.says.get(item.answer, item.answer)
        answer = [*answer_ids(tokenizer, wording, said), *tokenizer.encode("\n")]
        rows.append(torch.tensor([*prompt, *answer]))
        marks.append(torch.tensor([False] * len(prompt) + [True] * len(answer)))
    return pad_sequence(rows, batch_first=True), pad_sequence(marks, batch_first=True)


@contextmanager
def last_layers(model, n):
    """Let the last n layers be trained inside of the `with`; then put their weights back."""
    last = [p for block in model.blocks[-n:] for p in block.parameters()]
    before = [p.detach().clone() for p in last]
    model.requires_grad_(False)
    for p in last:
        p.requires_grad_(True)
    try:
        yield last
    finally:
        with torch.no_grad():
            for p, old in zip(last, before, strict=True):
                p.copy_(old)
                p.grad = None
        model.requires_grad_(True)


def train(model, batch, n_layers, n_steps, lr):
    """Train the last n_layers on the answers of a batch (ids, is_answer), with AdamW.

    Yields the number of steps after each of them. The weights are put back when it is over.
    """
    ids, is_answer = batch
    stream = stream_below(model, ids, n_layers)
    with last_layers(model, n_layers) as last:
        optimizer = torch.optim.AdamW(last, lr=lr)
        for step in range(n_steps):
            loss = F.cross_entropy(*answer_logits(model, stream, n_layers, ids, is_answer))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield step + 1


@torch.no_grad()
def stream_below(model, ids, n):
    """Return what the last n layers read, (B, T, D): training them leaves it as it is."""
    return model.hidden_states(ids)[-n - 1]


def answer_logits(model, stream, n, ids, is_answer):
    """Return the logits (N, V) that the last n layers make of each token of an answer, and ids."""
    for block in model.blocks[-n:]:
        stream = block(stream)
    hidden = model.final_norm(stream)[:, :-1]
    return model.logits(hidden[is_answer[:, 1:]]), ids[is_answer]


def run(settings, progress=True):
    """Choose how to train, then ask and train with every seed; return the table."""
    asker, tried, rows = load_asker(), [], []
    for seed in tqdm(settings["seeds"], "choosing how to train", disable=not progress):
        tried += by_training(asker, seed, settings)
    chosen = {k: best_training(tried, k) for k in settings["weights"]}
    for seed in tqdm(settings["seeds"], "prompt or weights", disable=not progress):
        rows += by_examples(asker, seed, chosen, settings)
    how = [{"examples": k, "lr": lr, "steps": steps} for k, (lr, steps) in chosen.items()]
    return {"rows": rows, "tried": tried, "chosen": how}


def split(seed, settings):
    """Return Items to show, to choose by, and to ask. The second are the same for every seed."""
    items = TASKS["past tense"].items()
    validation, rest = draw(
        items, "validation", settings["validation"], len(items) - settings["validation"]
    )
    most = max(settings["prompt"] + settings["weights"])
    shown, asked = draw(rest, seed, most, settings["asked"])
    return shown, validation, asked


def by_training(asker, seed, settings):
    """Return what each learning rate and number of steps makes of the validation sentences.

    An answer is right when each of its tokens, the new line included, is the likeliest.
    """
    shown, validation, _ = split(seed, settings)
    model, n_layers, rows = asker.model, settings["layers"], []
    ids, is_answer = task_batch(asker, validation)
    stream = stream_below(model, ids, n_layers)
    for k, lr in itertools.product(settings["weights"], settings["lr"]):
        batch = task_batch(asker, shown[:k])
        for steps in train(model, batch, n_layers, max(settings["steps"]), lr):
            if steps not in settings["steps"]:
                continue
            with torch.no_grad():
                logits, targets = answer_logits(model, stream, n_layers, ids, is_answer)
            hits = (logits.argmax(dim=-1) == targets).split(is_answer.sum(dim=1).tolist())
            right = sum(hit.all().item() for hit in hits) / len(hits)
            row = {"seed": seed, "examples": k, "lr": lr, "steps": steps, "accuracy": right}
            rows.append(row | {"loss": round(F.cross_entropy(logits, targets).item(), 4)})
    return rows


def task_batch(asker, items):
    """Return Items of the past tense as a batch (ids, is_answer)."""
    return as_batch(asker.tokenizer, TASKS["past tense"].wordings[0], items)


def best_training(tried, examples):
    """Return the learning rate and the steps that get most right over all seeds.

    Of equals it is the one with the lowest loss.

    >>> tried = [{"examples": 4, "lr": lr, "steps": 2, "accuracy": 1, "loss": lr} for lr in (2, 1)]
    >>> best_training(tried, 4)
    (1, 2)
    """
    right, loss = Counter(), Counter()
    for row in tried:
        if row["examples"] == examples:
            how = (row["lr"], row["steps"])
            right[how] += row["accuracy"]
            loss[how] += row["loss"]
    return max(right, key=lambda how: (round(right[how], 6), -loss[how]))


def by_examples(asker, seed, chosen, settings):
    """Return the rows of one draw: the share right by how many examples, and where they are."""
    task = TASKS["past tense"]
    shown, _, asked = split(seed, settings)
    found = [
        ("prompt", k, asker.share(task, task.wordings[0], shown[:k], asked))
        for k in settings["prompt"]
    ]
    for k, (lr, steps) in chosen.items():
        batch = task_batch(asker, shown[:k])
        for step in train(asker.model, batch, settings["layers"], steps, lr):
            if step == steps:  # the weights are put back after it
                share = asker.share(task, task.wordings[0], [], asked)
        found.append(("weights", k, share))
    return [
        {"seed": seed, "where": where, "examples": k, "accuracy": share}
        for where, k, share in found
    ]


def data_bytes():
    """Return all questions and answers, and the hash of the model's file, for the table's hash."""
    items = [(i.question, i.answer) for i in TASKS["past tense"].items()]
    return json.dumps([SMOLLM2_SHA256, items]).encode()
