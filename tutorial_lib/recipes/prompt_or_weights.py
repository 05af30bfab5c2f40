"""Chapter 05b: the same examples in SmolLM2's prompt, or in its weights: which teaches more?

Two tasks, the past tense and the premises. A seed draws the examples and the questions. "prompt":
the examples come before each question. "weights": the last layers are trained on them for a few
steps, each example a prompt of its own and only its answer in the loss; then the question is asked
without an example, and the weights are put back.
"""

import json
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from tqdm.auto import tqdm

from tutorial_lib.datasets.wheels import SMOLLM2_SHA256
from tutorial_lib.objectives import IGNORED
from tutorial_lib.recipes.prompting import TASKS, answer_ids, draw, load_asker, prompt_ids

SETTINGS = {
    "seeds": [0, 1, 2],
    "asked": 16,
    "layers": 4,  # the last ones, which are trained
    "lr": 2e-4,
    "batch_size": 16,
    "prompt": {"past tense": [0, 1, 4, 16], "premises": [0]},  # task: numbers of examples
    "weights": {  # task: pairs of examples and steps
        "past tense": [[1, 8], [4, 8], [16, 8]],
        "premises": [[180, 24]],
    },
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "asked": 2,
    "layers": 1,
    "prompt": {"past tense": [0]},
    "weights": {"past tense": [[1, 1]]},
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


def train(model, last, batch, steps, lr, batch_size, seed=0):
    """Train the parameters `last` on the answers of a batch (ids, is_answer), with AdamW."""
    ids, is_answer = batch
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(last, lr=lr, weight_decay=0.0)
    for _ in range(steps):
        drawn = torch.randperm(len(ids), generator=generator)[:batch_size]
        targets = ids[drawn].masked_fill(~is_answer[drawn], IGNORED)[:, 1:]
        logits = model(ids[drawn])[:, :-1]
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def run(settings, progress=True):
    """Ask and train with every seed; return the table."""
    asker, rows = load_asker(), []
    todo = [(seed, name) for seed in settings["seeds"] for name in settings["weights"]]
    for seed, name in tqdm(todo, "prompt or weights", disable=not progress):
        rows += by_examples(asker, name, seed, settings)
    return {"rows": rows}


def by_examples(asker, name, seed, settings):
    """Return the rows of one draw of one task: the share right by where its examples are."""
    task, taught = TASKS[name], settings["weights"][name]
    wording = task.wordings[0]
    prompted = settings["prompt"][name]
    most = max(*prompted, *(k for k, _ in taught))
    shown, asked = draw(task.items(), seed, most, settings["asked"])
    found = [("prompt", k, asker.share(task, wording, shown[:k], asked)) for k in prompted]
    for k, steps in taught:
        with last_layers(asker.model, settings["layers"]) as last:
            batch = as_batch(asker.tokenizer, wording, shown[:k])
            train(asker.model, last, batch, steps, settings["lr"], settings["batch_size"], seed)
            found.append(("weights", k, asker.share(task, wording, [], asked)))
    return [
        {"task": name, "seed": seed, "where": where, "examples": k, "accuracy": share}
        for where, k, share in found
    ]


def data_bytes():
    """Return all questions and answers, and the hash of the model's file, for the table's hash."""
    items = {n: [(i.question, i.answer) for i in TASKS[n].items()] for n in SETTINGS["weights"]}
    return json.dumps([SMOLLM2_SHA256, items]).encode()
