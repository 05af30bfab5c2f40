"""Chapter 05b: what goes on in SmolLM2 while it reads examples; no weight changes.

The past tense after 0 and 4 examples, with the n best induction heads silenced, or n other heads of
the same layers: at zero, or at their means over neutral prose; and what is written then.
"""

import itertools
import json
import random
from collections import Counter
from functools import cache

import torch
from tqdm.auto import tqdm

from tutorial_lib.datasets.wheels import SMOLLM2_SHA256
from tutorial_lib.decoding import generate
from tutorial_lib.interpret import Mean, Zero, induction, intervene, mean_outputs
from tutorial_lib.recipes.measures import summarise
from tutorial_lib.recipes.prompting import (
    TASKS,
    draw,
    load_asker,
    prompt_ids,
)
from tutorial_lib.recipes.two_gpts import NEW_PROSE

SETTINGS = {
    "seeds": [0, 1, 2],
    "heads": {
        "examples": [0, 4],
        "silenced": [16],
        "instead": ["mean", "zero"],
        "controls": 2,
        "asked": 16,
    },
}
SMOKE = {
    "seeds": [0],
    "heads": {
        "examples": [1],
        "silenced": [1],
        "instead": ["mean", "zero"],
        "controls": 1,
        "asked": 2,
    },
}
REPEAT = {"n": 2, "length": 50, "seed": 0}  # random tokens, twice: where induction heads are found


def run(settings, progress=True):
    """Ask everything; return the table."""
    asker, rows = load_asker(), []
    for seed in tqdm(settings["seeds"], "silencing", disable=not progress):
        rows += by_heads(asker, seed, settings["heads"])
    return {"rows": rows}


@cache
def induction_heads(model):
    """Return all (layer, head) of SmolLM2, the best induction head first."""
    repeat = induction.repeated_sequences(range(17, model.config.vocab_size), **REPEAT)
    repeat = repeat.to(next(model.parameters()).device)
    return heads_by(induction.induction_scores(model, repeat))


def heads_by(scores):
    """Return all (layer, head) of scores (L, H), the highest score first.

    >>> heads_by(torch.tensor([[0.1, 0.9], [0.5, 0.0]]))
    [(0, 1), (1, 0), (0, 0), (1, 1)]
    """
    order = scores.flatten().argsort(descending=True).tolist()
    return [divmod(place, scores.size(1)) for place in order]


def others_beside(heads, ranked, seed):
    """Return as many other heads of the same layers, from the lower half of the ranking.

    >>> others_beside([(0, 1)], [(0, 1), (1, 0), (1, 1), (0, 0)], seed=0)
    [(0, 0)]
    """
    generator, found = random.Random(seed), []
    low = ranked[len(ranked) // 2 :]
    for layer, _ in heads:
        left = [head for head in low if head[0] == layer and head not in found]
        found.append(generator.choice(left or [head for head in low if head not in found]))
    return found


@cache
def neutral_means(model, tokenizer):
    """Return each head's mean output (L, H, K) over a page of prose: no examples, no questions."""
    device = next(model.parameters()).device
    return mean_outputs(model, torch.tensor([tokenizer.encode(NEW_PROSE)], device=device))


def changes_of(heads, instead, means):
    """Return the interventions that put zeros ("zero") or their means ("mean") for these heads."""
    if instead == "zero":
        return [Zero(layer, head) for layer, head in heads]
    return [Mean(layer, head, means[layer][head]) for layer, head in heads]


KINDS = ("right", "verb right, rest not", "question repeated", "something else")


def kind_of(said, item):
    """Return which of KINDS an answer to a past-tense Item is; the verb is the word that changes.

    >>> from tutorial_lib.datasets.prompt_tasks import Item
    >>> kind_of("She sat near the fire.", Item("I sitted near the fire.", "I sat near the fire."))
    'verb right, rest not'
    """
    if said == item.answer:
        return "right"
    if said == item.question:
        return "question repeated"
    bare = [[w.strip(".,!?") for w in text.split()] for text in (said, item.question, item.answer)]
    verb = set(bare[2]) - set(bare[1])
    return "verb right, rest not" if verb & set(bare[0]) else "something else"


def kinds(asker, wording, examples, asked):
    """Return how many answers are of each of KINDS; an answer is the rest of the line."""
    prompts = [prompt_ids(asker.tokenizer, wording, examples, item.question) for item in asked]
    written = generate(asker.model, prompts, 14, stop=asker.tokenizer.encode("\n")[0])
    said = [
        asker.tokenizer.decode(ids[len(prompt) :]).strip().partition("\n")[0]
        for prompt, ids in zip(prompts, written, strict=True)
    ]
    found = [kind_of(one, item) for one, item in zip(said, asked, strict=True)]
    return {kind: found.count(kind) for kind in KINDS}


def by_heads(asker, seed, chosen):
    """Return the rows of one draw: the past tense with some heads silenced."""
    model, task = asker.model, TASKS["past tense"]
    wording = task.wordings[0]
    shown, asked = draw(task.items(), seed, max(chosen["examples"]), chosen["asked"])
    means = neutral_means(model, asker.tokenizer)
    ranked = induction_heads(model)
    silenced = [("none", "", 0, 0, [])]
    for n, instead in itertools.product(chosen["silenced"], chosen["instead"]):
        silenced.append(("induction heads", instead, n, 0, ranked[:n]))
        silenced += [
            ("other heads", instead, n, c, others_beside(ranked[:n], ranked, c))
            for c in range(chosen["controls"])
        ]
    rows = []
    for k in chosen["examples"]:
        for which, instead, n, draw_of_heads, heads in silenced:
            row = {"seed": seed, "examples": k, "silenced": which, "instead": instead}
            row |= {"n": n, "draw": draw_of_heads}
            with intervene(model, *changes_of(heads, instead, means)):
                row["accuracy"] = asker.share(task, wording, shown[:k], asked)
                if which != "other heads":
                    row["kinds"] = kinds(asker, wording, shown[:k], asked)
            rows.append(row)
    return rows


def gains_found(rows):
    """Return the share right without an example and with four, {condition: (stats, stats)}.

    rows: those of the recipe's table, with three draws of questions each; silenced heads are at
    their means. Stats are as `summarise` gives them.
    """
    found = summarise(rows, ["silenced", "instead", "draw", "examples"], "accuracy")
    conditions = {
        "all heads": ("none", "", 0),
        "without 16 induction heads": ("induction heads", "mean", 0),
        "without 16 others, draw 1": ("other heads", "mean", 0),
        "without 16 others, draw 2": ("other heads", "mean", 1),
    }
    return {name: (found[*key, 0], found[*key, 4]) for name, key in conditions.items()}


def kinds_counted(rows, examples=4):
    """Return how many answers are of each of KINDS, {condition: {kind: number}}.

    rows: those of the recipe's table that hold "kinds", after this many examples. A kind that
    never came is left out.

    >>> row = {"examples": 4, "silenced": "none", "instead": "", "kinds": {"right": 9, "else": 0}}
    >>> kinds_counted([row, row])
    {'all heads': {'right': 18}}
    """
    names = {"none": "all heads", "induction heads": "16 induction heads"}
    counted = {}
    for row in rows:
        if row["examples"] == examples and "kinds" in row:
            how = {"mean": " at means", "zero": " at zero"}.get(row["instead"], "")
            found = counted.setdefault(names[row["silenced"]] + how, Counter())
            found.update(row["kinds"])
    kinds = [k for k in next(iter(counted.values())) if any(row[k] for row in counted.values())]
    return {name: {kind: found[kind] for kind in kinds} for name, found in counted.items()}


def data_bytes():
    """Return the hash of the model's file, the prose and what is asked, for the table's hash."""
    items = [(i.question, i.answer) for i in TASKS["past tense"].items()]
    return json.dumps([SMOLLM2_SHA256, NEW_PROSE, items]).encode()
