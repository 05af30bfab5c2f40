"""Chapter 05b: prompting a real language model, SmolLM2-135M-Instruct (Ben Allal et al. 2025).

Six tasks are put to it, with 0 to 16 solved examples before the question; no weight changes. A
seed draws the examples and the questions. The table's `rows` have the share of right answers with
examples as they are ("right"), and with answers drawn blindly from those of the task ("drawn",
after Min et al. 2022). `spread` asks the same questions after prompts that differ in one thing:
the examples, their order, or the wording. One further draw was looked at while the prompts were
written.
"""

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import factorial

from tqdm.auto import tqdm

from tutorial_lib.datasets.prompt_tasks import (
    premise_items,
    review_items,
    sum_items,
    verb_items,
    word_items,
)
from tutorial_lib.datasets.wheels import SMOLLM2_SHA256
from tutorial_lib.recipes.pretrained import read_smollm2
from tutorial_lib.recipes.prompt_scores import chooses, continues_a_word, says
from tutorial_lib.tokenizers import encode_chat

SETTINGS = {
    "seeds": [0, 1, 2, 3, 4, 5],
    "examples": [0, 1, 2, 4, 8, 16],
    "asked": 28,  # questions a draw
    "drawn": [4, 16],  # numbers of examples at which the answers are drawn blindly as well
    "spread": {"tasks": ["sentiment", "French"], "examples": 4, "prompts": 8, "asked": 48},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "examples": [0, 1],
    "asked": 2,
    "drawn": [1],
    "spread": {"tasks": ["French"], "examples": 2, "prompts": 2, "asked": 2},
}


@dataclass(frozen=True)
class Wording:
    """How a question is written out: a line or two with {} for the question; the answer follows.

    says: what each label is called; opening: what stands above everything; chat: as messages of a
    user, each answered by the assistant.
    """

    name: str
    line: str
    says: dict = field(default_factory=dict)
    opening: str = ""
    chat: bool = False


@dataclass(frozen=True)
class Task:
    """items() makes the questions; choices: the labels, None where the answer may be any text."""

    items: Callable
    wordings: tuple
    choices: tuple | None = None


GOOD_OR_BAD = {"fresh": "positive", "rotten": "negative"}
YES_OR_NO = {"entailment": "yes", "neutral": "maybe", "contradiction": "no"}

TASKS = {
    "sentiment": Task(
        review_items,
        (
            Wording("Review, Sentiment", "Review: {}\nSentiment:", GOOD_OR_BAD),
            Wording("arrow", "{} ->", GOOD_OR_BAD),
            Wording("Input, Output", "Input: {}\nOutput:", GOOD_OR_BAD),
            Wording("This film is", "{}\nThis film is", {"fresh": "good", "rotten": "bad"}),
            Wording(
                "yes or no", "Review: {}\nDid the critic like it?", {"fresh": "Yes", "rotten": "No"}
            ),
            Wording(
                "with an instruction",
                "Review: {}\nSentiment:",
                GOOD_OR_BAD,
                "Say of each film review whether its sentiment is positive or negative.\n\n",
            ),
            Wording(
                "chat",
                "Is the sentiment of this film review positive or negative? Answer with one word."
                "\n\n{}",
                {"fresh": "Positive", "rotten": "Negative"},
                chat=True,
            ),
        ),
        ("rotten", "fresh"),
    ),
    "French": Task(
        lambda: word_items("French"),
        (
            Wording("English, French", "English: {}\nFrench:"),
            Wording("arrow", "{} ->"),
            Wording("Input, Output", "Input: {}\nOutput:"),
            Wording("in French", "{} in French is"),
            Wording(
                "instruction", "English: {}\nFrench:", opening="Translate English to French.\n\n"
            ),
            Wording("chat", "Translate into French. Answer with one word.\n\n{}", chat=True),
        ),
    ),
    "German": Task(
        lambda: word_items("German"),
        (Wording("English, German", "English: {}\nGerman:"),),
    ),
    "past tense": Task(
        verb_items,
        (Wording("poor and good English", "Poor English input: {}\nGood English output:"),),
    ),
    "addition": Task(sum_items, (Wording("Question, Answer", "Question: What is {}?\nAnswer:"),)),
    "premises": Task(
        premise_items,
        (Wording("question mark", "{}? Answer:", YES_OR_NO),),
        ("entailment", "neutral", "contradiction"),
    ),
}


def prompt_text(wording, examples, question):
    """Return the text that the model is to continue, up to where the answer begins."""
    solved = [f"{wording.line.format(e.question)} {_said(wording, e)}\n\n" for e in examples]
    return wording.opening + "".join(solved) + wording.line.format(question)


def prompt_ids(tokenizer, wording, examples, question):
    """Return the same as ids, in a chat as the model was trained on."""
    if not wording.chat:
        return tokenizer.encode(prompt_text(wording, examples, question))
    messages = []
    for example in examples:
        messages.append({"role": "user", "content": wording.line.format(example.question)})
        messages.append({"role": "assistant", "content": _said(wording, example)})
    messages.append({"role": "user", "content": wording.line.format(question)})
    return encode_chat(tokenizer, messages)


def answer_ids(tokenizer, wording, answer):
    """Return the ids of an answer: after a colon it begins with a space, in a chat with none."""
    return tokenizer.encode(answer if wording.chat else f" {answer}")


def _said(wording, item):
    return wording.says.get(item.answer, item.answer)


class Asker:
    """A language model with its tokenizer, to be asked many questions."""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer
        self.goes_on = continues_a_word(tokenizer)

    def right(self, task, wording, examples, asked):
        """Return whether the model is right about each of the Items asked, a list of booleans."""
        prompts = [prompt_ids(self.tokenizer, wording, examples, item.question) for item in asked]
        if task.choices is None:
            answers = [answer_ids(self.tokenizer, wording, _said(wording, item)) for item in asked]
            return says(self.model, prompts, answers, self.goes_on)
        labels = [wording.says[label] for label in task.choices]
        choices = [answer_ids(self.tokenizer, wording, label) for label in labels]
        chosen = chooses(self.model, prompts, choices)
        return [task.choices[c] == item.answer for c, item in zip(chosen, asked, strict=True)]

    def share(self, task, wording, examples, asked):
        """Return the share of right answers."""
        right = self.right(task, wording, examples, asked)
        return sum(right) / len(right)


def load_asker():
    """Return SmolLM2 from its wheel, ready to be asked; MissingDataError without the wheel."""
    return Asker(*read_smollm2())


def draw(items, seed, n_examples, n_asked):
    """Return n_examples Items to show and n_asked others to ask, drawn with a seed."""
    drawn = random.Random(seed).sample(items, n_examples + n_asked)
    return drawn[:n_examples], drawn[n_examples:]


def blind_answers(examples, items, seed):
    """Return the examples with answers drawn from those of all items, whatever the question."""
    # Not the stream that drew the examples: its next choices would often be the same items.
    generator = random.Random(f"blind {seed}")
    return [replace(example, answer=generator.choice(items).answer) for example in examples]


def baseline(name):
    """Return the share that is right without reading the question, and how.

    >>> baseline("addition")
    (0.1111111111111111, 'always the commonest answer')
    """
    items = TASKS[name].items()
    if name in ("French", "German", "past tense"):
        return sum(item.question == item.answer for item in items) / len(items), "copying"
    (_, n), *_ = Counter(item.answer for item in items).most_common(1)
    return n / len(items), "always the commonest answer"


def run(settings, progress=True):
    """Ask everything; return the table."""
    asker = load_asker()
    table = {"rows": [], "spread": [], "baselines": []}
    for name in TASKS:
        share, how = baseline(name)
        table["baselines"].append({"task": name, "accuracy": share, "how": how})
    todo = [(seed, name) for seed in settings["seeds"] for name in TASKS]
    for seed, name in tqdm(todo, "asking", disable=not progress):
        table["rows"] += by_examples(asker, name, seed, settings)
    for name in tqdm(settings["spread"]["tasks"], "other prompts", disable=not progress):
        table["spread"] += by_prompt(asker, name, settings["spread"])
    return table


def by_examples(asker, name, seed, settings):
    """Return the rows of one draw of one task: right answers by number of examples."""
    task, items = TASKS[name], TASKS[name].items()
    shown, asked = draw(items, seed, max(settings["examples"]), settings["asked"])
    blind = blind_answers(shown, items, seed)
    kinds = [("right", shown, settings["examples"]), ("drawn", blind, settings["drawn"])]
    return [
        {
            "task": name,
            "seed": seed,
            "answers": kind,
            "examples": k,
            "accuracy": asker.share(task, task.wordings[0], examples[:k], asked),
        }
        for kind, examples, counts in kinds
        for k in counts
    ]


def by_prompt(asker, name, chosen, seed=0):
    """Return the rows of prompts that differ in one thing, each asked the same questions."""
    task, items = TASKS[name], TASKS[name].items()
    k, n_prompts = chosen["examples"], chosen["prompts"]
    pool, asked = draw(items, seed, k * n_prompts if len(items) > 200 else 16, chosen["asked"])
    generator, first = random.Random(seed), task.wordings[0]
    orders = generator.sample(list(itertools.permutations(pool[:k])), min(n_prompts, factorial(k)))
    prompts = [
        *(("examples", str(n), first, generator.sample(pool, k)) for n in range(n_prompts)),
        *(("order", str(n), first, order) for n, order in enumerate(orders)),
        *(("wording", wording.name, wording, pool[:k]) for wording in task.wordings),
    ]
    return [
        {
            "task": name,
            "differs": what,
            "prompt": which,
            "accuracy": asker.share(task, wording, examples, asked),
        }
        for what, which, wording, examples in prompts
    ]


def data_bytes():
    """Return all questions and answers, and the hash of the model's file, for the table's hash."""
    items = {name: [(i.question, i.answer) for i in task.items()] for name, task in TASKS.items()}
    return json.dumps([SMOLLM2_SHA256, items]).encode()
