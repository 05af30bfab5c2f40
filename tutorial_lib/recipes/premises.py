"""Chapter 05b: premise and hypothesis, by a head or as text, from scratch or pre-trained.

Each form starts from random weights, or from a language model that has read stories: three true
sentences about one scene, with no question and no label. By number of labels, on balanced pairs.
Beside them, what that language model's own probabilities tell without fine-tuning, and models that
learn from leaky pairs, with the premise and without, and are tested on both kinds. Learning rates
were tried roughly, with one other seed; there was no search.

On the balanced pairs each model trains until it knows nearly all of its training pairs, 3,000 steps
of 16 whatever the number of labels; `curve` says how right it was on new pairs on the way.
"""

import itertools

from tutorial_lib.datasets.premises import balanced_pairs, leaky_pairs
from tutorial_lib.recipes.measures import summarise
from tutorial_lib.recipes.premise_likelihoods import ranked, thresholded
from tutorial_lib.recipes.premise_readers import (
    FORMS,
    accuracy,
    build,
    fine_tune,
    pretrain,
    without_premise,
)
from tutorial_lib.training import set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "sizes": {"context": 32, "d_model": 64, "n_layers": 2, "n_heads": 4},
    "stories": {"n": 20_000, "steps": 500, "lr": 1e-2, "batch_size": 32},
    "labels": [180, 720, 3_600],
    "steps": 3_000,
    "every": 250,  # steps between two points of the curve
    "lr": {"scratch": 1e-2, "stories": 5e-3},
    "leaky": {"n_labels": 720, "steps": 200},
    "thresholds": {"n_labels": 180},
    "n_test": 900,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "sizes": {"context": 32, "d_model": 8, "n_layers": 1, "n_heads": 2},
    "stories": {"n": 40, "steps": 2, "lr": 1e-2, "batch_size": 8},
    "labels": [18],
    "steps": 2,
    "every": 2,
    "leaky": {"n_labels": 18, "steps": 2},
    "thresholds": {"n_labels": 18},
    "n_test": 18,
}


def run(settings, progress=True):
    """Train both forms from both starts, then the readers of leaky pairs; one row a model.

    A row has pairs (what it learned from), reads ("both" or "hypothesis"), form, start, n_labels,
    seed, and its accuracy on new pairs of the same kind (accuracy), on balanced ones, and on those
    it was trained on (on_train). The forms "ranking" and "thresholds" are the reader of stories,
    not trained any further: without a label (`ranked`), and with so many labels for two numbers
    (`thresholded`).
    """
    rows, curve = [], []
    test = balanced_pairs(9, settings["n_test"]).test
    for seed in settings["seeds"]:
        set_seed(seed)
        starts = {"scratch": build(settings), "stories": pretrain(settings, seed, progress)}
        rows += _untrained(starts["stories"].eval(), test, seed, settings)
        for n_labels, form, start in itertools.product(settings["labels"], FORMS, starts):
            about = {"pairs": "balanced", "form": form, "start": start, "reads": "both"}
            about |= {"n_labels": n_labels, "seed": seed}
            rows.append(_row(about, starts[start], settings["steps"], settings, progress, curve))
        for pairs in ("leaky", "balanced"):
            for reads in ("both", "hypothesis") if pairs == "leaky" else ("hypothesis",):
                about = {"pairs": pairs, "form": "head", "start": "scratch", "reads": reads}
                about |= {"n_labels": settings["leaky"]["n_labels"], "seed": seed}
                gpt, steps = starts["scratch"], settings["leaky"]["steps"]
                rows.append(_row(about, gpt, steps, settings, progress))
    return {"rows": rows, "curve": curve}


def share_right(rows, form, start, labels, pairs="balanced", tested="accuracy"):
    """Return the mean, lowest and highest share right of the seeds of one kind of reader.

    rows: of this recipe's table; form "head", "text", "thresholds" or "ranking"; start "scratch" or
    "stories"; labels: how many it learned from; pairs: which ones, "balanced", "leaky" or, without
    labels, "none"; tested: "accuracy", on new pairs of that kind, or "on_balanced". Raises KeyError
    where no such reader was trained.
    """
    keys = ["pairs", "reads", "form", "start", "n_labels"]
    return summarise(rows, keys, tested)[pairs, "both", form, start, labels]


def _untrained(gpt, test, seed, settings):
    few = balanced_pairs(settings["thresholds"]["n_labels"], settings["n_test"]).train
    shares = {("none", "ranking", 0): ranked(gpt, test)}
    shares["balanced", "thresholds", len(few)] = thresholded(gpt, few, test)
    return [
        {"pairs": pairs, "form": form, "start": "stories", "reads": "both", "n_labels": n_labels}
        | {"seed": seed, "accuracy": share, "on_balanced": share, "on_train": None}
        for (pairs, form, n_labels), share in shares.items()
    ]


def _row(about, gpt, steps, settings, progress, curve=None):
    make = {"leaky": leaky_pairs, "balanced": balanced_pairs}[about["pairs"]]
    train, _, test = make(about["n_labels"], settings["n_test"])
    balanced = balanced_pairs(9, settings["n_test"]).test
    if about["reads"] == "hypothesis":
        train, test, balanced = map(without_premise, (train, test, balanced))
    lr = settings["lr"][about["start"]]
    options = {"seed": about["seed"], "progress": progress}
    if curve is not None:

        def on_the_way(model):
            return {"accuracy": accuracy(model, about["form"], test)}

        options |= {"evaluate": on_the_way, "evaluate_every": settings["every"]}
    model = fine_tune(gpt, about["form"], train, steps, lr, **options)
    if curve is not None:
        curve += [about | row for row in model.history.evaluations]
    return about | {
        "accuracy": accuracy(model, about["form"], test),
        "on_balanced": accuracy(model, about["form"], balanced),
        "on_train": accuracy(model, about["form"], train),
    }
