"""Chapter 05b: what goes on in SmolLM2 while it reads examples. Three questions, no weight changes.

`rows`: the past tense after 0 and 4 examples, with the n best induction heads silenced, or n other
heads of the same layers: at zero, or at their means over neutral prose; and what is written then.
`reviews`: how often it says "positive", and how often it is right, as it is and calibrated (Zhao et
al. 2021): each label's probability is divided by what it gets when nothing is asked. `steps`: sums
of four numbers after three examples, with the answer alone or with each step written out.
"""

import itertools
import json
import random
import re
from collections import Counter
from functools import cache

import torch
from tqdm.auto import tqdm

from tutorial_lib.datasets.wheels import SMOLLM2_SHA256
from tutorial_lib.decoding import generate
from tutorial_lib.interpret import Mean, Zero, induction, intervene, mean_outputs
from tutorial_lib.recipes.measures import summarise
from tutorial_lib.recipes.prompt_scores import logits_from
from tutorial_lib.recipes.prompting import (
    TASKS,
    answer_ids,
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
    "reviews": {"examples": [0, 1, 4, 16], "asked": 20},
    "steps": {"examples": 3, "asked": 10},
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
    "reviews": {"examples": [1], "asked": 2},
    "steps": {"examples": 1, "asked": 2},
}
NOTHING = ("N/A", "", "[MASK]")  # what is asked to see how the prompt alone leans
REPEAT = {"n": 2, "length": 50, "seed": 0}  # random tokens, twice: where induction heads are found


def run(settings, progress=True):
    """Ask everything; return the table."""
    asker = load_asker()
    table = {"rows": [], "reviews": [], "steps": []}
    for part, ask in (("rows", by_heads), ("reviews", by_calibration), ("steps", by_steps)):
        chosen = settings["heads" if part == "rows" else part]
        for seed in tqdm(settings["seeds"], part, disable=not progress):
            table[part] += ask(asker, seed, chosen)
    return table


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


def cuts_table(cut, looks_back):
    """Return a table as text: what is left of an induction head's score without one earlier head.

    cut {"keys": scores, "queries": scores}, (layers before, H) each: the score when one head is cut
    off from that part; looks_back (L, H), each head's weight one token back. The lines: the two
    heads whose cut costs the keys most, another head that looks back, then the queries, the median.
    """
    n_before = len(cut["keys"])
    writer, second = heads_by(-cut["keys"])[:2]
    rival = next(h for h in heads_by(looks_back) if h[0] < n_before and h != writer)
    places = [("keys", writer), ("keys", second), ("keys", rival), ("queries", writer)]
    places.append(("queries", heads_by(-cut["queries"])[0]))
    lines = [
        f"{part:8} {f'layer {head[0]}, head {head[1]}':17} {cut[part][head]:.2f}"
        f"   (looks one back: {looks_back[head]:.2f})"
        for part, head in places
    ]
    lines.append(f"{'keys':8} {'the median head':17} {cut['keys'].median():.2f}")
    return "\n".join(lines)


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


def label_shares(asker, task, examples, questions):
    """Return p (N, labels): the probability of each label after each question, summing to 1."""
    wording = task.wordings[0]
    firsts = [answer_ids(asker.tokenizer, wording, wording.says[c])[0] for c in task.choices]
    prompts = [prompt_ids(asker.tokenizer, wording, examples, q) for q in questions]
    starts = [len(prompt) - 1 for prompt in prompts]
    found = [logits[0, firsts] for logits in logits_from(asker.model, prompts, starts)]
    return torch.stack(found).softmax(dim=-1)


def calibrated(p, nothing):
    """Return p (N, labels) divided by what each label gets when nothing is asked, summing to 1.

    nothing (labels,): the mean over some questions without content. Zhao et al. (2021), with
    W = diag(nothing)^-1 and b = 0.

    >>> calibrated(torch.tensor([[0.6, 0.4]]), torch.tensor([0.75, 0.25])).argmax().item()
    1
    """
    scaled = p / nothing
    return scaled / scaled.sum(dim=-1, keepdim=True)


def by_calibration(asker, seed, chosen):
    """Return the rows of one draw of film reviews, as they are answered and calibrated."""
    task = TASKS["sentiment"]
    shown, asked = draw(task.items(), seed, max(chosen["examples"]), chosen["asked"])
    right = torch.tensor([task.choices.index(item.answer) for item in asked])
    positive = task.choices.index("fresh")
    rows = []
    for k in chosen["examples"]:
        p = label_shares(asker, task, shown[:k], [item.question for item in asked])
        nothing = label_shares(asker, task, shown[:k], NOTHING).mean(dim=0)
        for answers, found in (("as they are", p), ("calibrated", calibrated(p, nothing))):
            said = found.argmax(dim=-1)
            rows.append(
                {
                    "seed": seed,
                    "examples": k,
                    "answers": answers,
                    "accuracy": (said == right).float().mean().item(),
                    "says_positive": (said == positive).float().mean().item(),
                    "are_positive": (right == positive).float().mean().item(),
                    "positive_for_nothing": nothing[positive].item(),
                }
            )
    return rows


def sum_of_four(generator):
    """Return four numbers from 1 to 9, the sum written step by step, and the answer."""
    numbers = [generator.randint(1, 9) for _ in range(4)]
    steps, total = [], numbers[0]
    for number in numbers[1:]:
        steps.append(f"{total} + {number} = {total + number}.")
        total += number
    return " + ".join(map(str, numbers)), " ".join(steps), total


def sum_prompt(examples, numbers, steps):
    """Return a prompt with worked sums, the last one open.

    >>> print(sum_prompt([("1 + 2", "1 + 2 = 3.", 3)], "4 + 5", steps=True))
    Question: What is 1 + 2?
    Answer: 1 + 2 = 3. The answer is 3.
    <BLANKLINE>
    Question: What is 4 + 5?
    Answer:
    """
    shown = [
        f"Question: What is {asked}?\nAnswer: {f'{worked} ' * steps}The answer is {total}.\n\n"
        for asked, worked, total in examples
    ]
    return "".join(shown) + f"Question: What is {numbers}?\nAnswer:"


def said_answer(text):
    """Return the number after "The answer is", None where there is none.

    >>> said_answer(" 1 + 2 = 3. The answer is 3.")
    3
    """
    found = re.search(r"The answer is (\d+)", text)
    return int(found[1]) if found else None


def by_steps(asker, seed, chosen):
    """Return the two rows of one draw: sums with the answer alone, and with each step."""
    generator = random.Random(seed)
    drawn = [sum_of_four(generator) for _ in range(chosen["examples"] + chosen["asked"])]
    shown, asked = drawn[: chosen["examples"]], drawn[chosen["examples"] :]
    stop = asker.tokenizer.encode("\n")[0]
    rows = []
    for steps in (False, True):
        prompts = [
            asker.tokenizer.encode(sum_prompt(shown, numbers, steps)) for numbers, *_ in asked
        ]
        written = generate(asker.model, prompts, 40 if steps else 8, stop=stop)
        said = [
            said_answer(asker.tokenizer.decode(ids[len(prompt) :]))
            for prompt, ids in zip(prompts, written, strict=True)
        ]
        right = sum(answer == total for answer, (*_, total) in zip(said, asked, strict=True))
        rows.append({"seed": seed, "steps": steps, "accuracy": right / len(asked)})
    return rows


def data_bytes():
    """Return the hash of the model's file, the prose and what is asked, for the table's hash."""
    items = {
        name: [(i.question, i.answer) for i in TASKS[name].items()]
        for name in ("past tense", "sentiment")
    }
    return json.dumps([SMOLLM2_SHA256, NEW_PROSE, items]).encode()
