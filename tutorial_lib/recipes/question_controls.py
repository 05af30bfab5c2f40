"""Chapter 06b: what does a reader of questions need? Changed layers against a span head alone.

Both learn from the same made-up texts, in shorter trainings than the stored `question-reader`: one
changes MiniLM's layers by matrices of rank 4 and learns a span head, the other reads MiniLM's last
layer as it is. Both are asked about texts with new words, with a verb that is not in the text
("paraphrase"), and a question about another text in place of their own.
"""

from tutorial_lib.recipes import question_reader
from tutorial_lib.recipes.made_stories import KINDS, make_stories
from tutorial_lib.recipes.question_reader import exchanged, rights, train

SETTINGS = question_reader.SETTINGS | {
    "seeds": [0, 1, 2],
    "steps": 150,
    "n_measured": 120,  # questions of each part
    "lr": {"layers changed": 2e-3, "span head alone": 1e-2},
}
SMOKE = SETTINGS | {"seeds": [0], "steps": 1, "batch_size": 4, "n_measured": 60}
PARTS = ("test", "paraphrase")

data_bytes = question_reader.data_bytes


def run(settings, progress=True):
    """Train both readers with each seed; return rows of the share of answers marked exactly.

    A row has the model, its seed, the part, the questions ("own" or "another text's"), the kind of
    question ("all" for all), how many there are, and the share.
    """
    rows = []
    for seed in settings["seeds"]:
        for model, lr in settings["lr"].items():
            changed = settings | {"seed": seed, "lr": lr, "frozen": model == "span head alone"}
            reader = train(changed, progress)
            rows += [{"model": model, "seed": seed, **row} for row in measured(reader, settings)]
    return {"rows": rows}


def measured(reader, settings):
    """Return the rows of one reader."""
    rows = []
    for part in PARTS:
        asked = make_stories(part, settings["n_measured"], 0)
        for whose, questions in (("own", None), ("another text's", exchanged(asked))):
            right = rights(reader, asked, questions).tolist()
            for kind in ("all", *KINDS):
                some = [r for r, one in zip(right, asked, strict=True) if kind in ("all", one.kind)]
                found = {"n": len(some), "exact": round(sum(some) / len(some), 4)}
                rows.append({"part": part, "questions": whose, "kind": kind, **found})
    return rows
