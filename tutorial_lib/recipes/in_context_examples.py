"""Chapter 05b: what the examples in a prompt are worth, and which heads read them; three seeds.

Seed 0 is the checkpoint of the recipe "in-context", the other seeds train the same model anew; all
are measured on grammars and words held out. Behind the table's `rows` (right answers by number of
examples, beside a ceiling and a baseline) stand

- `curve`: how the accuracy behind the most examples and the highest score of a head grew in the
  seeds trained here,
- `heads`: for each head what it looks at, and what is still right when it alone is silent.
"""

import itertools

import torch

from tutorial_lib.datasets.made_up_plurals import ceiling, last_ending
from tutorial_lib.interpret import induction_scores, previous_token_scores, repeated_sequences
from tutorial_lib.recipes import CHECKPOINTS, in_context, load_checkpoint
from tutorial_lib.recipes.in_context import (
    LETTER_IDS,
    accuracy_by_examples,
    accuracy_without,
    answers,
    ending_scores,
    held_out_sequences,
    train,
)

SHARED = ("n_words", "sizes", "batch_size", "steps", "lr")
SETTINGS = {name: in_context.SETTINGS[name] for name in SHARED} | {
    "seeds": [0, 1, 2],
    "every": 50,  # steps between two points of the curve
    "measured": 400,
    "measured_on_the_way": 60,
    "measured_without": 200,  # with a head silent
}
SMOKE = SETTINGS | {
    "seeds": [0, 1],
    "sizes": in_context.SMOKE["sizes"],
    "steps": 3,
    "measured": 6,
    "measured_on_the_way": 4,
    "measured_without": 4,
}


def data_bytes():
    """Return the grammars and the weights of the first seed as bytes, for their hash."""
    weights = CHECKPOINTS / "in-context.safetensors"
    return in_context.data_bytes() + weights.read_bytes()


def run(settings, progress=True):
    """Measure every seed, trained first where it has to be; return the table."""
    table = {"rows": [], "curve": [], "heads": []}
    sequences = held_out_sequences(settings["measured"], settings["n_words"])
    fewer = sequences[: settings["measured_without"]]
    for seed in settings["seeds"]:
        if seed == in_context.SETTINGS["seed"]:
            model = load_checkpoint("in-context", CHECKPOINTS)
        else:
            model, curve = trained(seed, settings, progress)
            table["curve"] += curve
        for name, found in (
            ("rows", by_examples(model, sequences)),
            ("heads", by_head(model, fewer)),
        ):
            table[name] += [{"seed": seed, **row} for row in found]
    return table


def trained(seed, settings, progress=True):
    """Return the model of one seed and the rows of its curve."""
    model = train(
        settings | {"seed": seed},
        progress,
        evaluate=lambda model: on_the_way(model, settings),
        evaluate_every=settings["every"],
    )
    rows = []
    for row in model.history.evaluations:
        last = model.history.loss[: row["step"]][-settings["every"] :]
        rows.append({"seed": seed, **row, "loss": sum(last) / len(last)})
    return model, rows


def on_the_way(model, settings):
    """Return the accuracy behind the most examples and the highest ending score of a head."""
    sequences = held_out_sequences(settings["measured_on_the_way"], settings["n_words"])
    return {
        "accuracy": accuracy_by_examples(model, sequences)[-1],
        "ending": ending_scores(model, sequences).max().item(),
    }


def by_examples(model, sequences):
    """Return a row for each number of examples: what the model gets right, and what it could."""
    columns = {
        "accuracy": accuracy_by_examples(model, sequences),
        "ceiling": ceiling(sequences),
        "last_ending": last_ending(sequences),
    }
    return [
        {"examples": k} | {name: values[k] for name, values in columns.items()}
        for k in range(len(sequences[0]))
    ]


def by_head(model, sequences):
    """Return a row for each head: what it looks at, and what is right when it is silent.

    "ending", "repeat" and "previous" are `ending_scores`, `repeat_scores` and
    `previous_token_scores`; "without" and "copied" the share of endings and of copied words that
    are right behind the most examples.
    """
    scores = {
        "ending": ending_scores(model, sequences),
        "repeat": repeat_scores(model),
        "previous": previous_token_scores(model, answers(sequences).inputs),
    }
    return [
        {"layer": layer, "head": head}
        | {name: score[layer, head].item() for name, score in scores.items()}
        | {
            name: accuracy_without(model, [(layer, head)], sequences, asked)[-1]
            for name, asked in (("without", "ending"), ("copied", "word"))
        }
        for layer, head in itertools.product(*map(range, scores["ending"].shape))
    ]


def repeat_scores(model, lengths=(8, 13, 18), n=16):
    """Return `induction_scores`, (L, H), averaged over repeats of several lengths.

    A head that always looks the same number of places back is right for one length only.
    """
    parts = [induction_scores(model, repeated_sequences(LETTER_IDS, n, size)) for size in lengths]
    return torch.stack(parts).mean(dim=0)
