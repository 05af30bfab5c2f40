"""Chapter 05b: does SmolLM2 learn from labels what no prompt of ours could teach it?

The task is the balanced premises. "prompt": solved examples come before each question.
"weights": the last layers are trained on some hundred labelled pairs, each a prompt of its own and
only its answer in the loss; then the same questions are asked without an example, and the weights
are put back. A seed draws the examples, the questions and the order of training. One further draw
was looked at while the settings were chosen.
"""

import json
import random

import torch
import torch.nn.functional as F
from tqdm.auto import tqdm

from tutorial_lib.datasets.premises import balanced_pairs
from tutorial_lib.datasets.prompt_tasks import Item
from tutorial_lib.datasets.wheels import SMOLLM2_SHA256
from tutorial_lib.recipes.prompt_or_weights import as_batch, last_layers
from tutorial_lib.recipes.prompting import TASKS, load_asker

SETTINGS = {
    "seeds": [0, 1, 2],
    "asked": 90,
    "prompt": [16],  # examples
    "labels": 720,
    "layers": 8,  # the last ones, which are trained
    "epochs": 3,
    "batch_size": 24,
    "lr": 2e-4,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "asked": 2,
    "prompt": [1],
    "labels": 9,
    "layers": 1,
    "epochs": 1,
}


def labelled(n):
    """Return n pairs to train on and 900 others to ask about, as Items; n is a multiple of 9.

    >>> train, asked = labelled(9)
    >>> len(train), train[0].question.count(chr(10))
    (9, 1)
    """
    pairs = balanced_pairs(n, 900)
    return tuple(
        [Item(f"{p.premise}\n{p.hypothesis}", p.label) for p in part]
        for part in (pairs.train, pairs.test)
    )


@torch.no_grad()
def states_below(model, ids, n, batch_size):
    """Return what the last n layers of a GPT read, (B, T, D); training them doesn't change it."""

    def below(x):
        for block in model.blocks[:-n]:
            x = block(x)
        return x

    return torch.cat([below(model.embed(part)) for part in ids.split(batch_size)])


def answer_loss(model, states, ids, is_answer, n):
    """Return the mean loss in nats on the tokens of the answers, from what the last n layers read.

    states (B, T, D); ids (B, T); is_answer (B, T) is True at the tokens of an answer.
    """
    for block in model.blocks[-n:]:
        states = block(states)
    said = model.final_norm(states)[:, :-1][is_answer[:, 1:]]  # (answer tokens, D)
    return F.cross_entropy(model.logits(said), ids[:, 1:][is_answer[:, 1:]])


def train(model, last, batch, states, settings, generator):
    """Train the parameters `last` on the answers of a batch (ids, is_answer), for some epochs."""
    ids, is_answer = batch
    optimizer = torch.optim.AdamW(last, lr=settings["lr"])
    for _ in range(settings["epochs"]):
        order = torch.randperm(len(ids), generator=generator)
        for rows in order.split(settings["batch_size"]):
            loss = answer_loss(model, states[rows], ids[rows], is_answer[rows], settings["layers"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def run(settings, progress=True):
    """Ask, train and ask again with every seed; return the table."""
    asker, task = load_asker(), TASKS["premises"]
    items, others = labelled(settings["labels"])
    batch = as_batch(asker.tokenizer, task.wordings[0], items)
    states = states_below(asker.model, batch[0], settings["layers"], settings["batch_size"])
    rows = []
    for seed in tqdm(settings["seeds"], "trained premises", disable=not progress):
        rows += by_seed(asker, seed, settings, items, others, batch, states)
    return {"rows": rows}


def by_seed(asker, seed, settings, items, others, batch, states):
    """Return the rows of one draw: the share right with examples in the prompt, then trained."""
    task, drawn = TASKS["premises"], random.Random(seed)
    wording = task.wordings[0]
    shown = drawn.sample(items, max(settings["prompt"]))
    asked = drawn.sample(others, settings["asked"])
    found = [
        ("prompt", k, asker.share(task, wording, shown[:k], asked)) for k in settings["prompt"]
    ]
    with last_layers(asker.model, settings["layers"]) as last:
        generator = torch.Generator().manual_seed(seed)
        train(asker.model, last, batch, states, settings, generator)
        found.append(("weights", settings["labels"], asker.share(task, wording, [], asked)))
    return [
        {"seed": seed, "where": where, "examples": k, "accuracy": share}
        for where, k, share in found
    ]


def data_bytes():
    """Return all questions and answers, and the hash of the model's file, for the table's hash."""
    items = [(i.question, i.answer) for part in labelled(SETTINGS["labels"]) for i in part]
    return json.dumps([SMOLLM2_SHA256, items]).encode()
