"""Chapter 05b: the same examples in SmolLM2's prompt, or in its weights: which teaches more?

The task is the past tense. A seed draws the examples and the questions. "prompt": the examples come
before each question. "weights": the last layers are trained on them for a few steps, each example a
prompt of its own and only its answer in the loss; then the question is asked without an example,
and the weights are put back.
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
    "steps": 8,
    "lr": 2e-4,
    "prompt": [0, 1, 4, 16],  # examples
    "weights": [1, 4, 16],
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "asked": 2,
    "layers": 1,
    "steps": 1,
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


def train(model, last, batch, steps, lr):
    """Train the parameters `last` on the answers of a batch (ids, is_answer), with AdamW."""
    ids, is_answer = batch
    targets = ids.masked_fill(~is_answer, IGNORED)[:, 1:]
    optimizer = torch.optim.AdamW(last, lr=lr)
    for _ in range(steps):
        logits = model(ids)[:, :-1]
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def run(settings, progress=True):
    """Ask and train with every seed; return the table."""
    asker, rows = load_asker(), []
    for seed in tqdm(settings["seeds"], "prompt or weights", disable=not progress):
        rows += by_examples(asker, seed, settings)
    return {"rows": rows}


def by_examples(asker, seed, settings):
    """Return the rows of one draw: the share right by how many examples, and where they are."""
    task = TASKS["past tense"]
    wording = task.wordings[0]
    most = max(settings["prompt"] + settings["weights"])
    shown, asked = draw(task.items(), seed, most, settings["asked"])
    found = [
        ("prompt", k, asker.share(task, wording, shown[:k], asked)) for k in settings["prompt"]
    ]
    for k in settings["weights"]:
        with last_layers(asker.model, settings["layers"]) as last:
            batch = as_batch(asker.tokenizer, wording, shown[:k])
            train(asker.model, last, batch, settings["steps"], settings["lr"])
            found.append(("weights", k, asker.share(task, wording, [], asked)))
    return [
        {"seed": seed, "where": where, "examples": k, "accuracy": share}
        for where, k, share in found
    ]


def data_bytes():
    """Return all questions and answers, and the hash of the model's file, for the table's hash."""
    items = [(i.question, i.answer) for i in TASKS["past tense"].items()]
    return json.dumps([SMOLLM2_SHA256, items]).encode()
